//! MLflow: a folder that `mlflow ui --backend-store-uri` and its client read as they read their own.

use super::tracked::{TrackedRun, Tracker};
use super::{Export, ExportError, Format, Shelf};
use record::sha256;

/// `mlflow`.
pub struct MlFlow;

impl Format for MlFlow {
    fn name(&self) -> &'static str {
        "mlflow"
    }

    fn about(&self) -> &'static str {
        "MLflow's folder of runs: an experiment per suite, a run per agent, with settings and metrics"
    }

    fn extension(&self) -> Option<&'static str> {
        None
    }

    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(MlFlowStore { experiments: Vec::new(), inner: Tracker::new(write) }))
    }
}

/// Experiments are written once, whatever the number of their runs.
struct MlFlowStore {
    experiments: Vec<String>,
    inner: Tracker,
}

impl Export for MlFlowStore {
    fn add(&mut self, entry: &super::ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let suite = &entry.header().suite;
        if !self.experiments.contains(suite) {
            let id = experiment(suite);
            file(shelf, &format!("{id}/meta.yaml"), &experiment_card(&id, suite))?;
            self.experiments.push(suite.clone());
        }
        self.inner.add(entry, shelf)
    }

    fn finish(self: Box<Self>, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        Box::new(self.inner).finish(shelf)
    }
}

fn write(run: &TrackedRun, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
    let (experiment, id) = (experiment(&run.suite), &run.id);
    let place = |name: &str| format!("{experiment}/{id}/{name}");
    file(shelf, &place("meta.yaml"), &run_card(&experiment, run))?;
    file(shelf, &place("tags/mlflow.runName"), &run.agent)?;
    for (name, value) in &run.settings {
        file(shelf, &place(&format!("params/{name}")), value)?;
    }
    for (name, value) in &run.totals {
        file(shelf, &place(&format!("metrics/{name}")), &format!("0 {value} 0\n"))?;
    }
    // A run without a folder of artifacts is none to MLflow.
    let totals: serde_json::Map<String, serde_json::Value> =
        run.totals.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
    file(shelf, &place("artifacts/totals.json"), &super::json(&totals))?;
    // Episodes have no day of their own: their number stands for the time.
    let mut names: Vec<&str> = run.series.iter().flatten().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |values: &[(&str, f64)]| values.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let line = |(step, value): (usize, f64)| format!("{step} {value} {step}\n");
        let steps = run.series.iter().enumerate().filter_map(|(step, values)| Some((step, of(values)?)));
        file(shelf, &place(&format!("metrics/episode/{name}")), &steps.map(line).collect::<String>())?;
    }
    Ok(())
}

/// Experiments are known by numbers.
fn experiment(suite: &str) -> String {
    let digits = u64::from_str_radix(&sha256(suite.as_bytes())[..15], 16).expect("a digest is hexadecimal");
    digits.to_string()
}

fn experiment_card(id: &str, suite: &str) -> String {
    let name = super::json(&format!("sre-zero {suite}"));
    format!(
        "artifact_location: ''\ncreation_time: 0\nexperiment_id: '{id}'\nlast_update_time: 0\nlifecycle_stage: active\nname: {name}\n"
    )
}

/// Status 3 is finished, source type 4 a program of its own.
fn run_card(experiment: &str, run: &TrackedRun) -> String {
    let (id, name) = (&run.id, super::json(&run.agent));
    format!(
        "artifact_uri: ''\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{experiment}'\nlifecycle_stage: active\nrun_id: '{id}'\n\
         run_name: {name}\nrun_uuid: '{id}'\nsource_name: sre-zero\nsource_type: 4\nsource_version: ''\nstart_time: 0\nstatus: 3\n\
         tags: []\nuser_id: ''\n",
        run.series.len()
    )
}

fn file(shelf: &mut dyn Shelf, name: &str, text: &str) -> Result<(), ExportError> {
    let mut file = shelf.create(name)?;
    file.write_all(text.as_bytes())?;
    Ok(file.keep()?)
}
