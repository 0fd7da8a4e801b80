"""First-order propagation: sensitivities times standard deviations, source by source.

Source: JCGM 100:2008 (GUM) §5.1.2, §5.2.2; several outputs as in JCGM 102:2011 §6.2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.uncertainty.deviations import Inputs, inputs_of
from planner.uncertainty.measuring import Measuring
from planner.uncertainty.types import Budget, Sensitivity
from robots.core.arrays import Array
from robots.core.geometric_errors import ErrorModel, GeometricParameter, ParameterKind
from robots.core.pose import skew

_POSE = ("x", "y", "z", "turn x", "turn y", "turn z")
_GROUPS = {
    ParameterKind.ANGLE: "angles",
    ParameterKind.LENGTH: "lengths",
    ParameterKind.TOOL: "stylus",
    ParameterKind.EXPANSION: "arm temperature",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Input:
    """One input with what it does to every point.

    Args:
        source: entry of the budget.
        name: of the input.
        unit: of the input.
        sigma: standard deviation. [unit]
        effect: deviation of each point per unit. # (k, 3) [m/unit]
        common: whether it is the same draw for all points.
    """

    source: str
    name: str
    unit: str
    sigma: float
    effect: Array
    common: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstOrder:
    """Uncertainty of points to first order.

    Args:
        names: of the points.
        covariances: # (k, 3, 3) [m²]
        sigma_normal: along the normals. # (k,) [m]
        budgets: of the variance along the normal.
        tables: sensitivities along the normal, of every input, one table per point.
    """

    names: tuple[str, ...]
    covariances: Array
    sigma_normal: Array
    budgets: tuple[Budget, ...]
    tables: tuple[tuple[Sensitivity, ...], ...]


def first_order(measuring: Measuring) -> FirstOrder:
    """Propagate the standard deviations of all inputs to first order."""
    inputs = list(_inputs(measuring))
    count = len(measuring)
    scaled = [item.sigma * item.effect for item in inputs]
    effects = np.reshape(scaled, (len(inputs), count, 3))
    along = np.einsum("ikj,kj->ik", effects, measuring.normals)
    sources = tuple(dict.fromkeys(item.source for item in inputs))
    members = np.array([[item.source == name for item in inputs] for name in sources])
    variances = members.reshape(len(sources), len(inputs)).astype(np.float64) @ along**2
    return FirstOrder(
        names=measuring.names,
        covariances=np.einsum("ika,ikb->kab", effects, effects),
        sigma_normal=np.sqrt(np.sum(along**2, axis=0)),
        budgets=tuple(Budget(names=sources, variances=variances[:, k]) for k in range(count)),
        tables=tuple(_table(inputs, measuring.normals[k], k) for k in range(count)),
    )


def joint_covariance(measuring: Measuring) -> Array:
    """Covariance of the coordinates of all points, which common inputs correlate.

    Args:
        measuring: not too many points: the matrix has (3k)² entries.

    Returns:
        Coordinates point by point, base axes. # (3k, 3k) [m²]
    """
    count = len(measuring)
    total = np.zeros((count, 3, count, 3))
    each = np.arange(count)
    for item in _inputs(measuring):
        effect = item.sigma * item.effect
        if item.common:
            total += np.einsum("ka,lb->kalb", effect, effect)
        else:
            total[each, :, each, :] += np.einsum("ka,kb->kab", effect, effect)
    return np.asarray(total.reshape(3 * count, 3 * count))


def normal_sigmas(measuring: Measuring) -> Array:
    """Standard deviations along the normals alone: what a choice of posture needs. # (k,) [m]."""
    variance = np.zeros(len(measuring))
    for item in _inputs(measuring):
        variance += (item.sigma * np.sum(item.effect * measuring.normals, axis=1)) ** 2
    return np.asarray(np.sqrt(variance))


def _table(inputs: list[_Input], normal: Array, k: int) -> tuple[Sensitivity, ...]:
    return tuple(
        Sensitivity(
            source=item.source,
            name=item.name,
            unit=item.unit,
            sigma=item.sigma,
            coefficient=float(item.effect[k] @ normal),
        )
        for item in inputs
    )


