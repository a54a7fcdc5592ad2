//! The agents of a sweep: those without a model as they are, the others once for each model, and programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use agents::blind;
use agents::client::{Http, Meter, Policy, ProviderClient, RateLimiter, Transport};
use agents::model::{LanguageModel, Sampling, Target};
use agents::model_agents::{self, AgentOptions, Connect, OwnProfile, model_agent, own_model_agent};
use agents::prices::Prices;
use agents::providers::{Env, dotenv};
use anyhow::{Context, anyhow, bail};
use harness::{AgentKind, Stop, Usage};

use super::estimate::Pretend;
use super::flags::{Calls, RunFlags};
use super::live::Live;
use super::part::RunRequest;
use crate::exec::{Program, ProgramSpec, Rules};
use crate::numbers::jobs;

/// So many episodes are played at a time if most of them wait for a model.
const MANY: usize = 32;

/// How models are asked, beside whom and when.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// The settings of the sampling.
    pub sampling: Sampling,
    /// What else can be said of the agents.
    pub options: AgentOptions,
    /// Profiles of the user's own: each is an agent.
    pub own: Vec<OwnProfile>,
}

/// The agents of a sweep.
pub struct RunAgents {
    kinds: Vec<Kind>,
    /// What is known once the sweep begins; the agents call no provider before.
    links: Arc<OnceLock<Links>>,
}

enum Kind {
    Plain(&'static dyn AgentKind),
    LanguageModel(Box<dyn AgentKind>),
    Program(Box<Program>),
}

impl Kind {
    fn of_model(agent: model_agents::ModelAgent) -> Kind {
        Kind::LanguageModel(Box::new(agent))
    }

    fn get(&self) -> &dyn AgentKind {
        match self {
            Kind::Plain(kind) => *kind,
            Kind::LanguageModel(kind) => &**kind,
            Kind::Program(kind) => &**kind,
        }
    }
}

/// What an answer costs.
type Cost = Arc<dyn Fn(Usage) -> Option<f64> + Send + Sync>;

/// What all lines of a sweep share.
struct Links {
    meter: Arc<Meter>,
    live: Live,
}

impl RunAgents {
    /// Gathers the agents that are wanted. What is missing for a model is an error here, not in the middle of a sweep.
    pub fn gather(
        request: &RunRequest,
        flags: &RunFlags,
        settings: ModelSettings,
        stop: &Stop,
    ) -> anyhow::Result<RunAgents> {
        let links = Arc::new(OnceLock::new());
        let mut names: Vec<&str> = Vec::new();
        for name in request.agents.iter().map(|name| name.trim()).flat_map(family) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut kinds = Vec::new();
        let mut models: Option<Models> = None;
        let programs = Programs::gather(flags, &links)?;
        for name in names {
            if let Some(spec) = ProgramSpec::of_agent(name) {
                kinds.push(programs.agent(spec.map_err(anyhow::Error::msg)?)?);
                continue;
            }
            if model_agents::ALL.iter().all(|profile| profile.name != name) {
                kinds.push(Kind::Plain(agents::find(name).map_err(|why| unknown(&why, request))?));
                continue;
            }
            let models = gathered(&mut models, request, flags, name, stop)?;
            for target in &models.targets {
                let connect = models.connect(target, flags, &links)?;
                let (sampling, options) = (settings.sampling.clone(), settings.options);
                let kind = model_agent(name, target, sampling, options, &models.prices, connect);
                kinds.push(Kind::of_model(kind.map_err(|why| anyhow!("{name}@{target}: {why}"))?));
            }
        }
        for own in &settings.own {
            if agents::find(&own.name).is_ok() {
                bail!("the prompt `{}` has the name of a built-in agent; give it another with `name: NAME`", own.name);
            }
            let models = gathered(&mut models, request, flags, &own.name, stop)?;
            for target in &models.targets {
                let connect = models.connect(target, flags, &links)?;
                let (sampling, options) = (settings.sampling.clone(), settings.options);
                let kind = own_model_agent(own, target, sampling, options, &models.prices, connect);
                kinds.push(Kind::of_model(kind.map_err(|why| anyhow!("{}@{target}: {why}", own.name))?));
            }
        }
        for spec in flags.exec.specs()? {
            kinds.push(programs.agent(spec)?);
        }
        if let Some(twice) = twice(&kinds) {
            bail!("two agents are called `{twice}`; give each program and each prompt a name of its own");
        }
        if !request.models.is_empty() && models.is_none() {
            bail!("none of these agents asks a model, so --models is of no use; `sre-zero agents` says which do");
        }
        Ok(RunAgents { kinds, links })
    }

