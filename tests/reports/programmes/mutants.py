"""Programmes with one error each: what a slip of the writer, or of a hand, would make of them.

Mutants are made from the text alone, seeded, evenly over the kinds of errors. A kind is a pattern
of lines and what becomes of one; lines that are comments stay.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

_NUMBER = re.compile(r"(?<![\w.$])-?\d+\.\d{3,}")
_FACTORS = {"sign": -1.0, "unit": 1e-3, "radians": np.pi / 180.0, "tenfold": 10.0, "half": 0.5}


def mutants(files, kinds, *, count, seed=1):
    """``count`` times (description, files).

    Args:
        files: of a programme, by path.
        kinds: by name, a function of lines that gives pairs of a description and new lines.
        count: how many.
        seed: which.
    """
    rng = np.random.default_rng(seed)
    texts = {path: content.decode("ascii").split("\r\n") for path, content in files.items()}
    pools = {}
    for name, kind in kinds.items():
        pool = [
            (f"{name}: {what}", path, lines)
            for path, old in texts.items()
            for what, lines in kind(old)
            if lines != old
        ]
        if pool:
            pools[name] = [pool[k] for k in rng.permutation(len(pool))]
    found = []
    while len(found) < count and any(pools.values()):
        for pool in pools.values():
            if pool and len(found) < count:
                what, path, lines = pool.pop()
                found.append((what, {**files, path: "\r\n".join(lines).encode("ascii")}))
    return found


def dropped(pattern):
    """Lines that match, each left out alone."""

    def kind(lines):
        for k, line in enumerate(lines):
            if re.fullmatch(pattern, line.strip()):
                yield f"{k + 1} {line.strip()[:60]}", lines[:k] + lines[k + 1 :]

    return kind


def block_dropped(first, last):
    """Blocks from a line that matches to the next that does, each left out alone."""

    def kind(lines):
        for k, line in enumerate(lines):
            if re.fullmatch(first, line.strip()):
                end = next(n for n in range(k, len(lines)) if re.fullmatch(last, lines[n].strip()))
                yield f"{k + 1} {line.strip()[:60]}", lines[:k] + lines[end + 1 :]

    return kind


def replaced(pattern, by, where=r".*"):
    """Every occurrence of a pattern in lines that match, each replaced alone."""

    def kind(lines):
        for k, line in enumerate(lines):
            if not re.fullmatch(where, line.strip()) or line.lstrip()[:1] in (";", "!"):
                continue
            for match in re.finditer(pattern, line):
                new = line[: match.start()] + match.expand(by) + line[match.end() :]
                yield (
                    f"{k + 1} {match[0]!r} → {match.expand(by)!r}",
                    [*lines[:k], new, *lines[k + 1 :]],
                )

    return kind


def scaled(factor, where, most=40):
    """Numbers in lines that match, each by a factor; those that it would not change stay."""

    def kind(lines):
        for k, line in enumerate(lines):
            if not re.fullmatch(where, line.strip()) or line.lstrip()[:1] in (";", "!"):
                continue
            for match in list(_NUMBER.finditer(line))[:most]:
                value = float(match[0])
                if abs(value * _FACTORS[factor] - value) < 1e-3 * max(1.0, abs(value)) and (
                    abs(value) < 1e-6 or factor != "half"
                ):
                    continue
                digits = len(match[0].partition(".")[2])
                new = f"{value * _FACTORS[factor]:.{digits}f}"
                yield (
                    f"{k + 1} {match[0]} → {new}",
                    [
                        *lines[:k],
                        line[: match.start()] + new + line[match.end() :],
                        *lines[k + 1 :],
                    ],
                )

    return kind


def exchanged(pattern):
    """What the first group matches in two lines, exchanged."""

    def kind(lines):
        rows = [(k, m) for k, line in enumerate(lines) if (m := re.fullmatch(pattern, line))]
        for (a, first), (b, second) in pairwise(rows):
            new = list(lines)
            new[a] = first.string[: first.start(1)] + second[1] + first.string[first.end(1) :]
            new[b] = second.string[: second.start(1)] + first[1] + second.string[second.end(1) :]
            yield f"{a + 1} with {b + 1}", new

    return kind
