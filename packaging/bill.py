"""The bill of materials: every crate that is built into the program, with its licence.

    packaging/bill.py --check             fails on a licence that is not on the list below
    packaging/bill.py --sbom FILE         writes a CycloneDX document
    packaging/bill.py --licences FILE     writes the list of crates, and the licence texts that they ship
"""
import argparse
import json
import pathlib
import subprocess
import sys

# Licences that let the program be given on under its own. A crate that offers a choice needs one of these.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-3.0", "Unlicense", "Zlib", "bzip2-1.0.6",
}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def crates() -> list[dict]:
    """All crates that the program is built from, with all its features, in order."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--features", "sre-zero/parquet,sre-zero/tui",
               "--filter-platform", "x86_64-unknown-linux-gnu"]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    start = next(package["id"] for package in found["packages"] if package["name"] == "sre-zero")
    seen, queue = set(), [start]
    while queue:
        one = queue.pop()
        if one in seen:
            continue
        seen.add(one)
        # What only tests need is not in the program.
        queue += [dep["pkg"] for dep in nodes[one]["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
    return sorted((packages[one] for one in seen), key=lambda package: (package["name"], package["version"]))


def is_allowed(expression: str | None) -> bool:
    """Whether a licence expression can be met: `OR` is a choice, `AND` asks for all."""
    text = (expression or "").replace("/", " OR ")
    words = text.replace("(", " ( ").replace(")", " ) ").split()

    def either(at: int) -> tuple[bool, int]:
        good, at = both(at)
        while at < len(words) and words[at] == "OR":
            other, at = both(at + 1)
            good = good or other
        return good, at

    def both(at: int) -> tuple[bool, int]:
        good, at = one(at)
        while at < len(words) and words[at] == "AND":
            other, at = one(at + 1)
            good = good and other
        return good, at

    def one(at: int) -> tuple[bool, int]:
        if words[at] == "(":
            good, at = either(at + 1)
            return good, at + 1
        name = words[at]
        if at + 2 < len(words) and words[at + 1] == "WITH":
            return f"{name} WITH {words[at + 2]}" in ALLOWED or name in ALLOWED, at + 3
        return name in ALLOWED, at + 1

    return bool(words) and either(0)[0]


def sbom(all_crates: list[dict]) -> dict:
    """A CycloneDX document, the same bytes for the same lock file."""
    def component(crate: dict) -> dict:
        return {
            "type": "library",
            "bom-ref": f"pkg:cargo/{crate['name']}@{crate['version']}",
            "name": crate["name"],
            "version": crate["version"],
            "purl": f"pkg:cargo/{crate['name']}@{crate['version']}",
            "licenses": [{"expression": (crate["license"] or "NOASSERTION").replace("/", " OR ")}],
        }

    program = next(crate for crate in all_crates if crate["name"] == "sre-zero")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(program), "type": "application"}},
        "components": [component(crate) for crate in all_crates if crate["source"]],
    }


def licences(all_crates: list[dict]) -> str:
    """The crates and the texts of their licences; a text that many share stands there once."""
    lines, texts = ["Crates that are part of the program, with their licences", ""], {}
    for crate in (crate for crate in all_crates if crate["source"]):
        lines.append(f"{crate['name']} {crate['version']}: {crate['license']}")
        folder = pathlib.Path(crate["manifest_path"]).parent
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name.upper().startswith(("LICEN", "COPYING", "NOTICE", "UNLICENSE")):
                text = path.read_text(errors="replace").strip()
                texts.setdefault(text, []).append(f"{crate['name']} {crate['version']} ({path.name})")
    for text, owners in sorted(texts.items(), key=lambda entry: entry[1]):
        lines += ["", "=" * 100, *owners, "", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--check", action="store_true")
    read.add_argument("--sbom", type=pathlib.Path)
    read.add_argument("--licences", type=pathlib.Path)
    wanted = read.parse_args()
    all_crates = crates()
    if wanted.sbom:
        wanted.sbom.write_text(json.dumps(sbom(all_crates), indent=1) + "\n")
    if wanted.licences:
        wanted.licences.write_text(licences(all_crates))
    refused = [crate for crate in all_crates if crate["source"] and not is_allowed(crate["license"])]
    for crate in refused:
        print(f"bill: {crate['name']} {crate['version']} is under `{crate['license']}`, which is not on the list of "
              f"packaging/bill.py", file=sys.stderr)
    if not refused:
        print(f"bill: {len(all_crates)} crates, all licences allowed")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
