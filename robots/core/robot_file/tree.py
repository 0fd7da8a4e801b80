"""Parents by name → an order in which every parent stands before its children."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import SourceText
from robots.core.schema_problems import nearest

BASE_NAME = "base"


def ordered(
    names: Sequence[str], parents: Sequence[str | None], source: SourceText
) -> tuple[int, ...]:
    """Indices of the joints, parents first, otherwise in the order of the file.

    Args:
        names: of the joints.
        parents: what each joint says; None is the joint before, or the base for the first.
        source: for messages.

    Raises:
        RobotFileError: a name given twice or reserved, an unknown parent, a cycle.
    """
    _check_names(names, source)
    index_of = {name: index for index, name in enumerate(names)}
    parent_of: list[int] = []
    for index, name in enumerate(parents):
        parent_of.append(index - 1 if name is None else _parent(index, name, index_of, source))
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parent_of):
        children.setdefault(parent, []).append(index)
    order: list[int] = []
    ready = list(children.get(-1, []))
    while ready:
        # The least index: a joint keeps its place in the file unless its parent comes later.
        order.append(heappop(ready))
        for child in children.get(order[-1], []):
            heappush(ready, child)
    if len(order) < len(names):
        raise _cycle(sorted(set(range(len(names))) - set(order)), parent_of, names, source)
    return tuple(order)


def _check_names(names: Sequence[str], source: SourceText) -> None:
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        if name == BASE_NAME:
            raise source.error(
                ("joint", index, "name"), f"is {name!r}, which is the base itself; rename it."
            )
        if name in seen:
            raise source.error(
                ("joint", index, "name"),
                f"is {name!r}, as is the name of joint[{seen[name]}]; rename one.",
            )
        seen[name] = index


def _parent(index: int, parent: str, index_of: dict[str, int], source: SourceText) -> int:
    if parent == BASE_NAME:
        return -1
    path = ("joint", index, "parent")
    if parent not in index_of:
        raise source.error(
            path, f"is {parent!r}, but no joint has this name; {nearest(parent, index_of)}"
        )
    if index_of[parent] == index:
        raise source.error(
            path, f'is the joint itself, {parent!r}; name another joint, or "{BASE_NAME}".'
        )
    return index_of[parent]


def _cycle(
    waiting: Sequence[int], parent_of: Sequence[int], names: Sequence[str], source: SourceText
) -> RobotFileError:
    """The error that names the joints of one cycle."""
    visited: dict[int, None] = {}
    index = waiting[0]
    while index not in visited:
        visited[index] = None
        index = parent_of[index]
    walk = list(visited)
    loop = walk[walk.index(index) :]
    told = [names[joint] for joint in loop]
    circle = " → ".join([*(told if len(told) < 9 else [*told[:7], "…"]), told[0]])
    return source.error(
        ("joint", loop[0], "parent"),
        f'closes a circle of parents: {circle}; one of them must stand on "{BASE_NAME}".',
    )
