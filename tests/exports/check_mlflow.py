"""MLflow reads its folder: a run per agent, the figures of the summary, and a series over the episodes."""

import json
import os
import pathlib
import sys

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

from mlflow.tracking import MlflowClient

from common import MODEL_AGENT, agree


def read(folder):
    """The runs of the only experiment, by agent."""
    client = MlflowClient((folder / "exports/mlflow").resolve().as_uri())
    experiments = client.search_experiments()
    assert [experiment.name for experiment in experiments] == ["sre-zero srezero-40"], experiments
    runs = client.search_runs([experiments[0].experiment_id])
    assert all(run.info.status == "FINISHED" for run in runs)
    return client, {run.info.run_name: run for run in runs}


def main():
    stage = pathlib.Path(sys.argv[1])
    client, runs = read(stage / "run")
    summary = {row["agent"]: row for row in json.loads((stage / "run/summary.json").read_text())["agents"]}
    assert runs.keys() == summary.keys(), runs.keys()
    for agent, run in runs.items():
        for name in ("success_rate", "marks"):
            agree(run.data.metrics[name], summary[agent][name], f"{agent} {name}")
        series = client.get_metric_history(run.info.run_id, "episode/success")
        assert [point.step for point in series] == list(range(80)), len(series)
        agree(sum(point.value for point in series) / 80, summary[agent]["success_rate"], agent)
    _, model = read(stage / "model")
    assert model[MODEL_AGENT].data.params["model"] == "model-1", model[MODEL_AGENT].data.params
    print(f"ok     mlflow: {len(runs)} runs with their figures and series")


if __name__ == "__main__":
    main()