    /// The agents, as a plan wants them.
    pub fn kinds(&self) -> Vec<&dyn AgentKind> {
        self.kinds.iter().map(Kind::get).collect()
    }

    /// Whether a provider will be called.
    pub fn has_models(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, Kind::LanguageModel(_)))
    }

    /// Whether programs will be started.
    pub fn has_programs(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, Kind::Program(_)))
    }

    /// From now on the agents can call.
    pub fn connect(&self, meter: &Arc<Meter>, live: &Live) {
        let _ = self.links.set(Links { meter: meter.clone(), live: live.clone() });
    }

    /// How many episodes are played at a time.
    pub fn jobs(&self, asked: Option<u16>) -> usize {
        if self.has_models() { asked.map_or(MANY, usize::from) } else { jobs(asked) }
    }
}

/// The models of the sweep, gathered when the first agent needs them.
fn gathered<'a>(
    models: &'a mut Option<Models>,
    request: &RunRequest,
    flags: &RunFlags,
    agent: &str,
    stop: &Stop,
) -> anyhow::Result<&'a Models> {
    if models.is_none() {
        *models = Some(Models::gather(request, flags, agent, stop)?);
    }
    Ok(models.as_ref().expect("they were gathered just now"))
}

/// The members of a family, or the agent itself.
fn family(name: &str) -> Vec<&str> {
    if name == blind::FAMILY { blind::ALL.iter().map(|kind| kind.name()).collect() } else { vec![name] }
}

/// An unknown agent may be the rest of a command.
fn unknown(why: &str, request: &RunRequest) -> anyhow::Error {
    let cut = request.agents.iter().any(|name| matches!(ProgramSpec::of_agent(name), Some(Ok(_))));
    let hint = if cut { "; a command with a comma in it is written --exec NAME=CMD" } else { "" };
    anyhow!("{why}{hint}")
}

/// The name that two agents have.
fn twice(kinds: &[Kind]) -> Option<&str> {
    let mut names: Vec<&str> = kinds.iter().map(|kind| kind.get().name()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// What programs are held to, and where they are heard.
struct Programs<'a> {
    rules: Arc<Rules>,
    flags: &'a RunFlags,
    links: &'a Arc<OnceLock<Links>>,
}

impl<'a> Programs<'a> {
    fn gather(flags: &'a RunFlags, links: &'a Arc<OnceLock<Links>>) -> anyhow::Result<Programs<'a>> {
        Ok(Programs { rules: flags.exec.rules()?, flags, links })
    }

    fn agent(&self, spec: ProgramSpec) -> anyhow::Result<Kind> {
        let name = &spec.name;
        if self.flags.replay.is_some() || self.flags.from_step.is_some() {
            bail!("`{name}` is a program and has no recording; leave --replay and --from-step out, or the agent");
        }
        if agents::find(name).is_ok() || model_agents::ALL.iter().any(|profile| profile.name == name) {
            bail!("`{name}` is the name of a built-in agent; call the program something else");
        }
        let links = self.links.clone();
        let tell = Arc::new(move |text: &str| {
            if let Some(links) = links.get() {
                links.live.say(text);
            }
        });
        Ok(Kind::Program(Box::new(Program::new(spec, self.rules.clone(), tell))))
    }
}

/// The models of a sweep, and one door for each provider.
struct Models {
    targets: Vec<Arc<Target>>,
    doors: BTreeMap<String, Arc<RateLimiter>>,
    /// Whether each target ever answered.
    alive: BTreeMap<String, Arc<AtomicBool>>,
    transport: Arc<dyn Transport>,
    prices: Arc<Prices>,
}

