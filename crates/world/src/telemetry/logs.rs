//! Logs: rendered when read from the counted events of each scrape. The same scrape always renders
//! the same lines for every look.

use crate::blueprint::{About, Answer, Ink, Line, Statement};
use crate::fleet::{Instance, InstanceId};
use crate::flow::Reason;
use crate::history::Row;
use crate::kind::PLATFORM_LINES;
use crate::operator::View;
use crate::platform::{platform_lines, printed};
use crate::rng::{Draw, Stream};
use crate::services::{Level, Role, Template};
use crate::settings::RevisionId;
use crate::telemetry::requests::{Request, Step, StepKind, address, client, user};
use crate::time::{Span, Time};

/// What to look for.
#[derive(Clone, Debug)]
pub struct LogQuery<'a> {
    /// Only lines at least this loud.
    pub level: Level,
    /// Only lines that contain this, whatever the case.
    pub text: &'a str,
    /// Only lines after this time.
    pub from: Time,
    /// Only lines up to this time.
    pub to: Time,
    /// At most so many lines, the latest.
    pub limit: usize,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// When it was written.
    pub time: Time,
    /// How loud it is.
    pub level: Level,
    /// The instance that wrote it; `None` for a service that has none.
    pub instance: Option<InstanceId>,
    /// What it says.
    pub text: String,
    /// The name of its template.
    pub template: &'static str,
    /// Whether a healthy service prints it too.
    pub chatter: bool,
}

/// At most so many lines of one template are kept from one scrape: the store samples what repeats.
const PER_SCRAPE: u64 = 3;
/// At most so many lines of one template are in a sample.
const PER_SAMPLE: usize = 4;

/// The draw for the instance of a line: far from those of its fields.
const INSTANCE: u64 = 1 << 32;
/// The draw for whom a line names at the other end.
const PEER: u64 = 1 << 33;
/// Instances have much to do that get so much of what the busiest gets.
const MUCH: f64 = 0.8;
/// So many requests are looked through for one that got as far as the service.
const LOOKED_THROUGH: u64 = 6;

/// Where such a share of the calls fails, none is answered well.
const NEVER_ANSWERED: f64 = 0.99;

/// What a line is about: a request of one of the calls that its service answers, or nothing in particular.
struct Subject {
    draws: Stream,
    time: Time,
    call: Option<usize>,
    id: u64,
    /// Why it failed, if it did.
    reason: Option<Reason>,
    answer: Answer,
    ms: f64,
}

impl Subject {
    /// One of which only is known when it was, and which one it is.
    fn at(draws: Stream, time: Time, call: Option<usize>, id: u64) -> Subject {
        Subject { draws, time, call, id, reason: None, answer: Answer::default(), ms: 0.0 }
    }
}

impl<'w> View<'w> {
    /// Lines that match, oldest first.
    pub fn logs(self, service: usize, query: &LogQuery<'_>) -> Vec<LogLine> {
        let world = self.world;
        let info = &world.plan.services[service];
        let stream = world.seed.stream("logs").within(service as u64);
        let templates: Vec<&Template> = info.templates().collect();
        let needle = query.text.to_ascii_lowercase();
        let readable = Time(query.to.0.min(world.now.back(world.log_delay(service)).0));
        let mut lines: Vec<LogLine> = Vec::with_capacity(query.limit);
        for row in world.history.newest_first(query.from, readable) {
            let first = lines.len();
            for (at, count) in printed(row.events(service, info.events.clone())) {
                let template = templates[at];
                if template.level < query.level {
                    continue;
                }
                let draws = stream.within(row.time.0).within(at as u64);
                for k in 0..kept(count, draws) {
                    let line = self.line(service, at, template, row, k);
                    let fits = |line: &LogLine| needle.is_empty() || line.text.to_ascii_lowercase().contains(&needle);
                    lines.extend(line.filter(fits));
                }
            }
            lines[first..].sort_by_key(|l| std::cmp::Reverse(l.time));
            if lines.len() >= query.limit {
                break;
            }
        }
        lines.truncate(query.limit);
        lines.reverse();
        lines
    }

