"""A fix: one change of a job that serves a point, what else it does, and the job with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from planner.fixes.feature_axis import FeatureAxis
from planner.fixes.kinds import with_stylus_length
from planner.job import Approach, Job
from planner.job.part import examined
from planner.job.settings import FeatureApproach
from planner.part_pose.moved import moved
from robots.core.arrays import Array
from robots.core.file_units import number_text


class FixKind(Enum):
    """What is changed, in the order in which changes are preferred: no hardware first."""

    BRANCH = "branch"  # a joint limit that leaves a good branch alone
    APPROACH = "approach"  # where a point is approached from
    DISTANCE = "distance"  # from the clearance point to contact
    TILT = "tilt"  # of the probe axis of one point
    AXIS = "axis"  # of the stylus, for a feature as a whole
    SHIFT = "shift"  # of the part
    STYLUS = "stylus"  # its length


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Others:
    """What a fix does to the other points.

    Args:
        looked_at: how many were judged; of a large job an even choice.
        lost: names of points that are served now and would not be.
        gained: names of points that fail now and would be served.
    """

    looked_at: int = 0
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fix:
    """One change that serves a point.

    Args:
        kind: what is changed.
        amount: by how much; 0 where nothing is measured. [m or rad]
        unit: of the amount for a reader: "mm" or "deg".
        sentence: what to do.
        place: table of the job file, or file, where the line stands.
        line: as it is to be written there.
        job: the job with the change.
        verified: whether that job was judged for the point and serves it.
        allowed: whether the job allows such a change; a tilt needs a cone.
        alone: whether the change concerns this point alone.
        others: what becomes of the other points; None where they were not looked at, or where the
            change concerns this point alone.
    """

    kind: FixKind
    amount: float
    unit: str
    sentence: str
    place: str
    line: str
    job: Job = field(repr=False)
    verified: bool = False
    allowed: bool = True
    alone: bool = False
    others: Others | None = None

    @property
    def shown_amount(self) -> float:
        """The amount in its unit."""
        return float(np.degrees(self.amount)) if self.unit == "deg" else 1e3 * self.amount

    @property
    def rank(self) -> tuple[bool, int, int, float]:
        """Preferred first: allowed, no point lost, by kind, the smallest."""
        lost = 0 if self.others is None else len(self.others.lost)
        return not self.allowed, lost, tuple(FixKind).index(self.kind), self.amount

    @property
    def hint(self) -> str:
        """One sentence for a finding."""
        return f"{self.sentence}{consequences(self.others)}"

    def document(self) -> dict[str, object]:
        """The fix as it stands in JSON."""
        others = self.others
        return {
            "kind": self.kind.value,
            "amount": self.shown_amount,
            "unit": self.unit,
            "sentence": self.sentence,
            "where": self.place,
            "line": self.line,
            "verified": self.verified,
            "allowed": self.allowed,
            "other_points": None
            if others is None
            else {
                "looked_at": others.looked_at,
                "lost": list(others.lost),
                "gained": list(others.gained),
            },
        }


def consequences(others: Others | None) -> str:
    """What a change does to other points, to follow its sentence; empty for nothing."""
    if others is None:
        return ""
    parts = []
    if others.lost:
        parts.append(f"{_points(others.lost)} measurable now would fail")
    if others.gained:
        parts.append(f"{_points(others.gained)} failing now would be measurable")
    return f" ({'; '.join(parts)})" if parts else ""


def _points(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{len(names)} other point{'s' if len(names) > 1 else ''} ({shown})"


# ------------------------------------------------------------------------------------- Changed jobs
# Each with the lines of a job file that make it so.

_DIGITS = 1  # of millimetres
_NORMAL_DIGITS = 6


def other_distance(job: Job, row: int, distance: float) -> Fix:
    """``distance_mm`` of a point, rounded away from what the job has. Args: row; distance. [m]."""
    old = approach_of(job, row).distance
    mm = _away(distance, old)
    changed = with_approach(job, row, "distance", mm / 1e3)
    amount = abs(mm / 1e3 - old)
    way = "longer" if mm / 1e3 > old else "shorter"
    line = f"distance_mm = {number_text(mm)}"
    return Fix(
        kind=FixKind.DISTANCE,
        amount=amount,
        unit="mm",
        sentence=f"{line} in {changed.place}, {1e3 * amount:.1f} mm {way}",
        place=changed.place,
        line=line,
        job=changed.job,
    )


def other_stylus(job: Job, length: float) -> Fix:
    """``stylus_length_mm``, rounded away from what the job has. Args: length. [m]."""
    old = job.probe.stylus_length
    mm = _away(length, old)
    amount = abs(mm / 1e3 - old)
    way = "longer" if mm / 1e3 > old else "shorter"
    line = f"stylus_length_mm = {number_text(mm)}"
    return Fix(
        kind=FixKind.STYLUS,
        amount=amount,
        unit="mm",
        sentence=f"{line} in [probe], {1e3 * amount:.1f} mm {way}",
        place="[probe]",
        line=line,
        job=with_stylus_length(job, mm / 1e3),
    )


def shifted_part(job: Job, shift: Array) -> Fix:
    """``translation_mm`` of the part. Args: shift in base axes. # (3,) [m]."""
    T = job.part.T_base_part.copy()
    given = 1e3 * T[:3, 3]
    mm = np.round(given + 1e3 * shift, _DIGITS) + 0.0
    T[:3, 3] = mm / 1e3
    way = mm - given
    amount = float(np.linalg.norm(way)) / 1e3
    line = f"translation_mm = {_triple(mm)}"
    shown = ", ".join(f"{value:+.1f}" for value in way)
    return Fix(
        kind=FixKind.SHIFT,
        amount=amount,
        unit="mm",
        sentence=f"{line} in the pose of [part]: {1e3 * amount:.1f} mm, by ({shown}) mm",
        place="pose in [part]",
        line=line,
        job=moved(job, T),
    )


