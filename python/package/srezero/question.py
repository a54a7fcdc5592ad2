"""Questions and requests for Terraform as a Gymnasium environment of one step."""

from __future__ import annotations

import json
from typing import Any

import gymnasium
from gymnasium import spaces as gym_spaces

from . import _native, spaces


MAX_TEXT = 200_000
"""The longest prompt or reply: a set of changes, or the files of a configuration."""


class QuestionEnv(gymnasium.Env):
    """Asks one question after the other; the reply is the only action.

    The observation is the prompt, the action the reply as text, the reward the points of our grading from 0 to 1. The
    system and the user message stand apart in `info["messages"]`; after the reply `info["verdict"]` says how it could
    be read, whether it is right, and for Terraform what became of every stage.

    Args:
        suite: `skills`, `terraform` or `terraform-generated` (`srezero.question_suites()`).
        families: only these families of questions.
        seeds: each question is drawn under the seeds below this: another order of its options, or another request.
        agent: the agent's name in records.
        render_mode: `ansi` renders what the agent was last shown.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        *,
        suite: str = "skills",
        families: list[str] | None = None,
        seeds: int = 8,
        agent: str = "python",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is {render_mode!r}; it can be None or 'ansi'")
        if seeds < 1:
            raise ValueError(f"seeds is {seeds}; it can be from 1")
        listed = _native.questions(suite)
        unknown = set(families or ()) - {family for _, family, _ in listed}
        if unknown:
            raise ValueError(f"{suite} has no family {min(unknown)!r}; it has {sorted({f for _, f, _ in listed})}")
        self.ids = [id for id, family, _ in listed if not families or family in families]
        self.render_mode = render_mode
        self.observation_space = gym_spaces.Text(MAX_TEXT, min_length=0, charset=spaces.CHARSET)
        self.action_space = gym_spaces.Text(MAX_TEXT, min_length=0, charset=spaces.CHARSET)
        self._suite, self._seeds, self._agent = suite, seeds, agent
        self._episode: _native.Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Draws a question, or takes the one that `options` ask for: `task` and `seed`."""
        super().reset(seed=seed)
        options = options or {}
        task = options.get("task") or self.ids[int(self.np_random.integers(len(self.ids)))]
        number = options.get("seed", int(self.np_random.integers(self._seeds)))
        self._episode = _native.Episode(task, number, agent=self._agent, suite=self._suite)
        return spaces.clean(self._episode.brief, MAX_TEXT), {"messages": self._episode.messages}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Gives the reply."""
        if self._episode is None or self._episode.is_over:
            raise gymnasium.error.ResetNeeded("the question is answered; reset the environment to get another")
        observation, reward, done = self._episode.step(action)
        info = {"success": self._episode.success, "verdict": json.loads(self._episode.verdict or "null")}
        return spaces.clean(observation), reward, done, False, info

    def render(self) -> str | None:
        """What the agent was last shown."""
        return self._episode.observation if self.render_mode == "ansi" and self._episode else None

    @property
    def episode(self) -> _native.Episode | None:
        """The episode being played, with its record, score and (for trainers) a right reply."""
        return self._episode
