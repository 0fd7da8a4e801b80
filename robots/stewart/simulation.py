"""Simulation of the platform under leg forces, by forward dynamics in steps of equal length.

Runge-Kutta of order four. The rotation of a step is R = exp(θ)·R₀ with a vector θ that starts at
zero, so every stage is a rotation and no normalising is needed: the Munthe-Kaas form, with
θ̇ = ω - θ×ω/2 + θ×(θ×ω)/12, whose next term has no part in the fourth order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.pose import nearest_rotation, rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel
from robots.stewart.platform import checked_poses

# (time [s], T (4, 4), V (6,)) -> leg forces (6,) [N]
ForceLaw = Callable[[float, Array, Array], ArrayLike]
# Stage weights of the classical method, and where its stages lie.
_WEIGHTS = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
_PLACES = (0.0, 0.5, 0.5, 1.0)
# Steps after which rounding has to be taken out of the rotation matrix: it grows by an ulp a step.
_CLEANING = 64
_RUNAWAY = 10.0  # [m or rad] in one step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedMotion:
    """States at equal intervals, the first one included."""

    time: Array  # (n,) [s]
    T: Array  # (n, 4, 4)
    V: Array  # (n, 6) [m/s, rad/s]
    forces: Array  # (n, 6) [N]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _State:
    T: Array
    V: Array


def simulate(
    model: PlatformModel,
    T0: ArrayLike,
    V0: ArrayLike,
    force_law: ForceLaw,
    *,
    duration: float,
    step: float,
) -> SimulatedMotion:
    """Motion from a state under a law of leg forces.

    Args:
        model: of the platform; ``engine="compiled"`` makes the many small calls fast.
        T0: T_base_platform at the start. # (4, 4)
        V0: platform velocity at the start. # (6,) [m/s, rad/s]
        force_law: leg forces of time and state; asked four times a step.
        duration: [s]
        step: longest step; equal ones that fill the duration are taken. [s]

    Raises:
        PlatformError: a duration or step that is not above zero; a start that is not one state; a
            motion that leaves all bounds, with the time where it did.
    """
    steps, h = _division(model, duration, step)
    state = _start(model, T0, V0)
    time = np.linspace(0.0, duration, steps + 1)
    found = [state]
    given = [np.asarray(force_law(0.0, state.T, state.V), dtype=np.float64)]
    for k in range(steps):
        state = _advanced(model, state, force_law, float(time[k]), h)
        _check_bounded(model, state, float(time[k + 1]), h)
        if k % _CLEANING == _CLEANING - 1:
            state.T[:3, :3] = nearest_rotation(state.T[:3, :3])
        found.append(state)
        given.append(np.asarray(force_law(float(time[k + 1]), state.T, state.V), dtype=np.float64))
    return SimulatedMotion(
        time=time,
        T=np.array([s.T for s in found]),
        V=np.array([s.V for s in found]),
        forces=np.array(given),
    )


def _division(model: PlatformModel, duration: float, step: float) -> tuple[int, float]:
    for name, value in (("duration", duration), ("step", step)):
        if not (np.isfinite(value) and value > 0.0):
            raise PlatformError(
                f"Platform {model.platform.name!r}: the simulation's {name} is {value!r} s; it "
                "must be above zero.",
                value=value,
            )
    steps = max(1, int(np.ceil(duration / step * (1.0 - 1e-12))))
    return steps, duration / steps


def _check_bounded(model: PlatformModel, state: _State, time: float, h: float) -> None:
    """Stop long before numbers overflow: at a step that means nothing."""
    fastest = float(np.abs(state.V).max())
    if not fastest * h <= _RUNAWAY:
        raise PlatformError(
            f"Platform {model.platform.name!r}: the simulated motion runs away: at {time:.6g} s "
            f"its speed is {fastest:.3g} m/s or rad/s, more than {_RUNAWAY:g} in a step of {h:g} "
            "s; take a shorter step, or other forces.",
            time=time,
        )


def _start(model: PlatformModel, T0: ArrayLike, V0: ArrayLike) -> _State:
    pose = np.array(checked_poses(model.platform, T0))
    speed = np.array(V0, dtype=np.float64)
    if pose.shape != (4, 4) or speed.shape != (6,):
        raise PlatformError(
            f"Platform {model.platform.name!r}: a simulation starts from one pose (4, 4) and one "
            f"velocity (6,), not {pose.shape} and {speed.shape}."
        )
    return _State(T=pose, V=speed)


def _advanced(model: PlatformModel, state: _State, law: ForceLaw, time: float, h: float) -> _State:
    """One step."""
    turns, slides, gains = [np.zeros(3)], [np.zeros(3)], [np.zeros(6)]
    for place in _PLACES:
        stage = _moved(state, place * h * slides[-1], place * h * turns[-1], place * h * gains[-1])
        force = law(time + place * h, stage.T, stage.V)
        gains.append(accelerations(model, stage.T, stage.V, force))
        slides.append(stage.V[:3])
        turns.append(_vector_rate(place * h * turns[-1], stage.V[3:]))
    slide, turn, gain = (
        h * np.einsum("k,kj->j", _WEIGHTS, np.array(rates[1:])) for rates in (slides, turns, gains)
    )
    return _moved(state, slide, turn, gain)


def _moved(state: _State, slide: Array, turn: Array, gain: Array) -> _State:
    T = state.T.copy()
    T[:3, :3] = rotation_exp(turn) @ T[:3, :3]
    T[:3, 3] += slide
    return _State(T=T, V=state.V + gain)


def _vector_rate(theta: Array, w: Array) -> Array:
    """θ̇ of exp(θ) that turns with ω in the base frame, up to the order that counts."""
    once = np.cross(theta, w)
    return np.asarray(w - once / 2.0 + np.cross(theta, once) / 12.0)


# -------------------------------------------------------------------------------- Forward dynamics
# M(T)·A + h(T, V) = Jᵀf + w, with the mass matrix of platform and legs seen at the platform and h
# from the inverse dynamics at zero acceleration.


def accelerations(
    model: PlatformModel,
    T: ArrayLike,
    V: ArrayLike,
    forces: ArrayLike,
    wrench: ArrayLike | None = None,
) -> Array:
    """Acceleration of the platform under leg forces; the inverse of ``PlatformModel.forces``.

    Args:
        model: of the platform.
        T: T_base_platform. # (..., 4, 4)
        V: platform velocity. # (..., 6) [m/s, rad/s]
        forces: of the drives; friction of the strokes works against them. # (..., 6) [N]
        wrench: exerted by the environment on the platform at its frame's origin, base axes.
            # (..., 6) [N, N m]

    Returns:
        A. # (..., 6) [m/s², rad/s²]

    Raises:
        PlatformError: input not finite, or platform and legs without the inertia to resist.
    """
    push = np.asarray(forces, dtype=np.float64)
    if push.shape[-1:] != (6,) or not np.all(np.isfinite(push)):
        raise PlatformError(
            f"Platform {model.platform.name!r}: the leg forces {push.tolist()} are not six finite "
            "numbers in newtons."
        )
    load = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=np.float64)
    given = np.einsum("...ij,...i->...j", model.jacobian(T), push) + load
    missing = given - model.generalised_wrench(T, V, np.zeros(6))
    try:
        found = np.linalg.solve(model.mass_matrix(T), missing[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise PlatformError(
            f"Platform {model.platform.name!r}: nothing resists one of its motions, so forces give "
            "it no finite acceleration; give the platform a mass and a tensor."
        ) from None
    return np.asarray(found, dtype=np.float64)
