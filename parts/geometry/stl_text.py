"""Text STL: ``facet normal … outer loop vertex … endloop endfacet``, 21 words a triangle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.body import Body, Patch
from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

WORDS = ("facet normal . . . outer loop " + "vertex . . . " * 3 + "endloop endfacet").split()
_FIXED = [place for place, word in enumerate(WORDS) if word != "."]
_NUMBERS = [place for place, word in enumerate(WORDS) if word == "."][3:]


class _Solids(NamedTuple):
    """The words of a file, without the first and last lines of its solids."""

    names: list[str]
    starts: list[int]  # word that each solid starts at
    words: list[str]


def bodies_of_text(file: SourceFile) -> tuple[Body, ...]:
    """One body; every ``solid`` is a face of it.

    Raises:
        PartError: a triangle that is not of that form, or over a cap.
    """
    found = _solids(file)
    words = found.words
    if len(words) % len(WORDS):
        row = len(words) // len(WORDS)
        raise file.error(
            f"triangle {row + 1} is incomplete: found {len(words) % len(WORDS)} of its "
            f"{len(WORDS)} words; the file is cut off or damaged. Export it again.",
            triangle=row + 1,
        )
    count = len(words) // len(WORDS)
    file.check_count("triangles", count, Cap.TRIANGLES)
    table = np.array(words, dtype=object).reshape(-1, len(WORDS))
    _check_words(file, table)
    vertices = _numbers(file, table[:, _NUMBERS]).reshape(-1, 3)
    owner = np.searchsorted(found.starts, np.arange(count) * len(WORDS), side="right") - 1
    patches = tuple(
        Patch(name=name, kind="facets", surface=None, triangles=np.flatnonzero(owner == solid))
        for solid, name in enumerate(found.names)
    )
    return (
        Body(
            name="",
            vertices=vertices,
            faces=np.arange(3 * count).reshape(-1, 3),
            patches=tuple(patch for patch in patches if len(patch.triangles)),
        ),
    )


def _solids(file: SourceFile) -> _Solids:
    found = _Solids([], [], [])
    for line in file.raw.decode("utf-8", "replace").splitlines():
        parts = line.split()
        first = parts[0].lower() if parts else ""
        if first == "solid":
            found.names.append(" ".join(parts[1:])[:100])
            found.starts.append(len(found.words))
        elif first != "endsolid":
            found.words.extend(parts)
    file.check_count("solids", len(found.names), Cap.INSTANCES)
    return found


def _check_words(file: SourceFile, table: NDArray[np.object_]) -> None:
    for place in _FIXED:
        column = table[:, place]
        wrong = column != WORDS[place]
        if wrong.any():
            wrong = np.array([word.lower() != WORDS[place] for word in column], dtype=bool)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise file.error(
                f"triangle {row + 1}: found {str(column[row])[:40]!r} where {WORDS[place]!r} was "
                "expected. Export it again.",
                triangle=row + 1,
                found=str(column[row])[:40],
                expected=WORDS[place],
            )


def _numbers(file: SourceFile, cells: NDArray[np.object_]) -> NDArray[np.float64]:
    try:
        return cells.astype(np.float64)
    except ValueError:
        raise _not_a_number(file, cells) from None


def _not_a_number(file: SourceFile, cells: NDArray[np.object_]) -> PartError:
    for row, values in enumerate(cells):
        for text in values:
            try:
                float(text)
            except ValueError:
                return file.error(
                    f"triangle {row + 1}: found {text[:40]!r} where a coordinate was expected. "
                    "Export it again with decimal points.",
                    triangle=row + 1,
                    found=text[:40],
                )
    return file.error("a coordinate is not a number. Export it again.")
