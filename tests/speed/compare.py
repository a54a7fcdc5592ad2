"""Puts the figures of two benches side by side: the best of all rounds of each, and their ratio."""
import re
import sys

ROW = re.compile(r"^(?P<name>.*?\S)\s{2,}(?P<figure>[\d.]+)\s*(?P<unit>\S*)\s*$")


def best(room: str, side: str, rounds: int) -> dict[str, tuple[float, str]]:
    rows: dict[str, tuple[float, str]] = {}
    for at in range(1, rounds + 1):
        with open(f"{room}/{side}.{at}.txt") as lines:
            for line in lines:
                if found := ROW.match(line):
                    name, figure, unit = found["name"], float(found["figure"]), found["unit"]
                    kept = rows.get(name, (figure, unit))[0]
                    # Bytes are better when fewer, rates when more.
                    rows[name] = (min(kept, figure) if unit == "B" else max(kept, figure), unit)
    return rows


def main() -> int:
    room, rounds = sys.argv[1], int(sys.argv[2])
    before, after = best(room, "before", rounds), best(room, "after", rounds)
    if not before or not after:
        print("speed: a bench printed no figures", file=sys.stderr)
        return 1
    print(f"{'best of ' + str(rounds) + ' rounds each, in turns':<60} {'before':>12} {'after':>12} {'ratio':>7}")
    for name, (figure, unit) in after.items():
        old = before.get(name)
        ratio = f"{figure / old[0]:7.2f}" if old and old[0] else "    new"
        print(f"{name:<60} {old[0] if old else 0:>12.0f} {figure:>12.0f} {ratio} {unit}")
    for name in before.keys() - after.keys():
        print(f"{name:<60} {before[name][0]:>12.0f} {'gone':>12}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
