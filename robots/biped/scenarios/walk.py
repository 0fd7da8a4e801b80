"""Walk: preview control of the centre of mass, closed-form legs under an upright trunk.

The cart-table knows one mass at one height; legs that swing and a trunk that is carried along move
the true ZMP off by a centimetre. So the ZMP of the full dynamics is compared with its reference,
and a second preview drives the cart with the difference (Kajita's dynamic filter).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.motion import BipedMotion
from robots.biped.posture.verdict import gait_verdict
from robots.biped.scenarios.scenario import Loads, loads_of, scenario_motion
from robots.biped.walking.free_base import FREE, FreeBase, load_shares, rates_from_rest
from robots.biped.walking.gait import (
    FEET_DISTANCE,
    Gait,
    WalkingPattern,
    feet_distance,
    feet_remark,
    feet_remedy,
    supports,
    walking_pattern,
)
from robots.biped.walking.legged_robot import FeetPlacement, LeggedRobot
from robots.core.arrays import Array

PREVIEW_TIME = 1.6  # [s] of the references: 320 samples of 5 ms
_TRIALS = 10  # halvings when the longest step is looked for
_COARSE = 0.02  # [s] samples of a trial


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Course:
    """A walk that has been laid out.

    Args:
        pattern: feet and ZMP reference.
        cart_zmp: of the cart-table. # (k, 2) [m]
        placement: postures.
        loads: of the full dynamics.
    """

    pattern: WalkingPattern
    cart_zmp: Array
    placement: FeetPlacement
    loads: Loads

    @property
    def cart_error(self) -> Array:
        """Largest ZMP error of the cart-table, along x and y. # (2,) [m]."""
        return np.asarray(np.abs(self.cart_zmp - self.pattern.zmp_reference).max(axis=0))

    @property
    def error(self) -> Array:
        """Largest ZMP error of the full dynamics, along x and y. # (2,) [m]."""
        off = self.loads.zmp[:, :2] - self.pattern.zmp_reference
        return np.asarray(np.abs(off).max(axis=0))


def walk(
    biped: Biped,
    speed: float = 0.1,
    steps: int = 4,
    *,
    gait: Gait | None = None,
    filter_passes: int = 1,
) -> BipedMotion:
    """Walk straight ahead on level ground, from rest to rest.

    On both feet the torques are those of ``shared_load``: each foot bears what the ZMP's place
    between the feet asks for. On one foot they are determined.

    Args:
        biped: on two BIP legs.
        speed: [m/s]
        steps: that go forward; one more closes.
        gait: its other figures; speed and steps in it do not count.
        filter_passes: how often the ZMP error of the full dynamics is fed back; 0 is the
            cart-table alone.

    Raises:
        BipedError: no such walk; for a step that the legs cannot make, with the longest.
    """
    chosen = replace(Gait() if gait is None else gait, speed=speed, steps=steps)
    robot = LeggedRobot(biped=biped)
    if filter_passes < 0:
        raise BipedError(f"The walk's filter has {filter_passes} passes; give 0 or more.")
    free = FreeBase(biped=biped)
    try:
        course, before = _laid_out(robot, free, chosen, filter_passes)
    except PostureError as cause:
        raise BipedError(_too_long(robot, chosen, cause), gait=chosen) from cause
    pattern, loads = course.pattern, course.loads
    soles = _sole_points(pattern)
    tau = loads.efforts - free.feet_efforts(loads.state, loads.pushes(soles, pattern.loaded))
    polygons = supports(biped, robot, pattern)
    feet = feet_distance(biped, robot, pattern)
    return scenario_motion(
        free,
        loads,
        tau[:, FREE:],
        title=f"Walk at {speed:g} m/s, steps of {chosen.step_length:g} m",
        t=pattern.t,
        T_world_base=course.placement.T_world_base,
        support=polygons,
        verdict=gait_verdict(pattern.t, loads.zmp, polygons),
        curves={**_curves(biped, course), FEET_DISTANCE: feet},
        remarks=(*_remarks(course, before, filter_passes), feet_remark(pattern, feet)),
        remedy=feet_remedy(biped, robot, feet),
    )


