"""Arm under calibration: uncertain parameters, measurement equations and their derivatives.

``ErrorModel`` says what an error in a parameter does. For points in a given frame the whole arm may
stand elsewhere: two fixed joints before the first, which turn by a right angle and back, give its
base all six errors; they are folded into the first joint afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices
from robots.core.denavit_hartenberg import rows_of
from robots.core.geometric_errors import (
    TOOL,
    ErrorModel,
    GeometricParameter,
    ParameterKind,
    foot,
    geometric_parameters,
    nearly_parallel,
    path_to_tool,
)
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import inverse_pose, make_pose, rotation_x, rotation_y, rotation_z

_STANDS = ("base", "base turned")  # names of the two fixed joints
_BASE_ERRORS = {
    (0, "d"): "base x",
    (1, "d"): "base y",
    (0, "r"): "base z",
    (0, "alpha"): "base rx",
    (0, "beta"): "base ry",
    (0, "theta"): "base rz",
}
_ORDER = ("theta", "r", "d", "alpha", "beta", "x", "y", "z")


class IdentifiedArm:
    """A nominal arm and the errors that are looked for.

    Args:
        nominal: the arm as described.
        kind: of the measurements; only points tell where the base stands.
    """

    def __init__(self, nominal: Mechanism, kind: MeasurementKind) -> None:
        self.nominal = nominal
        self.kind = kind
        self.stands = kind is MeasurementKind.POINT
        mechanism = _on_free_base(nominal) if self.stands else nominal
        candidates = [
            p for p in geometric_parameters(mechanism) if p.kind is not ParameterKind.EXPANSION
        ]
        if self.stands:
            candidates = list(_named_base(candidates))
        self.model = ErrorModel(mechanism, _preferred(mechanism, candidates, kind))

    @property
    def parameters(self) -> tuple[GeometricParameter, ...]:
        """Candidates, the preferred first."""
        return self.model.parameters

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the candidates."""
        return self.model.names

    def corrected(self, errors: ArrayLike) -> Mechanism:
        """The nominal arm with its parameters changed; same joints, limits and bodies.

        Args:
            errors: true less nominal value of every candidate. # (P,) [rad or m]
        """
        values = np.asarray(errors, dtype=np.float64)
        by_joint: dict[int, dict[str, float]] = {}
        for parameter, value in zip(self.parameters, values, strict=True):
            by_joint.setdefault(parameter.joint, {})[parameter.symbol] = float(value)
        mechanism = self.model.mechanism
        placements = [
            _with_errors(joint, by_joint.get(index, {}))
            for index, joint in enumerate(mechanism.joints)
        ]
        before = np.eye(4)
        if self.stands:
            before = placements[0] @ placements[1]
            placements = placements[2:]
        joints = tuple(
            replace(joint, placement=before @ placed if joint.parent == BASE else placed)
            for joint, placed in zip(self.nominal.joints, placements, strict=True)
        )
        shift = by_joint.get(TOOL, {})
        moved = make_pose(translation=[shift.get(axis, 0.0) for axis in "xyz"])
        return replace(self.nominal, joints=joints, tool=self.nominal.tool @ moved)


def _with_errors(joint: Joint, own: Mapping[str, float]) -> Array:
    """P' = A·Rx(δα)·Tx(δd)·Ry(δβ)·A⁻¹·P·Rz(δθ)·Tz(δr), A the foot of the common normal."""
    if not any(own.values()):
        return joint.placement
    P = joint.placement
    if any(own.get(symbol, 0.0) for symbol in ("alpha", "d", "beta")):
        A = foot(P)
        tilt = make_pose(rotation_x(own.get("alpha", 0.0)), [own.get("d", 0.0), 0.0, 0.0])
        P = A @ tilt @ make_pose(rotation_y(own.get("beta", 0.0))) @ inverse_pose(A) @ P
    turn = make_pose(rotation_z(own.get("theta", 0.0)), [0.0, 0.0, own.get("r", 0.0)])
    return np.asarray(P @ turn)


def _on_free_base(mechanism: Mechanism) -> Mechanism:
    """The arm behind two fixed joints, which turn by 90° about z and back."""
    taken = {joint.name for joint in mechanism.joints}
    names = [name if name not in taken else f"{name} of the robot" for name in _STANDS]
    turned = make_pose(rotation_z(0.5 * np.pi))
    back = inverse_pose(turned)
    stands = (
        Joint(name=names[0], kind=JointKind.FIXED, parent=BASE, placement=turned),
        Joint(name=names[1], kind=JointKind.FIXED, parent=0, placement=back),
    )
    joints = tuple(replace(joint, parent=joint.parent + 2) for joint in mechanism.joints)
    return replace(
        mechanism,
        joints=(*stands, *joints),
        tool_joint=mechanism.tool_joint + 2,
        capsules=(),
        self_pairs=(),
    )


def _named_base(candidates: Sequence[GeometricParameter]) -> Iterator[GeometricParameter]:
    """The six errors of the base by their own names; its two joints' other errors say the same."""
    for parameter in candidates:
        if parameter.joint not in (0, 1):
            yield parameter
        elif name := _BASE_ERRORS.get((parameter.joint, parameter.symbol)):
            yield replace(parameter, name=name)


