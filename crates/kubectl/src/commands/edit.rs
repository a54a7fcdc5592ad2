//! `kubectl edit`, by a given editor: a command of this shell that changes the file that it is given.

use shell::Host;

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::go;
use crate::json;
use crate::kubectl::Kubectl;
use crate::patch::{self, Lists};
use crate::print;

pub(super) const FLAGS: &str = "allow-missing-template-keys field-manager= f|filename= k|kustomize= o|output= output-patch R|recursive \
    save-config show-managed-fields subresource= template= validate?strict windows-line-endings";

const HEADER: &str = "# Please edit the object below. Lines beginning with a '#' will be ignored,\n# and an empty file will abort the edit. If an error occurs while saving this file will be\n# reopened with the relevant failures.\n#\n";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let editor = ["KUBE_EDITOR", "EDITOR"].iter().find_map(|name| call.shell.variables.get(*name).cloned());
    let Some(editor) =
        editor.filter(|editor| !editor.is_empty() && !matches!(editor.as_str(), "vi" | "vim" | "nano" | "emacs"))
    else {
        return Err(Failure::new(
            "unable to launch the editor \"vi\": there is no screen here. Name a command that changes a file: KUBE_EDITOR=\"sed -i s/a/b/\" kubectl edit ..., or use kubectl patch, set or apply",
        ));
    };
    let words = call.flags.words.clone();
    let found = call.wanted(&words)?;
    for one in found {
        let mut shown = one.object.clone();
        if !call.flags.has("show-managed-fields") {
            json::remove(&mut shown, "metadata.managedFields");
        }
        call.desk.memory.counter += 1;
        let path = format!("/tmp/kubectl-edit-{}.yaml", call.desk.memory.counter);
        let before = format!("{HEADER}{}", print::yaml(&shown));
        call.desk.write_file(&path, &before, false).map_err(Failure::new)?;
        let ran = call.shell.run(call.desk, &format!("{editor} {path}"), "");
        let after = call.desk.memory.files.remove(&path).unwrap_or_default();
        if ran.code != 0 {
            call.err.push_str(&ran.stderr);
            return Err(Failure::new(format!("there was a problem with the editor {}", go::quote(&editor))));
        }
        let plain = |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
        if plain(&before) == plain(&after) {
            call.warn("Edit cancelled, no changes made.");
            continue;
        }
        if plain(&after).trim().is_empty() {
            call.warn("Edit cancelled, saved file was empty.");
            continue;
        }
        let edited = match cluster::yaml::documents(&plain(&after)) {
            Ok(mut all) if all.len() == 1 => all.remove(0),
            Ok(_) => return Err(Failure::new("the edited file is not one object")),
            Err(error) => {
                return Err(Failure::new(format!(
                    "the edited file had a syntax error: error parsing edited-file: {error}"
                )));
            }
        };
        let lists = super::apply::lists(&one.kind);
        let change = patch::two_way(&shown, &edited, lists);
        if change.as_object().is_some_and(serde_json::Map::is_empty) {
            call.warn("Edit cancelled, no changes made.");
            continue;
        }
        let form = if lists == Lists::Merged { PatchForm::Strategic } else { PatchForm::Merge };
        let manager = super::label::manager(call, "kubectl-edit");
        let sub = call.flags.text("subresource").to_string();
        let path = if sub.is_empty() { one.path() } else { format!("{}/{sub}", one.path()) };
        let path =
            with_query(&path, &[("fieldManager", &manager), ("fieldValidation", super::apply::validation(call))]);
        let new = call.patch(form, &path, &go::json(&change))?;
        call.tell(&one.shown(), &new, "edited")?;
    }
    Ok(())
}
