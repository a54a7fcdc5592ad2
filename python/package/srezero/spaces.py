"""The spaces that environments declare."""

from __future__ import annotations

import difflib
import string
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from . import _native

Observation = Literal["structured", "text"]
Actions = Literal["multi", "discrete"]

SERVICE_FEATURES: tuple[str, ...] = tuple(_native.service_features())
"""What the columns of `observation["services"]` are called."""

INCIDENT_FEATURES: tuple[str, ...] = tuple(_native.incident_features())
"""What the cells of `observation["incident"]` are called."""

MAX_OBSERVATION = 20_000
"""Longer texts are cut."""

MAX_ACTION = 4_096
"""The longest text that the action space promises to take."""

OPTIONS = tuple(
    "suite tasks generator_seed numbers families difficulty services seeds noise tools reward gamma shaping_weight "
    "max_services keep agent".split()
)
"""What environments take besides `observation`, `actions` and `render_mode`."""

CHARSET = frozenset(string.printable) - frozenset("\x0b\x0c\r") | frozenset("▁▂▃▄▅▆▇█·")
"""What a text observation can hold; anything else (only ever echoed from an action) becomes `?`."""


def observation_space(kind: Observation, setup: _native.Setup) -> spaces.Space[Any]:
    """The space of one environment's observations."""
    if kind == "text":
        return spaces.Text(MAX_OBSERVATION, min_length=0, charset=CHARSET)
    services = (setup.max_services, len(SERVICE_FEATURES))
    return spaces.Dict(
        {
            "services": spaces.Box(-1.0, 1.0, services, np.float32),
            "incident": spaces.Box(-1.0, 1.0, (len(INCIDENT_FEATURES),), np.float32),
        }
    )


def action_space(kind: Observation, actions: Actions, setup: _native.Setup) -> spaces.Space[Any]:
    """The space of one environment's actions."""
    if kind == "text":
        return spaces.Text(MAX_ACTION, min_length=0, charset=frozenset(string.printable) - frozenset("\x0b\x0c\r"))
    if actions == "discrete":
        return spaces.Discrete(setup.action_count)
    return spaces.MultiDiscrete(setup.action_sizes)


def clean(text: str, longest: int = MAX_OBSERVATION) -> str:
    """A text as the observation space has it."""
    if len(text) > longest:
        text = text[:longest]
    if not CHARSET.issuperset(text):
        text = "".join(c if c in CHARSET else "?" for c in text)
    return text


def setup(kind: Observation, actions: Actions, options: dict[str, Any]) -> _native.Setup:
    """What the environments share, from the keyword arguments of `Env` and `VectorEnv`."""
    if kind not in ("structured", "text"):
        raise ValueError(f"observation is {kind!r}; it can be 'structured' or 'text'")
    if actions not in ("multi", "discrete"):
        raise ValueError(f"actions is {actions!r}; it can be 'multi' or 'discrete'")
    for name in options:
        if name not in OPTIONS:
            near = difflib.get_close_matches(name, OPTIONS, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise TypeError(f"there is no option {name!r}; {hint}there are {', '.join(OPTIONS)}")
    return _native.Setup(structured=kind == "structured", factored=actions == "multi", **options)