def _inputs(measuring: Measuring) -> Iterator[_Input]:
    """Every input that is wrong, in the order of the budget."""
    given = inputs_of(measuring)
    yield from _of_arm(measuring, given)
    yield from _of_touch(measuring, given)
    yield from _of_part(measuring, given)
    yield from _of_carriers(measuring, given)


def _of_arm(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    """Readings and resolution by joint, then zeros by joint, then the groups of parameters."""
    model = ErrorModel(measuring.mechanism, given.parameters, "single-use")
    joints = measuring.mechanism.movable
    rates = -model.reading_sensitivities(measuring.q)
    kinds = [("reading", given.reading, given.reading_sigmas)]
    kinds.append(("resolution", given.stepped, given.step_sigmas))
    for what, indices, sigmas in kinds:
        for j, sigma in zip(indices.tolist(), sigmas.tolist(), strict=True):
            name = f"{what} {joints[j].name}"
            unit = joints[j].kind.unit
            yield _input((name, name, unit), sigma, rates[..., j], common=False)
    effects = -model.sensitivities(measuring.q)
    order = sorted(range(len(given.parameters)), key=lambda i: _rank(given.parameters[i]))
    for i in order:
        parameter = given.parameters[i]
        words = (_source(parameter, measuring), parameter.name, parameter.unit)
        yield _input(words, float(given.sigmas[i]), effects[..., i])


def _rank(parameter: GeometricParameter) -> int:
    return (ParameterKind.OFFSET, *_GROUPS).index(parameter.kind)


def _source(parameter: GeometricParameter, measuring: Measuring) -> str:
    if parameter.kind is ParameterKind.OFFSET:
        return f"offset {measuring.mechanism.joints[parameter.joint].name}"
    return _GROUPS[parameter.kind]


def _of_touch(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    if given.probe > 0.0:
        for axis, name in enumerate(_POSE[:3]):
            effect = np.broadcast_to(np.eye(3)[axis], measuring.normals.shape)
            yield _input(("probe", f"probe {name}", "m"), given.probe, effect, common=False)
    if given.probe_normal > 0.0:
        words = ("probe", "probe along normal", "m")
        yield _input(words, given.probe_normal, measuring.normals, common=False)
    if given.trigger_jitter > 0.0:
        words = ("trigger", "trigger jitter", "s")
        yield _input(words, given.trigger_jitter, measuring.velocities, common=False)


def _of_part(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    arms = measuring.at_home - measuring.middle
    twists = measuring.turns @ _twists(arms)
    for column, (name, sigma) in enumerate(zip(_POSE, given.alignment.tolist(), strict=True)):
        if sigma > 0.0:
            words = ("alignment", f"part {name}", "m" if column < 3 else "rad")
            yield _input(words, sigma, twists[..., column])
    if given.growth > 0.0:
        words = ("part temperature", "part growth", "1")
        yield _input(words, given.growth, np.einsum("kij,kj->ki", measuring.turns, arms))


def _of_carriers(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    """Independent combinations of errors of each pose of a presenter."""
    for place, (carrier, factor) in enumerate(zip(measuring.carriers, given.factors, strict=True)):
        on_it = (measuring.carried == place)[:, None]
        effects = _twists(measuring.surfaces - carrier.origin) @ factor
        for column in range(6):
            words = ("presenter", f"pose {place + 1}, direction {column + 1}", "1")
            yield _input(words, 1.0, np.where(on_it, effects[..., column], 0.0))


def _twists(arms: Array) -> Array:
    """Displacements of points by shifts, then by small turns about the axes. # (k, 3, 6)."""
    shifts = np.broadcast_to(np.eye(3), (len(arms), 3, 3))
    return np.concatenate([shifts, -skew(arms)], axis=2)


def _input(
    words: tuple[str, str, str], sigma: float, effect: Array, *, common: bool = True
) -> _Input:
    source, name, unit = words
    return _Input(
        source=source, name=name, unit=unit, sigma=sigma, effect=np.asarray(effect), common=common
    )
