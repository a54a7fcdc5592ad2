"""Incidents for learners: Gymnasium environments over the SRE-Zero simulator.

    import gymnasium, srezero

    env = gymnasium.make("SreZero-Struct-v0", suite="train")       # arrays with named features, numbered actions
    env = gymnasium.make("SreZero-Text-v0", suite="train")         # text in, text out
    envs = srezero.VectorEnv(256, suite="train")                   # many at once, stepped in Rust without the GIL
    episode = srezero.Episode("srezero task id or file.toml", 7)   # one episode, with fork, snapshot and record
    env = gymnasium.make("SreZero-Question-v0", suite="skills")    # questions and Terraform: one step each

`srezero.trl`, `srezero.verifiers` and `srezero.skyrl` fit the same incidents into those trainers.
"""

from gymnasium.envs.registration import register

from ._native import Episode, __version__, question_suites, questions, suite_names, suite_tasks
from .env import Env
from .question import QuestionEnv
from .spaces import INCIDENT_FEATURES, SERVICE_FEATURES
from .vector import VectorEnv

__all__ = [
    "INCIDENT_FEATURES",
    "SERVICE_FEATURES",
    "Env",
    "Episode",
    "QuestionEnv",
    "VectorEnv",
    "__version__",
    "question_suites",
    "questions",
    "suite_names",
    "suite_tasks",
]

for _id, _observation in (("SreZero-Struct-v0", "structured"), ("SreZero-Text-v0", "text")):
    register(
        id=_id,
        entry_point="srezero.env:Env",
        vector_entry_point="srezero.vector:VectorEnv",
        kwargs={"observation": _observation},
    )

register(id="SreZero-Question-v0", entry_point="srezero.question:QuestionEnv")
