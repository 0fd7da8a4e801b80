"""The demonstration's checks: each compares a result with one reached by another road."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from planner.cli.bench_kernels import BenchStates, bench_states
from planner.cli.described_robot import named_equations
from planner.cli.pinocchio_peer import PinocchioPeer, pinocchio_version
from planner.cli.session import Session
from planner.cli.tableau_4 import ROUNDING, tableau_4
from robots.core.inverse import Target, Task, solve_many
from robots.core.joint_samples import joint_samples
from robots.core.kernels.machine import this_machine
from robots.core.model import Model
from robots.core.singularities import determinant
from robots.library import load

Array = NDArray[np.float64]

_STATES = 500
_STEP = 1e-5  # of central differences: error about step² beside rounding/step
_DIFFERENCES = 1e-8
_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One comparison.

    Args:
        name: what was compared with what.
        value: largest difference, relative to the largest number compared unless in ``unit``.
        limit: that it may have.
        unit: of both; empty when relative.
    """

    name: str
    value: float
    limit: float
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value is within the limit; NaN is not."""
        return self.value <= self.limit

    def document(self) -> dict[str, object]:
        """As it stands in JSON."""
        return asdict(self) | {"passed": self.passed}


def run_checks(session: Session) -> tuple[Check, ...]:
    """All checks, with progress where somebody watches."""
    arm = Model(load("measuring-arm"))
    states = bench_states(arm.mechanism, _STATES)
    checks: list[Callable[[], Check]] = [
        lambda: _newton_euler_and_lagrange(arm, states),
        lambda: _jacobian_and_differences(arm, states),
        lambda: _acceleration_and_differences(arm, states),
        lambda: _power_and_energy(arm, states),
        lambda: _forward_dynamics_and_torques(arm, states),
        lambda: _inverse_and_forward(arm),
        lambda: _determinant_and_numbers(arm, states),
        _condensed_and_lagrange,
        _durations_and_print,
    ]
    if this_machine() is not None:
        checks.append(lambda: _compiled_and_numpy(arm, states))
    if pinocchio_version():
        checks.append(lambda: _torques_and_pinocchio(arm, states))
    return tuple(check() for check in session.watched(checks, "checking"))


def relative(found: Array, right: Array) -> float:
    """Largest difference over the largest right number."""
    return float(np.abs(found - right).max() / np.abs(right).max())


def _newton_euler_and_lagrange(arm: Model, states: BenchStates) -> Check:
    q, qd, qdd = states.q, states.qd, states.qdd
    value = relative(arm.lagrange(q).torques(qd, qdd), arm.torques(q, qd, qdd))
    name = "torques: Lagrange coefficients (Uicker) against Newton-Euler"
    return Check(name=name, value=value, limit=_ROUNDING)


def _jacobian_and_differences(arm: Model, states: BenchStates) -> Check:
    n = arm.dof
    steps = _STEP * np.eye(n)
    after, before = (arm.forward(states.q[:, None, :] + sign * steps) for sign in (1.0, -1.0))
    slopes = (after - before)[..., :3, 3] / (2.0 * _STEP)
    value = relative(np.swapaxes(arm.jacobian(states.q)[:, :3], 1, 2), slopes)
    return Check(
        name="Jacobian against central differences of the pose", value=value, limit=_DIFFERENCES
    )


def _acceleration_and_differences(arm: Model, states: BenchStates) -> Check:
    q, qd, qdd = states.q, states.qd, states.qdd
    rates = [arm.velocity(q + t * qd + 0.5 * t * t * qdd, qd + t * qdd) for t in (_STEP, -_STEP)]
    slopes = (rates[0] - rates[1]) / (2.0 * _STEP)
    return Check(
        name="tool acceleration against central differences of its velocity",
        value=relative(arm.acceleration(q, qd, qdd), slopes),
        limit=_DIFFERENCES,
    )


def _power_and_energy(arm: Model, states: BenchStates) -> Check:
    q, qd, qdd = states.q, states.qd, states.qdd
    energies = [arm.energies(q + t * qd + 0.5 * t * t * qdd, qd + t * qdd) for t in (_STEP, -_STEP)]
    total = [e.kinetic + e.potential for e in energies]
    power = np.sum(arm.torques(q, qd, qdd) * qd, axis=-1)
    return Check(
        name="power of the torques against the change of energy",
        value=relative(power, (total[0] - total[1]) / (2.0 * _STEP)),
        limit=_DIFFERENCES,
    )


def _forward_dynamics_and_torques(arm: Model, states: BenchStates) -> Check:
    q, qd, tau = states.q, states.qd, states.tau
    again = arm.torques(q, qd, arm.forward_dynamics(q, qd, tau))
    # Accelerations reach 1e5 rad/s² where 4e-5 kg m² meets 1 N m; rounding grows with them.
    return Check(
        name="torques of the accelerations that torques give",
        value=relative(again, tau),
        limit=1e-9,
    )


def _inverse_and_forward(arm: Model) -> Check:
    q = joint_samples(arm.mechanism, 20, slide=1.0, skip=1)
    T = arm.forward(q)
    found = solve_many(arm, Target.position_and_axis(T[:, :3, 3], T[:, :3, 2]))
    again = arm.forward(np.array([solutions.best.q for solutions in found]))
    parts = np.concatenate([(again - T)[:, :3, 3], (again - T)[:, :3, 2]])
    good = all(solutions.success for solutions in found)
    value = float(np.abs(parts).max()) if good else float("inf")
    name = "position and axis reached by the inverse model, 20 poses"
    return Check(name=name, value=value, limit=1e-8, unit="m, 1")


def _determinant_and_numbers(arm: Model, states: BenchStates) -> Check:
    closed = np.abs(determinant(arm.mechanism, Task.POSITION_AND_AXIS).value(states.q))
    numbers = np.abs(np.linalg.det(Task.POSITION_AND_AXIS.jacobian(arm, states.q)))
    name = "factored determinant against the numerical one"
    return Check(name=name, value=relative(closed, numbers), limit=_ROUNDING)


def _condensed_and_lagrange() -> Check:
    mechanism = load("liegeois-6r")
    equations = named_equations("liegeois-6r", mechanism)
    name = "condensed equations of the 6R robot [LIEGEOIS80] against numbers"
    if equations is None:
        return Check(name=name, value=float("inf"), limit=_ROUNDING)
    q = joint_samples(mechanism, 50, slide=1.0)
    found, right = equations.evaluate(q), Model(mechanism).lagrange(q)
    pairs = ((found.A, right.A), (found.B, right.B), (found.C, right.C))
    value = max(relative(a, b) for a, b in (*pairs, (found.gravity, right.gravity)))
    return Check(name=name, value=value, limit=_ROUNDING)


def _durations_and_print() -> Check:
    value = max(abs(row.duration_s - row.printed_s) for row in tableau_4())
    name = "least times of five laws against [LAMMARI12] Tableau 4"
    return Check(name=name, value=value, limit=ROUNDING, unit="s")


def _compiled_and_numpy(arm: Model, states: BenchStates) -> Check:
    arguments = (states.q, states.qd, states.qdd)
    found = Model(arm.mechanism, engine="compiled").torques(*arguments)
    right = Model(arm.mechanism, engine="numpy").torques(*arguments)
    name = "compiled torques against NumPy's"
    return Check(name=name, value=relative(found, right), limit=_ROUNDING)


def _torques_and_pinocchio(arm: Model, states: BenchStates) -> Check:
    arguments = (states.q, states.qd, states.qdd)
    right = PinocchioPeer(arm.mechanism).torques(*arguments)
    name = "torques against Pinocchio's"
    return Check(name=name, value=relative(arm.torques(*arguments), right), limit=_ROUNDING)
