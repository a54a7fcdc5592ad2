//! Alerts by the labels that make a group.

use std::collections::BTreeMap;

use crate::http::Params;
use crate::json;
use crate::labels::Labels;

use super::{Alertmanager, Handled};

impl Alertmanager {
    pub(super) fn groups(&self, params: &Params) -> Handled {
        let mut groups: BTreeMap<(Labels, &str), Vec<String>> = BTreeMap::new();
        for (alert, quiet) in self.asked(params)? {
            let key = alert.labels.filtered(|name| self.config.group_by.iter().any(|g| g == name));
            let receiver = self.config.receiver_of(&alert.labels);
            groups.entry((key, receiver)).or_default().push(self.alert_json(alert, &quiet));
        }
        let mut list: Vec<_> = groups.into_iter().collect();
        // Fewer labels come first, as label sets compare in the real server.
        list.sort_by(|a, b| compare(&a.0.0, &b.0.0).then_with(|| a.0.1.cmp(b.0.1)));
        let parts: Vec<String> = list
            .iter()
            .map(|((labels, receiver), alerts)| {
                format!(
                    "{{\"alerts\":[{}],\"labels\":{},\"receiver\":{{\"name\":{}}}}}",
                    alerts.join(","),
                    json::labels(labels),
                    json::string(receiver)
                )
            })
            .collect();
        Ok(Some(format!("[{}]", parts.join(","))))
    }
}

fn compare(a: &Labels, b: &Labels) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
