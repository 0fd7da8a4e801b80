"""Small errors in every geometric parameter of a serial arm, and their effect on its tip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.equations.algebra import (
    IDENTITY,
    Functions,
    Mat3,
    Scalar,
    Vec3,
    add,
    column,
    from_columns,
    product,
    scale,
    subtract,
    turn_columns,
)
from robots.core.equations.kinematics import BASE_FRAME, Frame
from robots.core.equations.tree import matrix, vector
from robots.core.errors import MechanismError
from robots.core.kernels import Engine, Kernel
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.pose import inverse_pose
from robots.core.recording import Programme, Recorder, derivative, recording_functions

Errors = Mapping[tuple[int, str], Scalar]  # (joint, symbol); what is absent is exact


class ErrorModel:
    """Tip and probe axis of an arm whose geometric parameters are wrong.

    Args:
        mechanism: the arm; its tool frame is the ball, z the probe axis.
        parameters: those that may be wrong, in the order of ``errors``; default all.
        engine: how the equations are run.

    Raises:
        MechanismError: a parameter that the mechanism does not have.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        parameters: Sequence[GeometricParameter] | None = None,
        engine: Engine = "auto",
    ) -> None:
        self.mechanism = mechanism
        given = geometric_parameters(mechanism) if parameters is None else tuple(parameters)
        self.parameters: tuple[GeometricParameter, ...] = given
        self._engine: Engine = engine
        self._kernels: dict[str, Kernel] = {}
        _check(mechanism, given)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    def positions(self, q: ArrayLike, errors: ArrayLike, *, threads: int = 1) -> Array:
        """Ball centres in the base frame.

        Args:
            q: joint values. # (..., n) [rad or m]
            errors: true value less nominal value of each parameter. # (..., P) [rad, m or 1]
            threads: processor cores to use.

        Returns:
            # (..., 3) [m]
        """
        return self._call("tip", q, errors, threads)

    def probe(self, q: ArrayLike, errors: ArrayLike) -> Array:
        """Ball centre and probe axis (unit) in the base frame. # (..., 6) [m, 1]."""
        return self._call("probe", q, errors)

    def sensitivities(self, q: ArrayLike, errors: ArrayLike | None = None) -> Array:
        """Change of the ball centre per unit of each parameter.

        Args:
            q: joint values. # (..., n) [rad or m]
            errors: where the derivative is taken; default at none. # (..., P)

        Returns:
            # (..., 3, P) [m/rad, 1 or m]
        """
        if not self.parameters:
            return np.zeros((*np.shape(q)[:-1], 3, 0))
        return self._call("tip_by_errors", q, self._given(errors))

    def reading_sensitivities(self, q: ArrayLike, errors: ArrayLike | None = None) -> Array:
        """Change of the ball centre per unit of each joint reading. # (..., 3, n)."""
        return self._call("tip_by_q", q, self._given(errors))

    def _given(self, errors: ArrayLike | None) -> ArrayLike:
        return np.zeros(len(self.parameters)) if errors is None else errors

    def _call(self, name: str, q: ArrayLike, errors: ArrayLike, threads: int = 1) -> Array:
        if self.parameters:
            return self._kernel(name)(q, errors, threads=threads)
        lead = np.broadcast_shapes(np.shape(q)[:-1], np.shape(errors)[:-1])
        every = np.broadcast_to(q, (*lead, self.mechanism.dof))
        return self._kernel(name)(every, threads=threads)

    def _kernel(self, name: str) -> Kernel:
        if name not in self._kernels:
            self._kernels[name] = Kernel(self._programme(name), self._engine)
        return self._kernels[name]

    def _programme(self, name: str) -> Programme:
        if name == "probe":
            return record_probe(self.mechanism, self.parameters)
        programme = record_probe(self.mechanism, self.parameters, axis=False)
        by = {"tip_by_errors": "errors", "tip_by_q": "q"}
        return derivative(programme, by[name]) if name in by else programme


def record_probe(
    mechanism: Mechanism, parameters: Sequence[GeometricParameter], *, axis: bool = True
) -> Programme:
    """Programme of ball centre and probe axis, by joint values and errors.

    Args:
        mechanism: the arm.
        parameters: those that may be wrong, in the order of the argument ``errors``.
        axis: whether the probe axis is wanted too.

    Returns:
        probe(q (n,), errors (P,)) -> (6,), or (3,) without the axis; no ``errors`` where no
        parameter is named. [m, 1]
    """
    recorder = Recorder()
    q = recorder.argument("q", (mechanism.dof,))
    given = recorder.argument("errors", (len(parameters),)) if parameters else []
    frame = tip_of(mechanism, parameters, q, given)
    outputs = [*frame.origin, *frame.z] if axis else list(frame.origin)
    return recorder.programme("probe" if axis else "tip", outputs, (len(outputs),))


