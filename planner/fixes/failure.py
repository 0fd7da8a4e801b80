"""One thing that a branch of a point breaks, by how much, and where on its line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.findings.clearance_findings import Watch
from planner.reach.margins import SINGULAR
from robots.core.mechanism import Joint
from robots.core.rounding import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that a branch breaks.

    Args:
        code: of the finding that tells the same of the whole point.
        what: joint, pair, or "singularity".
        amount: by how much, in ``unit``, above zero.
        unit: "deg", "mm", "N m", or "1" for a margin without a unit.
        before: where on the line it is worst: before contact, beyond it below zero; NaN where no
            place is told. [m]
        sentence: all of it for a reader.
    """

    code: str
    what: str
    amount: float
    unit: str
    before: float
    sentence: str


def limit_passed(joint: Joint, beyond: float, margin: float, before: float) -> Failure:
    """A joint beyond its limit less the margin asked for.

    Args:
        joint: which one.
        beyond: [rad or m]
        margin: that the job asks of turning joints. [rad]
        before: where it is worst. [m]
    """
    angular = joint.kind.angular
    amount, unit = (float(np.degrees(beyond)), "deg") if angular else (1e3 * beyond, "mm")
    asked = f" less {np.degrees(margin):g} deg of margin" if angular and margin else ""
    return Failure(
        code="P102",
        what=joint.name,
        amount=amount,
        unit=unit,
        before=before,
        sentence=f"{joint.name} {readable(amount, 2)} {unit} beyond its limit{asked}, "
        f"{_at(before)}",
    )


def singular(margin: float, before: float) -> Failure:
    """A singularity on the line; its margin is NaN where the branch ends before the line does."""
    told = "the branch ends on the way" if np.isnan(margin) else f"margin {margin:.1e}"
    return Failure(
        code="P103",
        what="singularity",
        amount=SINGULAR - float(np.nan_to_num(margin, nan=0.0)),
        unit="1",
        before=before,
        sentence=f"passes a singularity ({told}, {SINGULAR:g} needed), {_at(before)}",
    )


def too_near(watch: Watch, pair: int, clearances: tuple[float, float], before: float) -> Failure:
    """A pair that does not keep the clearance on the line.

    Args:
        watch: words for clearances.
        pair: index into its pairs.
        clearances: what was seen and what was certified. [m]
        before: where. [m]
    """
    seen, certified = clearances
    return _near(
        watch,
        pair,
        clearances,
        ("P131", before, f"{watch.gap(watch.pairs[pair], seen, certified)}, {_at(before)}"),
    )


def too_near_at_start(watch: Watch, pair: int, value: float, before: float) -> Failure:
    """A pair that does not keep the clearance at the clearance point already."""
    gap = watch.gap(watch.pairs[pair], value, value)
    return _near(watch, pair, (value, value), ("P132", before, f"{gap}, at the clearance point"))


def too_weak(joint: Joint, limit: float, over: float, before: float) -> Failure:
    """A joint that cannot hold the arm at rest. Args: limit, over. [N m or N]; before. [m]."""
    unit = "N m" if joint.kind.angular else "N"
    return Failure(
        code="P105",
        what=joint.name,
        amount=over,
        unit=unit,
        before=before,
        sentence=f"{joint.name} holds {limit + over:.2f} {unit} at rest, {readable(over, 2)} "
        f"{unit} above its limit, {_at(before)}",
    )


def unmovable(reason: str) -> Failure:
    """A line that no speed brings within the torque limits."""
    return Failure(
        code="P105",
        what="torque",
        amount=np.nan,
        unit="N m",
        before=np.nan,
        sentence=f"{reason[:1].lower()}{reason[1:].rstrip('.')}",
    )


def _near(
    watch: Watch, index: int, clearances: tuple[float, float], told: tuple[str, float, str]
) -> Failure:
    pair, (seen, certified) = watch.pairs[index], clearances
    code, before, sentence = told
    # A line that is seen to keep more than asked fails for want of proof.
    least = seen if seen < watch.required or not np.isfinite(certified) else certified
    return Failure(
        code="P133" if watch.own(pair) else code,
        what=f"{pair.moving} - {pair.against}",
        amount=1e3 * (watch.required - least),
        unit="mm",
        before=before,
        sentence=sentence,
    )


def _at(before: float) -> str:
    if np.isnan(before):
        return "somewhere on the line"
    if abs(before) < 5e-5:
        return "at contact"
    return f"{1e3 * abs(before):.1f} mm {'before' if before > 0.0 else 'beyond'} contact"
