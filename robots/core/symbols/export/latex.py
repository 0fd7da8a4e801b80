"""LaTeX: the straight-line listing of each quantity, for documents. It cannot test itself."""

from __future__ import annotations

from collections.abc import Iterator

from robots.core.symbols.export.routine import Document, Routine, head_lines

_LINES_PER_BLOCK = 40  # amsmath sets a block as one box per page unless it is allowed to break


def latex_source(document: Document) -> str:
    """A fragment for a document that loads amsmath."""
    lines = [f"% {line}".rstrip() for line in document.head]
    for routine in document.routines:
        lines += ["", *(f"% {line}" for line in head_lines(routine)), *_blocks(routine)]
    return "\n".join(lines) + "\n"


def _blocks(routine: Routine) -> Iterator[str]:
    equations = list(_equations(routine))
    for start in range(0, len(equations), _LINES_PER_BLOCK):
        yield r"\begin{align*}"
        yield " \\\\\n".join(equations[start : start + _LINES_PER_BLOCK])
        yield r"\end{align*}"


def _equations(routine: Routine) -> Iterator[str]:
    for item in routine.listing.assignments:
        yield f"{item.name} &= {item.expression}"
    symbol = routine.name.replace("_", r"\_")
    for place, output in enumerate(routine.listing.outputs):
        yield rf"\mathrm{{{symbol}}}{_index(place, routine.programme.result.shape)} &= {output}"


def _index(place: int, shape: tuple[int, ...]) -> str:
    indices: list[str] = []
    for extent in reversed(shape):
        place, index = divmod(place, extent)
        indices.append(str(index + 1))
    return f"_{{{','.join(reversed(indices))}}}" if indices else ""
