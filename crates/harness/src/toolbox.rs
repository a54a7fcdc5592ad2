//! The tools of a set as a record's header keeps them, so that an export needs no program that knows them.

use std::sync::{Arc, Mutex, PoisonError};

use faces::{ToolDoc, ToolSet};

use crate::record::ToolCard;

/// The tools of a set. All episodes with that set share one list.
pub(crate) fn toolbox(set: ToolSet) -> Arc<[ToolCard]> {
    static KNOWN: Mutex<Vec<(ToolSet, Arc<[ToolCard]>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, list)) = known.iter().find(|(other, _)| *other == set) {
        return list.clone();
    }
    let list: Arc<[ToolCard]> = set.docs(&[]).into_iter().map(card).collect();
    known.push((set, list.clone()));
    list
}

fn card(tool: ToolDoc) -> ToolCard {
    ToolCard { name: tool.name.to_string(), about: tool.about.to_string(), parameters: tool.schema() }
}