def tip_of(
    mechanism: Mechanism,
    parameters: Sequence[GeometricParameter],
    q: Sequence[Scalar],
    errors: Sequence[Scalar],
) -> Frame:
    """Tool frame in the base frame by recorded joint values and errors, to go on recording.

    Args:
        mechanism: the arm.
        parameters: those that may be wrong.
        q: joint values. # (n,)
        errors: one for each of the parameters. # (P,)
    """
    given = {(p.joint, p.symbol): e for p, e in zip(parameters, errors, strict=True)}
    return tip(mechanism, q, given, recording_functions())


def _check(mechanism: Mechanism, parameters: Sequence[GeometricParameter]) -> None:
    known = {(p.joint, p.symbol): p.name for p in geometric_parameters(mechanism)}
    for parameter in parameters:
        if (parameter.joint, parameter.symbol) not in known:
            raise MechanismError(
                f"Mechanism {mechanism.name!r} has no geometric parameter {parameter.name!r}; it "
                f"has {', '.join(known.values())}.",
                parameter=parameter.name,
            )


# -------------------------------------------------------------------------------------- Parameters
# Every joint between base and tool has a row of modified Denavit-Hartenberg parameters α, d, θ, r.
# Between nearly parallel axes a small tilt about y would need enormous rows; there β, about y at
# the foot of the common normal, is one parameter more, and the foot is that of the parent's origin.
#
# Source: [LAMMARI12] §II.5.1 for the rows; β is Hayati's.

# Below this sine (5 degrees) the common normal of two axes is too far away to measure errors by.
NEARLY_PARALLEL = 0.0872
_TINY = 1e-12  # [m] or of a unit vector
TOOL = -1  # joint index of what belongs to no joint


class ParameterKind(Enum):
    """Kind of a parameter."""

    ANGLE = "angle"  # between axes [rad]
    LENGTH = "length"  # [m]
    OFFSET = "offset"  # zero of a joint's reading [rad or m]
    TOOL = "tool"  # coordinate of the ball in the tool's frame [m]
    EXPANSION = "expansion"  # relative change of all lengths [1]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometricParameter:
    """One parameter that may be wrong.

    Args:
        name: such as "q2 alpha", "tool x", "expansion".
        joint: index of its joint in the mechanism; -1 for tool and expansion.
        symbol: alpha, d, beta, theta, r, x, y, z or expansion.
        kind: what it is.
        unit: "rad", "m" or "1".
        base: whether it only says how the first axis stands on the base.
    """

    name: str
    joint: int
    symbol: str
    kind: ParameterKind
    unit: str
    base: bool = False


def geometric_parameters(mechanism: Mechanism) -> tuple[GeometricParameter, ...]:
    """All parameters between base and tool, joint by joint, then those of tool and expansion."""
    found: list[GeometricParameter] = []
    base = True
    for index in path_to_tool(mechanism):
        joint = mechanism.joints[index]
        found.extend(_of_joint(joint, index, base=base))
        base = base and not joint.movable
    for symbol in ("x", "y", "z"):
        found.append(
            GeometricParameter(
                name=f"tool {symbol}", joint=TOOL, symbol=symbol, kind=ParameterKind.TOOL, unit="m"
            )
        )
    expansion = GeometricParameter(
        name="expansion", joint=TOOL, symbol="expansion", kind=ParameterKind.EXPANSION, unit="1"
    )
    return (*found, expansion)


def path_to_tool(mechanism: Mechanism) -> tuple[int, ...]:
    """Indices of the joints between base and tool, from the base."""
    path: list[int] = []
    index = mechanism.tool_joint
    while index >= 0:
        path.append(index)
        index = mechanism.joints[index].parent
    return tuple(reversed(path))


def nearly_parallel(joint: Joint) -> bool:
    """Return whether the joint's axis keeps nearly the direction of its parent's, either sense."""
    return float(np.hypot(joint.placement[0, 2], joint.placement[1, 2])) < NEARLY_PARALLEL


def foot(placement: Array) -> Array:
    """Frame in which a joint's α and d are measured: x the common normal, z the joint's axis.

    Args:
        placement: joint frame in the parent frame. # (4, 4)

    Returns:
        Foot frame in the parent frame. # (4, 4)
    """
    if float(np.hypot(placement[0, 2], placement[1, 2])) >= NEARLY_PARALLEL:
        pair = rows_of(placement)
        across = DhRow(alpha=pair.joint.alpha, d=pair.joint.d)
        return np.asarray(pair.carrier.pose() @ across.pose())
    z, p = placement[:3, 2], placement[:3, 3]
    nearest = p - (p @ z) * z
    x = nearest if float(np.linalg.norm(nearest)) > _TINY else np.eye(3)[0] - z[0] * z
    x = x / np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    pose[:3, 3] = nearest
    return pose


