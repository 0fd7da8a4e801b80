"""propose(part, robot): a measuring job for what the drawing in a part's file asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from parts.drawing.document import feature_names, features_of
from parts.drawing.drawing import Drawing, UnreadItem
from parts.drawing.suggestion import (
    SuggestedTolerances,
    datum_tables,
    suggested_tolerances,
    tolerance_table,
)
from parts.errors import PartError
from parts.evaluation.measured_points import MeasuredPoints
from parts.evaluation.tolerance import FORM_KINDS, SIZE_KINDS, ToleranceSpec
from parts.features.recognition import FormFeature
from parts.part import Part, load_part
from parts.points import joined
from planner.errors import JobError
from planner.evaluation.evaluate import evaluate
from planner.evaluation.evaluation import Evaluation
from planner.job import Job
from planner.planning import plan
from planner.progress import Progress, silent
from planner.proposal.styluses import (
    ProposedProbe,
    Touching,
    probe_for,
    still_touched,
    touching,
)
from planner.virtual_measuring.enough_points import (
    PointCount,
    PointCountRequest,
    points_for,
)
from robots.core.arrays import Array
from robots.core.pose import as_pose, make_pose, rotation_zyx
from robots.core.schema_problems import KeyPath
from robots.core.views import Shown
from robots.core.workspace import axis_reach
from robots.robot import Robot, load_robot

if TYPE_CHECKING:
    from pandas import DataFrame

SHARE = 0.2  # of a tolerance that the expanded uncertainty may take
TOUCH = 1e-5  # [m] standard deviation of a touch where none is stated: a third of 30 µm, which the
# data sheets of small arms call their pose repeatability (ISO 9283: about three deviations)
MINIMUM = {"plane": 9, "hole": 12, "boss": 12, "cylinder": 12, "cone": 12, "sphere": 9, "slot": 12}
# of points on a feature, source: [BS7172] table 1, recommended numbers
_OTHERWISE = 9
_MOST = 60  # points on one feature that are proposed; more is a decision of its own
_DRAWS = 400  # virtual measurements per trial
_TOUCH = 1e-6  # [m] standard deviation of a touch that shares are computed for
_MOST_DATUMS = 3
_ROUNDS = 3  # of more points; the law of the root hits in one where it holds
_AHEAD, _BELOW = 0.48, -0.36  # of the robot's reach: the middle of the part's top


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProposedFeature:
    """A feature that a proposed job measures.

    Args:
        name: of the part's feature, which its points carry.
        form: what it is.
        datums: letters of the datums that it is.
        tolerances: that it has.
        count: of its points.
        reason: why so many.
        touch: largest standard deviation of a touch with which the uncertainty stays within its
            share of every tolerance; NaN where none was computed. [m]
        touching: its points, and how they are touched.
    """

    name: str
    form: FormFeature
    datums: tuple[str, ...]
    tolerances: tuple[ToleranceSpec, ...]
    count: int
    reason: str
    touching: Touching
    touch: float = float("nan")

    @property
    def asked(self) -> tuple[str, ...]:
        """Its tolerances in words: "diameter ±0.2 mm"."""
        return tuple(
            f"{spec.kind} {'±' if spec.kind in SIZE_KINDS else ''}{1e3 * spec.value:g} mm"
            + (f" {spec.material}MC" if spec.material else "")
            + (f" to {spec.system}" if spec.system else "")
            for spec in self.tolerances
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Proposal(Shown):
    """A measuring job for the drawing of a part, and what it leaves out.

    Args:
        job: ready to be placed and planned; the comments of its file say why, and what is left out.
        features: that it measures.
        left_out: everything else that the drawing asks for, with the reason.
        probe: that was chosen.
        share: of each tolerance that the expanded uncertainty may take.
        scatter: standard deviation of a touch that was assumed; NaN where an uncertainty was
            stated. [m]
        remarks: what was assumed, sentences.
    """

    job: Job
    features: tuple[ProposedFeature, ...]
    left_out: tuple[UnreadItem, ...]
    probe: ProposedProbe
    share: float
    scatter: float
    remarks: tuple[str, ...]

    def to_frame(self) -> DataFrame:
        """One row per feature: points, stylus axis, approach, tolerances, reason of the count."""
        import pandas as pd

        rows = [
            {
                "feature": one.name,
                "kind": one.form.kind,
                "datums": "".join(one.datums),
                "points": one.count,
                "axis": "normal" if one.touching.axis is None else one.touching.axis.tolist(),
                "approach_mm": 1e3 * one.touching.approach,
                "tolerances": ", ".join(f"{s.kind} {1e3 * s.value:g} mm" for s in one.tolerances),
                "touch_um": 1e6 * one.touch,
                "reason": one.reason,
            }
            for one in self.features
        ]
        return pd.DataFrame(rows)

    def _tables(self) -> Iterator[str]:
        yield self.to_frame().to_html(index=False, max_rows=30)

    def _lines(self) -> Iterator[str]:
        yield f"Proposal for {self.job.name!r}: {len(self.job.points)} points"
        yield f"  {len(self.features)} features, {len(self.job.evaluation.tolerances)} tolerances"
        yield f"  {len(self.left_out)} facts of the drawing left out, each with its reason"


GUESSED = (
    "The part's pose is a guess: put in where it stands, or search for one with `palpeur place`."
)
_STYLUS = (
    "A stylus of no length with a ball of no size: put in yours. With a ball, compensated in "
    "[points] must say what the points are: true, on the surface; false, centres of the ball.",
)


def propose(
    part: Part | Path | str,
    robot: Robot | Path | str,
    *,
    drawing: Drawing | None = None,
    pose: ArrayLike | None = None,
    name: str = "",
    uncertainty: Mapping[str, Any] | None = None,
    share: float = SHARE,
    scatter: float = TOUCH,
    robot_settings: Mapping[str, object] | None = None,
    progress: Progress = silent,
) -> Proposal:
    """Propose a measuring job for the drawing (semantic PMI) in the file of a part.

    Points per feature are as many as keep the expanded uncertainty of every characteristic within
    a share of its tolerance, so that ISO 14253-1 can decide on the rest: at least the recommended
    number of its kind, at most 60. Without an ``uncertainty`` touches scatter as assumed and
    nothing else is wrong.

    Args:
        part: as ``load_part`` takes it.
        robot: as ``load_robot`` takes it.
        drawing: of the part; that in its file when None.
        pose: T_base_part; a guess in front of the robot when None. # (4, 4) [m]
        name: of the job; that of the part otherwise.
        uncertainty: what makes measured points wrong, keys as [uncertainty] of a job file.
        share: of each tolerance that the expanded uncertainty may take, above 0, at most 1.
        scatter: standard deviation of a touch, where there is no ``uncertainty``. [m]
        robot_settings: other keys of [robot].
        progress: told how far the work is.

    Raises:
        PartError, RobotError, JobError: as for ``Job``; a part without a drawing, or none of whose
            facts can be measured.
    """
    if not (np.isfinite(share) and 0.0 < share <= 1.0):
        raise JobError(
            f"The share of the tolerances is {share}; expected above 0, at most 1.", found=share
        )
    if not (np.isfinite(scatter) and scatter >= 0.0):
        raise JobError(
            f"The scatter of a touch is {scatter} m; expected zero or above, such as 0.00001.",
            found=scatter,
            unit="m",
        )
    loaded = load_part(part)
    arm = load_robot(robot)
    given = _Request(
        part=loaded,
        drawing=loaded.drawing if drawing is None else drawing,
        robot=arm,
        pose=in_front(arm, loaded.geometry.mesh.bounds)
        if pose is None
        else as_pose(pose, "The part's pose"),
        guessed=pose is None,
        name=name or Path(loaded.name).stem,
        uncertainty=uncertainty,
        share=share,
        scatter=scatter,
        robot_settings=robot_settings,
    )
    return _Proposing(given).proposal(progress)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Request:
    part: Part
    drawing: Drawing
    robot: Robot
    pose: Array
    guessed: bool
    name: str
    uncertainty: Mapping[str, Any] | None
    share: float
    scatter: float
    robot_settings: Mapping[str, object] | None


class _Proposing:
    """One proposal while it is made."""

    def __init__(self, given: _Request) -> None:
        self.given = given
        part = given.part
        drawing = given.drawing
        if not (drawing.dimensions or drawing.tolerances):
            raise part.file.error(_nothing(drawing), found=len(drawing.unread))
        self.drawing = drawing
        self.forms = {one.name: one for one in part.form_features}
        self.names = feature_names(part.geometry)
        suggested = suggested_tolerances(drawing, part.geometry)
        self.left_out = [*suggested.left_out, *drawing.unread]
        self.datum_features = {one.label: one for one in suggested.datum_features}
        self.alignment = suggested.datums if len(suggested.datums) == _MOST_DATUMS else ()
        self.specs = list(self._measurable(suggested))
        self.upright = given.pose[2, :3]

    def proposal(self, progress: Progress) -> Proposal:
        """The job, its features, and what it leaves out."""
        letters = self._letters()
        wanted = list(dict.fromkeys([*letters, *self._toleranced()]))
        self.probe = probe_for([self.forms[one] for one in wanted])
        touched = self._all_touched(wanted, progress)
        if not touched:
            raise self.given.part.file.error(
                "no feature that its drawing asks for can be touched with a straight stylus; "
                f"{self.left_out[-1].reason}"
            )
        result = self._check_evaluation(touched)
        if self.given.uncertainty is None:
            result = self._enlarged(touched, result)
        features = [
            ProposedFeature(
                name=one,
                form=self.forms[one],
                datums=tuple(letters.get(one, ())),
                tolerances=tuple(spec for spec in self.specs if spec.feature == one),
                count=len(points.points),
                reason=self._reason(one, len(points.points), touch := self._touch(result, one)),
                touching=points,
                touch=touch,
            )
            for one, points in touched.items()
            if one in letters or one in set(self._toleranced())
        ]
        features = [*self._counted(features, progress)]
        return self._result(features)

    # ------------------------------------------------------------------------------ What is asked

    def _measurable(self, suggested: SuggestedTolerances) -> Iterator[ToleranceSpec]:
        """Tolerances of features that points can be laid out on, each once."""
        known: dict[tuple[str, ...], ToleranceSpec] = {}
        for spec in sorted(suggested.specs, key=lambda one: one.value):  # the tightest first
            lost = [one for one in (spec.feature, spec.datum) if one and one not in self.forms]
            key = (spec.feature, spec.kind, spec.system, spec.material)
            if lost:
                self._leave_out(spec, f"{lost[0]} is no feature that points can be laid out on")
            elif key in known:
                self._leave_out(spec, f"one of {1e3 * known[key].value:g} mm is asked beside it")
            else:
                known[key] = spec
        yield from (spec for spec in suggested.specs if spec in known.values())

    def _letters(self) -> dict[str, list[str]]:
        """Features of the datums that tolerances refer to, with their letters."""
        used = {
            element.label
            for one in self.drawing.frames()
            for reference in one.datums
            for element in reference.elements
        }
        found: dict[str, list[str]] = {}
        for datum in self.drawing.datums:
            for name in features_of(datum.faces, self.names) if datum.label in used else ():
                if name in self.forms:
                    found.setdefault(name, []).append(datum.label)
        return found

    def _toleranced(self) -> Iterator[str]:
        for spec in self.specs:
            yield from self._features_of(spec)

    def _leave_out(self, spec: ToleranceSpec, reason: str) -> None:
        name = f"{spec.label} {1e3 * spec.value:g} mm"
        self.left_out.append(UnreadItem(name=name, reason=reason, identity=0))

    def _drop(self, feature: str, reason: str) -> None:
        """Leave out a feature, and with it everything that is asked of it."""
        lost = [one for one in self.specs if feature in self._features_of(one)]
        for spec in lost:
            self._leave_out(spec, f"{feature} cannot be touched: {reason.removesuffix('.')}")
        self.specs = [one for one in self.specs if one not in lost]
        if not lost:
            self.left_out.append(
                UnreadItem(name=f"datum feature {feature}", reason=reason, identity=0)
            )
        if any(feature in self.datum_features[one].features for one in self.alignment):
            self.alignment = ()

    def _features_of(self, spec: ToleranceSpec) -> tuple[str, ...]:
        """Features that must be measured for a tolerance."""
        datums = [name for o in spec.datums for name in self.datum_features[o.label].features]
        return tuple(filter(None, (spec.feature, spec.datum, *datums)))

    # ------------------------------------------------------------------------------ Points and job

    def _all_touched(self, wanted: Sequence[str], progress: Progress) -> dict[str, Touching]:
        """Points on features, with the shortest stylus that all of them can be touched with.

        A feature that needs a longer one, for the head to stay clear, decides for all.
        """
        probes = (self.probe, *self.probe.longer())
        touched: dict[str, Touching] = {}
        for place, one in enumerate(wanted):
            progress(f"points on {one}", place, len(wanted))
            try:
                touched[one] = self._touching(one, self._minimum(one), probes)
            except PartError as error:
                self._drop(one, error.message)
        used = [one.probe for one in touched.values()]
        self.probe = max(used, key=lambda one: one.free_length, default=self.probe)
        for one, points in tuple(touched.items()):
            if points.probe is self.probe:
                continue
            if still_touched(self.given.part.geometry, points, self.probe):
                touched[one] = replace(points, probe=self.probe)
                continue
            try:
                touched[one] = self._touching(one, self._minimum(one))
            except PartError as error:
                self._drop(one, error.message)
                del touched[one]
        return touched

    def _check_evaluation(self, touched: Mapping[str, Touching]) -> Evaluation:
        """Leave out tolerances, and an alignment, that an evaluation of these points refuses."""
        try:
            result = self._evaluated(touched)
        except JobError as error:
            if not self.alignment:
                raise
            system = "|".join(self.alignment)
            item = UnreadItem(name=f"alignment to {system}", reason=error.message, identity=0)
            self.left_out.append(item)
            self.alignment = ()
            result = self._evaluated(touched)
        judged = {
            (one.feature, one.kind, one.system, one.material)
            for one in result.characteristics
            if np.isfinite(one.measured)
        }
        for spec in tuple(self.specs):
            if (spec.feature, spec.kind, spec.system, spec.material) not in judged:
                told = [f.message for f in result.findings if f.subject.feature == spec.feature]
                self._leave_out(spec, " ".join(told) or "its points do not hold it")
                self.specs.remove(spec)
        return result

    def _enlarged(self, touched: dict[str, Touching], result: Evaluation) -> Evaluation:
        """Lay out more points where the tolerances need them with touches that scatter as assumed.

        An uncertainty of touches falls with the root of their number, in the feature and its datums
        alike; what came of it is drawn again. Ranges (form, profile) hardly follow, and are left.
        """
        full: set[str] = set()
        for _ in range(_ROUNDS):
            wanted: dict[str, int] = {}
            for spec in self.specs:
                ratio = self.given.scatter / self._touch(result, spec.feature, spec)
                if spec.kind in _RANGES or not ratio > 1.0:
                    continue
                for name in self._features_of(spec):
                    count = min(int(np.ceil(ratio**2 * len(touched[name].points))), _MOST)
                    wanted[name] = max(count, wanted.get(name, 0))
            more = {one for one, count in wanted.items() if count > len(touched[one].points)} - full
            if not more:
                break
            for name in more:
                try:
                    touched[name] = self._touching(name, wanted[name])
                except PartError:  # there is no room for as many
                    full.add(name)
            result = self._evaluated(touched)
        return result

    def _reason(self, feature: str, count: int, touch: float) -> str:
        """Why a feature has as many points, where no uncertainty was stated."""
        told = "the recommended number"
        if count > self._minimum(feature):
            told = "as many as its tolerances, or those to it, need"
        if self.given.uncertainty is None and touch < self.given.scatter:
            told += f", which touches of {1e6 * self.given.scatter:g} µm still exceed"
        return told

    def _touch(self, result: Evaluation, feature: str, spec: ToleranceSpec | None = None) -> float:
        """Standard deviation of a touch that uses up the share of a tolerance. [m].

        Args:
            result: of touches that scatter by ``_TOUCH``.
            feature: that has it.
            spec: the tolerance; the tightest of the feature when None.
        """
        asked = None if spec is None else (spec.kind, spec.system, spec.material)
        limits = [
            _TOUCH * self.given.share * one.tolerance / one.uncertainty.expanded
            for one in result.characteristics
            if one.feature == feature
            and asked in (None, (one.kind, one.system, one.material))
            and one.tolerance
            and one.uncertainty is not None
            and one.uncertainty.expanded > 0.0
        ]
        return min(limits, default=float("nan"))

    def _evaluated(self, touched: Mapping[str, Touching]) -> Evaluation:
        """The part as it should be, measured on these points with touches that scatter."""
        job = self._job(touched)
        points = job.points
        perfect = MeasuredPoints(names=points.names, xyz=points.positions, features=points.features)
        errors = np.random.default_rng(1).standard_normal((_DRAWS, len(points), 3))
        return evaluate(replace(job, frame="part"), perfect, errors=_TOUCH * errors)

    def _minimum(self, feature: str) -> int:
        return MINIMUM.get(self.forms[feature].kind, _OTHERWISE)

    def _touching(self, feature: str, count: int, probes: Sequence[ProposedProbe] = ()) -> Touching:
        geometry = self.given.part.geometry
        form = self.forms[feature]
        return touching(geometry, form, probes or (self.probe,), count, self.upright)

    def _job(self, touched: Mapping[str, Touching]) -> Job:
        tables: dict[str, Any] = {
            "probe": self.probe.table(),
            "approach": {
                "distance_mm": _mm(min(one.approach for one in touched.values())),
                "feature": [_approach_table(name, one) for name, one in touched.items()],
            },
            "travel": {"order": "fastest", "clearance_cube_mm": 30.0},
            "checks": {"clearance_mm": _mm(self.probe.clearance)},
        }
        used = {*self.alignment, *(one.label for spec in self.specs for one in spec.datums)}
        letters = {one for label in used for one in (label, *label.split("-"))}
        datums = [one for label, one in self.datum_features.items() if label in letters]
        if datums:
            tables["datum"] = [table for one in datums for table in datum_tables(one)]
        if self.alignment:
            tables["evaluation"] = {"alignment": "datums", "datums": list(self.alignment)}
        if self.specs:
            tables["tolerance"] = [tolerance_table(spec) for spec in self.specs]
        if self.given.uncertainty is not None:
            tables["uncertainty"] = dict(self.given.uncertainty)
        return Job(
            robot=self.given.robot,
            part=self.given.part,
            pose=self.given.pose,
            name=self.given.name,
            points=joined([one.points for one in touched.values()], "P"),
            compensated=True,
            robot_settings=self.given.robot_settings,
            **tables,
        )

    # ------------------------------------------------------------------------- How many points

    def _counted(
        self, features: Sequence[ProposedFeature], progress: Progress
    ) -> Iterator[ProposedFeature]:
        """Features with as many points as their tolerances need."""
        planned = None
        if self.given.uncertainty is not None:
            planned = plan(self._job({one.name: one.touching for one in features}), progress)
        for place, one in enumerate(features):
            progress(f"uncertainty of {one.name}", place, len(features))
            if planned is None or not one.tolerances:
                yield one
                continue
            try:
                answers = [
                    points_for(
                        planned,
                        PointCountRequest(
                            feature=spec.feature,
                            target=self.given.share * spec.value,
                            kind=spec.kind,
                            datum=spec.datum,
                            datums=spec.datums,
                            projected=spec.projected,
                            most=_MOST,
                        ),
                        count=_DRAWS,
                    )
                    for spec in one.tolerances
                ]
            except (JobError, PartError) as error:
                yield replace(one, reason=f"{one.reason}; none was computed: {error.message}")
                continue
            needed = max(_needed(answer) for answer in answers)
            reason = " ".join(answer.sentence for answer in answers)
            if needed <= one.count:
                yield replace(one, reason=f"the recommended number. {reason}")
                continue
            try:
                more = self._touching(one.name, needed)
                yield replace(one, touching=more, count=needed, reason=reason)
            except PartError as error:
                yield replace(one, reason=f"{reason} There is no room: {error.message}")

    # ------------------------------------------------------------------------------- The job file

    def _result(self, features: Sequence[ProposedFeature]) -> Proposal:
        remarks = tuple(self._remarks())
        comments: dict[tuple[str | int, ...], Sequence[str]] = {
            ("proposal",): (self._heading(features), *remarks),
            ("left out",): [f"left out: {one.name}: {one.reason}." for one in self.left_out],
            ("probe",): [
                "The thickest ball that the bores leave room for, the shortest stylus that reaches "
                "down, the head of a usual touch-trigger probe: put in what you have."
            ],
        }
        comments["approach",] = [_sentence(one) for one in features]
        return Proposal(
            job=self._job({one.name: one.touching for one in features}).commented(comments),
            features=tuple(features),
            left_out=tuple(self.left_out),
            probe=self.probe,
            share=self.given.share,
            scatter=self.given.scatter if self.given.uncertainty is None else float("nan"),
            remarks=remarks,
        )

    def _heading(self, features: Sequence[ProposedFeature]) -> str:
        return (
            f"Proposed from the drawing in {self.given.part.name}: {len(self.specs)} tolerances, "
            f"{len(features)} features, {sum(one.count for one in features)} points; "
            f"{len(self.left_out)} facts of the drawing are left out, each listed below."
        )

    def _remarks(self) -> Iterator[str]:
        part = f"{100.0 * self.given.share:g} %"
        if self.given.uncertainty is None:
            yield (
                f"Assumed is that a touch scatters by {1e6 * self.given.scatter:g} µm (standard "
                "deviation) and that nothing else is wrong: no uncertainty is stated for this "
                f"robot. As many points as keep the expanded uncertainty within {part} of each "
                "tolerance (ISO 14253-1 decides on the rest), at least the recommended numbers, at "
                f"most {_MOST}; the comments say which scatter a feature bears. What all points "
                "share, as the arm's own errors, comes on top: state your [uncertainty]."
            )
        else:
            yield (
                f"As many points as keep the expanded uncertainty within {part} of each tolerance "
                f"(ISO 14253-1 decides on the rest), at least those of BS 7172, at most {_MOST}."
            )
        if not self.alignment:
            yield "The part's own frame is that of the evaluation: no alignment to datums is set."
        if self.given.guessed:
            yield GUESSED


def start_job(
    robot: Robot | Path | str,
    points: Path | str,
    *,
    part: Part | Path | str | None = None,
    pose: ArrayLike | None = None,
    name: str = "",
) -> Job:
    """A job of points that one has, to go on from: comments say what its file leaves to be given.

    Args:
        robot: as ``load_robot`` takes it.
        points: path of a point file, in part axes.
        part: as ``load_part`` takes it; None for points alone.
        pose: T_base_part; a guess in front of the robot when None. # (4, 4) [m]
        name: of the job; that of the part or the points otherwise.

    Raises:
        PartError, RobotError, JobError: as for ``Job``.
    """
    arm = load_robot(robot)
    loaded = None if part is None else load_part(part)
    of = Path(points) if loaded is None else Path(loaded.name)
    # A pose that nobody gave depends on where the points are, which the job reads.
    job = Job(robot=arm, points=Path(points), part=loaded, pose=pose, name=name or of.stem)
    comments: dict[KeyPath, tuple[str, ...]] = {("probe",): _STYLUS}
    try:
        job.joint_limits()
    except JobError as error:  # published robots seldom state accelerations
        comments["robot",] = tuple(error.message.splitlines())
    if pose is None:
        corners = np.stack([job.points.positions.min(axis=0), job.points.positions.max(axis=0)])
        bounds = corners if loaded is None else loaded.geometry.mesh.bounds
        job = job.replace(pose=in_front(arm, bounds))
        comments["part", "pose"] = (GUESSED,)
    stylus = {"stylus_length_mm": 0, "ball_diameter_mm": 0}
    return job.replace(probe=stylus).commented(comments)


def in_front(robot: Robot, bounds: Array) -> Array:
    """A pose of what lies within bounds, where many arms reach it: upright, longer side across."""
    reach = axis_reach(robot)
    low, high = bounds
    size, middle = high - low, 0.5 * (low + high)
    turn = rotation_zyx([0.5 * np.pi if size[0] > size[1] else 0.0, 0.0, 0.0])
    top = np.array([_AHEAD * reach, 0.0, _BELOW * reach])
    place = top - turn @ np.array([middle[0], middle[1], high[2]])
    return make_pose(turn, np.round(place, 3))  # a guess has no digits beyond the millimetre


def _nothing(drawing: Drawing) -> str:
    pictures = sum("drawn only" in one.reason for one in drawing.unread)
    if not drawing.unread:
        return (
            "it has no drawing (semantic PMI) that a job could be made from; export it as AP242 "
            'with PMI "representation".'
        )
    told = f", {pictures} of them as pictures only" if pictures else ""
    return (
        f"none of the {len(drawing.unread)} facts of its drawing can be read{told}; the first: "
        f"{drawing.unread[0].name}: {drawing.unread[0].reason}. Export it as AP242 with PMI "
        '"representation".'
    )


def _needed(answer: PointCount) -> int:
    """Points that a target needs; the most where these come nearest; none where none do."""
    if answer.reached:
        return answer.count
    return _MOST if answer.systematic <= answer.wanted.target else 0


def _sentence(one: ProposedFeature) -> str:
    words = [f"datum {letter}" for letter in one.datums]
    words += one.asked
    told = f"{one.name}: {one.count} points, {one.reason}: {'; '.join(words) or 'datum of others'}."
    if np.isfinite(one.touch):
        shift = " (a range: noise also shifts it)" if _ranges(one) else ""
        told += f" A touch may scatter by {1e6 * one.touch:.2g} µm{shift}."
    return told


_RANGES = (*FORM_KINDS, "profile", "circular runout", "total runout")


def _ranges(one: ProposedFeature) -> bool:
    return any(spec.kind in _RANGES for spec in one.tolerances)


def _approach_table(name: str, one: Touching) -> dict[str, Any]:
    axis = one.axis
    return {
        "name": name,
        "distance_mm": _mm(one.approach),
        "axis": "normal" if axis is None else [_clean(value) for value in axis],
    }


def _clean(value: float) -> float:
    return round(float(value), 12) + 0.0


def _mm(length: float) -> float:
    return float(f"{1e3 * length:.12g}")
