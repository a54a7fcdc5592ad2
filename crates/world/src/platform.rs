//! Which of the platform's lines a service prints, and how a row of history holds that.

use crate::fleet::Instance;
use crate::kind::{PLATFORM_GAUGES, PLATFORM_LINES};
use crate::world::{BUSY_NODE, World};

/// Lines of each sort between two scrapes.
const OFTEN: f32 = 3.0;

/// The templates of a service that were printed between two scrapes, and how often, from its events. Most were not.
pub(crate) fn printed(events: &[f32]) -> impl Iterator<Item = (usize, f32)> {
    let own = events.len() - 1;
    let counted = events[..own].iter().copied().enumerate().filter(|(_, count)| *count > 0.0);
    counted.chain(platform_lines(events[own]).map(move |(line, often)| (own + line, often)))
}

/// The platform's lines that were printed, and how often, from the cell that says so.
pub(crate) fn platform_lines(cell: f32) -> impl Iterator<Item = (usize, f32)> {
    let mut bits = cell as u16;
    std::iter::from_fn(move || {
        let line = bits.trailing_zeros() as usize;
        // The lowest bit that is set goes out.
        bits &= bits.wrapping_sub(1);
        (line < PLATFORM_LINES.len()).then_some((line, OFTEN))
    })
}

impl World {
    /// Notes in the last of each service's events which of the platform's lines it prints: one bit for each.
    pub(crate) fn note_platform(&mut self) {
        if !self.disturbed {
            return;
        }
        for service in 0..self.plan.services.len() {
            let info = &self.plan.services[service];
            let (bit, gauges) = (info.events.end - 1, info.gauges.end - PLATFORM_GAUGES.len());
            if self.is_quiet(service) {
                self.row[bit] = 0.0;
                self.row[gauges..gauges + PLATFORM_GAUGES.len()].fill(0.0);
                continue;
            }
            let lines = self.platform_lines(service);
            let bits = lines.iter().rev().fold(0u16, |bits, &on| bits << 1 | u16::from(on));
            self.row[bit] = f32::from(bits);
            let values = self.platform_gauges(service);
            self.row[gauges..gauges + values.len()].copy_from_slice(&values.map(|v| v as f32));
        }
    }

    /// Whether there is nothing that the platform could say of a service: so it is with most.
    fn is_quiet(&self, service: usize) -> bool {
        let release = &self.releases[service];
        let is_plain =
            |i: &Instance| self.slow_nodes[i.node] <= 1.0 && i.process.skew == 0.0 && i.process.opened == 0.0;
        release.running.dies_after <= 0.0
            && release.quota >= 1.0
            && self.fleet.of(service).iter().all(is_plain)
            && self.links.iter().all(|link| link.from != service)
    }

    /// Which of the lines a service prints now.
    fn platform_lines(&self, service: usize) -> [bool; PLATFORM_LINES.len()] {
        let mut lines = [false; PLATFORM_LINES.len()];
        let release = &self.releases[service];
        lines[0] = release.running.dies_after > 0.0;
        lines[2] = release.quota < 1.0;
        for instance in self.fleet.of(service) {
            lines[1] |= self.slow_nodes[instance.node] > BUSY_NODE;
            lines[3] |= instance.process.skew != 0.0;
            lines[4] |= instance.process.files() > 0.8;
            lines[5] |= instance.process.starved() > 0.0;
        }
        for link in self.links.iter().filter(|l| l.from == service && !l.is_sound()) {
            lines[6] |= link.delay > 0.0;
            lines[7] |= link.loss > 0.0;
            lines[8] |= link.gone > 0.0;
        }
        lines
    }

    /// What the lines tell of, in the order of the gauges: the worst of the service's instances and links.
    fn platform_gauges(&self, service: usize) -> [f64; PLATFORM_GAUGES.len()] {
        let mut gauges = [0.0; PLATFORM_GAUGES.len()];
        let mut worst = |at: usize, value: f64| gauges[at] = f64::max(gauges[at], value);
        for instance in self.fleet.of(service) {
            // A machine that is twice as slow has half of its time stolen.
            worst(0, 100.0 * (1.0 - 1.0 / self.slow_nodes[instance.node].max(1.0)));
            worst(2, instance.process.skew.abs());
            if instance.process.opened > 0.0 {
                worst(3, 100.0 * instance.process.files());
            }
        }
        if self.releases[service].quota < 1.0 {
            worst(1, 100.0 * self.releases[service].quota);
        }
        for link in self.links.iter().filter(|l| l.from == service && !l.is_sound()) {
            worst(4, 1000.0 * link.delay);
            worst(5, 100.0 * link.loss);
        }
        gauges
    }
}
