"""Why a point fails: every branch with everything that it breaks, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.clearance_findings import Watch
from planner.findings import Finding
from planner.fixes.bench import PLACES, Bench
from planner.fixes.kinds import row_of
from planner.job import Job
from planner.placement import PlacedPoints
from planner.reach.candidates import Candidates
from planner.reach.margins import SINGULAR, Margins, exact_margins, required_margins
from planner.reasons import approach_findings
from planner.surface_findings import surface_findings
from robots.arm.limits import ROUNDING
from robots.core.mechanism import Joint

Array = NDArray[np.float64]

_TURN = 2.0 * np.pi
_FINE = np.linspace(0.0, 1.0, 129)  # of a line, to say where it is worst


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BranchReason:
    """One branch of a point.

    Args:
        branch: its name, with whole turns where that alone tells it from another one.
        q_clearance: joints at the clearance point. # (n,) [rad or m]
        joint_margin: least distance to a joint limit, negative beyond. [rad or m]
        margin_joint: which joint that is.
        singularity_margin: 0 to 1.
        clearance: least one that was seen on the line, or at its start; NaN where nothing was
            checked. [m]
        failures: what it breaks, the first thing to be looked at first.
    """

    branch: str
    q_clearance: Array
    joint_margin: float
    margin_joint: str
    singularity_margin: float
    clearance: float
    failures: tuple[Failure, ...]

    @property
    def holds(self) -> bool:
        """Whether it breaks nothing."""
        return not self.failures


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointReasons:
    """One point with all its branches.

    Args:
        placed: where it is. # one row
        branches: those that hold first, then those that break least.
        about: findings that concern the point whatever the branch: out of reach, approach through
            the material.
        complete: whether all branches are known.
    """

    placed: PlacedPoints
    branches: tuple[BranchReason, ...]
    about: tuple[Finding, ...]
    complete: bool

    @property
    def name(self) -> str:
        """Of the point."""
        return self.placed.names[0]

    @property
    def served(self) -> bool:
        """Whether some branch runs the line; travel is not looked at."""
        return not self.about and any(branch.holds for branch in self.branches)


def reasons_of(job: Job, point: str, bench: Bench | None = None) -> PointReasons:
    """All branches of a point, with what each one breaks.

    Args:
        job: the job.
        point: name of the point.
        bench: of the job, where there is one.

    Raises:
        PointsError: no point has this name.
    """
    bench = bench or Bench(job)
    one = row_of(job, point)
    found = bench.reach.candidates(one)
    about = [f for f in surface_findings(job) if f.where == point and f.code == "P121"]
    about += approach_findings(one)
    if found.point.size == 0:
        about += _unreachable(bench, one)
    branches = _Branches(bench, one, found).all()
    order = sorted(range(len(branches)), key=lambda k: _badness(branches[k]))
    return PointReasons(
        placed=one,
        branches=tuple(branches[k] for k in order),
        about=tuple(about),
        complete=bench.reach.complete,
    )


def _unreachable(bench: Bench, one: PlacedPoints) -> list[Finding]:
    from planner.reasons import point_findings

    found = bench.reach.candidates(one)
    return point_findings(bench.reach, one, found, np.zeros(1, dtype=np.int64), 0.0)


def _badness(branch: BranchReason) -> tuple[int, bool, float]:
    """Failures, whether a limit is passed, by how much; of those that hold, the widest margin."""
    if branch.holds:
        return 0, False, -branch.joint_margin
    limits = sum(f.amount for f in branch.failures if f.code == "P102")
    return len(branch.failures), limits > 0.0, limits


class _Branches:
    """Judges the candidates of one point, each for itself."""

    def __init__(self, bench: Bench, one: PlacedPoints, found: Candidates) -> None:
        self._bench, self._one, self._lines = bench, one, found.lines
        self._margins = exact_margins(found.lines)
        self._mechanism = bench.job.mechanism
        approach = bench.job.approach
        self._distance, self._overtravel = approach.distance, approach.overtravel
        self._clearance = np.full(len(self._lines), np.nan)

    def all(self) -> list[BranchReason]:
        """One per candidate."""
        count = len(self._lines)
        failures: list[list[Failure]] = [[] for _ in range(count)]
        for row in range(count):
            failures[row] += self._limits(row)
            failures[row] += self._singular(row)
        for row, failure in self._collisions():
            failures[row].append(failure)
        for row in range(count):
            failures[row] += self._torques(row, clear=not failures[row])
        names = _told_apart([self._lines.branch(k) for k in range(count)], self)
        return [self._branch(k, names[k], tuple(failures[k])) for k in range(count)]

    def turns(self, row: int, other: int) -> str:
        """The whole turns between two candidates of one branch."""
        away = np.round((self._lines.q_starts[row] - self._lines.q_starts[other]) / _TURN)
        return ", ".join(
            f"{joint.name} {360 * int(count):+d} deg"
            for joint, count in zip(self._mechanism.movable, away.tolist(), strict=True)
            if joint.kind.angular and count
        )

    def _branch(self, row: int, name: str, failures: tuple[Failure, ...]) -> BranchReason:
        spare = self._spare(self._margins)[row]
        joint = int(np.argmin(np.nan_to_num(spare, nan=-np.inf)))
        return BranchReason(
            branch=name,
            q_clearance=self._lines.q_starts[row],
            joint_margin=float(self._margins.limit[row, joint]),
            margin_joint=self._mechanism.movable[joint].name,
            singularity_margin=float(np.nan_to_num(self._margins.singularity[row], nan=0.0)),
            clearance=float(self._clearance[row]),
            failures=failures,
        )

    def _spare(self, margins: Margins) -> Array:
        asked = required_margins(self._mechanism, self._bench.job.checks.joint_margin)
        return np.asarray(margins.limit - asked)

    def _limits(self, row: int) -> list[Failure]:
        spare = self._spare(self._margins)[row]
        q = self._lines.joints(np.full(_FINE.size, row), _FINE)
        mechanism = self._mechanism
        within = np.minimum(q - mechanism.q_min, mechanism.q_max - q)
        return [
            self._limit(joint, -float(spare[k]), self._before(_FINE[_lowest(within[:, k])]))
            for k, joint in enumerate(mechanism.movable)
            if spare[k] < -ROUNDING
        ]

    def _limit(self, joint: Joint, beyond: float, before: float) -> Failure:
        angular = joint.kind.angular
        amount, unit = (np.degrees(beyond), "deg") if angular else (1e3 * beyond, "mm")
        margin = np.degrees(self._bench.job.checks.joint_margin)
        asked = f" less {margin:g} deg of margin" if angular and margin else ""
        return Failure(
            code="P102",
            what=joint.name,
            amount=float(amount),
            unit=unit,
            before=before,
            sentence=f"{joint.name} {amount:.2f} {unit} beyond its limit{asked}, {_at(before)}",
        )

    def _singular(self, row: int) -> list[Failure]:
        margin = float(self._margins.singularity[row])
        if margin >= SINGULAR:
            return []
        q = self._lines.joints(np.full(_FINE.size, row), _FINE)
        whole = np.isfinite(q).all(axis=1)
        before = np.nan
        if whole.any():
            places = _FINE[whole]
            before = self._before(places[_lowest(self._lines.singularity_margins(q[whole]))])
        left = "the branch ends on the way" if np.isnan(margin) else f"margin {margin:.1e}"
        return [
            Failure(
                code="P103",
                what="singularity",
                amount=SINGULAR - (0.0 if np.isnan(margin) else margin),
                unit="1",
                before=before,
                sentence=f"passes a singularity ({left}, {SINGULAR:g} needed), {_at(before)}",
            )
        ]

    def _collisions(self) -> list[tuple[int, Failure]]:
        """Of clearance points and lines; a line that passes a singularity is not looked at."""
        bench, required = self._bench, self._bench.job.checks.clearance
        rows = np.nonzero(self._margins.singularity >= SINGULAR)[0]
        if bench.checker.empty or rows.size == 0:
            return []
        watch = Watch(pairs=bench.checker.pairs, cell=bench.job.cell, required=required)
        lines = self._lines.take(rows)
        start = bench.checker.nearest(lines.q_starts)
        along = bench.probing(self._one).certify(lines, np.zeros(rows.size, dtype=np.int64))
        self._clearance[rows] = np.minimum(start.value, along.seen)
        failures = []
        for k, row in enumerate(rows.tolist()):
            if start.value[k] < required:
                value = float(start.value[k])
                told = (int(start.pair[k]), value, value, self._distance)
                failures.append((row, _too_near(watch, "P132", told)))
            if not along.certified[k] >= required:
                told = (
                    int(along.pair[k]),
                    float(along.seen[k]),
                    float(along.certified[k]),
                    self._before(float(along.lam[k])),
                )
                failures.append((row, _too_near(watch, "P131", told)))
        return failures

    def _torques(self, row: int, *, clear: bool) -> list[Failure]:
        """A joint that cannot hold the arm; else, of a line that is clear, one that cannot move."""
        bench, limits = self._bench, self._bench.limits.max_effort
        if not np.any(np.isfinite(limits)):
            return []
        q = self._lines.joints(np.full(PLACES.size, row), PLACES)
        over = np.abs(bench.reach.model.gravity_torques(q)) - limits
        over = np.where(np.isfinite(over), over, -np.inf)
        place, joint = np.unravel_index(int(np.argmax(over)), over.shape)
        if over[place, joint] > 0.0:
            return [self._weak(int(joint), float(over[place, joint]), float(PLACES[place]))]
        reason = bench.too_weak(self._lines, row) if clear else ""
        if not reason:
            return []
        return [
            Failure(
                code="P105", what="torque", amount=np.nan, unit="N m", before=np.nan,
                sentence=f"{reason[:1].lower()}{reason[1:].rstrip('.')}",
            )
        ]  # fmt: skip

    def _weak(self, joint: int, over: float, lam: float) -> Failure:
        movable, limit = self._mechanism.movable[joint], self._bench.limits.max_effort[joint]
        unit = "N m" if movable.kind.angular else "N"
        before = self._before(lam)
        return Failure(
            code="P105",
            what=movable.name,
            amount=over,
            unit=unit,
            before=before,
            sentence=f"{movable.name} holds {limit + over:.2f} {unit} at rest, {over:.2f} {unit} "
            f"above its limit, {_at(before)}",
        )

    def _before(self, lam: float) -> float:
        return float(self._distance - lam * (self._distance + self._overtravel))


def _too_near(watch: Watch, code: str, told: tuple[int, float, float, float]) -> Failure:
    index, value, certified, before = told
    pair = watch.pairs[index]
    where = "at the clearance point" if code == "P132" else _at(before)
    return Failure(
        code="P133" if watch.own(pair) else code,
        what=f"{pair.moving} - {pair.against}",
        amount=1e3 * (watch.required - min(value, certified if certified > -1.0 else value)),
        unit="mm",
        before=before,
        sentence=f"{watch.gap(pair, value, certified)}, {where}",
    )


def _at(before: float) -> str:
    if np.isnan(before):
        return "somewhere on the line"
    if abs(before) < 5e-5:
        return "at contact"
    return f"{1e3 * abs(before):.1f} mm {'before' if before > 0.0 else 'beyond'} contact"


def _lowest(values: Array) -> int:
    return int(np.argmin(np.where(np.isfinite(values), values, np.inf)))


def _told_apart(names: list[str], branches: _Branches) -> list[str]:
    """Names; of a branch that comes twice the later ones with what tells them from the first."""
    first: dict[str, int] = {}
    told = []
    for row, name in enumerate(names):
        turns = branches.turns(row, first.setdefault(name, row))
        told.append(f"{name} ({turns})" if turns else name)
    return told
