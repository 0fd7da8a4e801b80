"""The internal tables as text, in the order and layout of the report.

Source: [LIEGEOIS80] §4.2
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robots.core.arrays import Array
from robots.core.file_units import number_text
from robots.core.language.building import joint_axes
from robots.core.language.tables import NOTHING, BodySymbols, InternalTables
from robots.core.mechanism import Joint, Mechanism

Rows = Sequence[Sequence[str]]


def tables_text(tables: InternalTables, mechanism: Mechanism | None = None) -> str:
    """Print the tables.

    Args:
        tables: of a description.
        mechanism: made by ``mechanism_of`` from the same description; its numbers then replace
            the mass symbols, expressed in the phrase's frames.
    """
    masses = _symbols(tables.bodies) if mechanism is None else _numbers(tables, mechanism)
    return "\n\n".join(
        [
            tables.phrase,
            _table("MRR TABLE OF THE DESCRIPTION", [frame.row for frame in tables.frames]),
            _segments(tables, "CONSTANT TRANSLATIONS", [s.translation for s in tables.segments]),
            _segments(tables, "ROTATIONS", [s.rotation for s in tables.segments]),
            f"NUMBER OF CHANGES OF FRAME {tables.frame_count}",
            f"NUMBER OF DEGREES OF FREEDOM {tables.dof}",
            _table(
                "BODIES DESCRIBED",
                [(str(body.number), body.length) for body in tables.bodies],
                ("BODY", "LENGTH"),
            ),
            _table(
                "LIMITS OF THE DEGREES OF FREEDOM",
                [(str(f.number), f.lower, f.upper) for f in tables.freedoms],
                ("DOF", "MIN", "MAX"),
            ),
            masses,
        ]
    )


def _segments(tables: InternalTables, title: str, rows: Rows) -> str:
    """A table with a row per segment; labels only where they are not 1, 2, 3, …."""
    labels = [segment.label for segment in tables.segments]
    if labels == [str(number) for number in range(1, len(labels) + 1)]:
        return _table(title, rows)
    labelled = [(label, *row) for label, row in zip(labels, rows, strict=True)]
    return _table(title, labelled, ("SEGMENT", "X", "Y", "Z"))


def _table(title: str, rows: Rows, head: Sequence[str] = ()) -> str:
    """Columns of equal width under a title."""
    lines = [list(head), *map(list, rows)] if head else [list(row) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    body = (
        "  ".join(entry.ljust(width) for entry, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([title, "", *body])


def _symbols(bodies: Sequence[BodySymbols]) -> str:
    mass = [(str(body.number), body.mass, *body.com) for body in bodies]
    tensors = [
        (f"BODY {body.number} :", *body.inertia) for body in bodies if body.inertia != NOTHING
    ]
    text = _table("MASS DATA", mass, ("BODY", "MASS", "VCG", "", ""))
    return f"{text}\n\n{_table('INERTIA TENSORS', tensors)}" if tensors else text


def _numbers(tables: InternalTables, mechanism: Mechanism) -> str:
    mass, tensors = [], []
    for freedom, joint in zip(tables.freedoms, mechanism.movable, strict=True):
        number, C = str(freedom.number), joint_axes(freedom.axis)
        com = (C @ joint.body.com).tolist()
        mass.append((number, number_text(joint.body.mass), *map(number_text, com)))
        if np.any(joint.body.inertia):
            tensors.append((f"BODY {number} :", *_tensor(joint, C), f"at {joint.body.at}"))
    head = ("BODY", "MASS kg", "VCG m", "", "")
    text = _table("MASS DATA", mass, head)
    if not tensors:
        return text
    columns = ("", "XX", "YY", "ZZ", "XY", "XZ", "YZ", "kg m2")
    return f"{text}\n\n{_table('INERTIA TENSORS', tensors, columns)}"


def _tensor(joint: Joint, C: Array) -> list[str]:
    tensor = C @ joint.body.inertia @ C.T
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return [number_text(float(tensor[place])) for place in places]
