"""What a plan is made of: points, segments, joints, totals, samples; and how it reads as tables.

Columns of the tables are those of the report set's files, with the unit in every name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import JobError
from planner.findings import Finding, Severity
from planner.findings.unchecked import Surrounding, Unchecked, surroundings, unchecked_aspects
from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.caps import Cap
from robots.core.views import Shown, view

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from planner.job import Job
    from planner.motion.trajectory import Trajectory
    from robots.core.mechanism import Mechanism

INTERPOLATION_PART = 0.01  # of the largest value of a column
JUMP = 1e-4  # rows that are no further apart may hold a jump, as of dry friction [s]
_CONTACT = 1e-9  # depth that stands for contact of two cores, of which none is known [m]
_QUIET = 1e-3  # of the busiest joint: what hardly moves is not followed to its noise
_MASKS = ("along_normal", "fixed_axis")
_SEGMENT_COLUMNS = [
    *("kind", "point", "law", "start_s", "duration_s", "binding"),
    *("certified_mm", "seen_mm", "pair"),
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedPoints:
    """Points of a job in the base frame.

    Args:
        names: of the points.
        surfaces: points of the surface that are touched. # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
        contacts: ball centres at contact. # (k, 3) [m]
        directions: from contact to the clearance point. # (k, 3) unit
        clearances: ball centres at the clearance points. # (k, 3) [m]
        axes: probe axes, wrist to ball; opposite to the normals unless the job fixes them.
            # (k, 3) unit
        distances: from contact to the clearance point. # (k,) [m]
        search_before: from the start of the search to contact. # (k,) [m]
        search_after: from contact to the end of the search. # (k,) [m]
        depths: from contact to the deepest place that the ball may reach: the end of the search,
            and what it needs to stop there. # (k,) [m]
        back_off: from contact to where the ball rests after the trigger. # (k,) [m]
        touch_speeds: of the ball through the nominal surface; zero where it comes to rest there.
            # (k,) [m/s]
        along_normal: where the direction is the normal, and turns with it. # (k,) bool
        fixed_axis: where the job fixes the probe axis, which turns with the part. # (k,) bool
    """

    names: tuple[str, ...]
    surfaces: Array
    normals: Array
    contacts: Array
    directions: Array
    clearances: Array
    axes: Array
    distances: Array
    search_before: Array
    search_after: Array
    depths: Array
    back_off: Array
    touch_speeds: Array
    along_normal: Mask
    fixed_axis: Mask

    def __post_init__(self) -> None:
        for one in fields(self)[1:]:
            kind: type = np.bool_ if one.name in _MASKS else np.float64
            freeze_fields(self, one.name, dtype=kind)

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.names)

    @property
    def lengths(self) -> Array:
        """Of the probing lines, from the clearance point to the deepest place. # (k,) [m]."""
        return np.asarray(self.distances + self.depths)

    @property
    def search_starts(self) -> Array:
        """Ball centres where the search starts. # (k, 3) [m]."""
        return self._outside(self.search_before)

    @property
    def search_ends(self) -> Array:
        """Ball centres where a search that found nothing ends. # (k, 3) [m]."""
        return self._outside(-self.search_after)

    @property
    def line_ends(self) -> Array:
        """Deepest places of the ball's centre, where the probing lines end. # (k, 3) [m]."""
        return self._outside(-self.depths)

    @property
    def back_offs(self) -> Array:
        """Ball centres where the back-off ends. # (k, 3) [m]."""
        return self._outside(self.back_off)

    def at_contact(self) -> Array:
        """Where contact lies on the lines, from 0 to 1. # (k,)."""
        lengths = self.lengths
        return np.divide(self.distances, lengths, out=np.ones(len(self)), where=lengths > 0.0)

    def _outside(self, lengths: Array) -> Array:
        return np.asarray(self.contacts + lengths[:, None] * self.directions)

    @property
    def approach_cosines(self) -> Array:
        """Cosine between approach direction and normal; not above zero: from inside. # (k,)."""
        return np.asarray(np.sum(self.directions * self.normals, axis=1))


