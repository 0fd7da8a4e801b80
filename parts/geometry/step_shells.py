"""Names and shells of a STEP file given to the bodies of the translator, which drops both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parts.geometry.body import Body, Patch
from parts.geometry.step_text import StepText

Indices = NDArray[np.int64]


def with_shells(text: StepText, bodies: list[Body]) -> tuple[Body, ...]:
    """Bodies cut into one for each shell, their faces named as in the file.

    The translator keeps the order of the faces, so they are matched by place; only where number
    and kinds of all faces agree with the text, else all stays as it is.

    Args:
        text: of the file.
        bodies: one for each part.
    """
    kinds = tuple(patch.kind for body in bodies for patch in body.patches)
    if kinds != text.face_kinds:
        return tuple(bodies)
    names = iter(text.face_names)
    named = [
        replace(body, patches=tuple(replace(p, name=next(names)) for p in body.patches))
        for body in bodies
    ]
    sizes = iter(text.shell_sizes)
    return tuple(piece for body in named for piece in _cut(body, sizes))


def _cut(body: Body, sizes: Iterator[int]) -> Iterator[Body]:
    """Pieces of a body, of the next so many faces each; the last takes what is left."""
    left = list(body.patches)
    while left:
        size = next(sizes, len(left)) or len(left)
        yield _piece(body, left[:size])
        left = left[size:]


def _piece(body: Body, patches: list[Patch]) -> Body:
    if len(patches) == len(body.patches):
        return body
    rows = np.concatenate([patch.triangles for patch in patches])
    used, corners = np.unique(body.faces[rows], return_inverse=True)
    starts = np.cumsum([0, *(len(patch.triangles) for patch in patches)])
    renumbered = [
        replace(patch, triangles=np.arange(start, start + len(patch.triangles)))
        for patch, start in zip(patches, starts[:-1], strict=True)
    ]
    return Body(
        name=body.name,
        vertices=body.vertices[used],
        faces=corners.reshape(-1, 3),
        patches=tuple(renumbered),
        normals=None if body.normals is None else body.normals[used],
    )
