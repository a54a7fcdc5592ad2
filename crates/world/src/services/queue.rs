//! A message queue with its consumers: messages are delivered, worked on, settled, acknowledged;
//! what is not acknowledged in time is delivered again.

mod model;
mod tables;

use super::{Hazard, Kind, Model, ModelSetup, Named, Occupancy, Physics, Quirk, RelativeLoad, Role, Rule, Template};
use crate::config;
use crate::growth::{Growth, Needs};
use crate::kind::{Repeated, Settle};
use crate::spec::{Op, ServiceSpec};
use model::QueueModel;
use tables::{Gauge, Key, Log, Metric};

/// The kind.
pub struct Queue;

impl Kind for Queue {
    fn name(&self) -> &'static str {
        "queue"
    }

    fn title(&self) -> &'static str {
        "message_queue"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &[
            "message queue",
            "queue",
            "mq",
            "broker",
            "message broker",
            "rabbitmq",
            "rabbit",
            "kafka",
            "sqs",
            "job queue",
            "messaging",
            "queueing system",
            "consumer",
        ]
    }

    fn tier(&self) -> u32 {
        2
    }

    fn role(&self) -> Role {
        Role::Handover
    }

    fn keys(&self) -> &'static [config::Key] {
        Key::TABLE
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        // Seconds of a consumer's own work; seconds until the payment provider settles; seconds to confirm a
        // publish; share of attempts that fail by chance; seconds before a failed message is tried again;
        // messages that a consumer fetches ahead, which wait with it while their time runs; consumers that one message
        // takes; messages in what is delivered at once.
        &[
            ("work_s", 0.12),
            ("settle_s", 11.0),
            ("publish_s", 0.33),
            ("transient", 0.07),
            ("backoff_s", 6.0),
            ("prefetch", 1.0),
            ("lanes", 1.0),
            ("batch", 1.0),
        ]
    }

    fn metrics(&self) -> &'static [super::Metric] {
        Metric::TABLE
    }

    fn repeated(&self) -> &'static [Repeated] {
        &[]
    }

    fn answers_within(&self) -> Option<usize> {
        None
    }

    fn logs(&self) -> &'static [Template] {
        Log::TABLE
    }

    fn gauges(&self) -> &'static [super::Gauge] {
        Gauge::TABLE
    }

    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[
            Rule::new("down", "up", false, 0.99, 30, true),
            Rule::new("publish_errors", "publish_error_rate", true, 0.5, 45, true),
            Rule::new("dead_letters", "dead_letter_rate", true, 0.03, 60, true),
            Rule::new("duplicates", "duplicate_delivery_rate", true, 0.3, 60, true),
            Rule::new("backlog_age", "oldest_message_age_ms", true, 45_000.0, 45, true),
            Rule::new("backlog_depth", "queue_depth", true, 1500.0, 45, true),
        ];
        RULES
    }

    fn hazards(&self) -> &'static [Hazard] {
        &[Hazard::Code, Hazard::Work, Hazard::Borrows, Hazard::Consumers]
    }

    fn restart_secs(&self) -> u64 {
        15
    }

    fn grow(&self, service: &mut ServiceSpec, by: &Growth) -> Needs {
        // A quarter of the time for which a message holds its consumer in the shop is the consumer's own work.
        let consumers = by.size * (0.75 + 0.25 * by.work);
        service.scale_param("work_s", by.work);
        service.scale_param("lanes", by.lanes);
        service.scale_param("batch", 1.0 / by.batched);
        service.scale_param("settle_s", by.settle);
        service.scale_param("publish_s", by.confirm);
        vec![
            ("CONSUMER_CONCURRENCY", consumers * by.lanes),
            ("MAX_IN_FLIGHT", by.size * by.settle * by.batched),
            ("VISIBILITY_TIMEOUT_MS", by.settle),
        ]
    }

    fn quirks(&self) -> &'static [Quirk] {
        const QUIRKS: &[Quirk] = &[
            Quirk::idle(
                "RETRY_LIMIT",
                // Few attempts are as frequent as many, and what is usual lies between.
                &["1", "1", "1", "2", "2", "2", "3", "3", "10", "14", "20", "28", "36", "42", "48", "54"],
                Settle::Own(|s| s.set_param("transient", 0.002)),
            ),
            Quirk::idle(
                "MAX_IN_FLIGHT",
                &["40", "75", "140", "260", "480", "900", "1700", "3200", "6000", "11000"],
                // One batch takes all that there is to deliver.
                Settle::Own(|s| s.set_param("batch", 1e6)),
            ),
        ];
        QUIRKS
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        service.set("CONSUMER_CONCURRENCY", 24.0 * load.calls, 4.0, 512.0);
        service.set("MAX_IN_FLIGHT", 1000.0 * load.calls, 60.0, 20_000.0);
    }

    fn occupancy(&self, _: &Op, _: f64) -> Occupancy {
        // Callers wait for the receipt only.
        Occupancy { held_ms: 0.0, waited_ms: 330.0 }
    }
}

impl Physics for Queue {
    fn model(&self, setup: &ModelSetup<'_>) -> Box<dyn Model> {
        Box::new(QueueModel::new(setup))
    }
}
