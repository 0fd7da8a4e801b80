"""Newton's method in a box, safeguarded, for a whole batch of targets at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robots.core.arrays import Array

_ITERATIONS = 40
_HALVINGS = 12
_ROUNDING = 8.0 * np.finfo(float).eps


def root_in_box(
    function: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    target: Array,
    box: Array,
) -> Array:
    """Arguments whose values are nearest to ``target`` that Newton finds from the box's middle.

    A step is cut to the box and halved while the residual does not fall, so it never leaves where
    ``function`` is defined. The caller checks the residual that is left.

    Args:
        function: (N, k) → (N, k).
        jacobian: (N, k) → (N, k, k), regular in the box.
        target: # (N, k)
        box: least and greatest argument. # (k, 2)
    """
    q: Array = np.broadcast_to(box.mean(axis=1), target.shape).copy()
    residual = function(q) - target
    scale = _ROUNDING * (1.0 + np.abs(target).max(axis=-1))
    for _ in range(_ITERATIONS):
        todo = np.flatnonzero(np.abs(residual).max(axis=-1) > scale)
        if not todo.size:
            break
        moves = np.linalg.solve(jacobian(q[todo]), residual[todo][..., np.newaxis])
        step: Array = np.asarray(moves[..., 0], dtype=np.float64)
        better, left = _shortened(function, q[todo], step, (target[todo], residual[todo], box))
        gained = np.linalg.norm(left, axis=-1) < np.linalg.norm(residual[todo], axis=-1)
        if not gained.any():
            break
        q[todo[gained]], residual[todo[gained]] = better[gained], left[gained]
    return q


def _shortened(
    function: Callable[[Array], Array], q: Array, step: Array, problem: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Arguments after a step that lowers the residual where one does, and their residuals."""
    target, residual, box = problem
    start = np.linalg.norm(residual, axis=-1)
    length = np.ones(len(q))
    for _ in range(_HALVINGS):
        tried = np.clip(q - length[:, np.newaxis] * step, box[:, 0], box[:, 1])
        residual = function(tried) - target
        worse = np.linalg.norm(residual, axis=-1) >= start
        if not worse.any():
            break
        length[worse] /= 2.0
    return tried, residual