    /// A sample of the lines after `from`, oldest first: at most `loud` that only a troubled service
    /// prints, and `quiet` others. A flood of one line hides nothing else: each template has one place
    /// per scrape and a few in all.
    pub fn log_sample(self, service: usize, from: Time, loud: usize, quiet: usize) -> Vec<LogLine> {
        let (world, info) = (self.world, &self.world.plan.services[service]);
        let stream = world.seed.stream("logs").within(service as u64);
        let mut places = [quiet, loud];
        let templates: Vec<&Template> = info.templates().collect();
        // How many more of each template fit; a healthy service has many scrapes with nothing to take.
        let mut room = vec![PER_SAMPLE; templates.len()];
        let mut lines: Vec<LogLine> = Vec::with_capacity(loud + quiet);
        for row in world.history.newest_first(from, world.now.back(world.log_delay(service))) {
            let draws = stream.within(row.time.0);
            for (at, count) in printed(row.events(service, info.events.clone())) {
                if room[at] == 0 {
                    continue;
                }
                let (template, sort) = (templates[at], usize::from(templates[at].is_loud()));
                if places[sort] > 0
                    && kept(count, draws.within(at as u64)) > 0
                    && let Some(line) = self.line(service, at, template, row, 0)
                {
                    lines.push(line);
                    (places[sort], room[at]) = (places[sort] - 1, room[at] - 1);
                }
                if places[sort] == 0 {
                    let full = room.iter_mut().zip(&templates).filter(|(_, t)| usize::from(t.is_loud()) == sort);
                    full.for_each(|(room, _)| *room = 0);
                }
            }
            if places == [0, 0] {
                break;
            }
        }
        lines.sort_by_key(|line| line.time);
        lines
    }

    /// Whether a sample after `from` has a line that only a troubled service prints, for those who do not read it.
    pub fn has_loud_line(self, service: usize, from: Time) -> bool {
        let readable = self.world.now.back(self.world.log_delay(service));
        let mut rows = self.world.history.newest_first(from, readable);
        rows.any(|row| self.is_loud_in(service, row))
    }

    /// The same of each service: row after row, because a row is far from the others.
    pub fn have_loud_lines(self, from: Time) -> Vec<bool> {
        let services = 0..self.world.plan.services.len();
        let mut found = vec![false; services.len()];
        for row in self.world.history.newest_first(from, self.world.now) {
            for service in services.clone() {
                found[service] = found[service]
                    || (row.time <= self.world.now.back(self.world.log_delay(service))
                        && self.is_loud_in(service, row));
            }
        }
        found
    }

    /// Whether a scrape has such a line.
    fn is_loud_in(self, service: usize, row: Row<'_>) -> bool {
        let info = &self.world.plan.services[service];
        let events = row.events(service, info.events.clone());
        let is_read = |(at, template): &(usize, &Template), count: f32| {
            let draws = || self.world.seed.stream("logs").within(service as u64).within(row.time.0).within(*at as u64);
            count > 0.0
                && kept(count, draws()) > 0
                && self.subject(service, *at, template, self.world.plan.line(service, *at), row, 0).is_some()
        };
        let (own, platform) = info.loud_lines();
        // Those of the platform share the last column.
        let last = events.len() - 1;
        own.iter().any(|line| is_read(line, events[line.0]))
            || platform_lines(events[last])
                .any(|(place, count)| platform.iter().any(|line| line.0 == last + place && is_read(line, count)))
    }

    /// How many lines of each level a service wrote after `from`: information, warnings, errors.
    pub fn log_counts(self, service: usize, from: Time) -> [u64; 3] {
        let (world, info) = (self.world, &self.world.plan.services[service]);
        let mut counts = vec![0.0f64; info.events.len() - 1];
        let mut sums = [0.0f64; 3];
        for row in world.history.newest_first(from, world.now.back(world.log_delay(service))) {
            let (own, platform) = row.events(service, info.events.clone()).split_at(counts.len());
            counts.iter_mut().zip(own).for_each(|(sum, count)| *sum += f64::from(count.max(0.0)));
            platform_lines(platform[0]).for_each(|(line, often)| {
                sums[PLATFORM_LINES[line].level as usize] += f64::from(often);
            });
        }
        info.own_templates().zip(counts).for_each(|(template, count)| sums[template.level as usize] += count);
        sums.map(|sum| sum.round() as u64)
    }

