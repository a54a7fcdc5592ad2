"""Fine-tuning data: OpenAI's types accept every message, calls fit their schemas, and no truth is told."""

import json
import pathlib
import sys

import jsonschema
import pydantic
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam

from common import MODEL_AGENT, records, steps

MESSAGE = pydantic.TypeAdapter(ChatCompletionMessageParam)
TOOL = pydantic.TypeAdapter(ChatCompletionFunctionToolParam)


def check_shape(line):
    assert line.keys() == {"messages", "tools"}
    schemas = {}
    for tool in line["tools"]:
        TOOL.validate_python(tool)
        schemas[tool["function"]["name"]] = tool["function"]["parameters"]
    roles = [message["role"] for message in line["messages"]]
    assert roles[:2] == ["system", "user"] and roles[-1] == "assistant", roles
    open_call = None
    for message in line["messages"]:
        MESSAGE.validate_python(message)
        assert (message["role"] == "tool") == (open_call is not None), "a call is answered at once"
        if open_call:
            assert message["tool_call_id"] == open_call
        open_call = None
        for call in message.get("tool_calls", []):
            arguments = json.loads(call["function"]["arguments"])
            jsonschema.validate(arguments, schemas[call["function"]["name"]])
            open_call = call["id"]


def truths(events):
    """What must not be told: whose task it is, what broke, what the graders look for."""
    card, seal = events[0]["task"], events[-1]
    answers = [fix.get("config", "") + " " + fix.get("is", "") for fix in card["fix"]]
    resolutions = [step["args"].get("root_cause", "") for step in steps(events)]
    found = [card["id"], card["digest"], seal["fault"], seal["world_digest"], *card["evidence"], *answers, *resolutions]
    return [truth for truth in found if truth.strip()]


def check_truth(line, events):
    told = json.dumps([m["content"] for m in line["messages"] if m["role"] != "assistant"] + line["tools"])
    for truth in truths(events):
        assert truth not in told, f"{truth} is told"
    assert events[0]["task"]["id"] not in json.dumps(line)
    shown = {events[1]["brief"], *(step["observation"] for step in steps(events))}
    for message in line["messages"]:
        assert message["role"] not in ("user", "tool") or message["content"] in shown


def ended_well(events):
    return events[-2]["reason"] == "resolved" and events[-1]["mitigated"]


def main():
    stage = pathlib.Path(sys.argv[1])
    wanted = {}
    for name in ("run", "model"):
        all_lines = [json.loads(line) for line in (stage / name / "exports/chat/chat.jsonl").read_text().splitlines()]
        # In an export, episodes stand by agent, task and seed.
        place = lambda events: (events[0]["agent"], events[0]["task"]["id"], events[0]["seed"])
        played = sorted((events for _, events in records(stage / name)), key=place)
        played = [events for events in played if events[-2]["reason"] != "provider_failed"]
        assert len(all_lines) == len(played)
        for line, events in zip(all_lines, played):
            check_shape(line)
            check_truth(line, events)
            if events[0]["task"]["split"] == "train" and ended_well(events):
                wanted[place(events)] = line
        if name == "model":
            said = [m for line in all_lines for m in line["messages"] if m.get("tool_calls")]
            assert all(message["content"] == "Let me see." for message in said)
    usual = [json.loads(line) for line in (stage / "sft.jsonl").read_text().splitlines()]
    assert usual == [wanted[key] for key in sorted(wanted)] and any(key[0] == MODEL_AGENT for key in wanted)
    print(f"ok     {len(usual)} conversations of the train split that ended well; OpenAI's types take them, no truth is told")


if __name__ == "__main__":
    main()