def _preferred(
    mechanism: Mechanism, candidates: Sequence[GeometricParameter], kind: MeasurementKind
) -> tuple[GeometricParameter, ...]:
    """Joint by joint from the base, the tool, what says the same again, then fixed joints.

    The zero and the slide of the last joint turn and shift the tool only, whose own coordinates
    stand for them; a shift along an axis parallel to the one before is that one's. Where only the
    shape of the arm shows, not its size, one length stays as it is: the longest, whose error is
    the least in proportion.
    """
    joints = mechanism.joints
    last = max(index for index in path_to_tool(mechanism) if joints[index].movable)

    def place(parameter: GeometricParameter) -> tuple[int, int, int]:
        fixed = parameter.joint != TOOL and not joints[parameter.joint].movable
        again = parameter.joint == last and parameter.symbol in ("theta", "r")
        if parameter.symbol == "r" and not parameter.base:
            again = again or nearly_parallel(joints[parameter.joint])
        group = 3 if fixed else 2 if again else int(parameter.joint == TOOL)
        return group, parameter.joint, _ORDER.index(parameter.symbol)

    ordered = sorted(candidates, key=place)
    if kind is MeasurementKind.SPHERE:
        first = next(index for index in path_to_tool(mechanism) if joints[index].movable)
        inner = [p for p in ordered if p.joint == TOOL or p.joint > first]
        longest = max(inner, key=lambda p: nominal_length(mechanism, p))
        ordered = [p for p in ordered if p is not longest] + [longest]
    return tuple(ordered)


def nominal_length(mechanism: Mechanism, parameter: GeometricParameter) -> float:
    """Size of a length of the description; zero for angles. [m]."""
    if parameter.joint == TOOL:
        return float(abs(mechanism.tool["xyz".index(parameter.symbol), 3]))
    joint = mechanism.joints[parameter.joint]
    if parameter.symbol == "r" and joint.kind is not JointKind.PRISMATIC:
        return float(abs((inverse_pose(foot(joint.placement)) @ joint.placement)[2, 3]))
    if parameter.symbol != "d":
        return 0.0
    if nearly_parallel(joint):
        return float(np.linalg.norm(foot(joint.placement)[:3, 3]))
    return abs(rows_of(joint.placement).joint.d)


def reach(mechanism: Mechanism) -> float:
    """Sum of the distances from joint to joint to the ball: no point is farther. [m]."""
    steps = [mechanism.joints[index].placement[:3, 3] for index in path_to_tool(mechanism)]
    lengths = [float(np.linalg.norm(step)) for step in (*steps, mechanism.tool[:3, 3])]
    return max(sum(lengths), 1e-3)


# --------------------------------------------------------------------------- Measurement equations


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linearised:
    """Residuals of B measurements of k numbers, and how they change.

    Args:
        residual: computed less measured. # (B, k) [m]
        by_errors: # (B, k, P)
        by_centres: by the coordinates of the spheres, empty for other kinds. # (B, k, 3 S)
    """

    residual: Array
    by_errors: Array
    by_centres: Array

    def columns(self, kept: Indices | list[int]) -> Array:
        """Sphere centres first, then the chosen errors. # (B, k, 3 S + len(kept))."""
        return np.concatenate([self.by_centres, self.by_errors[..., kept]], axis=-1)


def start_centres(model: ErrorModel, given: ArmMeasurements, errors: Array) -> Array:
    """Mean place of the ball in every sphere; none for other kinds. # (S, 3) [m]."""
    if given.kind is not MeasurementKind.SPHERE:
        return np.zeros((0, 3))
    p, group = model.positions(given.q, errors), given.group_index
    return np.array([p[group == k].mean(axis=0) for k in range(len(given.names))])


def residuals(model: ErrorModel, given: ArmMeasurements, errors: Array, centres: Array) -> Array:
    """Computed less measured. # (B, k) [m]."""
    p = model.positions(given.q, errors)
    if given.kind is MeasurementKind.SPHERE:
        return np.asarray(p - centres[given.group_index])
    if given.kind is MeasurementKind.POINT:
        return np.asarray(p - given.points)
    a, b = given.pairs.T
    return np.asarray(np.linalg.norm(p[b] - p[a], axis=-1) - given.lengths)[:, None]


def linearised(
    model: ErrorModel, given: ArmMeasurements, errors: Array, centres: Array
) -> Linearised:
    """Residuals and derivatives at given errors."""
    J = differences(model, given, errors, model.sensitivities(given.q, errors))
    return Linearised(
        residual=residuals(model, given, errors, centres),
        by_errors=J,
        by_centres=_by_centres(given, len(J)),
    )


def reading_spread(model: ErrorModel, given: ArmMeasurements, errors: Array) -> Array:
    """Change of every residual per joint reading of its one or two postures. # (B, k, n or 2n)."""
    J = model.reading_sensitivities(given.q, errors)
    if given.kind is not MeasurementKind.LENGTH:
        return J
    a, b = given.pairs.T
    u = _directions(model, given, errors)
    parts = [-np.einsum("bi,bij->bj", u, J[a]), np.einsum("bi,bij->bj", u, J[b])]
    return np.concatenate(parts, axis=-1)[:, None, :]


def differences(model: ErrorModel, given: ArmMeasurements, errors: Array, J: Array) -> Array:
    """Change of residuals from that of ball centres. Args: J. # (N, 3, P) -> (B, k, P)."""
    if given.kind is not MeasurementKind.LENGTH:
        return J
    a, b = given.pairs.T
    u = _directions(model, given, errors)
    return np.asarray(np.einsum("bi,bij->bj", u, J[b] - J[a]))[:, None, :]


def _directions(model: ErrorModel, given: ArmMeasurements, errors: Array) -> Array:
    p = model.positions(given.q, errors)
    a, b = given.pairs.T
    v = p[b] - p[a]
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def _by_centres(given: ArmMeasurements, blocks: int) -> Array:
    if given.kind is not MeasurementKind.SPHERE:
        return np.zeros((blocks, given.kind.block, 0))
    J = np.zeros((blocks, 3, len(given.names), 3))
    J[np.arange(blocks), :, given.group_index, :] = -np.eye(3)
    return J.reshape(blocks, 3, -1)
