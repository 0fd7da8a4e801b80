"""Newton steps of postures to their poses, and which of them are distinct, as compiled loops.

A row is a posture and the index of its pose. The steps are those of a square Jacobian; where it is
singular, or not square, least ones, damped so little that a solvable row does not notice.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from robots.core.kernels.loop import Loop

# A rounded pose, and the rounding of a forward model of some joints.
ROUNDING = 1e-13
_CONVERGED = 1e-11  # gap without units below which a step that gains nothing is the last
# Damping of the normal equations, beside a Jacobian without units: keeps a singular one solvable.
_DAMPING = 1e-15
_LONGEST = 0.5  # Newton step of any joint [rad, or scale lengths]
_AWAY = 1e3  # growth of the gap over the best from which a row is given up
# The inverse of a Jacobian bounds its singular values. One of a posture this small a step before
# does so too, where the bound is far above what the step can change. [rad, or scale lengths]
_SAME_JACOBIAN = 1e-6
REGULAR = 1e-4
# Newton comes slowly to a fold, and to the root of the rounding only: postures this near to each
# other are one where the one between them is as good. [rad, or scale lengths]
_SAME_FOLD = 1e-3
_BETWEEN = 10.0 * ROUNDING
_TURN = 2.0 * math.pi
# Annotations stay out of the loops' way: these are arrays of doubles and numbers.
A = Any


class ChainArrays(NamedTuple):
    """A chain for the loops: transforms without units, and which joints turn."""

    links: A  # (n + 1, 3, 4), lengths in scale lengths
    turns: A  # (n,) bytes
    own: A  # (1,) joints of the robot, those of the task stand behind


class Rows(NamedTuple):
    """Postures, their poses, and what is left between them.

    Lengths are in scale lengths. ``regularity`` is a lower bound of the ratio of the smallest to
    the largest singular value of the Jacobian; zero where there is none.
    """

    q: A  # (m, n), overwritten by the best posture
    pose: A  # (m,)
    position: A  # (m,)
    angle: A  # (m,)
    regularity: A  # (m,)


class Scratch(NamedTuple):
    """Memory of one row's steps."""

    trial: A  # (n,)
    frames: A  # (n + 1, 3, 4): of each joint after its motion, and of the target
    gap: A  # (6,)
    J: A  # (6, n)
    M: A  # (6, 12): a square matrix and its inverse
    force: A  # (6,)
    move: A  # (6 or n,)


def scratch(n: int) -> Scratch:
    """Memory for a chain of n joints."""
    return Scratch(
        trial=np.zeros(n),
        frames=np.zeros((n + 1, 3, 4)),
        gap=np.zeros(6),
        J=np.zeros((6, n)),
        M=np.zeros((6, 12)),
        force=np.zeros(6),
        move=np.zeros(max(n, 6)),
    )


def polish(chain: ChainArrays, T: A, rows: Rows, work: Scratch, options: A, far: float) -> None:
    """Bring every row the last way to its pose; what does not come nearer stays as it was.

    Args:
        chain: without units.
        T: poses, lengths in scale lengths. # (P, 4, 4)
        rows: the best posture of each row stays, with what is left.
        work: of one row.
        options: most steps, and whether each is to be a least one.
        far: gap without units from which a row is not begun.
    """
    for row in range(rows.q.shape[0]):
        _polish_one(chain, T[rows.pose[row]], rows, row, work, options, far)


def _polish_one(
    chain: ChainArrays, T: A, rows: Rows, row: int, work: Scratch, options: A, far: float
) -> None:
    n = chain.turns.shape[0]
    best = np.inf
    rows.position[row], rows.angle[row], rows.regularity[row] = np.inf, np.inf, 0.0
    for k in range(n):
        work.trial[k] = rows.q[row, k]
        if not math.isfinite(work.trial[k]):
            return
    square = n == 6 and options[1] == 0
    held = False  # whether M holds the inverse of a Jacobian that is as good as the best one's
    small = False
    for step in range(options[0] + 1):
        place_frames(chain, work.trial, work.frames)
        find_gap(work.frames[n], T, work.gap)
        position, angle = 0.0, 0.0
        for i in range(3):
            position += work.gap[i] * work.gap[i]
            angle += work.gap[3 + i] * work.gap[3 + i]
        left = math.sqrt(position + angle)
        if step == 0 and left >= far:
            return
        better = left < best
        if better:
            best, held = left, held and small
            rows.position[row], rows.angle[row] = math.sqrt(position), math.sqrt(angle)
            for k in range(n):
                rows.q[row, k] = work.trial[k]
        # Next to a fold a step that halves the distance along the direction lost there makes the
        # gap grow in others, for one step: only what moves away is given up.
        worth = better or (best > _CONVERGED and left < _AWAY * best)
        if not worth or not left > ROUNDING or step == options[0]:
            break
        place_columns(chain, work.frames, work.J)
        if square and _invert_jacobian(work):
            held = better
            _apply_inverse(work, work.move)
        else:
            held = False
            _least_step(work)
        longest = 0.0
        for k in range(n):
            longest = max(longest, abs(work.move[k]))
        small = longest < _SAME_JACOBIAN
        size = 1.0 if longest <= _LONGEST else _LONGEST / longest
        for k in range(n):
            work.trial[k] += size * work.move[k]
    if n != 6 or not best < _CONVERGED:
        return
    if not held:
        for k in range(n):
            work.trial[k] = rows.q[row, k]
        place_frames(chain, work.trial, work.frames)
        place_columns(chain, work.frames, work.J)
        if not _invert_jacobian(work):
            return
    rows.regularity[row] = _regularity(work)


