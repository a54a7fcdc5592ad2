//! What callers share: most pods of a namespace reach the same, so it is found out once for all of them.
//!
//! A fleet of a thousand pods has a hundred thousand pairs of callers and callees, and rarely more than a few hundred kinds.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::network::ConnectionOrigin;

use super::Builder;
use crate::instance::Instance;
use crate::plan::EdgeWay;
use crate::reach::{self, Way};
use crate::spec::{OperationCall, ProgramKind, TargetSpec, WireProtocol};
use crate::words::Trouble;

/// Ways from those who stand alike, by where they stand, port and host; nothing if each has ways of its own.
type SharedWays = BTreeMap<(usize, u16), Vec<(String, Option<Arc<Vec<Way>>>)>>;

/// Ways of one station each, by station, port and host.
type OwnWays = BTreeMap<(usize, u16), Vec<(String, Arc<Vec<Way>>)>>;

/// Ends by the address in memory of the ways that lead there.
type SharedEnds = BTreeMap<usize, Vec<(WireProtocol, String, Arc<Vec<EdgeWay>>)>>;

/// What was found out for a caller and holds for others.
#[derive(Default)]
pub(super) struct Fans {
    /// Where each station stands; nothing if no other stands there.
    standings: Vec<Option<usize>>,
    known: BTreeMap<String, usize>,
    shared: SharedWays,
    own: OwnWays,
    ends: SharedEnds,
    numbers: BTreeMap<(usize, u64, WireProtocol), usize>,
}

impl Fans {
    /// The next station stands so: see [`cluster::Cluster::standing`].
    pub(super) fn stand(&mut self, standing: Option<String>) {
        let next = self.known.len();
        self.standings.push(standing.map(|standing| *self.known.entry(standing).or_insert(next)));
    }

    /// The number of a kind of call: the same ends, as patient, over the same wire.
    pub(super) fn number(&mut self, ends: &Arc<Vec<EdgeWay>>, deadline: f64, wire: WireProtocol) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry((Arc::as_ptr(ends) as usize, deadline.to_bits(), wire)).or_insert(next)
    }

    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }
}

impl Builder<'_> {
    /// All ways from a station to an address, and whether others that stand alike have the same.
    pub(super) fn ways(&mut self, station: usize, instance: &Instance, host: &str, port: u16) -> (Arc<Vec<Way>>, bool) {
        let find = || {
            let found = reach::ways(self.cluster, self.instances, self.ground, &instance.run, host, port);
            Arc::new(found)
        };
        if let Some(standing) = self.fans.standings[station] {
            let all = self.fans.shared.entry((standing, port)).or_default();
            let known = all.iter().position(|(own, _)| own == host).unwrap_or_else(|| {
                let origin = ConnectionOrigin::Pod(&instance.run.namespace, &instance.run.pod);
                let is_shared = self.cluster.leads_all_alike(origin, host);
                all.push((host.into(), is_shared.then(find)));
                all.len() - 1
            });
            if let Some(ways) = &all[known].1 {
                return (ways.clone(), true);
            }
        }
        let all = self.fans.own.entry((station, port)).or_default();
        let known = all.iter().position(|(own, _)| own == host).unwrap_or_else(|| {
            all.push((host.into(), find()));
            all.len() - 1
        });
        (all[known].1.clone(), false)
    }

    /// What answers a call at the ends of its ways, and whether it is the same for others that call from where they stand.
    pub(super) fn ends(
        &mut self,
        station: usize,
        caller: &Instance,
        target: &TargetSpec,
        call: &OperationCall,
        (host, port): (&str, u16),
    ) -> (Arc<Vec<EdgeWay>>, bool) {
        let (ways, is_shared) = self.ways(station, caller, host, port);
        let is_shared = is_shared && self.asks_anonymously(caller, target, &ways);
        let place = Arc::as_ptr(&ways) as usize;
        if is_shared
            && let Some(known) = self.fans.ends.get(&place)
            && let Some((.., ends)) =
                known.iter().find(|(wire, operation, _)| *wire == target.wire && *operation == call.operation)
        {
            return (ends.clone(), true);
        }
        let ends: Vec<EdgeWay> = ways.iter().map(|way| self.end(caller, target, call, way)).collect();
        // A request that comes back to where it came from does so on this path alone.
        let is_shared = is_shared && !ends.iter().any(|way| matches!(way.end, Err(Trouble::Failed(_))));
        let ends = Arc::new(ends);
        if is_shared {
            self.fans.ends.entry(place).or_default().push((target.wire, call.operation.clone(), ends.clone()));
        }
        (ends, is_shared)
    }

    /// Whether who asks makes no difference: stores want to know, and so does who looks at certificates by its own clock.
    fn asks_anonymously(&self, caller: &Instance, target: &TargetSpec, ways: &[Way]) -> bool {
        let is_plain = |way: &Way| {
            let callee = way.end.as_ref().ok().map(|key| self.programs[self.stations[key]].program.kind);
            match callee {
                Some(ProgramKind::Store) => false,
                Some(ProgramKind::Ingress) => way.port != super::HTTPS,
                _ => true,
            }
        };
        !matches!(&*target.tls.fill(&caller.settings), "true" | "1") && ways.iter().all(is_plain)
    }
}
