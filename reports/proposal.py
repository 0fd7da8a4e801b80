"""A proposed job as lines for a terminal, and as one document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parts.drawing.suggestion import tolerance_table
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


def proposal_document(found: Proposal, written: Path) -> dict[str, Any]:
    """The same as one document, in SI; what is not known is null.

    Args:
        found: the proposal.
        written: where its job stands.
    """
    return {
        "format": 1,
        "job": str(written),
        "name": found.job.name,
        "points": len(found.job.points),
        "probe": {
            "ball_diameter_m": found.probe.ball_diameter,
            "stylus_length_m": found.probe.length,
        },
        "share": found.share,
        "touch_scatter_m": found.scatter,
        "features": [
            {
                "name": one.name,
                "kind": one.form.kind,
                "datums": list(one.datums),
                "points": one.count,
                "reason": one.reason,
                "approach_axis": one.touching.axis,
                "approach_m": one.touching.approach,
                "touch_bearable_m": one.touch,
                "tolerances": [tolerance_table(spec) for spec in one.tolerances],
            }
            for one in found.features
        ],
        "left_out": [
            {"name": one.name, "reason": one.reason, "identity": one.identity or None}
            for one in found.left_out
        ],
        "remarks": list(found.remarks),
    }


def direction_text(axis: Array) -> str:
    """A direction: "-z" along an axis of the part, three numbers otherwise."""
    place = int(np.argmax(np.abs(axis)))
    if abs(abs(float(axis[place])) - 1.0) < 1e-9:
        return ("-" if axis[place] < 0.0 else "+") + "xyz"[place]
    return ", ".join(f"{value:.3g}" for value in axis)
