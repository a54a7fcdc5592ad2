use world::faults::{BUILDS, TEAMS};

use super::*;

/// What a file says must make sense before anything is drawn from it.
#[test]
fn domains_are_sound() {
    assert!(ALL.len() >= 8);
    for domain in ALL.iter() {
        let name = &domain.name;
        assert!(!domain.about.is_empty() && !domain.products.is_empty(), "{name}");
        assert!(!domain.edges.is_empty() && !domain.fronts.is_empty(), "{name}");
        assert_eq!(domain.teams.len(), TEAMS.len(), "{name}: a word for each");
        assert!(domain.builds.len() >= BUILDS.len(), "{name}: builds bring too little");
        check_words(domain);
        // An application of the largest size has five units, and each is another one.
        assert!(domain.units.iter().filter(|u| !u.is_stateless()).count() >= 5, "{name}: too few units with stores");
        let words = |all: &[String]| all.iter().map(|name| name.split('_').count()).max().unwrap_or(0);
        let fronts = words(&domain.edges).max(words(&domain.fronts));
        assert!(words(&domain.products) + fronts <= 3, "{name}: long names");
        let mut names: Vec<&str> = domain.units.iter().map(|u| u.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "{name}: two units of one name");
        for (rank, unit) in domain.units.iter().enumerate() {
            check_unit(domain, rank, unit);
        }
    }
}

/// No two servers of a domain say the same in everyday life, and a store is called after no program whose words it does not
/// speak: databases speak PostgreSQL's, caches Redis's, and queues those of no program.
fn check_words(domain: &Domain) {
    const OTHERS: &[&str] = &[
        "mysql",
        "maria",
        "mariadb",
        "mongo",
        "oracle",
        "cassandra",
        "columnar",
        "object",
        "document",
        "memcached",
        "kafka",
        "rabbit",
        "rabbitmq",
        "sqs",
        "nats",
    ];
    let mut said: Vec<&String> = domain.units.iter().map(|unit| &unit.says[0]).chain([&domain.says[0]]).collect();
    said.sort_unstable();
    assert!(said.windows(2).all(|two| two[0] != two[1]), "{}: two servers say the same: {said:?}", domain.name);
    for unit in &domain.units {
        let stores = [unit.database.as_deref().unwrap_or_default(), &unit.cache, &unit.queue];
        let words = stores.into_iter().chain(unit.second.as_deref()).flat_map(|name| name.split('_'));
        let other: Vec<&str> = words.filter(|word| OTHERS.contains(word)).collect();
        assert!(other.is_empty(), "{}/{}: speaks the words of another program than {other:?}", domain.name, unit.name);
    }
}

fn check_unit(domain: &Domain, rank: usize, unit: &UnitKind) {
    let place = format!("{}/{}", domain.name, unit.name);
    let mut own: Vec<&str> = unit.routes.iter().map(|r| r.name.as_str()).collect();
    own.extend(unit.job.as_ref().map(|job| job.name.as_str()));
    let stores = [unit.database.as_deref().unwrap_or("none"), &unit.cache, &unit.queue, &unit.server];
    let named = |name: &&str| stores.contains(name) || own.iter().filter(|o| *o == name).count() > 1;
    assert!(!own.iter().any(named), "{place}: two things of one name");
    // With the region before it a name has four words at most: five would be a part of an answer.
    let words = |name: &str| name.split('_').count();
    let second = unit.second.as_deref().unwrap_or_default();
    assert!(stores.iter().chain([&second]).all(|what| words(&unit.name) + words(what) <= 3), "{place}: long names");
    // In a region a role is said by its last word.
    let mut last: Vec<&str> = stores.iter().chain([&second]).filter_map(|what| what.split('_').next_back()).collect();
    last.retain(|word| !word.is_empty());
    last.sort_unstable();
    assert!(last.windows(2).all(|w| w[0] != w[1]), "{place}: two roles that are alike in a region: {last:?}");
    assert!(unit.routes.iter().any(|r| r.rps > 1.0), "{place}: users ask something of it");
    if !unit.is_stateless() {
        assert!(unit.job.is_some() && !unit.cache.is_empty() && !unit.queue.is_empty(), "{place}: it has stores");
        let indexes = |index| unit.routes.iter().flat_map(|r| &r.calls).any(|c| needs(c, index));
        assert!(indexes(IndexKind::Lists) && indexes(IndexKind::Rows), "{place}: its queries need their indexes");
        for text in [&unit.lists, &unit.rows] {
            let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(text.split('.').count() == 2 && text.split('.').all(is_name), "{place}: no table.column: `{text}`");
        }
        assert_ne!(unit.index(IndexKind::Lists), unit.index(IndexKind::Rows), "{place}: two indexes of one name");
        assert!(!["error", "request", "write"].contains(&unit.written()), "{place}: a word of its own for its writes");
    }
    let calls = unit.routes.iter().flat_map(|r| &r.calls).chain(&unit.internal.calls);
    for call in calls.chain(unit.job.iter().flat_map(|j| &j.calls)) {
        check_call(domain, rank, unit, call, &place);
    }
    for path in unit.routes.iter().map(|r| &r.path).chain([&unit.internal.path]) {
        let (method, rest) = path.split_once(' ').unwrap_or_default();
        assert!(
            ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method) && rest.starts_with('/'),
            "{place}: {path}"
        );
    }
}

fn needs(call: &CallKind, index: IndexKind) -> bool {
    call.index == Some(index) || call.miss.as_ref().is_some_and(|miss| needs(miss, index))
}

fn check_call(domain: &Domain, rank: usize, unit: &UnitKind, call: &CallKind, place: &str) {
    let verbs = [call.get.is_some(), call.read.is_some(), call.write.is_some(), call.publish, call.ask.is_some()];
    assert_eq!(verbs.iter().filter(|v| **v).count(), 1, "{place}: a call does one thing: {call:?}");
    assert_eq!(call.get.is_some(), call.miss.is_some(), "{place}: a lookup says what it does on a miss");
    assert!(call.ask.is_some() || !unit.is_stateless(), "{place}: it has no store for {call:?}");
    assert!(!call.second || unit.second.is_some(), "{place}: it has no second store");
    if let Some(asked) = &call.ask {
        let asked = domain.rank(asked).unwrap_or_else(|| panic!("{place}: asks an unknown unit: {call:?}"));
        assert!(asked > rank, "{place}: asks one that stands above it");
    }
    if let Some(miss) = &call.miss {
        assert!(miss.read.is_some(), "{place}: a miss reads");
    }
}
