"""The task Jacobian as exact polynomials, and its largest minors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from robots.core.equations.algebra import Vec3, column, dot, scale, subtract
from robots.core.equations.jacobian import Column, geometric_jacobian
from robots.core.equations.transforms import Frame, frames, tool_frame
from robots.core.equations.tree import Tree
from robots.core.inverse.task import Task
from robots.core.singularities.exact_tree import ExactMechanism
from robots.core.singularities.trigonometric_ring import TrigonometricRing

Element = Any
Rows = list[list[Element]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Minors:
    """All largest minors of a Jacobian; one where it is square.

    Args:
        of: "J", "J·Jᵀ" or "Jᵀ·J": whose determinant is the minor, or the sum of their squares.
        minors: ring elements.
    """

    of: str
    minors: tuple[Element, ...]


def exact_jacobian(exact: ExactMechanism, task: Task, ring: TrigonometricRing) -> Rows:
    """Task Jacobian of the joints that carry the tool; its minors are those of every posture.

    What has no effect on them is left out beforehand: the first joint's variable (a turn or shift
    of everything, except for the plane tasks), for a pose the tool, for a direction the distance
    along the tool's axis. The last two change single minors, though not whether all vanish, where
    the Jacobian has fewer columns than rows; they are kept there. Rows that are zero in all
    postures are dropped.
    """
    fn = ring.functions()
    tree = exact.tree(fn, ring.element)
    path = tree.moving_path(tree.tool_link)
    variables = [tree.links[i].variable for i in path]
    q = [ring.element(v) if _slides(exact, i) else v for i, v in enumerate(exact.variables)]
    tall = task.size > len(variables)
    for variable in _without_effect(task, variables, tall=tall):
        q[variable] = ring.ring.zero if _slides(exact, variable) else 0
    placed = frames(tree, q, fn)
    tool = tool_frame(tree, placed)
    point = tool.origin if tall else _point(task, tree, placed, tool)
    columns = geometric_jacobian(tree, placed, tree.tool_link, point)
    kept = [_task_rows(columns[variable], task, tool) for variable in variables]
    rows = [[ring.reduced(ring.ring.zero + x) for x in row] for row in zip(*kept, strict=True)]
    return [row for row in rows if any(row)]


def square_minors(ring: TrigonometricRing, rows: Rows) -> Minors:
    """The largest minors of a Jacobian."""
    height, width = len(rows), len(rows[0]) if rows else 0
    if height <= width:
        chosen = [
            [[row[j] for j in js] for row in rows] for js in combinations(range(width), height)
        ]
    else:
        chosen = [[rows[i] for i in some] for some in combinations(range(height), width)]
    of = "J" if height == width else "J·Jᵀ" if height < width else "Jᵀ·J"
    if height == 0:
        return Minors(of="J", minors=())
    return Minors(of=of, minors=tuple(ring.determinant(matrix) for matrix in chosen))


def _without_effect(task: Task, variables: list[int], *, tall: bool) -> list[int]:
    """Variables that move everything, or for a pose nothing but the tool."""
    if task.in_plane:
        return []
    return variables[:1] + (variables[-1:] if task is Task.POSE and not tall else [])


def _point(task: Task, tree: Tree, placed: Sequence[Frame], tool: Frame) -> Vec3:
    """The point whose velocity is taken: one with the same determinant and the simplest terms."""
    carrier = placed[tree.tool_link].origin
    if task is Task.POSE:
        return carrier
    if task.has_axis:
        along = dot(subtract(tool.origin, carrier), tool.z)
        return subtract(tool.origin, scale(along, tool.z))
    return tool.origin


def _task_rows(twist: Column, task: Task, tool: Frame) -> list[Any]:
    rows = [twist[row] for row in task.base_rows]
    if task.has_axis:
        rows += [dot(column(tool.rotation, axis), twist[3:]) for axis in range(2)]
    return rows


def _slides(exact: ExactMechanism, variable: int) -> bool:
    return not exact.mechanism.movable[variable].kind.angular
