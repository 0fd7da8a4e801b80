"""A proposed job as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from reports.answers import aligned
from reports.visible_text import label
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.proposal.proposal import Proposal

_LONGEST = 400  # characters of a reason: a whole sentence of ours, with names of the file in it


def proposal_lines(found: Proposal) -> Iterator[str]:
    """Features with their points, the probe, and everything that was left out."""
    heads = ("feature", "datum", "points", "stylus", "approach, mm", "a touch, µm", "tolerances")
    rows = [
        (
            label(one.name),
            "".join(one.datums) or "-",
            str(one.count),
            "normal" if one.touching.axis is None else direction_text(one.touching.axis),
            f"{1e3 * one.touching.approach:g}",
            f"{1e6 * one.touch:.2g}" if np.isfinite(one.touch) else "-",
            "; ".join(one.asked) or "-",
        )
        for one in found.features
    ]
    yield from aligned(heads, rows)
    yield ""
    yield (
        f"{len(found.job.points)} points; ball {1e3 * found.probe.ball_diameter:g} mm, "
        f"{1e3 * found.probe.length:g} mm from the wrist."
    )
    yield from (f"{sentence}" for sentence in found.remarks)
    if found.left_out:
        yield ""
        yield f"Left out ({len(found.left_out)}):"
    for item in found.left_out:
        yield f"  {label(item.name)}: {label(item.reason, _LONGEST)}"


def direction_text(axis: Array) -> str:
    """A direction: "-z" along an axis of the part, three numbers otherwise."""
    place = int(np.argmax(np.abs(axis)))
    if abs(abs(float(axis[place])) - 1.0) < 1e-9:
        return ("-" if axis[place] < 0.0 else "+") + "xyz"[place]
    return ", ".join(f"{value:.3g}" for value in axis)