def leaning_axis(job: Job, row: int, back: Array, before: Array) -> Fix:
    """A probe axis that leans: the normal of one point or, where the job fixes the axis, that axis.

    Args:
        job: to be changed.
        row: of the point.
        back: from ball to wrist, base axes, unit. # (3,)
        before: as it is now. # (3,)
    """
    angle = float(np.arctan2(np.linalg.norm(np.cross(back, before)), back @ before))
    degrees, cone = np.degrees(angle), np.degrees(job.approach.tilt)
    allowed = angle <= job.approach.tilt + 1e-9
    limit = (
        f"within the job's cone of {cone:g} deg"
        if allowed
        else f"the job's cone is {cone:g} deg: it takes tilt_deg = {np.ceil(degrees * 10) / 10:g} "
        "in [approach] to allow this"
    )
    shown, name = f"{degrees:.{1 if degrees >= 1.0 else 2}f} deg", job.points.names[row]
    alone = approach_of(job, row).axis is None
    if alone:
        changed, line = _with_normal(job, row, back)
        what, place = f"the probe axis of {name} leaning {shown} from the normal", f"point {name}"
        moves = 2e3 * job.probe.ball_radius * np.sin(angle / 2.0) if job.probe.compensated else 0.0
        limit += f"; the ball's centre at contact moves by {moves:.2f} mm" if moves > 0.005 else ""
    else:
        written = _written(job, -back)
        other = with_approach(job, row, "axis", written)
        changed, place, line = other.job, other.place, f"axis = {_triple(written)}"
        what = f"the probe axis of {other.whom} leaning {shown} from where it is"
    return Fix(
        kind=FixKind.TILT,
        amount=angle,
        unit="deg",
        sentence=f"{what}: {line} ({limit})",
        place=place,
        line=line,
        job=changed,
        allowed=bool(allowed),
        alone=alone,
    )


def feature_axis(job: Job, row: int, found: FeatureAxis, before: Array) -> Fix:
    """One direction of the stylus for the feature of a point, or for all points.

    Args:
        job: to be changed.
        row: of the point.
        found: what serves it.
        before: from wrist to ball as it is now, base axes. # (3,)
    """
    written = _written(job, found.axis)
    values: dict[str, object] = {"axis": written}
    lines = [f"axis = {_triple(written)}"]
    if found.distance < approach_of(job, row).distance:
        mm = _away(found.distance, approach_of(job, row).distance)
        values["distance"] = mm / 1e3
        lines.append(f"distance_mm = {number_text(mm)}")
    changed = with_feature(job, row, values)
    angle = float(np.arctan2(np.linalg.norm(np.cross(found.axis, before)), found.axis @ before))
    counted = f"{found.served} of {found.judged} points that were judged"
    if found.served == found.judged:
        counted = f"all {found.judged} points that were judged"
    return Fix(
        kind=FixKind.AXIS,
        amount=angle,
        unit="deg",
        sentence=f"one direction of the stylus for {changed.whom}: {' and '.join(lines)} in "
        f"{changed.place} serves {counted}",
        place=changed.place,
        line="\n".join(lines),
        job=changed.job,
    )