STANDARD_G = 9.81  # [m/s²]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CartTable:
    """The sampled cart-table: state (x, ẋ, ẍ), input jerk, output ZMP.

    Args:
        height: z_c of the centre of mass above the ground. [m]
        period: T. [s]
        gravity: [m/s²]

    Raises:
        BipedError: a value that is not above zero.
    """

    height: float
    period: float = 0.005
    gravity: float = STANDARD_G

    def __post_init__(self) -> None:
        for name, unit in (("height", "m"), ("period", "s"), ("gravity", "m/s²")):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise BipedError(
                    f"The cart-table's {name} is {value!r} {unit}; it must be above zero.",
                    field=name,
                    value=value,
                    limit=0.0,
                    unit=unit,
                )

    @property
    def transition(self) -> Array:
        """A: state after one period without jerk. # (3, 3)."""
        T = self.period
        return np.array([[1.0, T, T * T / 2.0], [0.0, 1.0, T], [0.0, 0.0, 1.0]])

    @property
    def input(self) -> Array:
        """B: effect of a jerk held for one period. # (3,)."""
        T = self.period
        return np.array([T**3 / 6.0, T * T / 2.0, T])

    @property
    def output(self) -> Array:
        """C: ZMP of a state. # (3,)."""
        return np.array([1.0, 0.0, -self.height / self.gravity])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreviewGains:
    """Gains of u = −G_i·Σ(p − p_ref) − G_x·x − Σ_l G_p(l)·p_ref(k + l).

    Args:
        table: of which cart-table.
        G_i: of the summed ZMP error.
        G_x: of the state. # (3,)
        G_p: of the coming references; the first entry is that of the next sample. # (N,)
    """

    table: CartTable
    G_i: float
    G_x: Array
    G_p: Array

    @property
    def horizon(self) -> float:
        """How far the controller looks ahead. [s]."""
        return len(self.G_p) * self.table.period


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cart:
    """Motion of the cart-table model, before the robot.

    Args:
        pattern: feet and ZMP reference.
        gains: of its preview.
        zmp: # (k, 2) [m]
        com: centre of mass wanted. # (k, 3) [m]
    """

    pattern: WalkingPattern
    gains: PreviewGains
    zmp: Array
    com: Array


def _carted(robot: LeggedRobot, gait: Gait) -> _Cart:
    height = float(robot.center_of_mass(_bent(robot, gait))[2])
    samples = round(PREVIEW_TIME / gait.period)
    gains = preview_gains(CartTable(height=height, period=gait.period), samples)
    first = _foot_index(robot.biped, gait.first)
    pattern = walking_pattern(gait, _start(robot, gait)[:, :2], first)
    cart = run_preview(gains, pattern.zmp_reference)
    com = np.column_stack([cart.position, np.full(len(pattern.t), height)])
    return _Cart(pattern=pattern, gains=gains, zmp=cart.zmp, com=com)


def _laid_out(robot: LeggedRobot, free: FreeBase, gait: Gait, passes: int) -> tuple[_Course, Array]:
    """The walk, and the ZMP error that it had before the filter."""
    cart = _carted(robot, gait)
    com = cart.com
    course = _course(robot, free, cart, com)
    before = course.error
    for _ in range(passes):
        com = com + _correction(cart.gains, course)
        course = _course(robot, free, cart, com)
    return course, before


def _course(robot: LeggedRobot, free: FreeBase, cart: _Cart, com: Array) -> _Course:
    pattern = cart.pattern
    placement = robot.over(com, _ankles(robot, pattern))
    x = free.coordinates(placement.q, placement.T_world_base)
    loads = loads_of(free, rates_from_rest(pattern.t, x))
    return _Course(pattern=pattern, cart_zmp=cart.zmp, placement=placement, loads=loads)


def _correction(gains: PreviewGains, course: _Course) -> Array:
    """Displacement of the centre of mass that takes the ZMP error back. # (k, 3) [m]."""
    missing = course.pattern.zmp_reference - course.loads.zmp[:, :2]
    moved = run_preview(gains, missing, start=np.zeros((2, 3))).position
    return np.column_stack([moved, np.zeros(len(moved))])


def _bent(robot: LeggedRobot, gait: Gait) -> FeetPlacement:
    origin = robot.biped.T_world_base[:3, 3] - np.array([0.0, 0.0, gait.lowering])
    return robot.postures(origin, _start(robot, gait))


