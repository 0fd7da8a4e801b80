"""Inverse models of first and second order give the direct ones back.

Source: [LAMMARI12] figures 9-14 and 33-38, where the same comparison leaves 0.03 to 0.1 %
"""

from __future__ import annotations

import numpy as np

from planner.proof.chebyshev import NODES
from planner.proof.check import Check, Location, Worst, check, scales
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.recovered_rates import recovered_rates
from robots.core.arrays import Array

LIMIT = 1e-9
_CHOSEN = np.array([1, 8, 15, 22])  # of the 24 instants of a piece
_PER_CONDITION = 1e-14  # rounding of J that a condition number magnifies
_QUIET = 1e-4  # a plateau has no acceleration: residuals there are parts of the motion's largest
_SINGULAR = 1e10  # beyond this condition number no joint rates follow from the task


class InverseModels(CheckGroup):
    """Joint speeds and accelerations recovered from what forward models say of the tool.

    Args:
        evidence: the plan and forward models.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._model = evidence, evidence.model
        self._first, self._second = Worst(), Worst()
        self._left_out = 0

    def on_segments(self, passage: Passage) -> None:
        """Four instants of every piece."""
        motion, n = passage.motion, self._model.dof
        q, qd, qdd = (a[:, _CHOSEN].reshape(-1, n) for a in (motion.q, motion.qd, motion.qdd))
        found = recovered_rates(self._model, (q, qd, qdd))
        self._left_out += len(q)
        qd, qdd, condition = found.qd, found.qdd, found.condition
        used = ~(condition >= _SINGULAR)
        places = np.arange(found.rows.size)[used]

        def locate(index: tuple[int, ...]) -> Location:
            row, k = divmod(int(found.rows[places[index[0]]]), len(_CHOSEN))
            at = (row, int(_CHOSEN[k]), index[1])
            return self._evidence.in_pieces(motion.pieces, NODES)(at)

        lenience = np.maximum(1.0, condition * _PER_CONDITION / LIMIT)[used, None]
        self._left_out -= int(np.count_nonzero(used))
        self._first.take(_relative(found.first, qd)[used] / lenience, locate)
        terms = np.maximum(np.abs(qdd), qd * qd)
        self._second.take(_relative(found.second, terms)[used] / lenience, locate)

    def checks(self) -> list[Check]:
        """Of both orders."""
        where = (
            f"at 4 instants of every smooth piece; where the condition number of the task Jacobian "
            f"passes {LIMIT / _PER_CONDITION:.0e} the residual is divided in proportion; "
            f"{self._left_out} singular instants left out"
        )
        more = "; of more joints than five, the part that the motion of the tool determines"
        unseen = more if self._model.dof > 5 else ""
        return [
            check(
                "inverse model, first order",
                self._first,
                LIMIT,
                "1",
                f"joint speeds from the ball's velocity and the stylus's turning, against q̇, "
                f"{where}{unseen}",
            ),
            check(
                "inverse model, second order",
                self._second,
                LIMIT,
                "1",
                f"joint accelerations from those of ball and stylus, against q̈, relative to q̈ or "
                f"q̇² whichever is larger, {where}{unseen}",
            ),
        ]


def _relative(residual: Array, terms: Array) -> Array:
    """Residuals over the largest of the terms that make them up, instant by instant."""
    size = scales(np.max(np.abs(terms), axis=1, initial=0.0), _QUIET)
    return np.asarray(residual / size[:, None])
