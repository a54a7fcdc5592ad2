//! The real tool, run against the simulated clouds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use terraform::config::SourceFiles;
use terraform::engine::VariableValues;
use terraform::functions::json_text;

use crate::serve::ProviderServer;

/// An installed `terraform` or `tofu`.
#[derive(Clone, Debug)]
pub struct RealTool {
    program: &'static str,
    /// What it says of its version.
    pub version: String,
}

/// What the tool made of a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRun {
    /// The first stage that failed, and what was said then.
    pub failed: Option<(&'static str, String)>,
    /// Actions of the first plan, by address.
    pub actions: BTreeMap<String, String>,
    /// Outputs after it was applied.
    pub outputs: BTreeMap<String, Value>,
    /// Attributes of what was made, by address.
    pub resources: BTreeMap<String, Value>,
    /// Actions of the second plan with the same values; all of them should be `no-op`.
    pub again: BTreeMap<String, String>,
    /// Actions of a plan with other values.
    pub changed: BTreeMap<String, String>,
}

impl RealTool {
    /// The tool on PATH, if there is one: `terraform`, or else `tofu`.
    pub fn find() -> Option<RealTool> {
        ["terraform", "tofu"].into_iter().find_map(|program| {
            let output = Command::new(program).arg("version").env("CHECKPOINT_DISABLE", "1").output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            output.status.success().then(|| RealTool { program, version: text.lines().next().unwrap_or("").to_owned() })
        })
    }

    /// Runs a configuration through its life: plan, apply, plan again, plan with other values, destroy.
    pub fn run(
        &self,
        server: &ProviderServer,
        folder: &Path,
        files: &SourceFiles,
        values: &VariableValues,
        other: &VariableValues,
    ) -> std::io::Result<ToolRun> {
        server.clear();
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(path, text)?;
        }
        let session = ToolSession { tool: self, server, folder: folder.to_path_buf() };
        let mut run = ToolRun::default();
        run.failed = session.life(values, other, &mut run).err();
        Ok(run)
    }
}

struct ToolSession<'a> {
    tool: &'a RealTool,
    server: &'a ProviderServer,
    folder: PathBuf,
}

/// A stage that failed, and what was said.
type StageError = (&'static str, String);

impl ToolSession<'_> {
    fn life(&self, values: &VariableValues, other: &VariableValues, run: &mut ToolRun) -> Result<(), StageError> {
        self.call("init", &["init", "-input=false"], &VariableValues::new())?;
        self.call("validate", &["validate"], &VariableValues::new())?;
        run.actions = self.plan("plan", values)?;
        self.call("apply", &["apply", "-input=false", "-auto-approve", "-parallelism=1"], values)?;
        let outputs: Value = self.json("output", &["output", "-json"])?;
        let named = outputs.as_object().into_iter().flatten();
        run.outputs = named.map(|(name, output)| (name.clone(), output["value"].clone())).collect();
        let state: Value = self.json("show", &["show", "-json"])?;
        collect(&state["values"]["root_module"], &mut run.resources);
        run.again = self.plan("plan again", values)?;
        run.changed = self.plan("plan with other values", other)?;
        self.call("destroy", &["destroy", "-input=false", "-auto-approve", "-parallelism=1"], values)?;
        let left: Vec<String> = self.server.cloud().objects().filter_map(|object| object.owner.clone()).collect();
        if left.is_empty() { Ok(()) } else { Err(("destroy", format!("still there: {}", left.join(", ")))) }
    }

    fn plan(&self, stage: &'static str, values: &VariableValues) -> Result<BTreeMap<String, String>, StageError> {
        self.call(stage, &["plan", "-input=false", "-out=plan.bin"], values)?;
        let plan = self.json(stage, &["show", "-json", "plan.bin"])?;
        let changes = plan["resource_changes"].as_array().into_iter().flatten();
        let managed = changes.filter(|change| change["mode"] == "managed");
        Ok(managed
            .filter_map(|change| {
                let verbs = change["change"]["actions"].as_array()?.iter().filter_map(Value::as_str);
                Some((change["address"].as_str()?.to_owned(), verbs.collect::<Vec<_>>().join("+")))
            })
            .collect())
    }

    fn json(&self, stage: &'static str, args: &[&str]) -> Result<Value, StageError> {
        let text = self.call(stage, args, &VariableValues::new())?;
        serde_json::from_str(&text).map_err(|e| (stage, e.to_string()))
    }

    fn call(&self, stage: &'static str, args: &[&str], values: &VariableValues) -> Result<String, StageError> {
        let mut command = Command::new(self.tool.program);
        command.args(args).current_dir(&self.folder).env("CHECKPOINT_DISABLE", "1").env_remove("TF_CLI_CONFIG_FILE");
        command.env("TF_REATTACH_PROVIDERS", self.server.reattach().to_string()).env("TF_IN_AUTOMATION", "1");
        command.env("TF_CLI_ARGS", "-no-color");
        for (name, value) in values {
            // Lists and objects are read as expressions, plain text as it is.
            command.env(format!("TF_VAR_{name}"), value.as_text().map_or_else(|| json_text(value), str::to_owned));
        }
        let output = command.output().map_err(|e| (stage, e.to_string()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        // The plan is on the output, what is wrong with it on the other.
        let said = if output.stderr.is_empty() { output.stdout } else { output.stderr };
        Err((stage, String::from_utf8_lossy(&said).into_owned()))
    }
}

/// Attributes of a module's resources and of those below it.
fn collect(module: &Value, into: &mut BTreeMap<String, Value>) {
    for resource in module["resources"].as_array().into_iter().flatten().filter(|r| r["mode"] == "managed") {
        into.insert(resource["address"].as_str().unwrap_or_default().to_owned(), resource["values"].clone());
    }
    module["child_modules"].as_array().into_iter().flatten().for_each(|child| collect(child, into));
}