def turned_normal(job: Job, row: int, normal: Array) -> Fix:
    """The normal of one point, turned around. Args: normal, as placed now. # (3,)."""
    changed, line = _with_normal(job, row, -normal)
    name = job.points.names[row]
    return Fix(
        kind=FixKind.APPROACH,
        amount=0.0,
        unit="deg",
        sentence=f"the normal of {name} turned around: {line}",
        place=f"point {name}",
        line=line,
        job=changed,
        alone=True,
    )


def along_the_normals(job: Job, row: int) -> Fix:
    """A point approached along its own normal, and with it all that its direction is given for."""
    line = 'direction = "normal"'
    changed = with_approach(job, row, "direction", "normal")
    return Fix(
        kind=FixKind.APPROACH,
        amount=0.0,
        unit="deg",
        sentence=f"{line} in {changed.place}, so that {changed.whom} are approached along their "
        "own normals",
        place=changed.place,
        line=line,
        job=changed.job,
    )


def _with_normal(job: Job, row: int, normal: Array) -> tuple[Job, str]:
    """The job with another normal of one point, base axes, and how it is written."""
    written = _written(job, normal)
    normals = job.points.normals.copy()
    normals[row] = written
    points = replace(job.points, normals=normals)
    surface = examined(job.geometry, points, job.part, job.frame, job.probe)
    line = f"nx, ny, nz = {', '.join(map(number_text, written))}"
    return replace(job, points=points, surface=surface), line


def _triple(vector: Array) -> str:
    return f"[{', '.join(map(number_text, vector))}]"


def _written(job: Job, direction: Array) -> Array:
    """A direction in the frame of the points, as it is written. # (3,)."""
    R = job.part.T_base_part[:3, :3] if job.frame == "part" else np.eye(3)
    return np.asarray(np.round(direction @ R, _NORMAL_DIGITS) + 0.0)


def _away(value: float, old: float) -> float:
    """Millimetres of a length, rounded away from an old one."""
    scale = 10.0**_DIGITS
    up = value > old
    mm = 1e3 * value * scale
    # What is a step already stays: rounding must not make another one of it.
    return float((np.ceil(mm - 1e-6) if up else np.floor(mm + 1e-6)) / scale)


# ------------------------------------------------------------------------------------ Own approach
# What a job says of the point's feature stands in the table of that feature; all else in
# ``[approach]``.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changed:
    """A changed job.

    Args:
        job: with the change.
        place: table of the job file where the changed key stands.
        whom: points that the key concerns, for a reader.
    """

    job: Job
    place: str
    whom: str


def approach_of(job: Job, row: int) -> Approach:
    """How the point in a row of the job is approached."""
    return job.approach.of(job.points.features[row])


def with_feature(job: Job, row: int, values: Mapping[str, Any]) -> Changed:
    """The job with other values for the feature of a point as a whole.

    Args:
        job: to be changed.
        row: of the point; where it is of no feature, all points are changed that have no table.
        values: of "distance", "direction" or "axis"; as in ``FeatureApproach``.
    """
    feature, approach = job.points.features[row], job.approach
    if not feature:
        usual = replace(approach, **values)
        return Changed(job=replace(job, approach=usual), place="[approach]", whom="all points")
    own = next((one for one in approach.features if one.name == feature), None)
    changed = replace(own or FeatureApproach(name=feature), **values)
    others = tuple(one for one in approach.features if one is not own)
    return Changed(
        job=replace(job, approach=replace(approach, features=(*others, changed))),
        place=f"[[approach.feature]] {feature}",
        whom=f"the points of {feature}",
    )


def with_approach(job: Job, row: int, key: str, value: Any) -> Changed:
    """The job with another value of what it says of a point's approach.

    Args:
        job: to be changed.
        row: of the point.
        key: "distance", "direction" or "axis".
        value: as in ``FeatureApproach``; "normal" for a direction or an axis that is the normal's.
    """
    feature, approach = job.points.features[row], job.approach
    own = [one for one in approach.features if one.name == feature]
    if own and getattr(own[0], key) is not None:
        changed = replace(own[0], **{key: value})
        features = tuple(changed if one is own[0] else one for one in approach.features)
        return Changed(
            job=replace(job, approach=replace(approach, features=features)),
            place=f"[[approach.feature]] {feature}",
            whom=f"the points of {feature}",
        )
    usual: dict[str, Any] = {key: None if isinstance(value, str) else value}
    return Changed(
        job=replace(job, approach=replace(approach, **usual)), place="[approach]", whom="all points"
    )