    /// The line of a template with a number; none where no request got as far as that.
    fn line(self, service: usize, at: usize, template: &Template, row: Row<'_>, number: u64) -> Option<LogLine> {
        let world = self.world;
        let line = world.plan.line(service, at);
        let subject = self.subject(service, at, template, line, row, number)?;
        let Subject { draws, time, id, answer, ms, .. } = subject;
        let instance = self.busy_instance(service, draws.at(INSTANCE), template.is_of_busiest);
        let revision = instance.map_or(RevisionId::TEMPLATE, |i| i.revision);
        let key = |key: usize| world.settings[service].at(revision, key, time);
        let callee = subject.call.and_then(|call| self.callee(row, call, template.reason));
        let is_server = callee.is_some_and(|callee| world.plan.services[callee].kind.name() == "web");
        let ink = Ink {
            draws,
            cell: &|column| row.cell(column),
            key: &key,
            instance: instance.map_or(0, |i| i.ordinal),
            peer: &|| self.peer(service, draws, |_| true),
            holder: &|| self.holder(service, draws, row),
            callee: &|| Some(&world.plan.services[callee?].host),
            op: subject.call.map_or("", |call| &world.plan.calls[call].op.name),
            statement: match subject.call.map(|call| &world.plan.calls[call]) {
                Some(info) if info.op.write => Statement::Write,
                info => {
                    let index = info.and_then(|info| info.index);
                    Statement::Read { is_indexed: index.is_none_or(|index| key(index).bool()) }
                }
            },
            id,
            user: user(draws),
            answer,
            ms,
            number,
            of: f64::from(row.cell(world.plan.services[service].events.start + at)).round() as u64,
            backend: &|| self.backend(callee?, subject.reason, draws),
            time,
            server: &|at| self.server_behind(service, at),
        };
        let in_state = line.of_state.as_ref().filter(|(gauge, _)| {
            let began = subject.call.zip(template.reason).map(|(call, reason)| self.origin(row, call, reason));
            began.is_some_and(|service| self.gauge(row, service, gauge) > 0.0)
        });
        let line = match in_state {
            Some((_, lines)) => {
                if is_server {
                    &lines[1]
                } else {
                    &lines[0]
                }
            }
            None => line.of_server.as_deref().filter(|_| is_server).unwrap_or(line),
        };
        let text = line.render(&ink);
        let &Template { name, level, chatter, .. } = template;
        Some(LogLine { time, level, instance: instance.map(|i| i.id), text, template: name, chatter })
    }

    /// What a line is about.
    fn subject(
        self,
        service: usize,
        at: usize,
        template: &Template,
        line: &Line,
        row: Row<'_>,
        number: u64,
    ) -> Option<Subject> {
        let (world, logs) = (self.world, self.world.seed.stream("logs").within(service as u64));
        let draws = logs.within(row.time.0).within(at as u64).within(number);
        let loud = template.reason.is_some() || (template.level == Level::Error && !template.chatter);
        // The same number means the same request to every service that it passes.
        let shared = self.requests().within(row.time.0).at(number);
        let time = row.time.back(Span(draws.at(0).below(15_000)));
        let Some(call) = self.asked(service, row, template, loud, shared) else {
            return Some(Subject::at(draws, time, None, draws.at(4).bits()));
        };
        if template.writes.is_some_and(|writes| writes != world.plan.calls[call].op.write) {
            // Nothing of that sort is asked here.
            return None;
        }
        if template.is_once {
            // One after the other, in the order in which one follows from the other.
            let first = row.time.back(Span(1000 + logs.within(row.time.0).at(0).below(14_000)));
            return Some(Subject::at(draws, first + Span(at as u64 * 8 + number), Some(call), 0));
        }
        if line.about == About::Nothing {
            return Some(Subject::at(draws, time, Some(call), 0));
        }
        let route = world.plan.calls[call].route;
        let reason = template.reason.or_else(|| if loud { self.felt_reason(row, call) } else { None });
        // Of a request that failed for a reason that has a line of its own, that is the line.
        let has_own = |reason| world.plan.services[service].own_templates().any(|other| other.reason == Some(reason));
        if line.about != About::Id && template.reason.is_none() && reason.is_some_and(has_own) {
            return None;
        }
        if line.about == About::Id {
            // Lines that say no reason are about requests of their own, and so is the second of two that say the same one: a request
            // fails once.
            let cells = row.events(service, world.plan.services[service].events.clone());
            let mut before = world.plan.services[service].own_templates().take(at).zip(cells);
            let is_first =
                !before.any(|(other, count)| *count > 0.0 && other.reason.is_some() && other.reason == template.reason);
            let is_shared = reason.is_some() && is_first && (template.reason.is_some() || !template.is_only);
            let number = if is_shared { number } else { number | (at as u64 + 1) << 16 };
            let draws = address(self.requests(), row.time, route, reason, number);
            let time = row.time.back(Span(draws.at(0).below(15_000)));
            let waited = || self.waited_so_long(row, call, (time, self.gives_up_after(row, call)), draws);
            let can_be = reason != Some(Reason::TimedOut) || waited();
            return can_be.then(|| Subject::at(draws, time, Some(call), draws.at(4).bits()));
        }
        // Of a request that a proxy has another line for there is no access line.
        let number = if template.is_only && !loud { number | (at as u64 + 1) << 16 } else { number };
        let failed = world.plan.calls[call].columns.start + 1;
        if template.is_answered && f64::from(row.cell(failed)) > NEVER_ANSWERED {
            return None;
        }
        (0..LOOKED_THROUGH).find_map(|again| {
            let number = number + 64 * again;
            let request = match reason {
                None if template.is_answered => self.request_with(row, route, number, None),
                Some(_) => self.request_with(row, route, number, reason),
                None => self.request(row, route, number),
            };
            let place = request.spans.iter().position(|step| step.call == call && step.kind == StepKind::Call)?;
            let step = &request.spans[place];
            if step.failed.is_some_and(|reason| !template.is_only && self.has_its_line(service, row, reason)) {
                return None;
            }
            let (draws, time, ms) = (request.draws, request.time, step.ms);
            if step.failed == Some(Reason::TimedOut) && !self.waited_so_long(row, call, (time, ms), draws) {
                return None;
            }
            let answer = self.answer(&request, place);
            Some(Subject { draws, time, call: Some(call), id: request.id, reason: step.failed, answer, ms })
        })
    }

