"""Where a piece that no polynomial fits has its jump or bend, whatever law made it.

Zooming: the largest of the fourth differences runs over it. A jump of a state, or of its slope,
outweighs all that is smooth as steps shrink; before that a wrong guess only cuts a smooth piece in
two.
"""

from __future__ import annotations

import numpy as np

from planner.plan import Plan
from planner.proof.blocks import by_blocks
from planner.proof.chebyshev import NODES
from planner.proof.smooth_pieces import SmoothPieces, states_at
from planner.proof.survey import Survey
from robots.core.arrays import Array

_CELLS = 32
_ORDER = 4  # of the differences, so each runs over four cells
_ZOOMS = 11  # eight times narrower each: to 1e-10 of the piece
_ROWS = 1024  # pieces looked at at once
_STEPS: Array = np.linspace(0.0, 1.0, _CELLS + 1)


def kinks(plan: Plan, pieces: SmoothPieces, survey: Survey) -> Array:
    """Place of the sharpest jump or bend inside every piece. # (P,) in (-1, 1).

    Args:
        plan: to be asked.
        pieces: that hold one.
        survey: for the sizes of speeds and accelerations.
    """
    size = np.concatenate([np.ones_like(survey.speed), survey.speed, survey.acceleration])
    size = np.where(size > 0.0, size, 1.0)
    return by_blocks(lambda rows: _zoomed(plan, pieces.take(rows), size), len(pieces), _ROWS)


def _zoomed(plan: Plan, pieces: SmoothPieces, size: Array) -> Array:
    # Beyond the first and last node nothing is ever asked, so no kink can be told there.
    low, high = np.full(len(pieces), NODES[0]), np.full(len(pieces), NODES[-1])
    for _ in range(_ZOOMS):
        x = low[:, None] + (high - low)[:, None] * _STEPS
        values = np.concatenate(states_at(plan, pieces, x), axis=2) / size
        bends = np.max(np.abs(np.diff(values, n=_ORDER, axis=1)), axis=2, initial=0.0)
        first = np.argmax(bends, axis=1)
        step = (high - low) / _CELLS
        low, high = low + first * step, low + (first + _ORDER) * step
    return np.asarray(0.5 * (low + high))
