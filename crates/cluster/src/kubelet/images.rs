//! Images: present on the node, pulled, or not to be had.

use std::time::Duration;

use serde_json::Value;

use super::life::PullUnderWay;
use super::{Life, Look, PodWorker};
use crate::program::{Programs, Pull};
use crate::{Cluster, json};

/// A registry is asked whether an image that is there is still the right one: a question, no download.
const COMPARISON: Duration = Duration::from_millis(100);

impl Cluster {
    /// Makes sure that the image of a container is on its node.
    pub(super) fn image(
        &mut self,
        programs: &mut dyn Programs,
        pod: &Value,
        container: &Value,
        life: &mut Life,
        worker: &mut PodWorker,
        is_init: bool,
    ) -> Look {
        let (name, image) = (json::text(container, "name"), json::text(container, "image").to_string());
        let node = json::text(pod, "spec.nodeName").to_string();
        if let Some(pulling) = life.pulling.take() {
            return self.pulled(pod, container, life, pulling, is_init);
        }
        if !is_reference(&image) {
            let why = "couldn't parse image name";
            let message =
                format!("Failed to apply default image tag {image:?}: {why} {image:?}: invalid reference format");
            self.say(pod, name, is_init, true, "InspectFailed", &message);
            self.say(pod, name, is_init, true, "Failed", "Error: InvalidImageName");
            life.note = Some(("InvalidImageName".into(), message));
            return Look::Failed;
        }
        let arrival = self.images.get(&(node.clone(), image.clone())).copied();
        let is_present = arrival.is_some_and(|at| at <= self.now);
        match (json::text(container, "imagePullPolicy"), is_present) {
            ("IfNotPresent" | "Never", true) => {
                let message = format!("Container image {image:?} already present on machine");
                self.say(pod, name, is_init, false, "Pulled", &message);
                return Look::Done;
            }
            ("Never", false) => {
                let message = format!("Container image {image:?} is not present with pull policy of Never");
                self.say(pod, name, is_init, true, "ErrImageNeverPull", &message);
                self.say(pod, name, is_init, true, "Failed", "Error: ErrImageNeverPull");
                life.note = Some(("ErrImageNeverPull".into(), message));
                return Look::Failed;
            }
            _ => {}
        }
        if let Some(delay) = life.image_delay.clone().filter(|delay| delay.image == image && delay.until > self.now) {
            let message = format!("Back-off pulling image {image:?}");
            self.say(pod, name, is_init, false, "BackOff", &message);
            self.say(pod, name, is_init, true, "Failed", "Error: ImagePullBackOff");
            life.note = Some(("ImagePullBackOff".into(), format!("{message}: ErrImagePull: {}", delay.error)));
            return Look::Failed;
        }
        self.say(pod, name, is_init, false, "Pulling", &format!("Pulling image {image:?}"));
        let pull = programs.pull(self.now, &node, &image);
        let takes = match (&pull, arrival) {
            // It is there, or will be when this pull begins.
            (Pull::Found { .. }, Some(_)) => COMPARISON,
            (Pull::Found { takes, .. } | Pull::Failed { takes, .. }, _) => *takes,
        };
        // A node pulls one image at a time.
        let begin = self.pulls.get(&node).copied().unwrap_or(self.now).max(self.now);
        let end = begin.after(takes);
        self.pulls.insert(node.clone(), end);
        if matches!(pull, Pull::Found { .. }) {
            self.images.entry((node, image)).or_insert(end);
        }
        life.pulling = Some(PullUnderWay { asked: self.now, begun: begin, pull });
        worker.busy_until = end;
        Look::Busy
    }

    fn pulled(
        &mut self,
        pod: &Value,
        container: &Value,
        life: &mut Life,
        pulling: PullUnderWay,
        is_init: bool,
    ) -> Look {
        let (name, image) = (json::text(container, "name"), json::text(container, "image").to_string());
        match pulling.pull {
            Pull::Found { size, .. } => {
                let took = go_seconds(self.now.since(pulling.begun));
                let all = go_seconds(self.now.since(pulling.asked));
                let message = format!(
                    "Successfully pulled image {image:?} in {took} ({all} including waiting). Image size: {size} bytes."
                );
                self.say(pod, name, is_init, false, "Pulled", &message);
                life.image_delay = None;
                Look::Done
            }
            Pull::Failed { message, .. } => {
                self.say(pod, name, is_init, true, "Failed", &format!("Failed to pull image {image:?}: {message}"));
                self.say(pod, name, is_init, true, "Failed", "Error: ErrImagePull");
                life.delay_image(self.now, &image, &message);
                life.note = Some(("ErrImagePull".into(), message));
                Look::Failed
            }
        }
    }
}

/// `1.234s`, `456ms`.
fn go_seconds(span: Duration) -> String {
    match span.as_millis() {
        millis @ 0..1000 => format!("{millis}ms"),
        millis => format!("{}s", millis as f64 / 1000.0),
    }
}

/// Whether a text can name an image: lower case but for the tag, and no spaces.
fn is_reference(image: &str) -> bool {
    let path = image.split('@').next().unwrap_or_default();
    let (repository, tag) = match path.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => (repository, tag),
        _ => (path, "latest"),
    };
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '/' | ':');
    let is_tag = !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    !repository.is_empty()
        && repository.chars().all(good)
        && !repository.ends_with('/')
        && !repository.starts_with('/')
        && is_tag
}