class SegmentKind(Enum):
    """What the robot does during a segment."""

    PROBE = "probe"  # clearance point to the start of the search, or to rest at contact
    SEARCH = "search"  # at constant speed to contact, or to the end of a search that misses
    STOP = "stop"  # latency and deceleration
    DWELL = "dwell"  # at rest there, for the reading
    BACK_OFF = "back-off"  # off the surface, as slowly as it was touched
    RETRACT = "retract"  # back to the clearance point
    TRAVEL = "travel"  # to the next clearance point


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentClearance:
    """How near a motion comes to what it must keep away from, between samples too.

    Args:
        certified: proven: nothing comes nearer. [m]
        seen: least distance that was found; the truth lies between the two. [m]
        moving: body that comes near; empty where nothing does.
        against: what it comes near to.
        place: where on the moving body, base frame. [m]
        at: how far along the path, from 0 to 1.
    """

    certified: float
    seen: float
    moving: str
    against: str
    place: tuple[float, float, float]
    at: float

    def kept(self, required: float) -> bool:
        """Whether a clearance is proven."""
        return self.certified >= required

    def known(self, required: float) -> float:
        """What is proven where that keeps the clearance, else the least that was found. [m].

        Of a motion that fails the certificate is a bound that may be metres below the truth.
        """
        return self.certified if self.kept(required) else self.seen

    @property
    def depth_known(self) -> bool:
        """Whether ``seen`` is a distance or a depth, not just contact of two cores."""
        return not -_CONTACT <= self.seen < 0.0

    @property
    def pair(self) -> str:
        """Both for a reader, such as "forearm - table"; empty where nothing comes near."""
        return f"{self.moving} - {self.against}" if self.moving else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One motion, with its place in time.

    Args:
        kind: what it is.
        point: name of the point it serves; a travel serves the point it goes to.
        point_index: of that point in the job.
        law: name of the motion law; "rest" for a dwell.
        start: [s]
        duration: [s]
        binding: which limit fixes the duration, such as "q5 acceleration"; empty for none.
        clearance: how near it comes to the cell and to itself; None where no pair of bodies has a
            distance to state: a robot without capsules beside the surface that it probes.
    """

    kind: SegmentKind
    point: str
    point_index: int
    law: str
    start: float
    duration: float
    binding: str
    clearance: SegmentClearance | None = None

    @property
    def end(self) -> float:
        """When it is over. [s]."""
        return self.start + self.duration


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Miss:
    """What the robot does where a search finds nothing: search to its end, stop, retract.

    The points follow each other in visiting order without the travel between them; where one
    begins, the ball is at the start of its search, at touch speed.

    Args:
        timeline: the segments, one run of a point after another.
        trajectory: to be asked at any instant.
    """

    timeline: tuple[Segment, ...]
    trajectory: Trajectory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedPoint:
    """One probe point and how it is reached.

    Args:
        name: as in the job.
        reachable: whether it is part of the motion.
        branch: name of the inverse family, or the half turn that each joint is in; empty when not
            reachable.
        inverse_branch: name that ``robot inverse`` gives it; empty where it gives none.
        q_clearance: joints at the clearance point; NaN when not reachable. # (n,) [rad]
        q_contact: joints at contact. # (n,) [rad]
        joint_margin: least distance to a joint limit along the whole line; NaN when none. [rad]
        margin_joint: name of the joint that has it.
        singularity_margin: least distance from a singularity along the line, 0 to 1.
        min_clearance: least distance to obstacles; None where none has been measured. [m]
        q_search_start: joints where the search starts. # (n,) [rad]
        q_search_end: joints where a search that found nothing ends. # (n,) [rad]
        q_back_off: joints after the back-off. # (n,) [rad]
        touch_speed: of the ball at contact, and all through the search. [m/s]
        overrun: how far the ball goes on after a trigger, at most. [m]
    """

    name: str
    reachable: bool
    branch: str
    q_clearance: Array
    q_contact: Array
    joint_margin: float
    margin_joint: str
    singularity_margin: float
    inverse_branch: str = ""
    min_clearance: float | None = None
    q_search_start: Array = field(default_factory=lambda: np.zeros(0))
    q_search_end: Array = field(default_factory=lambda: np.zeros(0))
    q_back_off: Array = field(default_factory=lambda: np.zeros(0))
    touch_speed: float = 0.0
    overrun: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JointLoad:
    """What one joint goes through; peaks are of absolute value over the exact motion.

    Args:
        name: of the joint.
        peak_velocity: [rad/s]
        peak_acceleration: [rad/s²]
        peak_torque: None, as everything below, where the masses are not known. [N m]
        rms_torque: over the whole duration. [N m]
        peak_power: [W]
        energy: that its drive delivers; nothing is recovered. [J]
        net_work: delivered less taken back. [J]
    """

    name: str
    peak_velocity: float
    peak_acceleration: float
    peak_torque: float | None
    rms_torque: float | None
    peak_power: float | None
    energy: float | None
    net_work: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The whole motion.

    Args:
        duration: [s]
        energy: that the drives deliver, nothing recovered; None, as everything below, where the
            masses are not known. [J]
        net_work: the drives' work, equal to the change of energy where there is no friction. [J]
        peak_power: largest total power. [W]
        min_power: smallest total power, negative where the arm drives its motors. [W]
    """

    duration: float
    energy: float | None
    net_work: float | None
    peak_power: float | None
    min_power: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instants:
    """Instants of a motion in order of time, and which side of a switch of law each means.

    Args:
        t: [s] # (N,)
        segment: that each lies in. # (N,)
        before: whether the side before a switch, or a border of segments, is meant. # (N,)
    """

    t: Array
    segment: Indices
    before: Mask

    def take(self, rows: slice) -> Instants:
        """Some of them."""
        return Instants(t=self.t[rows], segment=self.segment[rows], before=self.before[rows])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """The motion at instants; one of a switch of law means the side after it, if it is there once.

    Args:
        t: [s] # (N,)
        segment: index of the segment each sample lies in. # (N,)
        q: # (N, n) [rad]
        qd: # (N, n) [rad/s]
        qdd: # (N, n) [rad/s²]
        tau: NaN where the masses are not known. # (N, n) [N m]
        position: ball centre, base frame. # (N, 3) [m]
    """

    t: Array
    segment: Indices
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    position: Array

    @property
    def power(self) -> Array:
        """Total power of the joints. # (N,) [W]."""
        return np.asarray(np.sum(self.tau * self.qd, axis=1))

    @property
    def columns(self) -> Array:
        """The numbers of a row after t, segment and point, as ``sample_columns``. # (N, 4n + 4)."""
        blocks = (self.q, self.qd, self.qdd, self.tau, self.power, self.position)
        return np.column_stack(blocks)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Plan(Shown):
    """A job with its motion.

    Args:
        job: what was asked.
        placed: its points before the robot.
        planned_points: one per probe point, in the job's order.
        timeline: its segments, in order of time.
        trajectory: the exact motion, to be asked at any instant.
        joint_loads: loads of each joint.
        totals: of the whole motion.
        finding_list: everything a reader should know: faults of the points that others follow from,
            then the worst first.
        miss: the other branch of every search; None where the cycle comes to rest at contact.
    """

    job: Job
    placed: PlacedPoints
    planned_points: tuple[PlannedPoint, ...]
    timeline: tuple[Segment, ...]
    trajectory: Trajectory
    joint_loads: tuple[JointLoad, ...]
    totals: Totals
    finding_list: tuple[Finding, ...]
    miss: Miss | None = None

    @property
    def nearest(self) -> tuple[SegmentClearance, Segment] | None:
        """The least clearance of all motions, and which it is; None where none was checked.

        Motions that are not proven come first, by what was found. Reports, the terminal and batches
        tell this one number.
        """
        required = self.job.checks.clearance
        checked = [(s.clearance, s) for s in self.timeline if s.clearance is not None]
        return min(
            checked,
            key=lambda both: (both[0].kept(required), both[0].known(required)),
            default=None,
        )

    @property
    def feasible(self) -> bool:
        """Whether no finding is an error; ``unchecked`` says what none could be found about."""
        return all(finding.severity is not Severity.ERROR for finding in self.finding_list)

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """What job and robot say too little about to be checked; a verdict names it first."""
        return unchecked_aspects(self.job)

    @property
    def surroundings(self) -> tuple[Surrounding, ...]:
        """What clearances were measured to."""
        return surroundings(self.job)

    @property
    def contact_segments(self) -> tuple[Segment, ...]:
        """The segments that end where the ball touches, in order of time."""
        kind = SegmentKind.SEARCH if self.job.touch.searching else SegmentKind.PROBE
        return tuple(segment for segment in self.timeline if segment.kind is kind)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of the points that no motion touches, in the job's order."""
        return tuple(point.name for point in self.planned_points if not point.reachable)

    @property
    def motion_errors(self) -> tuple[Finding, ...]:
        """Errors that concern motions of the plan, not points left out of them."""
        return tuple(
            finding
            for finding in self.finding_list
            if finding.severity is Severity.ERROR and not finding.left_out
        )

    @property
    def motion_proven(self) -> bool:
        """Whether every motion passed every check there was; points may be left out."""
        required = self.job.checks.clearance
        clear = all(
            segment.clearance is None or segment.clearance.kept(required)
            for segment in self.timeline
        )
        return clear and not self.motion_errors

    # --- as tables -------------------------------------------------------------------------------

    @property
    def points(self) -> DataFrame:
        """What became of every point, in the base frame: the columns of points.csv."""
        import pandas as pd

        table = pd.DataFrame(list(point_rows(self)), columns=point_columns(self.job.mechanism))
        return table.astype({"reachable": bool})

    @property
    def segments(self) -> DataFrame:
        """The motions in order of time, with what fixes their duration and their clearance."""
        import pandas as pd

        table = pd.DataFrame(list(map(_segment_cells, self.timeline)), columns=_SEGMENT_COLUMNS)
        table.index.name = "segment"
        return table

    @property
    def joints(self) -> DataFrame:
        """Loads of every joint, with the keys of plan.json; of joints that slide in metres."""
        import pandas as pd

        turning = {joint.name: joint.kind.angular for joint in self.job.mechanism.movable}
        return pd.DataFrame([joint_cells(one, turning[one.name]) for one in self.joint_loads])

    @property
    def findings(self) -> DataFrame:
        """What a reader should know, the causes first, then the worst."""
        import pandas as pd

        rows = [finding.document() for finding in self.finding_list]
        return pd.DataFrame(rows, columns=["code", "severity", "where", "message", "hint"])

    def samples(self, period: float | None = None) -> DataFrame:
        """Draw the motion: the columns of trajectory.parquet.

        Args:
            period: between samples; when None the job's, or, where it has none, rows so spaced that
                straight lines between them keep ``interpolation_bounds``. [s]

        Raises:
            JobError: a period that is none, or more samples than are worth drawing.
        """
        import pandas as pd

        columns = sample_columns(self.job.mechanism)
        if not self.timeline:
            return pd.DataFrame(columns=columns)
        drawn = self.job.sampling_period if period is None else period
        if drawn is None:
            spaced = self.trajectory.spaced(np.array([*self.interpolation_bounds.values()]))
            samples = self.trajectory.samples_at(spaced)
        else:
            check_sample_count(self, drawn)
            samples = self.trajectory.sample(drawn)
        table = pd.DataFrame(samples.columns, columns=columns[3:])
        names = np.array([segment.point for segment in self.timeline], dtype=object)
        table.insert(0, "t_s", samples.t)
        table.insert(1, "segment", samples.segment)
        table.insert(2, "point", names[samples.segment])
        return table

    @property
    def interpolation_bounds(self) -> dict[str, float]:
        """What straight lines between rows may miss, by column of the trajectory; in its unit.

        The ball and the joints by the job's distance (turning joints by the angle that it is at a
        metre), everything else by a part of the largest value of its column. Infinite where nothing
        is evaluated. A jump lies between rows that are at most ``JUMP`` apart.
        """
        distance, n = self.job.interpolation_error, self.job.mechanism.dof
        loads, totals = self.joint_loads, self.totals
        peaks = (
            [load.peak_velocity for load in loads],
            [load.peak_acceleration for load in loads],
            [or_nan(load.peak_torque) for load in loads],
        )
        power = max(abs(or_nan(totals.peak_power)), abs(or_nan(totals.min_power)))
        bounds = [distance] * n
        for kind in (*map(np.array, peaks), np.array([power])):
            floor = _QUIET * np.max(kind, initial=0.0)
            known = INTERPOLATION_PART * np.maximum(kind, floor)
            bounds += np.where(known > 0.0, known, np.inf).tolist()
        names = sample_columns(self.job.mechanism)[3:]
        return dict(zip(names, [*bounds, *[distance] * 3], strict=True))

    # --- for a reader ----------------------------------------------------------------------------

    def figure(self, name: str = "tip path") -> Figure:
        """Draw a figure of the report, such as "tip path", "joint torque" or "total power".

        Raises:
            OptionError: there is no such figure.
        """
        figure: Figure = view("plan_figure", self, name)
        return figure

    def show(self, *, open_browser: bool = True) -> Any:
        """Show robot, part, points and motion in 3D, in the notebook or the browser.

        Args:
            open_browser: whether a page is opened outside a notebook.
        """
        return view("show_plan", self, open_browser=open_browser)

    def _tables(self) -> Iterator[str]:
        points = self.points[["name", "reachable", "branch", "margin_joint", "min_clearance_mm"]]
        yield points.to_html(index=False, max_rows=20, na_rep="")
        if self.finding_list:
            yield self.findings.to_html(index=False, max_rows=10)

    def _lines(self) -> Iterator[str]:
        verdict = "feasible" if self.feasible else "NOT FEASIBLE"
        unchecked = ", ".join(one.aspect.value for one in self.unchecked)
        not_checked = f"; not checked: {unchecked}" if unchecked else ""
        yield f"Plan of {_short(self.job.name)}: {verdict}{not_checked}"
        reached = len(self.planned_points) - len(self.left_out)
        totals = self.totals
        yield (
            f"  {reached} of {len(self.planned_points)} points, {len(self.timeline)} segments, "
            f"{totals.duration:.4g} s, {_loads_text(totals)}"
        )
        if self.nearest is not None:
            clearance = self.nearest[0]
            pair = f" ({clearance.pair})" if clearance.pair else ""
            required = self.job.checks.clearance
            value = f"{1e3 * clearance.known(required):.4g} mm"
            if not clearance.kept(required):
                value = f"not kept, {value} found" if clearance.depth_known else "not kept, contact"
            yield f"  minimum clearance {value}{pair}"
        counts = [
            f"{sum(one.severity is kind for one in self.finding_list)} {kind.value}"
            for kind in Severity
        ]
        yield f"  findings: {', '.join(counts)}"


