//! What broke, as structured answers: component, cause and detail.

use record::grade::{concepts, read_causes};
use record::{Direction, causes_text};
use serde_json::{Value, json};
use world::View;

use super::named::MOST_LISTED;
use crate::nearest::{same, unknown};
use crate::param::{Given, Param, ParamKind, Writing};

/// One answer for each thing that broke.
pub const CAUSES: &dyn ParamKind = &Causes;

struct Causes;

impl ParamKind for Causes {
    fn schema(&self, services: &[String]) -> Value {
        let mut component = json!({ "type": "string", "description": "the service at fault" });
        if (1..=MOST_LISTED).contains(&services.len()) {
            component["enum"] = json!(services);
        }
        let causes: Vec<&str> = concepts::ALL.iter().map(|concept| concept.name).collect();
        let directions = Direction::ALL.map(Direction::text);
        json!({
            "type": "array",
            "description": "one answer for each thing that broke",
            "items": {
                "type": "object",
                "properties": {
                    "component": component,
                    "cause": { "type": "string", "enum": causes },
                    "direction": { "type": "string", "description": "which way a number is wrong", "enum": directions },
                    "key": { "type": "string", "description": "the configuration key that it is about" },
                    "instance": { "type": "string", "description": "the instance that it is about" },
                },
                "required": ["component", "cause"],
            },
        })
    }

    fn read(&self, _: &Param, text: &str, given: &mut Given<'_>) -> Result<String, String> {
        let mut answers = read_causes(text)?;
        let all: Vec<&str> = given.view.services().collect();
        for answer in &mut answers {
            let known = all.iter().find(|name| same(name, &answer.component));
            let wrong = || unknown("there is no service", &answer.component, "the services are", &all);
            answer.component = known.ok_or_else(wrong)?.to_string();
        }
        Ok(causes_text(&answers))
    }

    fn writing(&self) -> Writing {
        Writing::Prose
    }

    fn is_named_only(&self) -> bool {
        true
    }

    fn takes_lists(&self) -> bool {
        true
    }

    fn samples(&self, view: View<'_>, _: Option<usize>) -> Vec<String> {
        view.services().next().map(|name| format!("{name}/crash")).into_iter().collect()
    }
}