def place_frames(chain: ChainArrays, q: A, frames: A) -> None:
    """Frame of each joint after its motion, and the target's. # -> (n + 1, 3, 4)."""
    n = chain.turns.shape[0]
    L = chain.links
    for k in range(n + 1):
        for i in range(3):
            if k == 0:
                x, y, z, p = L[0, i, 0], L[0, i, 1], L[0, i, 2], L[0, i, 3]
            else:
                a, b, c = frames[k - 1, i, 0], frames[k - 1, i, 1], frames[k - 1, i, 2]
                x = a * L[k, 0, 0] + b * L[k, 1, 0] + c * L[k, 2, 0]
                y = a * L[k, 0, 1] + b * L[k, 1, 1] + c * L[k, 2, 1]
                z = a * L[k, 0, 2] + b * L[k, 1, 2] + c * L[k, 2, 2]
                p = a * L[k, 0, 3] + b * L[k, 1, 3] + c * L[k, 2, 3] + frames[k - 1, i, 3]
            frames[k, i, 0], frames[k, i, 1], frames[k, i, 2] = x, y, z
            frames[k, i, 3] = p
        if k == n:
            break
        if chain.turns[k]:
            cosine, sine = math.cos(q[k]), math.sin(q[k])
            for i in range(3):
                x, y = frames[k, i, 0], frames[k, i, 1]
                frames[k, i, 0] = x * cosine + y * sine
                frames[k, i, 1] = y * cosine - x * sine
        else:
            for i in range(3):
                frames[k, i, 3] += q[k] * frames[k, i, 2]