def _loads_text(totals: Totals) -> str:
    if totals.energy is None or totals.peak_power is None:
        return "energy and power not evaluated"
    return f"{totals.energy:.4g} J, peak power {totals.peak_power:.4g} W"


def check_sample_count(plan: Plan, period: float) -> None:
    """Refuse more samples than are worth drawing, and a period that is none.

    Raises:
        JobError: as of a robot that is made to creep.
    """
    if not 0.0 < period < np.inf:
        raise JobError(
            f"The sampling period is {period!r} s; expected a number above zero, such as 1e-3.",
            found=period,
        )
    count = plan.trajectory.sample_count(period)
    if count > (cap := Cap.PLAN_SAMPLES).limit:
        raise JobError(
            f"The motion of the job {plan.job.name!r} takes {plan.trajectory.duration:.4g} s, "
            f"which are {count:.3g} samples of {1e3 * period:g} ms; at most {cap.limit} are drawn. "
            f"Give a longer sampling.period_ms, let the robot move faster, or {cap.advice}.",
            key="sampling.period_ms",
            found=count,
            limit=cap.limit,
        )


def sample_columns(mechanism: Mechanism) -> list[str]:
    """Columns of a trajectory: instant, segment, point, joints, power, ball centre."""
    joints = [(k, joint.kind.angular) for k, joint in enumerate(mechanism.movable, start=1)]
    return [
        *("t_s", "segment", "point"),
        *(f"q{k}_rad" if turns else f"q{k}_m" for k, turns in joints),
        *(f"qd{k}_rad_s" if turns else f"qd{k}_m_s" for k, turns in joints),
        *(f"qdd{k}_rad_s2" if turns else f"qdd{k}_m_s2" for k, turns in joints),
        *(f"tau{k}_nm" if turns else f"tau{k}_n" for k, turns in joints),
        *("power_w", "x_m", "y_m", "z_m"),
    ]


