"""The arm with its errors as numbers: a draw of all errors is one sample of a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.equations.algebra import Scalar
from robots.core.equations.transforms import Frame
from robots.core.errors import MechanismError
from robots.core.geometric_errors.chain import tip
from robots.core.geometric_errors.parameters import GeometricParameter, geometric_parameters
from robots.core.kernels import Engine, Kernel
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions
from robots.core.recording.derivative import derivative


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
