"""W&B's own reader goes through every offline run: each piece has its checksum, and the figures are the summary's."""

import json
import pathlib
import sys

from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal.datastore import DataStore

from common import agree


def messages(path):
    store = DataStore()
    store.open_for_scan(str(path))
    while (piece := store.scan_data()) is not None:
        record = wandb_internal_pb2.Record()
        record.ParseFromString(piece)
        yield record.WhichOneof("record_type"), record


def read(path):
    """The agent of a run, its settings, its history and its summary."""
    kinds, agent, history, summary = [], None, [], {}
    for kind, record in messages(path):
        kinds.append(kind)
        if kind == "run":
            agent = {item.key: json.loads(item.value_json) for item in record.run.config.update}["agent"]
        elif kind == "history":
            history.append({item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item})
        elif kind == "summary":
            summary = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.summary.update}
    assert kinds[0] == "header" and kinds[-1] == "exit", kinds
    return agent, history, summary


def main():
    run = pathlib.Path(sys.argv[1]) / "run"
    wanted = {row["agent"]: row for row in json.loads((run / "summary.json").read_text())["agents"]}
    found = {}
    for path in sorted((run / "exports/wandb").glob("offline-run-*/run-*.wandb")):
        agent, history, summary = read(path)
        assert len(history) == 80, len(history)
        agree(summary["success_rate"], wanted[agent]["success_rate"], agent)
        agree(summary["marks"], wanted[agent]["marks"], agent)
        found[agent] = summary
    assert found.keys() == wanted.keys(), found.keys()
    print(f"ok     wandb: {len(found)} offline runs with their figures and histories")


if __name__ == "__main__":
    main()