def _start(robot: LeggedRobot, gait: Gait) -> Array:
    """Ankles before the walk. # (2, 3) [m]."""
    ankles = robot.ankles.copy()
    if gait.step_width is not None:
        middle = ankles[:, 1].mean()
        ankles[:, 1] = middle + 0.5 * gait.step_width * np.sign(ankles[:, 1] - middle)
    return ankles


def _ankles(robot: LeggedRobot, pattern: WalkingPattern) -> Array:
    return pattern.feet + np.array([0.0, 0.0, 1.0]) * robot.ankles


def _sole_points(pattern: WalkingPattern) -> Array:
    """The point of each sole that the ZMP reference goes to. # (k, 2, 3) [m]."""
    return pattern.feet * [1.0, 1.0, 0.0] + [pattern.gait.ahead, 0.0, 0.0]


def _foot_index(biped: Biped, name: str) -> int:
    return [foot.name for foot in biped.feet].index(biped.foot(name).name)


def _too_long(robot: LeggedRobot, gait: Gait, cause: PostureError) -> str:
    said = (
        f"{robot.biped.name} cannot walk at {gait.speed:g} m/s in steps of {gait.step_length:g} m "
        f"with the pelvis {1e3 * gait.lowering:g} mm below stretched legs"
    )
    low = gait.speed * (gait.double_support + 2.0 * _COARSE)
    if low >= gait.step_length or not _goes(robot, gait, low):
        return f"{said}: {cause}"
    high = gait.step_length
    for _ in range(_TRIALS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _goes(robot, gait, middle) else (low, middle)
    return f"{said}; the longest step is about {low:.3f} m. {cause}"


def _goes(robot: LeggedRobot, gait: Gait, step_length: float) -> bool:
    """Return whether the cart-table's course is in reach of the legs."""
    trial = replace(gait, step_length=step_length, period=_COARSE, steps=min(gait.steps, 3))
    try:
        cart = _carted(robot, trial)
        robot.over(cart.com, _ankles(robot, cart.pattern))
    except PostureError:
        return False
    return True


def _curves(biped: Biped, course: _Course) -> dict[str, Array]:
    pattern, loads = course.pattern, course.loads
    shares = load_shares(loads.zmp, _sole_points(pattern), pattern.loaded)
    curves = {}
    for number, foot in enumerate(biped.feet):
        curves[f"load_share_{foot.name}"] = shares[:, number]
        curves[f"foot_height_{foot.name}_m"] = pattern.feet[:, number, 2]
    for column, axis in enumerate("xy"):
        curves[f"zmp_reference_{axis}_m"] = pattern.zmp_reference[:, column]
        curves[f"cart_zmp_{axis}_m"] = course.cart_zmp[:, column]
    return curves


def _remarks(course: _Course, before: Array, passes: int) -> tuple[str, ...]:
    cart, full = 1e3 * course.cart_error, 1e3 * course.error
    said = [
        f"The cart-table follows its ZMP reference within {cart[0]:.2f} mm along x and "
        f"{cart[1]:.2f} mm along y.",
        f"The ZMP of the full dynamics follows it within {full[0]:.2f} mm along x and "
        f"{full[1]:.2f} mm along y.",
        "On both feet each foot bears the part of the load that the ZMP's place between them asks "
        "for; the torques there are one choice among many.",
    ]
    if passes:
        was = 1e3 * before
        said.insert(
            2,
            f"Before {passes} pass{'es' if passes > 1 else ''} of the dynamic filter it was off by "
            f"up to {was[0]:.1f} mm along x and {was[1]:.1f} mm along y.",
        )
    return tuple(said)


# --------------------------------------------------------------------------------- Preview control
# The cart-table is a point mass at a constant height z_c; its ZMP is p = x − (z_c/g)·ẍ. The jerk of
# the mass is the input; an integrating linear-quadratic servo with a preview of N samples keeps p
# on its reference. One axis at a time; x and y are independent and of the same gains.
#
# Source: S. Kajita et al., "Biped walking pattern generation by using preview control of
# zero-moment point", ICRA 2003; gains as T. Katayama et al., 1985. Reference numbers: bip2000.md.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CartMotion:
    """Motion of the cart at every sample of the reference.

    Args:
        position: of the centre of mass along each axis. # (k, axes) [m]
        velocity: # (k, axes) [m/s]
        acceleration: # (k, axes) [m/s²]
        zmp: of the cart-table. # (k, axes) [m]
    """

    position: Array
    velocity: Array
    acceleration: Array
    zmp: Array


def preview_gains(
    table: CartTable, samples: int = 320, *, error_weight: float = 1.0, jerk_weight: float = 1e-6
) -> PreviewGains:
    """Gains that minimise Σ Q·(p − p_ref)² + R·Δu².

    Args:
        table: the sampled cart-table.
        samples: N, how many coming references are used.
        error_weight: Q.
        jerk_weight: R, on the change of the jerk.

    Raises:
        BipedError: no sample, or a weight that is not above zero.

    Source: Kajita et al. 2003 eqs. (18)-(24)
    """
    from scipy.linalg import solve_discrete_are

    if samples < 1 or not (error_weight > 0.0 and jerk_weight > 0.0):
        raise BipedError(
            f"Preview control got N = {samples}, Q = {error_weight!r}, R = {jerk_weight!r}; "
            "N must be at least 1 and both weights above zero.",
            samples=samples,
        )
    A, B, C = table.transition, table.input, table.output
    # State of the augmented system: the summed error's step, then the increments of (x, ẋ, ẍ).
    Bt = np.concatenate([[C @ B], B])[:, None]
    It = np.array([1.0, 0.0, 0.0, 0.0])
    Ft = np.vstack([C @ A, A])
    At = np.column_stack([It, Ft])
    P = solve_discrete_are(At, Bt, np.diag([error_weight, 0.0, 0.0, 0.0]), [[jerk_weight]])
    scale = 1.0 / (jerk_weight + float((Bt.T @ P @ Bt)[0, 0]))
    row = scale * (Bt.T @ P)[0]
    closed = At - Bt @ (row @ At)[None, :]
    coming = np.empty(samples)
    coming[0] = -row @ It
    X = -closed.T @ P @ It
    for l in range(1, samples):
        coming[l] = scale * float(Bt[:, 0] @ X)
        X = closed.T @ X
    return PreviewGains(table=table, G_i=float(row @ It), G_x=row @ Ft, G_p=coming)


def run_preview(
    gains: PreviewGains, reference: ArrayLike, start: ArrayLike | None = None
) -> CartMotion:
    """Drive the cart along a ZMP reference.

    Args:
        gains: of ``preview_gains``.
        reference: ZMP to follow on each axis; its last value is held. # (k, axes) [m]
        start: (x, ẋ, ẍ) of each axis; default at rest on the first reference. # (axes, 3)

    Raises:
        BipedError: a reference that is empty or not finite.
    """
    wanted = np.asarray(reference, dtype=float)
    if wanted.ndim != 2 or not wanted.size or not np.isfinite(wanted).all():
        raise BipedError(
            f"The ZMP reference has shape {wanted.shape}; give finite metres, a row per sample "
            "and a column per axis."
        )
    # Relative to the start, so that cutting the preview at N leaves no trace of the origin chosen.
    origin = wanted[0]
    p = wanted - origin
    x = np.zeros((3, p.shape[1])) if start is None else np.array(start, dtype=float).T
    x[0] -= origin if start is not None else 0.0
    states = _stepped(gains, p, _coming(gains.G_p, p), x)
    states[:, 0] += origin
    zmp = np.einsum("i,kia->ka", gains.table.output, states)
    return CartMotion(
        position=states[:, 0], velocity=states[:, 1], acceleration=states[:, 2], zmp=zmp
    )


def _coming(G_p: Array, p: Array) -> Array:
    """Σ_l G_p(l)·p(k + l) of every sample, the last reference held. # (k, axes)."""
    from scipy.signal import fftconvolve

    longer = np.vstack([p[1:], np.repeat(p[-1:], len(G_p), axis=0)])
    return np.asarray(fftconvolve(longer, G_p[::-1, None], mode="valid", axes=0))


def _stepped(gains: PreviewGains, p: Array, coming: Array, x: Array) -> Array:
    """States of all samples. # (k, 3, axes)."""
    A, B, C = gains.table.transition, gains.table.input, gains.table.output
    states = np.empty((len(p), *x.shape))
    error_sum = np.zeros(p.shape[1])
    for k in range(len(p)):
        states[k] = x
        error_sum = error_sum + C @ x - p[k]
        jerk = -gains.G_i * error_sum - gains.G_x @ x - coming[k]
        x = A @ x + B[:, None] * jerk
    return states
