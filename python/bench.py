"""How many steps per second a learner gets: `python python/bench.py`.

Valid actions at random (first the tool, then the rest), resets included, best of several rounds, because a busy machine
only ever makes things slower. In the rows of fresh incidents every episode has one that was never met before; in the others
incidents are prepared before the clock starts. Processor time is what one core to itself would take: with two threads the
clock on the wall tells, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import srezero

FLOOR = {"structured": 100_000, "text": 40_000}


def best(round_: Callable[[], int], rounds: int) -> tuple[float, float]:
    """Steps per second of processor time and of the clock on the wall, each of its best round."""
    rates = []
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        done = round_()
        rates.append((done / (time.process_time() - cpu), done / (time.perf_counter() - wall)))
    return max(rate[0] for rate in rates), max(rate[1] for rate in rates)


def vector(kind: str, num_envs: int, threads: int, copy: bool) -> srezero.VectorEnv:
    return srezero.VectorEnv(
        num_envs, observation=kind, autoreset_mode="SameStep", suite="srezero-40", seeds=3, threads=threads, copy=copy
    )


def stepped(envs: srezero.VectorEnv, steps: int, rounds: int) -> tuple[float, float]:
    """Random steps, after a round that is not counted."""
    envs.reset(seed=0)

    def play() -> int:
        for _ in range(steps):
            envs.step(envs.sample_actions())
        return steps * envs.num_envs

    play()
    return best(play, rounds)


def structured(num_envs: int, steps: int, rounds: int, threads: int, copy: bool) -> tuple[float, float]:
    envs = vector("structured", num_envs, threads, copy)
    return stepped(envs, steps, rounds)


def fresh(services: str, num_envs: int, steps: int, rounds: int, threads: int) -> tuple[float, float]:
    """Generated incidents by number, none of them met twice."""
    envs = srezero.VectorEnv(
        num_envs, autoreset_mode="SameStep", generator_seed=7, services=services, numbers=(0, 2**50), keep=1,
        threads=threads, copy=False
    )
    return stepped(envs, steps, rounds)


def text(num_envs: int, steps: int, rounds: int, threads: int) -> tuple[float, float]:
    """The texts are those that structured actions are written out as, drawn beforehand by a scout that plays along."""
    scout = vector("structured", num_envs, 1, False)
    envs = vector("text", num_envs, threads, True)
    scout.reset(seed=0)
    envs.reset(seed=0)

    def draw() -> list[str]:
        moves = scout.sample_actions()
        texts = [scout._native.text_of(n, *map(int, move)) for n, move in enumerate(moves)]
        scout.step(moves)
        return texts

    script = iter([draw() for _ in range(steps * (rounds + 1))])

    def play() -> int:
        for _ in range(steps):
            envs.step(next(script))
        return steps * num_envs

    play()
    return best(play, rounds)


def single(steps: int, rounds: int) -> tuple[float, float]:
    env = srezero.Env(suite="srezero-40", seeds=3, actions="discrete")
    draws = np.random.default_rng(0)

    def play() -> int:
        _, info = env.reset(seed=0)
        for _ in range(steps):
            _, _, terminated, truncated, info = env.step(draws.choice(np.flatnonzero(info["action_mask"])))
            if terminated or truncated:
                _, info = env.reset()
        return steps

    play()
    return best(play, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=256, help="environments in a vector")
    parser.add_argument("--steps", type=int, default=40, help="steps of each in a round")
    parser.add_argument("--rounds", type=int, default=20, help="rounds, of which the best counts")
    parser.add_argument("--check", action="store_true", help="fail below the promised figures")
    args = parser.parse_args()
    few = min(args.rounds, 4)
    figures = {
        f"fresh incidents of {services} services{with_}": fresh(services, args.envs, args.steps, few, threads)
        for services in ("5", "3..50")
        for threads, with_ in ((1, ""), (2, ", two threads"))
    } | {
        "structured": structured(args.envs, args.steps, args.rounds, 1, False),
        "structured, arrays copied": structured(args.envs, args.steps, args.rounds, 1, True),
        "structured, two threads": structured(args.envs, args.steps, args.rounds, 2, False),
        "text": text(args.envs, args.steps, args.rounds, 1),
        "one environment, structured": single(args.steps * 10, args.rounds),
    }
    print(f"{'steps per second, best of several rounds':<44} {'processor':>12} {'wall':>12}")
    for name, (cpu, wall) in figures.items():
        print(f"{name:<44} {cpu:>12,.0f} {wall:>12,.0f}")
    slow = {name: floor for name, floor in FLOOR.items() if figures[name][0] < floor}
    if args.check and slow:
        raise SystemExit(f"slower than promised: {slow}")


if __name__ == "__main__":
    main()
