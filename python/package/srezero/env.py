"""One incident at a time, as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces as gym_spaces

from . import _native, spaces


class Env(gymnasium.Env):
    """A responder's incidents.

    Each `reset` draws an incident; each `step` is one action of the on-call engineer. `resolve_incident` and
    `escalate` terminate an episode, a spent budget truncates it.

    Args:
        observation: `structured` (arrays with named features) or `text`.
        actions: for structured observations, `multi` (`MultiDiscrete([tool, service, choice])`) or `discrete` (one
            number for every action). What can be done is in `info["action_mask"]`.
        render_mode: `ansi` renders what the agent was last shown.
        suite: a named set of tasks (`srezero.suite_names()`); `srezero-40` if nothing else is named.
        tasks: or the tasks themselves: ids or task files.
        generator_seed: or a generator of tasks, with `numbers=(first, behind_last)`, `families`, `difficulty`
            (`easy..medium`) and `services` (`3..10`).
        seeds: each task is drawn under the world seeds below this.
        noise: how imperfect telemetry is, 0 to 3.
        tools: `classic` (eight) or `full` (seventeen).
        reward: `published`, `sparse` or `impact`.
        gamma: the learner's discount: adds potential-based shaping for evidence seen.
        shaping_weight: what having seen all evidence is worth to the shaping.
        max_services: room for services in an observation; what the drawn worlds can have if not given.
        keep: so many prepared incidents are kept in memory.
        agent: the agent's name in records.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        *,
        observation: spaces.Observation = "structured",
        actions: spaces.Actions = "multi",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is {render_mode!r}; it can be None or 'ansi'")
        self.render_mode = render_mode
        self.setup = spaces.setup(observation, actions, options)
        self.observation_space = spaces.observation_space(observation, self.setup)
        self.action_space = spaces.action_space(observation, actions, self.setup)
        self._observation, self._actions = observation, actions
        self._take(_native.Gym(self.setup, 0))
        self._drawn = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draws an incident, or takes the one that `options` ask for: `task` and `seed`, or `number`."""
        super().reset(seed=seed)
        if options:
            self._native.reset_to(**options)
        elif seed is None and not self._drawn:
            self._native.reset(int(self.np_random.integers(2**63)))
        else:
            self._native.reset(seed)
        self._drawn = True
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One action of the on-call engineer."""
        if self._observation == "text":
            reward, terminated, truncated = self._native.step_text(action)
        elif self._actions == "discrete":
            reward, terminated, truncated = self._native.step_number(int(action))
        else:
            tool, service, choice = (int(part) for part in action)
            reward, terminated, truncated = self._native.step_move(tool, service, choice)
        return self._observe(), reward, terminated, truncated, self._info(terminated or truncated)

    def render(self) -> str | None:
        """What the agent was last shown."""
        return self._native.text if self.render_mode == "ansi" else None

    def action_masks(self) -> np.ndarray:
        """What can be done now: for `multi` the masks of tool, service and choice one behind the other."""
        return self._arrays["action_mask"][0].astype(bool)

    def split_mask(self, mask: np.ndarray) -> tuple[np.ndarray, ...]:
        """The mask of `multi` actions in its three parts, as `MultiDiscrete.sample(mask=...)` takes them."""
        return tuple(np.split(mask.astype(np.int8), np.cumsum(self.setup.action_sizes)[:-1]))

    def text_of(self, action: Any) -> str:
        """The text that a structured action is played as."""
        if isinstance(self.action_space, gym_spaces.Discrete):
            action = self._native.decode(int(action))
        tool, service, choice = (int(part) for part in action)
        return self._native.text_of(tool, service, choice)

    @property
    def episode(self) -> _native.Episode:
        """A fork of the episode being played, with its record, score and (for trainers) its task."""
        return self._native.episode()

    def fork(self) -> Env:
        """Another environment that goes on from here on its own."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._take(self._native.fork())
        return other

    def snapshot(self) -> _native.Gym:
        """How things stand, to come back to with `restore`."""
        return self._native.fork()

    def restore(self, snapshot: _native.Gym) -> tuple[Any, dict[str, Any]]:
        """Goes back to a snapshot, which stays as it is; gives the observation and the info there."""
        self._native.restore(snapshot)
        return self._observe(), self._info()

    def _take(self, native: _native.Gym) -> None:
        self._native, self._arrays = native, native.arrays()

    def _observe(self) -> Any:
        if self._observation == "text":
            return spaces.clean(self._native.text)
        return {name: self._arrays[name][0].copy() for name in ("incident", "services")}

    def _info(self, ended: bool = False) -> dict[str, Any]:
        info: dict[str, Any] = {"incident": self._native.incident, "steps_left": self._native.steps_left}
        if self._observation == "structured":
            info["action_mask"] = self._arrays["action_mask"][0].astype(np.int8)
        if ended:
            episode = self._native.episode()
            info["success"], info["ending"] = episode.success, episode.ending
        return info
