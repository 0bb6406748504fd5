"""Compare the speed of this working tree with that of another commit: `make bench-compare BASE=main`.

Builds the other commit in a copy, and measures both in turns with `dodona bench`, because the machine may be busier at
one time than at another. Fails if the best of several runs is more than 5 % slower than before, in relation to a
reference loop in the same run. The text is that of the documentation.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).parent.parent
MODEL, TURNS, SECONDS, TOLERANCE = "en-fast", 5, 8, 5.0
WHOLE = "text to CoNLL-U"


def build(commit: str, folder: Path) -> None:
    subprocess.run(["git", "-C", str(HOME), "worktree", "add", "--quiet", "--detach", str(folder), commit], check=True)
    subprocess.run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], cwd=folder, check=True)


def measure(source: Path, text: Path, target: Path) -> dict[str, float]:
    """Words in the time of the reference loop, by stage."""
    command = [sys.executable, "-m", "dodona", "bench", str(source / f"dodona/models/{MODEL}.model"), str(text)]
    command += ["--seconds", str(SECONDS), "--threads", "1", "--json", str(target)]
    environment = {"PYTHONPATH": str(source)}
    subprocess.run(command, check=True, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    found: dict[str, float] = json.loads(target.read_text("utf-8"))["words_per_reference_loop"]
    return found


def main() -> None:
    commit = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    with tempfile.TemporaryDirectory() as home:
        other, text = Path(home) / "other", Path(home) / "text.txt"
        text.write_text("\n\n".join(path.read_text("utf-8") for path in sorted(HOME.glob("docs/*.md"))), "utf-8")
        try:
            build(commit, other)
            sources = {"before": other / "src", "now": HOME / "src"}
            best: dict[str, dict[str, float]] = {name: {} for name in sources}
            for turn in range(TURNS):
                for name, source in sources.items():
                    found = measure(source, text, Path(home) / "figures.json")
                    best[name] = {stage: max(words, best[name].get(stage, 0.0)) for stage, words in found.items()}
                print(f"turn {turn + 1} of {TURNS}", file=sys.stderr)
        finally:
            subprocess.run(["git", "-C", str(HOME), "worktree", "remove", "--force", str(other)], check=False)
    changes = {stage: 100 * (best["now"][stage] / words - 1) for stage, words in best["before"].items()}
    for stage, change in changes.items():
        print(f"{stage:<16} {change:+6.1f} %")
    if changes[WHOLE] < -TOLERANCE:
        raise SystemExit(f"{-changes[WHOLE]:.1f} % slower than {commit}; expected at most {TOLERANCE:g} %")


if __name__ == "__main__":
    main()