def _of_joint(joint: Joint, index: int, *, base: bool) -> list[GeometricParameter]:
    revolute, prismatic = joint.kind is JointKind.REVOLUTE, joint.kind is JointKind.PRISMATIC
    angle, length, zero = ParameterKind.ANGLE, ParameterKind.LENGTH, ParameterKind.OFFSET
    rows = [("alpha", angle, "rad"), ("d", length, "m")]
    if nearly_parallel(joint):
        rows.append(("beta", angle, "rad"))
    rows.append(("theta", zero if revolute else angle, "rad"))
    rows.append(("r", zero if prismatic else length, "m"))
    return [
        GeometricParameter(
            name=f"{joint.name} {symbol}",
            joint=index,
            symbol=symbol,
            kind=kind,
            unit=unit,
            base=base and kind is not zero,
        )
        for symbol, kind, unit in rows
    ]


# --------------------------------------------------------------------------------------- Equations
# A joint's placement P is split at the foot of the common normal, P = A·B; its errors act there:
# P' = A·Rx(δα)·Tx(δd)·Ry(δβ)·B, then Rz(q + δθ)·Tz(δr). In a row of modified Denavit-Hartenberg
# parameters this is the row with α + δα, d + δd, θ + δθ, r + δr, for errors of any size.

_ROUNDING = 1e-15


def tip(mechanism: Mechanism, q: Sequence[Scalar], errors: Errors, fn: Functions) -> Frame:
    """Tool frame in the base frame, with errors.

    Args:
        mechanism: the arm; only the joints between base and tool count.
        q: joint values. # (n,) [rad or m]
        errors: of parameters, by joint index and symbol. [rad, m or 1]
        fn: sine and cosine of the scalars.
    """
    variables = {id(joint): k for k, joint in enumerate(mechanism.movable)}
    frame = BASE_FRAME
    for index in path_to_tool(mechanism):
        joint = mechanism.joints[index]
        value = q[variables[id(joint)]] if joint.movable else 0.0
        own = {symbol: error for (owner, symbol), error in errors.items() if owner == index}
        frame = _moved(_placed(frame, joint, own, fn), joint, value, own, fn)
    frame = _then(frame, np.asarray(mechanism.tool))
    shift = [errors.get((TOOL, symbol), 0.0) for symbol in ("x", "y", "z")]
    origin = frame.point((shift[0], shift[1], shift[2]))
    expansion = errors.get((TOOL, "expansion"), 0.0)
    return Frame(rotation=frame.rotation, origin=add(origin, scale(expansion, origin)))


def _placed(frame: Frame, joint: Joint, own: Mapping[str, Scalar], fn: Functions) -> Frame:
    """The joint's frame before it moves."""
    if not {"alpha", "d", "beta"} & set(own):
        return _then(frame, joint.placement)
    A = foot(joint.placement)
    there = _then(frame, A)
    R, p = there.rotation, there.origin
    if "alpha" in own:
        R = _turned_x(R, fn.cos(own["alpha"]), fn.sin(own["alpha"]))
    p = add(p, scale(own.get("d", 0.0), column(R, 0)))
    if "beta" in own:
        R = _turned_y(R, fn.cos(own["beta"]), fn.sin(own["beta"]))
    return _then(Frame(rotation=R, origin=p), inverse_pose(A) @ joint.placement)


def _moved(
    frame: Frame, joint: Joint, value: Scalar, own: Mapping[str, Scalar], fn: Functions
) -> Frame:
    """The joint's frame after it has moved by its value, its zero and its slide being wrong."""
    turns, slides = joint.kind is JointKind.REVOLUTE, joint.kind is JointKind.PRISMATIC
    R, slide = frame.rotation, own.get("r", 0.0)
    if turns or "theta" in own:
        angle = own.get("theta", 0.0) + (value if turns else 0.0)
        R = turn_columns(fn.cos(angle), fn.sin(angle), R)
    if slides:
        slide = slide + value
    return Frame(rotation=R, origin=add(frame.origin, scale(slide, column(R, 2))))


def _then(frame: Frame, pose: Array) -> Frame:
    """A frame followed by a constant pose, whose exact zeros and ones fold away."""
    R = pose[:3, :3]
    R = np.where(np.abs(R - np.round(R)) < _ROUNDING, np.round(R), R)
    rotation = matrix(R)
    turned = frame.rotation if rotation == IDENTITY else product(frame.rotation, rotation)
    return Frame(rotation=turned, origin=frame.point(vector(pose[:3, 3])))


def _turned_x(M: Mat3, c: Scalar, s: Scalar) -> Mat3:
    """M·Rx."""
    x, y, z = _columns(M)
    return from_columns(x, add(scale(c, y), scale(s, z)), subtract(scale(c, z), scale(s, y)))


def _turned_y(M: Mat3, c: Scalar, s: Scalar) -> Mat3:
    """M·Ry."""
    x, y, z = _columns(M)
    return from_columns(subtract(scale(c, x), scale(s, z)), y, add(scale(c, z), scale(s, x)))


def _columns(M: Mat3) -> tuple[Vec3, Vec3, Vec3]:
    return column(M, 0), column(M, 1), column(M, 2)