    /// What a step of a request was answered: what an application catches is its own error, and a proxy that got that answer has
    /// nothing to add.
    fn answer(self, request: &Request, place: usize) -> Answer {
        let plan = &self.world.plan;
        let step = &request.spans[place];
        let Some(reason) = step.failed else { return Answer { status: 200, ..Answer::default() } };
        let reason = plan.calls[step.call].shown(reason);
        let inside = request.spans[place + 1..].iter().take_while(|inner| inner.depth > step.depth);
        // The last failed step inside is the one that failed it; the one before met that.
        let mut chain = std::iter::once(step)
            .chain(inside)
            .filter(|inner| inner.failed == step.failed && inner.kind == StepKind::Call);
        let is_proxy = |step: &Step| plan.services[plan.calls[step.call].service].kind.tier() == 0;
        let (met, origin) = chain.by_ref().fold((step, step), |(_, before), inner| (before, inner));
        if !std::ptr::eq(origin, step) && !is_proxy(met) {
            return Answer { status: reason.caught(), ..Answer::default() };
        }
        let is_refused = matches!(reason, Reason::Refused | Reason::Unreachable | Reason::Astray);
        let is_own = is_proxy(met) && (is_refused || matches!(reason.status(), 502 | 504));
        Answer { status: reason.status(), is_own, is_refused: is_own && is_refused }
    }

    /// Whether requests that failed for a reason have a line of their own then, and no other.
    fn has_its_line(self, service: usize, row: Row<'_>, reason: Reason) -> bool {
        let info = &self.world.plan.services[service];
        let own =
            || info.own_templates().zip(row.events(service, info.events.clone())).filter(|(line, _)| line.is_only);
        let named = own().find(|(line, _)| line.reason == Some(reason));
        let any = || own().filter(|(line, _)| line.reason.is_none()).any(|(_, count)| *count > 0.0);
        named.map_or_else(any, |(_, count)| *count > 0.0)
    }

    /// One of the calls that a service answers, as often as it is asked, or as it fails for what the line is about.
    fn asked(self, service: usize, row: Row<'_>, template: &Template, loud: bool, draw: Draw) -> Option<usize> {
        let plan = &self.world.plan;
        let info = &plan.services[service];
        let calls = if info.calls.is_empty() { &info.roots } else { &info.calls };
        let weight = |call: usize| {
            let cells = row.part(plan.calls[call].columns.clone());
            let fits = template.reason.is_none_or(|reason| cells[2] == (reason as usize + 1) as f32);
            let is_sort = template.writes.is_none_or(|writes| writes == plan.calls[call].op.write);
            let part = if !is_sort {
                0.0
            } else if !loud {
                1.0
            } else {
                cells[1] * if fits { 1.0 } else { 0.001 } + 1e-6
            };
            f64::from(cells[0].max(0.0) * part)
        };
        let mut left = draw.unit() * calls.iter().map(|&call| weight(call)).sum::<f64>();
        let past = |call: &&usize| {
            left -= weight(**call);
            left < 0.0
        };
        calls.iter().find(past).or(calls.first()).copied()
    }

