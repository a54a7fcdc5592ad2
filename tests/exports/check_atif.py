"""Harbor's own models validate every trajectory."""

import json
import pathlib
import sys

from harbor.models.trajectories import Trajectory
from harbor.utils.trajectory_validator import TrajectoryValidator

from common import records, steps


def check(path, events):
    validator = TrajectoryValidator()
    assert validator.validate(path), (path, validator.get_errors())
    trajectory = Trajectory.model_validate_json(path.read_text())
    assert trajectory.schema_version == "ATIF-v1.7"
    # Harbor keeps all that we wrote: nothing was a field that it does not know.
    assert trajectory.to_json_dict(exclude_none=False).keys() >= json.loads(path.read_text()).keys()
    page, *turns = trajectory.steps
    taken = steps(events)
    assert page.source == "user" and page.message == events[1]["brief"]
    assert len(turns) == len(taken)
    for step, turn in zip(taken, turns):
        [result] = turn.observation.results
        assert result.content == step["observation"] and turn.extra["reward"] == step["reward"]
        if step["invalid"] is None:
            assert turn.tool_calls[0].function_name == step["tool"]
            assert result.source_call_id == turn.tool_calls[0].tool_call_id
        if "model" in step:
            assert turn.llm_call_count == 1 and turn.metrics.prompt_tokens == step["model"]["usage"]["input"]
            assert turn.reasoning_content == step["model"]["reasoning"]
    metrics = trajectory.final_metrics
    if events[0].get("model"):
        assert metrics.total_prompt_tokens == sum(turn.metrics.prompt_tokens for turn in turns)
    assert metrics.total_steps == len(trajectory.steps)


def main():
    count = 0
    for name in ("run", "model"):
        run = pathlib.Path(sys.argv[1]) / name
        folder = run / "exports/atif"
        for path, events in records(run):
            check(folder / path.relative_to(run / "records").with_suffix(".json"), events)
            count += 1
        assert len(list(folder.rglob("*.json"))) == len(list(records(run)))
    print(f"ok     Harbor validates {count} trajectories")


if __name__ == "__main__":
    main()
