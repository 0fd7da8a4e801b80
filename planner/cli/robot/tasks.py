"""Which task of the tool a command means."""

from __future__ import annotations

from planner.errors import OptionError
from robots.core.inverse import Task
from robots.core.model import Model
from robots.core.singularities.analysis import full_rank

# Where none is named: the largest task that the mechanism can do in general.
_PREFERRED = (
    Task.POSE,
    Task.POSITION_AND_AXIS,
    Task.POSITION,
    Task.PLANE_POSE,
    Task.PLANE_POSITION,
    Task.AXIS,
)


def named_task(name: str) -> Task:
    """The task called ``name``.

    Raises:
        OptionError: there is none; the message lists those that exist.
    """
    for task in Task:
        if task.value == name:
            return task
    raise OptionError(
        f"--task: there is no task {name!r}; there are {', '.join(task.value for task in Task)}.",
        name=name,
    )


def natural_task(model: Model) -> Task:
    """The largest task whose every coordinate the mechanism can move in general."""
    for task in _PREFERRED:
        if task.size <= model.dof and full_rank(model, task) == task.size:
            return task
    return Task.POSE
