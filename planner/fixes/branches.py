"""The branches of one point: margins, clearance, what each breaks, how far it may turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.findings.clearance_findings import Watch, stylus_diameters
from planner.fixes.bench import PLACES, PointCheck
from planner.job import Job
from planner.plan import PlacedPoints
from planner.reach.margins import SINGULAR, Margins, exact_margins, required_margins
from planner.reach.reach import Candidates
from robots.arm.inverse import ROUNDING
from robots.core.arrays import Array
from robots.core.chain_inverse.rolls import SIX, FeasibleRolls, RollEnd, RollInterval
from robots.core.errors import InverseError
from robots.core.inverse.task import Target
from robots.core.mechanism import Joint
from robots.core.rounding import readable

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
        inverse_branch: name that the robot's inverse gives it; empty where it gives none.
        turn: about the probe at the clearance point, back and on, and what stops it; None where it
            is not known, or goes all the way round.
    """

    branch: str
    q_clearance: Array
    joint_margin: float
    margin_joint: str
    singularity_margin: float
    clearance: float
    failures: tuple[Failure, ...]
    inverse_branch: str
    turn: RollInterval | None

    @property
    def holds(self) -> bool:
        """Whether it breaks nothing."""
        return not self.failures


class Branches:
    """Judges the candidates of one point, each for itself.

    Args:
        bench: of the job.
        one: the point.
        found: its candidates.
        rolls: turns about the probe; None where they are not known.
    """

    def __init__(
        self,
        bench: PointCheck,
        one: PlacedPoints,
        found: Candidates,
        rolls: FeasibleRolls | None = None,
    ) -> None:
        self._bench, self._one, self._lines = bench, one, found.lines
        q = self._lines.q_starts
        self.turns_about = [None] * len(q) if rolls is None else rolls.around(q)
        self._margins = exact_margins(found.lines)
        self._mechanism = bench.job.mechanism
        self._distance = float(one.distances[0])
        self._depth = float(one.depths[0])
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
        inverse_branch, turn = self._lines.inverse_branch(row), self.turns_about[row]
        return BranchReason(
            branch=name,
            inverse_branch=inverse_branch,
            turn=turn if turn is not None and turn.ends else None,
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
        mechanism, asked = self._mechanism, self._bench.job.checks.joint_margin
        within = np.minimum(q - mechanism.q_min, mechanism.q_max - q)
        return [
            limit_passed(joint, -float(spare[k]), asked, self._before(_FINE[_lowest(within[:, k])]))
            for k, joint in enumerate(mechanism.movable)
            if spare[k] < -ROUNDING
        ]

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
        return [singular(margin, before)]

    def _collisions(self) -> list[tuple[int, Failure]]:
        """Of clearance points and lines; a line that passes a singularity is not looked at."""
        bench, required = self._bench, self._bench.job.checks.clearance
        rows = np.nonzero(self._margins.singularity >= SINGULAR)[0]
        if bench.checker.empty or rows.size == 0:
            return []
        watch = Watch(
            pairs=bench.checker.pairs,
            cell=bench.job.cell,
            required=required,
            diameters=stylus_diameters(bench.job.probe),
        )
        lines = self._lines.take(rows)
        start = bench.checker.nearest(lines.q_starts)
        along = bench.probing(self._one).certify(lines, np.zeros(rows.size, dtype=np.int64))
        self._clearance[rows] = np.minimum(start.value, along.seen)
        failures = []
        for k, row in enumerate(rows.tolist()):
            value, seen = float(start.value[k]), float(along.seen[k])
            before = self._before(float(along.lam[k]))
            if value < required:
                failure = too_near_at_start(watch, int(start.pair[k]), value, self._distance)
                failures.append((row, failure))
            # What comes nearest at the clearance point is not told a second time.
            again = value < required and along.lam[k] == 0.0
            if not along.certified[k] >= required and not again:
                both = (seen, float(along.certified[k]))
                failures.append((row, too_near(watch, int(along.pair[k]), both, before)))
        return failures

    def _torques(self, row: int, *, clear: bool) -> list[Failure]:
        """A joint that cannot hold the arm; else, of a line that is clear, one that cannot move."""
        bench, limits = self._bench, self._bench.max_effort
        if not np.any(np.isfinite(limits)):
            return []
        q = self._lines.joints(np.full(PLACES.size, row), PLACES)
        over = np.abs(bench.reach.model.gravity_torques(q)) - limits
        over = np.where(np.isfinite(over), over, -np.inf)
        place, joint = np.unravel_index(int(np.argmax(over)), over.shape)
        if over[place, joint] > 0.0:
            movable = self._mechanism.movable[joint]
            before = self._before(float(PLACES[place]))
            return [too_weak(movable, float(limits[joint]), float(over[place, joint]), before)]
        reason = bench.too_weak(self._lines, row, self._one) if clear else ""
        return [unmovable(reason)] if reason else []

    def _before(self, lam: float) -> float:
        return float(self._distance - lam * (self._distance + self._depth))


def _lowest(values: Array) -> int:
    return int(np.argmin(np.where(np.isfinite(values), values, np.inf)))


def _told_apart(names: list[str], branches: Branches) -> list[str]:
    """Names; of a branch that comes twice the later ones with what tells them from the first."""
    first: dict[str, int] = {}
    told = []
    for row, name in enumerate(names):
        turns = branches.turns(row, first.setdefault(name, row))
        told.append(f"{name} ({turns})" if turns else name)
    return told


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


# --- turns about the probe -----------------------------------------------------------------------


def feasible_rolls(job: Job) -> FeasibleRolls | None:
    """Turns about the probe within the limits less the job's margin.

    Six joints leave the turn about the probe. Seven leave one motion more: with the tool held where
    it is, the last joint turns while the others follow. None of a robot of other joints.
    """
    mechanism = job.mechanism
    margins = iter(required_margins(mechanism, job.checks.joint_margin).tolist())
    joints = [
        replace(joint, q_min=joint.q_min + margin, q_max=joint.q_max - margin)
        if joint.movable and (margin := next(margins)) > 0.0
        else joint
        for joint in mechanism.joints
    ]
    try:
        return FeasibleRolls(replace(mechanism, joints=tuple(joints)))
    except InverseError:
        return None


def within_at_no_turn(rolls: FeasibleRolls, one: PlacedPoints) -> bool:
    """Whether all branches of a point are beyond a limit at every turn that is looked at."""
    if rolls.mechanism.dof != SIX:
        return False
    try:
        return not rolls.any_within(Target.position_and_axis(one.clearances[0], one.axes[0]).T)
    except InverseError:
        return False


def turn_sentence(turn: RollInterval) -> str:
    """All of a turn that something stops, for a reader."""
    first, last = (_stop(end) for end in turn.ends)
    back, on = np.degrees(turn.back), np.degrees(turn.on)
    what = f"with the tool held, {turn.joint} turns" if turn.joint else "turns about the probe"
    return f"{what} by -{back:.1f} deg to {first}, +{on:.1f} deg to {last}"


def _stop(end: RollEnd) -> str:
    return "a fold, where the branch ends" if end.fold else f"the limit of {end.joint}"
