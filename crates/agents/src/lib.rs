//! Agents: the two bounds, an honest runbook, those that try to cheat, and those that ask a model.
//!
//! An agent of [`model_agents`] puts a question together; [`providers`] turn it into bytes and read the
//! reply; [`client`] sends it, no faster than it may. [`extract`] finds the action in what comes back.
//!
//! This crate knows neither the world nor the tools: an agent gets a brief and the text of
//! observations, and answers with the text of an action. Only kinds that say so see an answer key.
//! Each way to the truth or to a reward that was once open to a kind of agent does not compile:
//!
//! ```compile_fail,E0609
//! fn act(turn: &harness::Turn<'_>) -> f64 { turn.reward }
//! ```
//! ```compile_fail,E0599
//! fn play(player: harness::Player) { player.world(); }
//! ```
//! ```compile_fail,E0599
//! fn play(player: harness::Player) { player.scenario(); }
//! ```
//! ```compile_fail,E0599
//! fn play(player: harness::Player) { player.parts(); }
//! ```
//! ```compile_fail,E0609
//! fn play(mut player: harness::Player) -> f64 { player.step("list_alerts()").reward }
//! ```
//! ```compile_fail,E0599
//! fn play(player: harness::Player) -> harness::Record { player.finish() }
//! ```
//! ```compile_fail,E0599
//! fn play(player: harness::Player) { player.steps(); }
//! ```
//! ```compile_fail,E0308
//! fn play(player: harness::Player) -> harness::Episode { player }
//! ```

mod action_plan;
pub mod blind;
mod cause;
pub mod client;
mod dice;
pub mod exploits;
pub mod extract;
pub mod fake_provider;
pub mod model;
pub mod model_agents;
pub mod prices;
pub mod prompts;
pub mod providers;
pub mod random;
pub mod runbook;
pub mod scripted;
pub mod terminal;

use blind::Blind;
use harness::AgentKind;

/// Every kind of agent, in the order in which tables show them.
pub const ALL: &[&dyn AgentKind] = &[
    &random::Random,
    &runbook::Runbook,
    &scripted::Scripted,
    &exploits::noop::Noop,
    &exploits::restart_all::RestartAll,
    &exploits::rollback_last::RollbackLast,
    &exploits::rollback_everything::RollbackEverything,
    &exploits::undo_the_real_key::UndoTheRealKey,
    &exploits::max_knobs::MaxKnobs,
    &exploits::stuff_keywords::StuffKeywords,
    &exploits::list_all_causes::ListAllCauses,
    &exploits::resolve_at_once::ResolveAtOnce,
    &exploits::fix_the_distractor::FixTheDistractor,
    &exploits::silence_the_alert::SilenceTheAlert,
    &exploits::follow_the_reward::FollowTheReward,
    &Blind(&blind::id::ById),
    &Blind(&blind::page::ByPage),
    &Blind(&blind::memory::ByMemory),
    &Blind(&blind::odd_config::OddConfig),
    &Blind(&blind::last_three::LastThree),
    &Blind(&blind::seconds::BySeconds),
    &Blind(&blind::author::ByAuthor),
    &Blind(&blind::paged_first::PagedFirst),
    &Blind(&blind::restart_paged::RestartPaged),
    &Blind(&blind::hedge::Hedge),
    &Blind(&blind::nearest::Nearest),
    &Blind(&blind::linear::Linear),
    terminal::tricks::ALL[0],
    terminal::tricks::ALL[1],
    terminal::tricks::ALL[2],
    terminal::tricks::ALL[3],
    terminal::tricks::ALL[4],
    terminal::tricks::ALL[5],
    terminal::tricks::ALL[6],
    terminal::tricks::ALL[7],
    terminal::tricks::ALL[8],
    &Blind(&blind::likelihood::BY_ALL),
    &Blind(&blind::likelihood::BY_SWITCHES),
    &Blind(&blind::likelihood::BY_CHANGES),
    &Blind(&blind::likelihood::SEVERAL),
];

/// The kind of that name, or an error that says which was probably meant.
pub fn find(name: &str) -> Result<&'static dyn AgentKind, String> {
    ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = ALL.iter().map(|kind| kind.name()).chain(model_agents::ALL.iter().map(|p| p.name)).collect();
    harness::unknown_name("agent", name, &names, "known are")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_found_by_name_or_the_nearest_is_offered() {
        let check = |name: &str, expect: &str| {
            let found = find(name).map(|kind| kind.name().to_string());
            assert_eq!(found.unwrap_or_else(|problem| problem), expect);
        };
        check("random", "random");
        check("silence-the-alert", "silence-the-alert");
        check("randm", "unknown agent `randm`: did you mean `random`?");
        check("restart_all", "unknown agent `restart_all`: did you mean `restart-all`?");
        check("silence", "unknown agent `silence`: did you mean `silence-the-alert`?");
        let profiles = model_agents::ALL.iter().map(|profile| profile.name);
        let names: Vec<&str> = ALL.iter().map(|kind| kind.name()).chain(profiles).collect();
        check("gpt", &format!("unknown agent `gpt`; known are {}", names.join(", ")));
    }

    #[test]
    fn the_blind_family_is_known_by_its_names() {
        let blind: Vec<&str> =
            ALL.iter().map(|kind| kind.name()).filter(|name| harness::record::is_blind(name)).collect();
        assert_eq!(blind.len(), blind::ALL.len());
        assert!(blind::ALL.iter().all(|kind| blind.contains(&kind.name())));
    }

    #[test]
    fn names_are_unique_and_only_the_bounds_see_the_answer() {
        let mut names: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        let with_key: Vec<&str> = ALL.iter().filter(|kind| kind.uses_answer_key()).map(|kind| kind.name()).collect();
        assert_eq!(with_key, ["scripted", "fix-the-distractor"]);
        assert!(ALL.iter().all(|kind| !kind.about().is_empty()));
        let families = exploits::ALL.iter().chain(blind::ALL);
        assert!(families.clone().all(|kind| names.binary_search(&kind.name()).is_ok()), "each is listed here too");
        let remember: Vec<&str> = ALL.iter().filter(|kind| kind.uses_memory()).map(|kind| kind.name()).collect();
        assert!(remember.iter().all(|name| name.starts_with("blind-")), "only the blind family remembers");
    }
}
