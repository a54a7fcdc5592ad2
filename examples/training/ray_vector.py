"""Trains a small policy on many machines: Ray's workers play, each with a vector environment of its own, and one learner steps.

    pip install ray srezero-*.whl
    python ray_vector.py --workers 2 --rounds 20

The policy is a linear softmax over what was observed, taught by REINFORCE, so that the file needs NumPy alone: put your own
network in its place. Workers on other machines of a Ray cluster need the wheel, and nothing else.
"""

import argparse
import time

import numpy as np
import ray
import srezero
from gymnasium.vector import AutoresetMode


def flat(observation):
    """One row of numbers per environment; the last is 1."""
    count = len(observation["incident"])
    parts = [observation["incident"], observation["services"].reshape(count, -1), np.ones((count, 1))]
    return np.concatenate(parts, axis=1).astype(np.float32)


def chances(weights, rows, mask):
    """What the policy does in each row: nothing that the mask forbids."""
    scores = np.where(mask > 0, rows @ weights, -np.inf)
    scores -= scores.max(axis=1, keepdims=True)
    odds = np.exp(scores)
    return odds / odds.sum(axis=1, keepdims=True)


@ray.remote(num_cpus=1)
class Worker:
    """Plays with the weights that it is handed and gives back which way they should move."""

    def __init__(self, number, envs, suite):
        self.envs = srezero.VectorEnv(envs, suite=suite, actions="discrete", autoreset_mode=AutoresetMode.SAME_STEP, threads=1)
        self.dice = np.random.default_rng(number)
        # Other seeds for every worker: two that play the same incidents teach no more than one.
        self.observation, self.info = self.envs.reset(seed=number * 1_000_000)

    def shape(self):
        return flat(self.observation).shape[1], self.envs.single_action_space.n

    def play(self, weights, steps):
        rows, actions, odds, rewards, ends = [], [], [], [], []
        episodes = successes = 0
        for _ in range(steps):
            row, mask = flat(self.observation), self.info["action_mask"].copy()
            # The last action hands over. It costs nothing and is worth nothing, and a policy that knows little would settle for it.
            mask[:, -1] = 0
            chance = chances(weights, row, mask)
            action = (chance.cumsum(axis=1) > self.dice.random((len(row), 1))).argmax(axis=1)
            self.observation, reward, terminated, truncated, self.info = self.envs.step(action)
            over = terminated | truncated
            episodes += int(over.sum())
            if "final_info" in self.info:
                successes += int(self.info["final_info"]["success"].sum())
            for found, value in zip((rows, actions, odds, rewards, ends), (row, action, chance, reward, over)):
                found.append(value)
        return self.gradient(weights, rows, actions, odds, np.array(rewards), np.array(ends)), episodes, successes, float(np.sum(rewards))

    @staticmethod
    def gradient(weights, rows, actions, odds, rewards, ends):
        """REINFORCE: what an episode brought from each step on, against the mean of all."""
        returns, sofar = np.zeros_like(rewards), np.zeros(rewards.shape[1])
        for at in reversed(range(len(rewards))):
            sofar = rewards[at] + np.where(ends[at], 0.0, sofar)
            returns[at] = sofar
        advantages = (returns - returns.mean()) / (returns.std() + 1e-8)
        total = np.zeros_like(weights)
        for row, action, chance, advantage in zip(rows, actions, odds, advantages):
            towards = -chance
            towards[np.arange(len(action)), action] += 1
            total += row.T @ (towards * advantage[:, None]).astype(np.float32)
        return total / returns.size


def main():
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--workers", type=int, default=2)
    read.add_argument("--envs", type=int, default=16, help="environments of each worker")
    read.add_argument("--steps", type=int, default=24, help="steps of each environment in a round")
    read.add_argument("--rounds", type=int, default=20)
    read.add_argument("--suite", default="easy")
    read.add_argument("--rate", type=float, default=5.0)
    asked = read.parse_args()
    ray.init(num_cpus=asked.workers, include_dashboard=False, log_to_driver=False)
    workers = [Worker.remote(number, asked.envs, asked.suite) for number in range(asked.workers)]
    weights = np.zeros(ray.get(workers[0].shape.remote()), dtype=np.float32)
    begun, steps = time.monotonic(), 0
    for number in range(1, asked.rounds + 1):
        shared = ray.put(weights)
        found = ray.get([worker.play.remote(shared, asked.steps) for worker in workers])
        weights = weights + asked.rate * np.mean([gradient for gradient, *_ in found], axis=0)
        episodes, successes, reward = (sum(part) for part in list(zip(*found))[1:])
        steps += asked.workers * asked.envs * asked.steps
        if number == 1 or number % 5 == 0:
            print(f"round {number}: {episodes} episodes, {successes} resolved, reward {reward / max(1, episodes):.3f} an episode")
    print(f"{steps} steps by {asked.workers} workers, {steps / (time.monotonic() - begun):.0f} a second")
    ray.shutdown()


if __name__ == "__main__":
    main()