impl Models {
    fn gather(request: &RunRequest, flags: &RunFlags, agent: &str, stop: &Stop) -> anyhow::Result<Models> {
        if request.models.is_empty() {
            bail!("the agent `{agent}` needs a model: say which with --models provider/model (docs/models.md)");
        }
        let mut env = environment()?;
        if let Some(url) = &flags.calls.base_url {
            env = env.with("SRE_ZERO_BASE_URL", url);
        }
        let mut targets: Vec<Arc<Target>> = Vec::new();
        for name in &request.models {
            // A replay calls no provider and needs no key.
            let target =
                if flags.replay.is_some() || flags.dry_run { Target::offline(name) } else { Target::parse(name, &env) };
            let target = target.map_err(|why| anyhow!("--models {name}: {why}"))?;
            if targets.iter().all(|other| other.to_string() != target.to_string()) {
                targets.push(Arc::new(target));
            }
        }
        if flags.calls.base_url.is_some() && targets.iter().all(|target| target.provider != "custom") {
            bail!("--base-url is for the provider `custom` alone; docs/models.md names the variable of each other one");
        }
        let policy = if flags.dry_run { Policy::Unlimited } else { flags.calls.policy() };
        let doors = targets.iter().map(|t| (t.provider.clone(), RateLimiter::new(policy, stop))).collect();
        let alive = targets.iter().map(|t| (t.to_string(), Arc::default())).collect();
        let transport: Arc<dyn Transport> = if flags.dry_run {
            Arc::new(Pretend::new(flags.tokens_per_call))
        } else {
            Arc::new(Http::new(flags.jobs.map_or(MANY, usize::from)))
        };
        Ok(Models { targets, doors, alive, transport, prices: Arc::new(prices(&flags.calls)?) })
    }

    /// How an agent's episodes reach their model.
    fn connect(&self, target: &Arc<Target>, flags: &RunFlags, links: &Arc<OnceLock<Links>>) -> anyhow::Result<Connect> {
        let (door, transport, patience) =
            (self.doors[&target.provider].clone(), self.transport.clone(), flags.calls.patience());
        let price = self.prices.find(&target.provider, &target.model);
        if price.is_none() && flags.calls.max_cost.is_some() && flags.replay.is_none() {
            bail!(
                "--max-cost: the price of {target} is not known, so the cap would never be reached; give it with --prices FILE, or cap with --max-tokens or --max-calls"
            );
        }
        let price: Cost = Arc::new(move |usage| price.map(|price| price.cost(usage)));
        let (to, links) = (target.clone(), links.clone());
        let (alive, keep_going) = (self.alive[&target.to_string()].clone(), flags.calls.keep_going);
        let connect = move |exchanges| -> Box<dyn LanguageModel> {
            let links = links.get().expect("no agent plays before the sweep begins");
            Box::new(ProviderClient {
                target: to.clone(),
                door: door.clone(),
                transport: transport.clone(),
                patience,
                meter: links.meter.clone(),
                price: price.clone(),
                watch: Arc::new(links.live.clone()),
                alive: alive.clone(),
                keep_going,
                exchanges,
            })
        };
        Ok(Arc::new(connect))
    }
}

/// The environment, with what a file `.env` in this folder adds to it.
fn environment() -> anyhow::Result<Env> {
    let env = Env::new(std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))));
    let path = Path::new(".env");
    if !path.exists() {
        return Ok(env);
    }
    let text = std::fs::read_to_string(path).context("cannot read .env")?;
    Ok(env.or(dotenv(&text).map_err(|why| anyhow!(".env: {why}"))?))
}

/// The built-in prices, with the user's own over them.
fn prices(calls: &Calls) -> anyhow::Result<Prices> {
    let Some(path) = &calls.prices else { return Ok(Prices::shipped()) };
    let text = harness::read_text(path, "read the price table", "save it as text in UTF-8")?;
    Prices::shipped().with(&text, path).map_err(anyhow::Error::msg)
}