def find_gap(frame: A, T: A, gap: A) -> None:
    """Twist from a pose reached to the pose asked for, lengths first. # -> (6,)."""
    # Half the skew part of the rotation left is the rotation vector to third order, and zero only
    # at 0 and half turns; the trace tells these apart.
    trace = 0.0
    for i in range(3):
        gap[i] = T[i, 3] - frame[i, 3]
        trace += T[i, 0] * frame[i, 0] + T[i, 1] * frame[i, 1] + T[i, 2] * frame[i, 2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        skew = 0.0
        for c in range(3):
            skew += T[k, c] * frame[j, c] - T[j, c] * frame[k, c]
        skew *= 0.5
        if trace < 1.0:
            skew += 1.0 if skew >= 0.0 else -1.0
        gap[3 + i] = skew


def place_columns(chain: ChainArrays, frames: A, J: A) -> None:
    """Twist of the target per joint, base axes, lengths first. # -> (6, n)."""
    n = chain.turns.shape[0]
    for k in range(n):
        x, y, z = frames[k, 0, 2], frames[k, 1, 2], frames[k, 2, 2]
        if chain.turns[k]:
            a = frames[n, 0, 3] - frames[k, 0, 3]
            b = frames[n, 1, 3] - frames[k, 1, 3]
            c = frames[n, 2, 3] - frames[k, 2, 3]
            J[0, k], J[1, k], J[2, k] = y * c - z * b, z * a - x * c, x * b - y * a
            J[3, k], J[4, k], J[5, k] = x, y, z
        else:
            J[0, k], J[1, k], J[2, k] = x, y, z
            J[3, k], J[4, k], J[5, k] = 0.0, 0.0, 0.0


def _invert_jacobian(work: Scratch) -> bool:
    for i in range(6):
        for j in range(6):
            work.M[i, j] = work.J[i, j]
    return _invert(work.M)


def _invert(M: A) -> bool:
    """Inverse of the left half, into the right half; false where a pivot is zero (Gauss-Jordan)."""
    for i in range(6):
        for j in range(6):
            M[i, 6 + j] = 1.0 if i == j else 0.0
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(M[i, k]) > abs(M[pivot, k]):
                pivot = i
        if not abs(M[pivot, k]) > 0.0:
            return False
        inverse = 1.0 / M[pivot, k]
        for j in range(12):
            above = M[k, j]
            M[k, j] = M[pivot, j] * inverse
            if pivot != k:
                M[pivot, j] = above
        for i in range(6):
            if i != k:
                share = M[i, k]
                for j in range(12):
                    M[i, j] -= share * M[k, j]
    return True


def _apply_inverse(work: Scratch, x: A) -> None:
    """Inverse times gap."""
    for i in range(6):
        value = 0.0
        for j in range(6):
            value += work.M[i, 6 + j] * work.gap[j]
        x[i] = value


def _least_step(work: Scratch) -> None:
    """The least step that closes the gap as well as may be, damped."""
    n = work.J.shape[1]
    trace = 0.0
    for i in range(6):
        for j in range(6):
            value = 0.0
            for k in range(n):
                value += work.J[i, k] * work.J[j, k]
            work.M[i, j] = value
        trace += work.M[i, i]
    for i in range(6):
        work.M[i, i] += _DAMPING * trace + 1e-300
    if not _invert(work.M):
        for k in range(n):
            work.move[k] = 0.0
        return
    _apply_inverse(work, work.force)
    for k in range(n):
        value = 0.0
        for i in range(6):
            value += work.J[i, k] * work.force[i]
        work.move[k] = value


def _regularity(work: Scratch) -> float:
    """Lower bound of the ratio of the Jacobian's singular values, from its inverse."""
    size, inverse = 0.0, 0.0
    for i in range(6):
        for j in range(6):
            size += work.J[i, j] * work.J[i, j]
            inverse += work.M[i, 6 + j] * work.M[i, 6 + j]
    return 1.0 / math.sqrt(size * inverse)


def keep_distinct(
    chain: ChainArrays,
    T: A,
    rows: Rows,
    reached: A,
    apart: float,
    work: Scratch,
    kept: A,
    count: A,
) -> None:
    """List the rows that reach their pose, of equal ones the best, by pose and then by joints.

    Args:
        chain: joints of its task do not tell postures apart.
        T: poses, lengths in scale lengths. # (P, 4, 4)
        rows: of one pose next to each other; angles are brought into (-π, π].
        reached: largest position and angle left of a posture. # (2,)
        apart: difference of every joint below which two postures are one.
        work: of one row.
        kept: indices of rows. # (m,)
        count: how many. # (1,)
    """
    n = chain.turns.shape[0]
    total, first = 0, 0  # kept; where those of this pose begin
    for row in range(rows.q.shape[0]):
        if row > 0 and rows.pose[row] != rows.pose[row - 1]:
            first = total
        if not (rows.position[row] <= reached[0] and rows.angle[row] <= reached[1]):
            continue
        for k in range(n):
            if chain.turns[k]:
                q = rows.q[row, k]
                rows.q[row, k] = q - _TURN * math.ceil((q - math.pi) / _TURN)
        same = -1
        for place in range(first, total):
            a, b = rows.q[row], rows.q[kept[place]]
            away = _difference(chain, a, b)
            left = max(_BETWEEN, 2.0 * max(_left(rows, row), _left(rows, kept[place])))
            if away < apart or (
                away < _SAME_FOLD and _gap_between(chain, T[rows.pose[row]], a, b, work) < left
            ):
                same = place
                break
        if same >= 0:
            if not _left(rows, row) < _left(rows, kept[same]):
                continue
            for place in range(same, total - 1):
                kept[place] = kept[place + 1]
            total -= 1
        place = total
        while place > first and _before(rows.q[row], rows.q[kept[place - 1]], apart):
            kept[place] = kept[place - 1]
            place -= 1
        kept[place] = row
        total += 1
    count[0] = total


def _difference(chain: ChainArrays, a: A, b: A) -> float:
    """Largest difference of the robot's own joints, whole turns aside."""
    largest = 0.0
    for k in range(chain.own[0]):
        away = abs(a[k] - b[k])
        if chain.turns[k]:
            away = min(away, _TURN - away)
        largest = max(largest, away)
    return largest


def _left(rows: Rows, row: int) -> float:
    return float(rows.position[row] + rows.angle[row])


def _gap_between(chain: ChainArrays, T: A, a: A, b: A, work: Scratch) -> float:
    """Gap of the posture halfway between two."""
    n = chain.turns.shape[0]
    for k in range(n):
        away = b[k] - a[k]
        if chain.turns[k]:
            away -= _TURN * math.floor(away / _TURN + 0.5)
        work.trial[k] = a[k] + 0.5 * away
    place_frames(chain, work.trial, work.frames)
    find_gap(work.frames[n], T, work.gap)
    square = 0.0
    for i in range(6):
        square += work.gap[i] * work.gap[i]
    return math.sqrt(square)


def _before(a: A, b: A, apart: float) -> bool:
    """Whether a posture comes before another by its first joint that differs."""
    for k in range(a.shape[0]):
        if abs(a[k] - b[k]) > apart:
            return bool(a[k] < b[k])
    return False


_CHAIN = "(f8[3] u1[1] i8[1])"
_ROWS = "(f8[2] i8[1] f8[1] f8[1] f8[1])"
_SCRATCH = "(f8[1] f8[3] f8[1] f8[2] f8[2] f8[1] f8[1])"
POLISH = Loop(polish, f"{_CHAIN} f8[3] {_ROWS} {_SCRATCH} i8[1] f8")
KEEP_DISTINCT = Loop(keep_distinct, f"{_CHAIN} f8[3] {_ROWS} f8[1] f8 {_SCRATCH} i8[1] i8[1]")
