"""Search for singular postures, and the largest task that a mechanism can do in general."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.inverse.scaling import scale_length
from robots.core.inverse.task import Task
from robots.core.joint_samples import joint_samples
from robots.core.model import Model
from robots.core.singularities.analysis import Singularity, analyse, full_rank

_STARTS = 12
_SAME = 1e-4  # joint values nearer than this are one. [rad or m]
_TOLERANCE = 1e-5  # the search brackets a singular value to about 1e-8 rad

# The largest task comes first.
_BY_SIZE = (
    Task.POSE,
    Task.POSITION_AND_AXIS,
    Task.POSITION,
    Task.PLANE_POSE,
    Task.PLANE_POSITION,
    Task.AXIS,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularPosture:
    """A posture that one joint, moved alone, brings to a singularity.

    Args:
        joint: its name.
        value: of that joint. [rad or m]
        q: the whole posture. # (n,) [rad or m]
        singularity: what is lost there.
    """

    joint: str
    value: float
    q: Array
    singularity: Singularity


def search_starts(model: Model) -> list[Array]:
    """Postures from which each joint is moved alone, spread over the joint ranges. # of (n,)."""
    length = scale_length(model.mechanism)
    return list(joint_samples(model.mechanism, _STARTS, slide=length, skip=1))


def singular_postures(
    model: Model, task: Task, starts: Iterable[Array] | None = None
) -> Iterator[SingularPosture]:
    """Find singular postures by moving one joint alone.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        starts: postures to start from; left out, those of ``search_starts``. # of (n,)
    """
    names = [joint.name for joint in model.mechanism.movable]
    seen: list[tuple[str, float]] = []
    for q in search_starts(model) if starts is None else starts:
        nearest = analyse(model, q, task).nearest
        if nearest is None or any(
            name == nearest.joint and abs(nearest.value - other) < _SAME for name, other in seen
        ):
            continue
        seen.append((nearest.joint, nearest.value))
        posture = np.array(q)
        posture[names.index(nearest.joint)] = nearest.value
        yield SingularPosture(
            joint=nearest.joint,
            value=nearest.value,
            q=posture,
            singularity=analyse(model, posture, task, tolerance=_TOLERANCE),
        )


def natural_task(model: Model) -> Task:
    """The largest task whose every coordinate the mechanism can move in general."""
    for task in _BY_SIZE:
        if task.size <= model.dof and full_rank(model, task) == task.size:
            return task
    return Task.POSE
