"""Jobs of a batch made from a seed: feasible, infeasible, corrupt, huge and slow ones."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from planner.library import path_of

BASE = path_of("nine-points-corrected")
KINDS = ("feasible", "infeasible", "corrupt", "huge", "slow")
SHARES = (60, 18, 20.6, 1, 0.4)
FAR = "far,5000,0,382.5,0,0,1,plane"
_BROKEN = (
    lambda text: text.replace("format = 1", "format = 99"),
    lambda text: text.replace("period_ms = 1.0", "period_ms = -1.0"),
    lambda text: text.replace('model = "measuring-arm"', 'model = "no-such-robot"'),
    lambda text: text[: 3 * len(text) // 4] + "[[[",
    lambda text: text.replace('file = "points', 'file = "missing-points'),
    lambda text: text.replace("[approach]", "[aproach]"),
    lambda text: text + "\x00\x01\x02",
)


@dataclass(frozen=True)
class Points:
    """Lines of a point file."""

    head: tuple[str, ...]
    body: tuple[str, ...]

    def text(self, rows):
        return "\n".join((*self.head, *rows)) + "\n"


def base_points() -> Points:
    lines = (BASE.parent / "points.csv").read_text(encoding="utf-8").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("name,"))
    return Points(head=tuple(lines[: start + 1]), body=tuple(filter(None, lines[start + 1 :])))


def generate(folder: Path, count: int, *, seed: int = 1, kinds=KINDS) -> dict[str, str]:
    """Write ``count`` jobs; kind of each by its file name. Points are shared where they can be."""
    draw = random.Random(seed)
    points = base_points()
    folder.mkdir(parents=True, exist_ok=True)
    text = BASE.read_text(encoding="utf-8")
    few = points.body[:3]
    many = [f"{k}-{line}" for k in range(200) for line in points.body]
    shutil.copyfile(BASE.parent / "points.csv", folder / "points.csv")
    (folder / "points-few.csv").write_text(points.text(few))
    (folder / "points-far.csv").write_text(points.text((*few, FAR)))
    (folder / "points-slow.csv").write_text(points.text(many))
    # points of a part of several tons of text: refused or too much, but never the end of the batch
    (folder / "points-huge.csv").write_text(
        points.text(f"{k}-{line}" for k in range(6000) for line in points.body)
    )
    made = {}
    weights = [SHARES[KINDS.index(kind)] for kind in kinds]
    for number in range(count):
        kind = draw.choices(kinds, weights)[0] if count > len(kinds) else kinds[number]
        name = f"{number:05d}-{kind}.toml"
        (folder / name).write_text(_text(kind, text, draw), encoding="utf-8")
        made[name] = kind
    return made


def _text(kind: str, text: str, draw: random.Random) -> str:
    turn = draw.uniform(28.0, 32.0)
    x, y = draw.uniform(-10.0, 10.0), draw.uniform(1490.0, 1510.0)
    text = text.replace("[0, 1500, 840]", f"[{x:.3f}, {y:.3f}, 840]")
    text = text.replace("[30, 0, 0]", f"[{turn:.3f}, 0, 0]")
    file = {"infeasible": "far", "huge": "huge", "slow": "slow"}.get(kind, "few")
    text = text.replace("points.csv", f"points-{file}.csv")
    period = {"slow": "0.01", "huge": "0.02"}.get(kind, "5.0")
    if kind == "corrupt":
        return draw.choice(_BROKEN)(text)
    return text.replace("period_ms = 1.0", f"period_ms = {period}")
