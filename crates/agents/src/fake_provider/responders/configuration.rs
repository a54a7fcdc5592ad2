//! A reply to a request for Terraform: the variables and outputs that it lists, and nothing that would make anything. It is
//! well formed, so a rehearsal passes the first stages and fails the requirements, as many a first try does.

use crate::fake_provider::prompt::IncomingPrompt;

/// Three files, if the latest message asks for them; otherwise nothing.
pub fn answer(prompt: &IncomingPrompt) -> Option<String> {
    let asked = prompt.said_by_user().last()?;
    let (_, rest) = asked.split_once("\nVariables:\n")?;
    let (variables, rest) = rest.split_once("\n\nOutputs:\n")?;
    let variables: String = variables.lines().filter_map(variable).collect();
    let outputs: String = rest.lines().map_while(|line| line.strip_prefix("- ")).filter_map(output).collect();
    let main = "terraform {\n  required_version = \">= 1.5\"\n}\n";
    Some(format!(
        "```hcl main.tf\n{main}```\n\n```hcl variables.tf\n{variables}```\n\n```hcl outputs.tf\n{outputs}```\n"
    ))
}

/// `- name (type, default value): about`.
fn variable(line: &str) -> Option<String> {
    let (name, rest) = line.strip_prefix("- ")?.split_once(" (")?;
    let (kind, _) = rest.rsplit_once("): ")?;
    let (kind, default) = match kind.split_once(", default ") {
        Some((kind, value)) => (kind, format!("  default = {value}\n")),
        None => (kind, String::new()),
    };
    Some(format!("variable \"{name}\" {{\n  type    = {kind}\n{default}}}\n"))
}

/// `name: about`.
fn output(line: &str) -> Option<String> {
    let (name, _) = line.split_once(": ")?;
    Some(format!("output \"{name}\" {{\n  value = \"{name}\"\n}}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_request_become_blocks() {
        let check = |found: Option<String>, expect: &str| assert_eq!(found.as_deref(), Some(expect));
        check(
            variable("- names (list(string), default [\"a\"]): which"),
            "variable \"names\" {\n  type    = list(string)\n  default = [\"a\"]\n}\n",
        );
        check(variable("- n (number): how many"), "variable \"n\" {\n  type    = number\n}\n");
        check(output("vpc_id: the id"), "output \"vpc_id\" {\n  value = \"vpc_id\"\n}\n");
        assert_eq!(variable("Their values are given on the command line."), None);
    }
}