def point_columns(mechanism: Mechanism) -> list[str]:
    """Columns of the points: where they are, how they are reached, margins."""
    units = ["deg" if joint.kind.angular else "mm" for joint in mechanism.movable]
    numbered = list(enumerate(units, start=1))
    margins = ["joint_margin_deg", *(["joint_margin_mm"] if "mm" in units else [])]
    return [
        *("name", "reachable", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz", "branch"),
        "inverse_branch",
        *(f"q{k}_contact_{unit}" for k, unit in numbered),
        *(f"q{k}_clearance_{unit}" for k, unit in numbered),
        *(*margins, "margin_joint", "singularity_margin", "min_clearance_mm"),
        *("touch_speed_mm_s", "search_before_mm", "search_after_mm", "overrun_mm", "back_off_mm"),
    ]


def point_rows(plan: Plan) -> Iterator[list[object]]:
    """Rows of the points; x, y, z are the ball's centre at contact. Unknown numbers are NaN."""
    turning = {joint.name: joint.kind.angular for joint in plan.job.mechanism.movable}
    scale = np.where(list(turning.values()), 180.0 / np.pi, 1e3)
    for row, point in enumerate(plan.planned_points):
        turns = turning.get(point.margin_joint, True)
        margins = [np.degrees(point.joint_margin) if turns else np.nan]
        if not all(turning.values()):
            margins.append(np.nan if turns else 1e3 * point.joint_margin)
        clearance = np.nan if point.min_clearance is None else 1e3 * point.min_clearance
        yield [
            point.name,
            point.reachable,
            *(1e3 * plan.placed.contacts[row]).tolist(),
            *plan.placed.normals[row].tolist(),
            point.branch,
            point.inverse_branch,
            *(scale * point.q_contact).tolist(),
            *(scale * point.q_clearance).tolist(),
            *map(float, margins),
            point.margin_joint,
            point.singularity_margin,
            clearance,
            1e3 * point.touch_speed,
            1e3 * float(plan.placed.search_before[row]),
            1e3 * float(plan.placed.search_after[row]),
            1e3 * point.overrun,
            1e3 * float(plan.placed.back_off[row]),
        ]


def joint_cells(load: JointLoad, turns: bool) -> dict[str, object]:
    """Loads of a joint by the keys of plan.json; one that slides has its own units, and forces."""
    speed, push, effort = ("rad_s", "rad_s2", "torque_nm") if turns else ("m_s", "m_s2", "force_n")
    return {
        "name": load.name,
        f"peak_velocity_{speed}": load.peak_velocity,
        f"peak_acceleration_{push}": load.peak_acceleration,
        f"peak_{effort}": or_nan(load.peak_torque),
        f"rms_{effort}": or_nan(load.rms_torque),
        "peak_power_w": or_nan(load.peak_power),
        "energy_j": or_nan(load.energy),
    }


def or_nan(value: float | None) -> float:
    """A number for a table of floats, where what is not evaluated is NaN."""
    return np.nan if value is None else value


def _segment_cells(segment: Segment) -> list[object]:
    near = segment.clearance
    clearance: list[object] = [np.nan, np.nan, ""]
    if near is not None:
        clearance = [1e3 * near.certified, 1e3 * near.seen, near.pair]
    return [
        segment.kind.value,
        segment.point,
        segment.law,
        segment.start,
        segment.duration,
        segment.binding,
        *clearance,
    ]


def _short(name: str) -> str:
    return repr(name if len(name) <= 80 else name[:77] + "…")
