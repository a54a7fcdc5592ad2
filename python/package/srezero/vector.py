"""Many incidents at once, stepped in Rust threads without the GIL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv as Base
from gymnasium.vector.utils import batch_space

from . import _native, spaces


class VectorEnv(Base):
    """Many environments as one; what comes out does not depend on the number of threads.

    Args:
        num_envs: how many.
        observation: `structured` or `text`, as for `Env`.
        actions: `multi` or `discrete`, as for `Env`.
        autoreset_mode: as Gymnasium defines them; in `SAME_STEP` the last observation is in `info["final_obs"]`.
        threads: how many threads step them.
        copy: whether each step gives arrays of its own; without, the same arrays are written again by the next step.
        options: everything else that `Env` takes.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        *,
        observation: spaces.Observation = "structured",
        actions: spaces.Actions = "multi",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise ValueError("many environments have no picture; leave render_mode out")
        self.num_envs, self.copy, self.render_mode = num_envs, copy, None
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.setup = spaces.setup(observation, actions, options)
        self.single_observation_space = spaces.observation_space(observation, self.setup)
        self.single_action_space = spaces.action_space(observation, actions, self.setup)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._observation, self._actions = observation, actions
        self._native = _native.Fleet(self.setup, num_envs, 0, self.autoreset_mode.value, threads)
        self._arrays = self._native.arrays()
        self._all = np.ones(num_envs, dtype=np.bool_)
        self._drawn = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draws incidents for all environments, or for those in `options["reset_mask"]`."""
        if isinstance(seed, int):
            self._np_random, self._np_random_seed = seeding.np_random(seed)
        self._native.reset(self._chosen(options), self._seeds(seed))
        self._drawn = True
        return self._observe(), self._info()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action in every environment."""
        if self._observation == "text":
            self._native.step_texts(list(actions))
        elif self._actions == "discrete":
            self._native.step_numbers(np.ascontiguousarray(actions, dtype=np.int64))
        else:
            self._native.step_moves(np.ascontiguousarray(actions, dtype=np.int64))
        arrays = self._arrays
        info = self._info()
        terminated, truncated = arrays["terminated"].copy(), arrays["truncated"].copy()
        ended = np.flatnonzero(terminated | truncated)
        if ended.size:
            self._tell_ends(info, ended)
        return self._observe(), arrays["rewards"].copy(), terminated, truncated, info

    def sample_actions(self) -> np.ndarray:
        """A valid action for every environment, drawn in Rust: first the tool, then the service and the choice."""
        moves = self._native.sample()
        return moves if self._actions == "multi" else np.array(self._native.numbers_of(moves), dtype=np.int64)

    def episode(self, index: int) -> _native.Episode:
        """A fork of the episode that an environment plays."""
        return self._native.episode(index)

    def _observe(self) -> Any:
        if self._observation == "text":
            return tuple(map(spaces.clean, self._native.texts()))
        names = ("incident", "services")
        return {name: self._arrays[name].copy() if self.copy else self._arrays[name] for name in names}

    def _info(self) -> dict[str, Any]:
        if self._observation == "text":
            return {}
        mask = self._arrays["action_mask"].view(np.int8)
        return {"action_mask": mask.copy() if self.copy else mask, "_action_mask": self._all}

    def _tell_ends(self, info: dict[str, Any], ended: np.ndarray) -> None:
        """Adds what Gymnasium's own vectors say of environments that ended."""
        mask = np.zeros(self.num_envs, dtype=np.bool_)
        mask[ended] = True
        success = np.zeros(self.num_envs, dtype=np.bool_)
        success[ended] = self._native.successes(ended.tolist())
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            info["success"], info["_success"] = success, mask
            return
        final = np.full(self.num_envs, None, dtype=object)
        if self._observation == "text":
            for index in ended:
                final[index] = spaces.clean(self._native.last_text(index) or "")
        else:
            services, incident = self._native.last(ended.tolist())
            for nth, index in enumerate(ended):
                final[index] = {"incident": incident[nth], "services": services[nth]}
        info["final_obs"], info["_final_obs"] = final, mask
        info["final_info"], info["_final_info"] = {"success": success, "_success": mask}, mask

    def _chosen(self, options: dict[str, Any] | None) -> list[bool]:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return [True] * self.num_envs
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(f"reset_mask must be {self.num_envs} booleans, at least one of them true")
        return mask.tolist()

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None and not self._drawn:
            seed = int(self.np_random.integers(2**62))
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return [seed + n for n in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds were given for {self.num_envs} environments")
        return list(seed)