    /// The reason for which most calls fail, as the service behind it would say it.
    fn felt_reason(self, row: Row<'_>, call: usize) -> Option<Reason> {
        let cell = row.cell(self.world.plan.calls[call].columns.start + 2);
        Reason::ALL.get((cell as usize).checked_sub(1)?).copied()
    }

    /// The service behind a call that fails it for a reason, or that it asks first.
    fn callee(self, row: Row<'_>, call: usize, reason: Option<Reason>) -> Option<usize> {
        let plan = &self.world.plan;
        let answers = |c: &usize| plan.calls[*c].role == Role::Answer;
        let failing = reason.and_then(|reason| self.failing(row, call, reason)).filter(answers);
        let asked = failing.or_else(|| plan.calls[call].children.iter().copied().find(answers))?;
        Some(plan.calls[asked].service)
    }

    /// The service where a call that fails for a reason began to.
    fn origin(self, row: Row<'_>, call: usize, reason: Reason) -> usize {
        let calls = std::iter::successors(Some(call), |call| self.failing(row, *call, reason));
        self.world.plan.calls[calls.last().unwrap_or(call)].service
    }

    /// A gauge of a service; 0 where its kind has none of that name.
    fn gauge(self, row: Row<'_>, service: usize, name: &str) -> f64 {
        let info = &self.world.plan.services[service];
        let at = info.kind.gauges().iter().position(|gauge| gauge.0 == name);
        at.map_or(0.0, |at| f64::from(row.cell(info.gauges.start + at)))
    }

    /// Name and number of the instance of a service that was sent a request: the one whose own line about it names itself.
    fn backend(self, service: usize, reason: Option<Reason>, draws: Stream) -> Option<(&'w str, u32)> {
        let is_turned_away = |line: &Template| line.is_of_busiest && line.reason.is_some() && line.reason == reason;
        let of_busiest = self.world.plan.services[service].own_templates().any(is_turned_away);
        let instance = self.busy_instance(service, draws.at(INSTANCE), of_busiest)?;
        Some((&*self.world.plan.services[service].name, instance.ordinal))
    }

    /// Name and number of an instance behind a service, by its position among all that are.
    fn server_behind(self, service: usize, at: usize) -> Option<(&'w str, u32)> {
        let behind = self.world.plan.services[service].depends_on.iter();
        let instance = behind.flat_map(|service| self.world.fleet.of(*service)).nth(at)?;
        Some((&*self.world.plan.services[instance.service].name, instance.ordinal))
    }

    /// The address at the other end of a connection: a client's at the edge, a caller's inside.
    fn peer(self, service: usize, draws: Stream, is_one: impl Fn(usize) -> bool) -> [u8; 4] {
        let plan = &self.world.plan;
        let callers = (0..plan.services.len()).filter(|&s| plan.services[s].depends_on.contains(&service) && is_one(s));
        let all: Vec<&Instance> = callers.flat_map(|s| self.world.fleet.of(s)).collect();
        if all.is_empty() { client(draws) } else { draws.at(PEER).pick(&all).address() }
    }

    /// The address of an instance that keeps connections to a service.
    fn holder(self, service: usize, draws: Stream, row: Row<'_>) -> [u8; 4] {
        let plan = &self.world.plan;
        let holds = |caller: usize| self.gauge(row, caller, "held_connections") > 0.0;
        let is_known = (0..plan.services.len()).any(|s| plan.services[s].depends_on.contains(&service) && holds(s));
        self.peer(service, draws, |caller| !is_known || holds(caller))
    }

    /// An instance that could have written a line: one that gets traffic, if any does, or much of it.
    fn busy_instance(self, service: usize, draw: Draw, of_busiest: bool) -> Option<&'w Instance> {
        let fleet = self.world.fleet.of(service);
        let most = fleet.iter().map(|i| i.share).fold(0.0, f64::max);
        let share = |i: &Instance| if of_busiest && i.share < MUCH * most { 0.0 } else { i.share };
        let mut left = draw.unit() * fleet.iter().map(share).sum::<f64>();
        let past = |i: &&Instance| {
            left -= share(i);
            left < 0.0
        };
        fleet.iter().find(past).or_else(|| fleet.get(draw.below(fleet.len() as u64) as usize))
    }
}

/// How many lines of a template a scrape keeps: a fraction of an event is one with that chance.
fn kept(count: f32, stream: Stream) -> u64 {
    if count.is_nan() || count <= 0.0 {
        return 0;
    }
    let whole = count as u64;
    let part = u64::from(stream.at(u64::MAX).chance(f64::from(count) - whole as f64));
    (whole + part).min(PER_SCRAPE)
}
