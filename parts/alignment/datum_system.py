"""Datum systems: a part's pose from up to three datums, in their order of precedence.

Every datum is associated with its measured points under the orientation that the earlier ones
leave it; then it holds what motions of the part it can. So the same few rules give 3-2-1,
plane-line-point, plane-hole-hole, plane-hole-slot, axis and planes, and three spheres. The features
of a common datum (A-B) stand to each other as on the drawing and are associated at once.

Source: [ISO5459] §6 and §7: association of single features, common datums and datum systems
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from parts.alignment.alignment import Alignment, pose_of, rotation_of, weighted_rms
from parts.alignment.refinement import Constraints, constraints_of, free_motions
from parts.errors import AlignmentError, FitError
from parts.fits.curves import FlatCircle
from parts.fits.fit_result import Fit, shape_of_kind
from parts.fits.fitting import fit
from parts.fits.zone import material_envelope
from parts.geometry.surfaces import Cone, Cylinder, Sphere
from robots.core.arrays import Array, Mask, freeze_fields

DatumKind = Literal["plane", "axis", "centre", "slot", "pattern"]
PARALLEL = 2e-3  # [rad]: nominal directions come from points with rounded coordinates
_LEAST_SPREAD = 1e-6  # across over along: thinner, points are on one line
_APART = 1e-3  # of their extent: points that give a direction
_LEVER = 1e-4  # [m] shorter, two places are one but for their printed coordinates
_SHORT = 1e-6  # of a motion of unit length
_SETTLED = 1e-15  # [rad]
_FLATTEST = 1e-12  # of their extent: points of a plane that are flat
_MOST_STEPS = 60
_ROUNDING = 1e-15  # [m] of a step that is left


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatumPoints:
    """A datum feature as it should be, and points that were measured on it.

    Args:
        name: for messages.
        kind: "plane": one flat side; "axis": cylinder or cone; "centre": sphere, or the section of
            a bore; "slot": two parallel flat sides, of which the median plane is taken; "pattern":
            a common datum that is none of these.
        point: of the nominal plane, axis, centre or median plane. # (3,) [m]
        direction: normal, or axis, unit; of a sphere NaN. # (3,)
        shape: nominal kind of the feature, of ``parts.fits.FIT_KINDS``.
        measured: surface points. # (k, 3) [m]
        normals: nominal, out of the material. # (k, 3)
        contact: whether it is associated outside the material, as a gauge touches it, and not by
            least squares.
        members: features of a common datum, as datums of their own; ``common_datum`` makes one.
    """

    name: str
    kind: DatumKind
    point: Array
    direction: Array
    shape: str
    measured: Array
    normals: Array
    contact: bool = False
    members: tuple[DatumPoints, ...] = ()

    def __post_init__(self) -> None:
        freeze_fields(self, "point", "direction", "measured", "normals", dtype=np.float64)

    @property
    def upper(self) -> Mask:
        """Of a slot, which points are on the side that its direction points out of. # (k,)."""
        return np.asarray(self.normals @ self.direction > 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldDatum:
    """A datum of an aligned part, in the part frame.

    Args:
        name: of it.
        kind: as of ``DatumPoints``.
        point: nominal, of the element that it was brought to. # (3,) [m]
        direction: nominal. # (3,)
        shape: as of ``DatumPoints``.
        measured: the point of the measured element. # (3,) [m]
        size: diameter or width, by its association; NaN of a plane. [m]
        members: of a common datum.
    """

    name: str
    kind: DatumKind
    point: Array
    direction: Array
    shape: str
    measured: Array
    size: float
    members: tuple[HeldDatum, ...] = ()

    @property
    def singles(self) -> tuple[HeldDatum, ...]:
        """Its members, or itself."""
        return self.members or (self,)

    def held_motions(self, centre: Array, lever: float) -> Array:
        """Motions that it holds where it was measured: see ``held_motions``."""
        if not self.members:
            return held_motions(self.kind, self.direction, self.measured, centre, lever)
        # together they hold the part as they stand on the drawing, but for printed coordinates
        rows = [held_motions(o.kind, o.direction, o.point, centre, lever) for o in self.members]
        _, sizes, Vt = np.linalg.svd(np.vstack(rows))
        return np.asarray(Vt[: int(np.count_nonzero(sizes > PARALLEL * sizes[0]))])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatumAlignment:
    """A part that is aligned to a datum system.

    Args:
        alignment: its pose; residuals are those of the datums' points from the nominal elements,
            in their own sizes.
        datums: in their order.
        held: the motions that they hold, in the part frame.
    """

    alignment: Alignment
    datums: tuple[HeldDatum, ...]
    held: Constraints

    def free_displacements(self, points: Array) -> Array:
        """Displacements of points by each motion that no datum holds. # (k, 3) -> (f, k, 3).

        A motion has unit length, turns taken at the lever of ``held``.
        """
        rows, lever = self.held.rows, self.held.lever
        _, sizes, Vt = np.linalg.svd(rows)
        free = Vt[int(np.count_nonzero(sizes > _SHORT)) :]
        turned = np.cross(free[:, None, 3:] / lever, points - self.held.centre)
        return np.asarray(free[:, None, :3] + turned)

    @property
    def leaves_free(self) -> bool:
        """Whether the part has a motion that no datum holds."""
        return int(np.linalg.matrix_rank(self.held.rows, tol=_SHORT)) < len(np.eye(6))

    def settled(self) -> DatumAlignment:
        """The same where what the datums leave free was chosen otherwise."""
        return replace(self, held=replace(self.held, rows=np.eye(6)))

    def require_held(self, system: str) -> None:
        """Refuse a system that leaves the part a motion.

        Raises:
            AlignmentError: it does; the message says which.
        """
        free = free_motions(self.held)
        if free:
            raise AlignmentError(
                f"The datums {system} leave the part free: {'; '.join(free)}. Add a datum that "
                "holds this.",
                free=free,
            )


def align_to_datums(datums: Sequence[DatumPoints]) -> DatumAlignment:
    """Align a part to datums, primary first.

    The measured points stand near their nominal places: no datum is turned by a right angle.

    Raises:
        AlignmentError: a datum whose points do not hold it, or that its predecessors leave nothing
            to hold.
    """
    pose = _Orientation()
    _turn(datums, pose)
    R = pose.rotation
    elements = [_element(datum, R) for datum in datums]
    shift = _Shift()
    for element in elements:
        shift.hold(_rows_of(element, R), element.point, R @ element.datum.point)
    T = pose_of(R, shift.value)
    return DatumAlignment(
        alignment=_alignment(elements, T),
        datums=tuple(_held(element, T) for element in elements),
        held=_constraints(shift, pose, T),
    )


def held_motions(
    kind: DatumKind, direction: Array, point: Array, centre: Array, lever: float
) -> Array:
    """Motions that a datum of one feature holds: shift of the centre, turn about it. # (r, 6).

    Args:
        kind: as of ``DatumPoints``.
        direction: # (3,)
        point: of the element. # (3,) [m]
        centre: that turns are about. # (3,) [m]
        lever: that they are taken at. [m]
    """
    turns = np.zeros((0, 3))
    if not np.isfinite(direction).all():
        place = np.eye(3)
    else:
        across = np.linalg.svd(direction[None])[2][1:]
        place = direction[None] if kind in ("plane", "slot") else across
        turns = turns if kind == "centre" else across
    return np.vstack(
        [
            np.hstack([place, np.cross(point - centre, place) / lever]),
            np.hstack([np.zeros((len(turns), 3)), turns]),
        ]
    )


# ---------------------------------------------------------------------------------- Common datums


def common_datum(name: str, members: Sequence[DatumPoints]) -> DatumPoints:
    """Several features as one datum: what they hold together, as they stand on the drawing.

    Coaxial bores are an axis, flat sides that look the same way a plane; any other is a pattern,
    which holds the part as far as its features do together.

    Args:
        name: for messages.
        members: planes, cylinders, sections and spheres.
    """
    counts = np.array([len(one.measured) for one in members], dtype=np.float64)
    centre = counts @ np.array([one.point for one in members]) / counts.sum()
    slides, turns = _free_of(_Held.of(members, centre))
    kind: DatumKind = "pattern"
    direction, point = members[0].direction, centre
    if len(turns) == 1:
        omega = turns[0, 3:] / np.linalg.norm(turns[0, 3:])
        ahead = np.nansum([one.direction for one in members], axis=0) @ omega
        direction = omega if ahead >= 0.0 else -omega
        if len(slides) == 2 and all(one.kind == "plane" for one in members):
            kind = "plane"
        elif len(slides) == 1:
            kind = "axis"
    shape = {"plane": "plane", "axis": "cylinder"}.get(kind, "")
    rows = np.vstack([one.measured for one in members])
    found = DatumPoints(
        name=name,
        kind=kind,
        point=point,
        direction=direction,
        shape=shape,
        measured=rows,
        normals=np.vstack([one.normals for one in members]),
        members=tuple(members),
    )
    if len(turns) == 1 and kind != "plane":  # on the axis that the part may turn about
        v, omega = turns[0, :3], turns[0, 3:]
        found = replace(found, point=centre + np.cross(omega, v) / (omega @ omega))
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Held:
    """Motions that some features hold together, in the part frame. # rows (r, 6)."""

    rows: Array
    centre: Array
    lever: float

    @classmethod
    def of(cls, members: Sequence[DatumPoints], centre: Array) -> _Held:
        """Of features as they should be, about a point."""
        far = [float(np.linalg.norm(one.point - centre)) for one in members]
        lever = max(far) or 1.0
        rows = [held_motions(o.kind, o.direction, o.point, centre, lever) for o in members]
        return cls(rows=np.vstack(rows), centre=centre, lever=lever)


def _free_of(held: _Held) -> tuple[Array, Array]:
    """Slides and turns that are left free; turns without what slides would do. # (a, 6), (b, 6)."""
    _, sizes, Vt = np.linalg.svd(held.rows)
    full = np.zeros(6)
    full[: len(sizes)] = sizes
    null = Vt[full <= PARALLEL * full[0]]
    if not len(null):
        return null, null
    U, sizes, _ = np.linalg.svd(null[:, 3:])
    turning = np.zeros(len(null), dtype=bool)
    turning[: len(sizes)] = sizes > PARALLEL
    mixed = U.T @ null
    slides, turns = mixed[~turning], mixed[turning].copy()
    for slide in slides[:, :3]:
        turns[:, :3] -= np.outer(turns[:, :3] @ slide, slide) / (slide @ slide)
    turns[:, 3:] /= held.lever
    return slides, turns


def _joint_pose(datum: DatumPoints, R: Array, turns: Array) -> tuple[Array, Array]:
    """Associate the features of a common datum at once: least squares over one motion of all.

    Their sizes are free, each by itself. Motions that they do not hold stay as they are.

    Args:
        datum: common.
        R: rotation of the part so far. # (3, 3)
        turns: directions in the part that it may turn about. # (k, 3)

    Returns:
        Rotation and shift.

    Raises:
        AlignmentError: too few points, or no convergence.
    """
    held = _Held.of(datum.members, datum.point)
    free = np.vstack([np.eye(3, 6), np.hstack([np.zeros((len(turns), 3)), turns])])
    _, sizes, Vt = np.linalg.svd(held.rows @ free.T)
    ways = Vt[: int(np.count_nonzero(sizes > PARALLEL * sizes[0]))] @ free
    sized = sum(one.kind != "plane" for one in datum.members)
    if len(datum.measured) < len(ways) + sized:
        raise AlignmentError(
            f"The common datum {datum.name!r} has {len(datum.measured)} points; its features need "
            f"at least {len(ways) + sized}.",
            found=len(datum.measured),
            limit=len(ways) + sized,
        )
    t, length = _shift_of(datum.members, R), float("inf")
    for _ in range(_MOST_STEPS):
        rows, misses = [], []
        for one in datum.members:
            seen = (one.measured - t) @ R
            out, away = _away(one, seen)
            arms = np.hstack([out, np.cross(seen - held.centre, out) / held.lever]) @ ways.T
            if one.kind != "plane":  # its own size is free
                arms, away = arms - arms.mean(axis=0), away - away.mean()
            rows.append(arms)
            misses.append(away)
        step, _, rank, _ = np.linalg.lstsq(np.vstack(rows), np.concatenate(misses), rcond=_SHORT)
        if rank < len(ways):
            raise AlignmentError(
                f"The points of the common datum {datum.name!r} do not hold it: they leave free "
                f"what its features hold on the drawing. Spread them over its features.",
                found=int(rank),
                limit=len(ways),
            )
        move = step @ ways
        turned = R @ rotation_of(move[3:] / held.lever)
        t = t + R @ (held.centre + move[:3]) - turned @ held.centre
        R, before, length = turned, length, float(np.abs(step).max())
        if length <= _ROUNDING or (length <= _SHORT * held.lever and length >= before):
            return R, t  # shorter steps are rounding
    raise AlignmentError(
        f"The association of the common datum {datum.name!r} did not settle in {_MOST_STEPS} "
        f"steps; the last was {length:.3g} m.",
        iterations=_MOST_STEPS,
        step=length,
    )


def _shift_of(members: Sequence[DatumPoints], R: Array) -> Array:
    """The shift of the part that suits its features one by one, in what each of them holds."""
    elements = [_element(one, R) for one in members]
    shifts = [one.point - R @ one.datum.point for one in elements]
    t = np.mean(shifts, axis=0)
    rows = [_rows_of(one, R) for one in elements]
    misses = [across @ (shift - t) for across, shift in zip(rows, shifts, strict=True)]
    more = np.linalg.lstsq(np.vstack(rows), np.concatenate(misses), rcond=PARALLEL)[0]
    return np.asarray(t + more)


def _away(one: DatumPoints, seen: Array) -> tuple[Array, Array]:
    """Unit directions away from a nominal plane, axis or centre, and distances. # (k, 3), (k,)."""
    away = seen - one.point
    if one.kind == "plane":
        return np.tile(one.direction, (len(seen), 1)), away @ one.direction
    if np.isfinite(one.direction).all():
        away = away - np.outer(away @ one.direction, one.direction)
    lengths = np.linalg.norm(away, axis=1)
    return away / lengths[:, None], lengths


# ----------------------------------------------------------------------------- What is held so far


class _Orientation:
    """The part's rotation while datums are added: free, about one direction, or settled.

    ``nominal`` and ``measured`` are one direction in part and measured axes; about it the part may
    still turn at level 1.
    """

    def __init__(self) -> None:
        self.level = 0
        self.rotation = np.eye(3)
        self.nominal = np.full(3, np.nan)
        self.measured = np.full(3, np.nan)

    def hold_direction(self, nominal: Array, measured: Array) -> None:
        """Of a free part, bring a nominal direction to a measured one by the shortest turn."""
        self.rotation = _shortest(self.rotation @ nominal, measured) @ self.rotation
        self.nominal, self.measured, self.level = nominal, measured, 1

    def turn(self, angle: float) -> None:
        """Turn the part about the held direction, and settle it."""
        self.rotation = rotation_of(angle * self.measured) @ self.rotation
        self.level = 2

    def parallel(self, direction: Array) -> bool:
        """Whether a nominal direction is that which the part may turn about."""
        return float(np.linalg.norm(np.cross(self.nominal, direction))) <= PARALLEL


def _shortest(one: Array, other: Array) -> Array:
    axis = np.cross(one, other)
    sine = float(np.linalg.norm(axis))
    if sine == 0.0:
        return np.eye(3)
    return rotation_of(axis / sine * np.arctan2(sine, float(one @ other)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Element:
    """A datum with the element that was associated with it, in measured axes.

    Args:
        datum: it.
        point: of the element. # (3,) [m]
        size: diameter or width; NaN of a plane. [m]
    """

    datum: DatumPoints
    point: Array
    size: float


def _element(datum: DatumPoints, R: Array) -> _Element:
    """The element in the nominal direction, of a part that is turned by R."""
    if datum.members:
        return _Element(datum=datum, point=associated_point(datum, R), size=float("nan"))
    point, size = associated_place(datum, R @ datum.direction)
    return _Element(datum=datum, point=point, size=size)


def associated_point(datum: DatumPoints, R: Array) -> Array:
    """A point of a common datum; along what it leaves free, beside the middle of its points."""
    _, t = _joint_pose(datum, R, np.zeros((0, 3)))
    middle = datum.measured.mean(axis=0)
    rows = _rows_of(_Element(datum=datum, point=middle, size=float("nan")), R)
    return np.asarray(middle + (R @ datum.point + t - middle) @ rows.T @ rows)


def _turn(datums: Sequence[DatumPoints], pose: _Orientation) -> None:
    """Let datums turn the part in their order."""
    anchors: list[_Element] = []
    for datum in datums:
        if not _turn_by_direction(datum, pose, anchors):
            _turn_by_place(_element(datum, pose.rotation), pose, anchors)
        if datum.kind in ("axis", "centre", "pattern"):
            anchors.append(_element(datum, pose.rotation))


def _turn_by_direction(datum: DatumPoints, pose: _Orientation, anchors: Sequence[_Element]) -> bool:
    """Let a datum turn the part by its own direction, where it has one and that is still free."""
    if datum.kind == "centre" or pose.level == 2:
        return False
    if datum.members:
        return _turn_jointly(datum, pose)
    if pose.level == 0:
        pose.hold_direction(datum.direction, _free_direction(datum, pose))
        return True
    if pose.parallel(datum.direction) or not _gives_direction(datum, pose, anchors):
        return False
    n = pose.rotation @ datum.direction
    pose.turn(_angle_about(pose.measured, n, _constrained_direction(datum, pose, n)))
    return True


def _turn_jointly(datum: DatumPoints, pose: _Orientation) -> bool:
    """Let a common datum turn the part as far as its features hold it together."""
    _, turns = _free_of(_Held.of(datum.members, datum.point))
    free = turns[:, 3:] / np.linalg.norm(turns[:, 3:], axis=1)[:, None]
    if pose.level == 0 and len(free) > 1:
        raise AlignmentError(
            f"The features of the common datum {datum.name!r} have no direction together; as a "
            "primary datum it needs one. Name another datum first, or measure more sections.",
            free=len(free),
        )
    near = copy(pose)  # where its features bring the part one by one
    if pose.level == 0:
        with suppress(AlignmentError):  # one of few points is none by itself
            _turn(datum.members, near)
        pose.rotation, _ = _joint_pose(datum, near.rotation, np.eye(3))
        pose.nominal, pose.level = datum.direction, 1 if len(free) else 2
        pose.measured = pose.rotation @ datum.direction
        return True
    if float(np.linalg.norm(pose.nominal - pose.nominal @ free.T @ free)) <= PARALLEL:
        return False  # they turn about it freely
    with suppress(AlignmentError):
        _turn(datum.members, near)
    pose.rotation, _ = _joint_pose(datum, near.rotation, pose.nominal[None])
    pose.level = 2
    return True


def _turn_by_place(element: _Element, pose: _Orientation, anchors: Sequence[_Element]) -> None:
    """Turn the part by where a datum lies, seen from an earlier one that holds a point."""
    if not anchors or pose.level == 2:
        return
    anchor = anchors[0]
    arm = element.datum.point - anchor.datum.point
    seen = element.point - anchor.point
    if pose.level == 0:  # of two centres
        if element.datum.kind == "centre" and np.linalg.norm(arm) > _LEVER:
            pose.hold_direction(arm / np.linalg.norm(arm), seen / np.linalg.norm(seen))
        return
    b = pose.measured
    if element.datum.kind in ("axis", "centre", "pattern"):
        if not pose.parallel(element.datum.direction) and element.datum.kind == "axis":
            return
        one, other = (v - (v @ b) * b for v in (pose.rotation @ arm, seen))
        if min(float(np.linalg.norm(one)), float(np.linalg.norm(other))) > _LEVER:
            pose.turn(_angle_about(b, one, other))
        return
    if pose.parallel(element.datum.direction):
        return
    _turn_to_side(element, pose, anchor)


def _turn_to_side(element: _Element, pose: _Orientation, anchor: _Element) -> None:
    """Turn until a plane or median plane has its nominal distance from the held point.

    n(φ)·(m − c) = d, with the normal n turned about the held direction, the middle m of the
    measured side and the held point c.
    """
    datum, b = element.datum, pose.measured
    wanted = float(datum.direction @ (datum.point - anchor.datum.point))
    n = pose.rotation @ datum.direction
    arm = _middle(datum) - anchor.point
    along = (n @ b) * (arm @ b)
    u, v = n - (n @ b) * b, np.cross(b, n)
    size = float(np.hypot(arm @ u, arm @ v))
    if size**2 - (wanted - along) ** 2 < _LEVER**2:  # it lies across the arm, and turns nothing
        return
    # size · cos(φ − β) = wanted − along; of its two roots the smaller turn is meant
    beta = float(np.arctan2(arm @ v, arm @ u))
    gamma = float(np.arccos((wanted - along) / size))
    turns = [(beta + sign * gamma + np.pi) % (2.0 * np.pi) - np.pi for sign in (1.0, -1.0)]
    pose.turn(min(turns, key=abs))


def _angle_about(axis: Array, one: Array, other: Array) -> float:
    """Angle that turns one direction towards another about an axis. [rad]."""
    return float(
        np.arctan2(axis @ np.cross(one, other), one @ other - (one @ axis) * (other @ axis))
    )


# --------------------------------------------------------------------------- Shifts, and the answer


class _Shift:
    """The part's translation while datums hold it, each only what the earlier ones leave."""

    def __init__(self) -> None:
        self.value = np.zeros(3)
        self.held = np.zeros((0, 3))
        self.points = np.zeros((0, 3))

    def hold(self, rows: Array, measured: Array, nominal: Array) -> None:
        """Bring a nominal point to the measured one along some directions.

        Args:
            rows: unit directions, square to each other. # (r, 3)
            measured: # (3,) [m]
            nominal: turned, not shifted. # (3,) [m]
        """
        left = rows - rows @ self.held.T @ self.held
        U, sizes, Vt = np.linalg.svd(left, full_matrices=False)
        new = sizes > PARALLEL
        misses = rows @ (measured - nominal - self.value)
        self.value = self.value + Vt[new].T @ ((U[:, new].T @ misses) / sizes[new])
        self.held = np.vstack([self.held, Vt[new]])
        self.points = np.vstack([self.points, np.tile(measured, (int(new.sum()), 1))])


def _rows_of(element: _Element, R: Array) -> Array:
    """Directions in which a datum holds the place of the part. # (r, 3)."""
    datum = element.datum
    if datum.shape == "sphere":
        return np.eye(3)
    if datum.kind == "pattern":
        slides, _ = _free_of(_Held.of(datum.members, datum.point))
        return np.asarray(
            np.linalg.svd(np.vstack([np.zeros((1, 3)), slides[:, :3]]))[2][len(slides) :] @ R.T
        )
    direction = R @ datum.direction
    if datum.kind in ("plane", "slot"):
        return direction[None]
    return np.linalg.svd(direction[None])[2][1:]


def _constraints(shift: _Shift, pose: _Orientation, T: Array) -> Constraints:
    """What is held: places along directions, and turns. The lever is a metre."""
    R = T[:3, :3]
    turns = np.eye(3)
    if pose.level < 2:
        turns = np.linalg.svd(pose.measured[None])[2][1:] if pose.level else np.zeros((0, 3))
    centre = shift.points.mean(axis=0)
    rows = np.vstack(
        [
            np.hstack([shift.held @ R, np.cross(shift.points - centre, shift.held) @ R]),
            np.hstack([np.zeros((len(turns), 3)), turns @ R]),
        ]
    )
    return Constraints(rows=rows, centre=(centre - T[:3, 3]) @ R, lever=1.0)


def _held(element: _Element, T: Array) -> HeldDatum:
    datum = element.datum
    return HeldDatum(
        name=datum.name,
        kind=datum.kind,
        shape=datum.shape,
        point=datum.point,
        direction=datum.direction,
        measured=(element.point - T[:3, 3]) @ T[:3, :3],
        size=element.size,
        members=tuple(_held(_element(one, T[:3, :3]), T) for one in datum.members),
    )


def _singles(elements: Sequence[_Element]) -> Iterator[_Element]:
    """Elements of single features; those of a common datum follow the motion of all."""
    for element in elements:
        yield from (
            _Element(datum=one, point=element.point, size=float("nan"))
            for one in element.datum.members
        )
        if not element.datum.members:
            yield element


def _alignment(elements: Sequence[_Element], T: Array) -> Alignment:
    residuals, rows, points = [], [], []
    for element in _singles(elements):
        datum = element.datum
        seen = (datum.measured - T[:3, 3]) @ T[:3, :3]
        away = seen - datum.point
        if datum.kind == "plane":
            normals = np.broadcast_to(datum.direction, seen.shape)
            misses = away @ datum.direction
        elif datum.kind == "slot":
            sides = np.where(datum.upper, 1.0, -1.0)
            normals = sides[:, None] * datum.direction
            width = float(np.mean(sides * (away @ datum.direction)))
            misses = sides * (away @ datum.direction) - width
        else:
            if datum.shape != "sphere":
                away = away - np.outer(away @ datum.direction, datum.direction)
            lengths = np.linalg.norm(away, axis=1)
            normals = datum.normals
            # a cone's size follows the height; its axis alone is a datum
            half = 0.5 * element.size if np.isfinite(element.size) else lengths.mean()
            misses = 0.0 * lengths if datum.shape == "cone" else lengths - half
        residuals.append(misses)
        rows.append(normals)
        points.append(seen)
    misses = np.concatenate(residuals)
    weights = np.ones(len(misses))
    held = constraints_of(np.vstack(points), np.vstack(rows), weights)
    return Alignment(
        T_base_part=T,
        residuals=misses,
        rms=weighted_rms(misses, weights),
        condition=held.condition,
        method="datums",
    )


# ------------------------------------------------------------------------- Association of a datum


def _sides(datum: DatumPoints) -> list[Array]:
    """Measured points of a plane, or of each side of a slot."""
    if datum.kind == "plane":
        return [datum.measured]
    return [datum.measured[datum.upper], datum.measured[~datum.upper]]


def _middle(datum: DatumPoints) -> Array:
    """The middle of a plane's points, or of the two sides of a slot. # (3,)."""
    return np.asarray(np.mean([side.mean(axis=0) for side in _sides(datum)], axis=0))


def _centred(datum: DatumPoints) -> Array:
    return np.vstack([side - side.mean(axis=0) for side in _sides(datum)])


def _gives_direction(datum: DatumPoints, pose: _Orientation, anchors: Sequence[_Element]) -> bool:
    """Whether the direction of a datum turns the part, and not its place.

    Points must be apart across the held direction. A slot turns the part by its place where it has
    the longer lever about a point that is held, as in plane-hole-slot.
    """
    if datum.kind == "axis":
        return True
    across = _unit(np.cross(pose.measured, pose.rotation @ datum.direction))
    spread = float(np.ptp(_centred(datum) @ across))
    if datum.kind == "slot" and anchors:
        arm = pose.rotation @ (datum.point - anchors[0].datum.point)
        return spread > abs(float(arm @ across))
    return spread > _APART * float(np.ptp(datum.measured, axis=0).max())


def _free_direction(datum: DatumPoints, pose: _Orientation) -> Array:
    """Normal or axis of a datum that is not constrained. # (3,) unit.

    Raises:
        AlignmentError: too few points, or points on one line.
    """
    n = pose.rotation @ datum.direction
    if datum.kind == "axis":
        shape = _free_axis(datum)
        return np.asarray(shape if shape @ n > 0.0 else -shape)
    least = 3 if datum.kind == "plane" else 4
    if len(datum.measured) < least:
        raise AlignmentError(
            f"The datum {datum.name!r} has {len(datum.measured)} "
            f"{'point' if len(datum.measured) == 1 else 'points'}; as a primary {datum.kind} it "
            f"needs at least {least}.",
            found=len(datum.measured),
            limit=least,
        )
    _, spread, Vt = np.linalg.svd(_centred(datum), full_matrices=False)
    if spread[1] <= _LEAST_SPREAD * spread[0]:
        raise AlignmentError(
            f"The points of the datum {datum.name!r} are collinear (they spread {spread[1]:.3g} m "
            f"across a line, {spread[0]:.3g} m along it): the part can turn about that line. Move "
            "one point off it.",
            across=float(spread[1]),
            along=float(spread[0]),
        )
    found = np.asarray(Vt[2] if Vt[2] @ n > 0.0 else -Vt[2])
    return _tangent_normal(datum, found) if datum.contact else found


def _constrained_direction(datum: DatumPoints, pose: _Orientation, n: Array) -> Array:
    """Normal or axis at the nominal angle to the held direction. # (3,) unit."""
    b = pose.measured
    c = float(n @ b)
    s = float(np.sqrt(max(1.0 - c * c, 0.0)))
    if datum.kind == "axis":  # by its own fit, turned to the nominal angle
        axis = _free_axis(datum)
        axis = axis if axis @ n > 0.0 else -axis
        return np.asarray(c * b + s * _unit(axis - (axis @ b) * b))
    u = _unit(n - c * b)
    v = np.cross(b, u)
    q = _centred(datum) @ np.stack([b, u, v], axis=1)
    if datum.contact and datum.kind == "plane":
        phi = _tangent_turn(q, c, s)
    else:
        phi = _flattest_turn(q.T @ q, c, s)
    return np.asarray(c * b + s * (np.cos(phi) * u + np.sin(phi) * v))


def _flattest_turn(C: Array, c: float, s: float) -> float:
    """Turn of a normal about a direction, that gives the least Σ (n·q)², by Newton. [rad].

    Args:
        C: Σ q qᵀ in the axes of direction, normal across it and their product. # (3, 3)
        c: cosine of the normal to the direction.
        s: sine of it.
    """
    # square to the direction: half the angle of the principal axes
    phi = 0.5 * float(np.arctan2(2.0 * C[1, 2], C[1, 1] - C[2, 2])) + 0.5 * np.pi
    phi = (phi + 0.5 * np.pi) % np.pi - 0.5 * np.pi
    for _ in range(_MOST_STEPS if c else 0):
        n = np.array([c, s * np.cos(phi), s * np.sin(phi)])
        first = np.array([0.0, -n[2], n[1]])
        second = np.array([0.0, -n[1], -n[2]])
        curvature = float(first @ C @ first + second @ C @ n)
        step = -float(first @ C @ n) / curvature if curvature > 0.0 else 0.0
        phi += step
        if abs(step) <= _SETTLED:
            break
    return phi


def _tangent_turn(q: Array, c: float, s: float) -> float:
    """Turn of the normal of the plane outside all points that is nearest to them. [rad]."""

    def normal(x: Array) -> tuple[Array, Array]:
        n = np.array([c, s * np.cos(x[0]), s * np.sin(x[0])])
        return n, np.array([[0.0, -n[2], n[1]]])

    return float(_nearest_outside(q, normal, np.zeros(1))[0])


def _tangent_normal(datum: DatumPoints, start: Array) -> Array:
    """Normal of the plane outside all points whose largest distance from them is least."""
    q = _centred(datum)
    u = _unit(np.cross(start, np.eye(3)[np.argmin(np.abs(start))]))
    v = np.cross(start, u)

    def normal(x: Array) -> tuple[Array, Array]:
        R = rotation_of(x[0] * u + x[1] * v)
        n = R @ start
        return n, np.array([np.cross(u, n), np.cross(v, n)])

    return np.asarray(normal(_nearest_outside(q, normal, np.zeros(2)))[0])


def _nearest_outside(
    q: Array, normal: Callable[[Array], tuple[Array, Array]], start: Array
) -> Array:
    """Parameters of the normal for the least range of heights, by a sequence of linear programs.

    The plane goes through the highest point; the lowest one is the farthest from it.
    """
    from scipy.optimize import linprog

    x, k = start.copy(), len(start)
    extent = float(np.abs(q).max())
    for _ in range(_MOST_STEPS):
        n, slopes = normal(x)
        # in units of their range, so that the programme's tolerance is a share of that
        range_ = max(float(np.ptp(q @ n)), _FLATTEST * extent)
        heights, rows = q @ n / range_, q @ slopes.T / extent
        # variables: step, top, range; top − range ≤ h + rows·step ≤ top
        over = np.hstack([rows, -np.ones((len(q), 1)), np.zeros((len(q), 1))])
        under = np.hstack([-rows, np.ones((len(q), 1)), -np.ones((len(q), 1))])
        found = linprog(
            np.r_[np.zeros(k + 1), 1.0],
            A_ub=np.vstack([over, under]),
            b_ub=np.r_[-heights, heights],
            bounds=[(-0.1 * extent / range_, 0.1 * extent / range_)] * k
            + [(None, None), (0, None)],
            method="highs",
        )
        if not found.success:
            return x
        step = found.x[:k] * range_ / extent
        x = x + step
        if float(np.abs(step).max()) <= 1e-14:
            break
    return x


def _free_axis(datum: DatumPoints) -> Array:
    """Axis of a cylinder or cone that is fitted freely. # (3,) unit."""
    found = _fit(datum, datum.shape, datum.measured)
    if datum.contact and datum.shape == "cylinder":
        envelope = material_envelope(datum.shape, datum.measured, found)
        return shape_of_kind(envelope.geometry, Cylinder).axis
    return found.value("axis")


def associated_place(datum: DatumPoints, direction: Array) -> tuple[Array, float]:
    """A point of the element with a given direction, and its size. [m].

    Raises:
        AlignmentError: the points do not hold it.
    """
    if datum.kind == "plane":
        heights = datum.measured @ direction
        height = float(heights.max() if datum.contact else heights.mean())
        middle = datum.measured.mean(axis=0)
        return np.asarray(middle + (height - middle @ direction) * direction), float("nan")
    if datum.kind == "slot":
        up, down = (side @ direction for side in _sides(datum))
        # outside the material in both: the block in a slot, the jaws about a tongue
        one, other = (up.max(), down.min()) if datum.contact else (up.mean(), down.mean())
        middle = _middle(datum)
        height = 0.5 * float(one + other)
        point = middle + (height - middle @ direction) * direction
        return np.asarray(point), abs(float(one - other))
    if datum.shape == "sphere" or not np.isfinite(direction).all():
        return _centre(datum, datum.measured, "sphere")
    return _centre_across(datum, direction)


def _centre_across(datum: DatumPoints, direction: Array) -> tuple[Array, float]:
    """Where an axis of given direction goes through, by the circle that its points look like."""
    middle = datum.measured.mean(axis=0)
    if datum.shape == "cone":  # of its own fit, beside the middle of its points
        cone = shape_of_kind(_fit(datum, "cone", datum.measured).shape, Cone)
        return np.asarray(cone.apex + ((middle - cone.apex) @ cone.axis) * cone.axis), np.nan
    axes = np.linalg.svd(direction[None])[2][1:]
    flat, size = _centre(datum, datum.measured @ axes.T, "circle2d")
    return np.asarray(flat @ axes + (middle @ direction) * direction), size


def _centre(datum: DatumPoints, points: Array, kind: str) -> tuple[Array, float]:
    found = _fit(datum, kind, points)
    shape = material_envelope(kind, points, found).geometry if datum.contact else found.shape
    if kind == "sphere":
        ball = shape_of_kind(shape, Sphere)
        return ball.centre, 2.0 * ball.radius
    circle = shape_of_kind(shape, FlatCircle)
    return circle.centre, 2.0 * circle.radius


def _fit(datum: DatumPoints, kind: str, points: Array) -> Fit:
    away = datum.measured - datum.measured.mean(axis=0)
    hollow = float(np.sum(away * datum.normals)) < 0.0
    try:
        return fit(kind, points, hollow=hollow)
    except FitError as error:
        if kind == "cylinder":  # few points lie on several: the one about the nominal axis is meant
            with suppress(FitError):
                return fit(kind, points, hollow=hollow, hint=_nominal_cylinder(datum))
        raise AlignmentError(
            f"The datum {datum.name!r} cannot be taken from its {len(points)} points: "
            f"{error.message}",
            **error.facts,
        ) from error


def _nominal_cylinder(datum: DatumPoints) -> Cylinder:
    away = datum.measured - datum.measured.mean(axis=0)
    across = away - np.outer(away @ datum.direction, datum.direction)
    radius = float(np.linalg.norm(across, axis=1).mean())
    return Cylinder(point=datum.measured.mean(axis=0), axis=datum.direction, radius=radius)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))
