"""Any chain of six revolute joints: all postures from the zeros of a determinant, or of a pencil.

The loop of the chain and its pose is cut so that fourteen equations hold between two groups of
joints: three of them on the left, two on the right, and the sixth in none. What is left of them
(``elimination``) is a matrix of twelve rows that is singular at solutions only. Its determinant is
a trigonometric polynomial of one joint, of which all real zeros are isolated by bounds, and its
null vector holds two more joints.

Where zeros meet, or bounds do not decide, the same matrix is taken as a pencil of size 24 in the
half tangent of that joint. Eight of its eigenvalues are ±i and mean nothing; of the others at most
sixteen are real.

Where the loop is cut is chosen by trial poses: for most cuts the matrix of an arm with parallel or
intersecting axes is singular at every pose, and for the others it is not.

Source: Raghavan and Roth 1993, J. Mechanical Design 115(3), for the equations; Manocha and Canny
    1994, IEEE Trans. Robotics and Automation 10(5), for the eigenvalues. The determinant, the cut
    by trial and the repair of shared eigenvalues are own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.chain_inverse import elimination
from robots.core.chain_inverse.chain import Chain, Postures, joined
from robots.core.chain_inverse.circle_roots import real_zeros, sample_angles
from robots.core.chain_inverse.elimination import Cut, Seeds, Systems
from robots.core.errors import InverseError
from robots.core.paul import Complex

_JOINTS = 6
_TRIALS = 12  # poses by which the cut is chosen
_SEED = 20
_BLOCK = 512  # poses worked on at once
# Rounding of the elimination, beside the largest determinant: it shifts a determinant, but leaves
# it a polynomial, so that samples do not show it.
_NOISE = 1e-12
_MOST_CUTS = 3  # that are tried before pencils
# Half tangents are taken of each angle less one of these, so that no pose of a right-angled arm
# has an infinite one.
_OFFSETS = np.array([0.43, -0.71, 0.97])
# An eigenvalue whose imaginary part is less than this share of its size may be a real root, or two
# of them that met; the certificate decides.
_REAL = 2e-2
# Eigenvalues nearer than this share one eigenspace: their vectors are told apart within it.
_SHARED = 1e-4
_MOST_SHARING = 8
_BLEND = 0.618  # of two half tangents: postures that share one of them differ in the sum


class Pencil:
    """The solver of one chain of six revolute joints.

    Args:
        chain: of six revolute joints, those of the task included.

    Raises:
        InverseError: another number of joints, a sliding joint, or a chain no cut of which has a
            regular pencil.
    """

    def __init__(self, chain: Chain) -> None:
        if chain.size != _JOINTS or not all(chain.revolute):
            sliding = chain.size - sum(chain.revolute)
            raise InverseError(
                f"The chain of {chain.name!r} has {chain.size} joints to solve for, {sliding} of "
                "them sliding; a pencil takes six revolute joints. Lock what is more.",
                joints=chain.size,
                sliding=sliding,
            )
        self.chain = chain

    @property
    def cuts(self) -> tuple[int, ...]:
        """Cuts of the loop by the number of roots they find on trial poses, best first.

        Raises:
            InverseError: none finds a root.
        """
        return tuple(cut for cut, _ in self._trials)

    @cached_property
    def _trials(self) -> list[tuple[int, int]]:
        """Cuts that find roots of trial poses, best first, and how many."""
        random = np.random.default_rng(_SEED)
        q = random.uniform(-np.pi, np.pi, (_TRIALS, _JOINTS))
        T = self.chain.forward(q)
        found = []
        for cut in range(_JOINTS):
            seeds = _Loops.of(self.chain, T, cut).seeds_by_pencils()
            # One step only: a cut whose seeds need more is worse than another one.
            roots = self.chain.postures(*seeds, T, steps=2)
            found.append((-roots.pose.size, cut))
        found.sort()
        if found[0][0] == 0:
            raise InverseError(
                f"The pencil of {self.chain.name!r} is singular for each of its six cuts: the "
                "pose leaves a joint free everywhere. Lock that joint.",
                robot=self.chain.name,
            )
        return [(cut, -count) for count, cut in found if count < 0]

    def solve(self, T: Array, *, determinants: bool = True) -> Postures:
        """All postures of a batch of poses.

        Real roots come and go in pairs. A pose with an odd number of postures, or whose zeros do
        not tell all, is solved by pencils too, of other half tangents and at other cuts, and what
        is new is added.

        Args:
            T: poses of the target. # (N, 4, 4)
            determinants: whether zeros of determinants are looked for first; without them every
                pose is solved by eigenvalues, which share no root finder with them.
        """
        cuts = self._complete_cuts[:_MOST_CUTS] if determinants else []
        parts = [
            self._block(T[first : first + _BLOCK], first, cuts)
            for first in range(0, len(T), _BLOCK)
        ]
        return joined(parts, self.chain.size)

    @property
    def _complete_cuts(self) -> list[int]:
        """Cuts that find as many roots of trial poses as any."""
        most = self._trials[0][1]
        return [cut for cut, count in self._trials if count == most]

    def _block(self, T: Array, first: int, cuts: list[int]) -> Postures:
        found = joined([], self.chain.size)
        doubtful = np.arange(len(T))
        for cut in cuts:
            # Zeros that meet in the joint of one cut are mostly apart in that of another.
            loops = _Loops.of(self.chain, T[doubtful], cut)
            pose, q, undecided = loops.seeds_by_determinants()
            found = self.chain.merged(found, doubtful[pose], q, T)
            odd = np.bincount(found.pose, minlength=len(T))[doubtful] % 2 == 1
            doubtful = doubtful[undecided | odd]
            if doubtful.size == 0:
                break
        else:
            found = self._by_pencil(T, found, doubtful)
        count = np.bincount(found.pose, minlength=len(T))
        undecided = doubtful[count[doubtful] == 0]
        return replace(found, pose=found.pose + first, undecided=undecided + first)

    def _by_pencil(self, T: Array, found: Postures, doubtful: Indices) -> Postures:
        """Add what the pencils of some poses know beside postures that are known."""
        for cut, turn in ((self.cuts[0], 0.0), *self._again):
            pose, q = _Loops.of(self.chain, T[doubtful], cut, turn).seeds_by_pencils()
            found = self.chain.merged(found, doubtful[pose], q, T)
            count = np.bincount(found.pose, minlength=len(T))[doubtful]
            doubtful = doubtful[(count % 2 == 1) | (count == 0)]
            if doubtful.size == 0:
                break
        return found

    @property
    def _again(self) -> list[tuple[int, float]]:
        """Other ways to solve: cut, and turn of the half tangents. [rad]."""
        return [(self.cuts[0], 1.1), *((cut, 0.0) for cut in self.cuts[1:2]), (self.cuts[0], 2.3)]


# ------------------------------------------------------------------------------------------ Loops


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Loops:
    """The loops of a chain with a batch of poses, eliminated.

    Args:
        cut: where they begin.
        systems: their equations.
    """

    cut: Cut
    systems: Systems

    @classmethod
    def of(cls, chain: Chain, T: Array, cut: int, turn: float = 0.0) -> _Loops:
        """The loops of a chain, cut before joint ``cut``; half tangents are turned by an angle."""
        links, poses = chain.links[:, :3].copy(), np.array(T, order="C")
        links[:, :, 3] /= chain.length
        poses[:, :3, 3] /= chain.length
        place = Cut(links=links, before=np.array([cut]), offsets=_OFFSETS + turn)
        found = elimination.systems(len(T))
        elimination.ELIMINATE(place, poses, found, elimination.scratch())
        return cls(cut=place, systems=found)

    def seeds_by_determinants(self) -> tuple[Indices, Array, Mask]:
        """Postures, the pose of each, and poses of which the zeros do not tell all."""
        work, angles = elimination.scratch(), sample_angles(elimination.DEGREE)
        values = np.zeros((len(self.systems.rows), len(angles)))
        elimination.DETERMINANTS(angles, self.systems, work, values)
        zeros = real_zeros(values, _NOISE)
        seeds = _seeds(zeros.row, zeros.angle[:, None])
        elimination.POSTURES_AT(self.cut, self.systems, work, seeds)
        return zeros.row, seeds.q, zeros.touching | zeros.undecided

    def seeds_by_pencils(self) -> tuple[Indices, Array]:
        """Postures from the eigenvectors of every pose, with the pose of each."""
        values, vectors = _eigen(self.systems.powers)
        # ±i are the spurious ones, and an infinite value is half a turn.
        pose, which = np.nonzero(np.abs(values.imag) <= _REAL * (1.0 + np.abs(values.real)))
        seeds = _seeds(pose, 2.0 * np.arctan(_repaired(values, vectors, pose, which)))
        elimination.CLOSE_LOOPS(self.cut, self.systems, elimination.scratch(), seeds)
        return pose, seeds.q


def _seeds(row: Indices, middle: Array) -> Seeds:
    """Seeds of which the first one or all of the middle joints are known."""
    angles = np.zeros((len(row), 3))
    angles[:, : middle.shape[1]] = middle
    return Seeds(row=np.ascontiguousarray(row), middle=angles, q=np.zeros((len(row), _JOINTS)))


# ---------------------------------------------------------------------------------------- Pencils


def _eigen(powers: Array) -> tuple[Complex, Complex]:
    """Half tangents of joint 3, with vectors of monomials; infinite where there is none.

    Args:
        powers: of ``Systems``. # (n, 3, 6, 9)
    """
    n = len(powers)
    one, cosine, sine = np.moveaxis(powers, 1, 0)
    by_power = np.stack([one + cosine, 2.0 * sine, one - cosine], axis=1)
    # Twelve equations: the six, and the six times the half tangent of joint 4.
    M = np.zeros((n, 3, 12, 12))
    M[:, :, :6, :9] = by_power
    M[:, :, 6:, 3:] = by_power
    values = np.full((n, 24), complex(np.nan, np.inf))
    vectors = np.zeros((n, 24, 24), dtype=np.complex128)
    # One matrix without an inverse would stop the whole batch.
    with np.errstate(invalid="ignore"):  # of poses that are not finite
        sign, size = np.linalg.slogdet(M[:, 2])
    regular = (sign != 0.0) & np.isfinite(size)
    M_regular = M[regular]
    lower = np.linalg.solve(
        M_regular[:, 2], np.concatenate([-M_regular[:, 0], -M_regular[:, 1]], axis=2)
    )
    companion = np.zeros((len(lower), 24, 24))
    companion[:, :12, 12:], companion[:, 12:] = np.eye(12), lower
    values[regular], vectors[regular] = np.linalg.eig(companion)
    for k in np.nonzero(~regular & np.all(np.isfinite(M), axis=(1, 2, 3)))[0]:
        values[k], vectors[k] = _generalized(*M[k])
    return values, vectors


def _generalized(constant: Array, linear: Array, square: Array) -> tuple[Complex, Complex]:
    """Eigenvalues and vectors of constant + x·linear + x²·square by QZ."""
    import scipy.linalg

    A, B = np.zeros((24, 24)), np.eye(24)
    A[:12, 12:], A[12:, :12], A[12:, 12:], B[12:, 12:] = np.eye(12), -constant, -linear, square
    with np.errstate(divide="ignore", invalid="ignore"):
        values, vectors = scipy.linalg.eig(A, B)
    return np.where(np.isfinite(values), values, complex(np.nan, np.inf)), np.asarray(vectors)


def _repaired(values: Complex, vectors: Complex, pose: Indices, which: Indices) -> Array:
    """Half tangents of joints 3, 4 and 5 from eigenvectors. # (m, 3).

    Postures that share joint 3 share an eigenvalue, and their vectors come out mixed. Within the
    space of these vectors, multiplying by the half tangents of joints 4 and 5 is a small matrix:
    its eigenvectors are the unmixed ones.
    """
    value, vector = values[pose, which], vectors[pose, :, which].copy()
    near = np.abs(values[pose] - value[:, None]) <= _SHARED * (1.0 + np.abs(value[:, None]))
    sharing = np.count_nonzero(near, axis=1)
    for size in range(2, _MOST_SHARING + 1):
        rows = np.nonzero(sharing == size)[0]
        if rows.size:
            together = np.nonzero(near[rows])[1].reshape(-1, size)
            place = np.argmax(together == which[rows, None], axis=1)
            shared = vectors[pose[rows, None], :, together]  # (rows, size, 24)
            vector[rows] = _unmixed(np.swapaxes(shared, 1, 2), place)
    return _half_tangents(value, vector)


def _unmixed(shared: Complex, place: Indices) -> Complex:
    """One of the vectors of monomials in each space. # (m, 24, k), (m,) -> (m, 24)."""
    basis, _, _ = np.linalg.svd(shared, full_matrices=False)
    m, _, k = basis.shape
    grid = basis.reshape(m, 2, 4, 3, k)
    fourth = _multiplied(grid[:, :, :3], grid[:, :, 1:])
    fifth = _multiplied(grid[:, :, :, :2], grid[:, :, :, 1:])
    _, mixing = np.linalg.eig(fourth + _BLEND * fifth)
    chosen = np.take_along_axis(mixing, place[:, None, None], axis=2)
    return np.asarray((basis @ chosen)[..., 0])


def _multiplied(low: Complex, high: Complex) -> Complex:
    """Matrix that takes low to high within their space, by least squares. # (m, ..., k)."""
    m, k = len(low), low.shape[-1]
    low, high = low.reshape(m, -1, k), high.reshape(m, -1, k)
    weight = np.swapaxes(low.conj(), 1, 2)
    square = weight @ low
    trace = np.trace(square, axis1=1, axis2=2).real
    # An infinite half tangent, half a turn, must not break the quotient.
    square[:, range(k), range(k)] += (1e-14 * trace + 1e-300)[:, None]
    return np.asarray(np.linalg.solve(square, weight @ high))


def _half_tangents(value: Complex, vector: Complex) -> Array:
    """Half tangents from eigenvalues and vectors of monomials. # (m,), (m, 24) -> (m, 3)."""
    grid = vector.reshape(-1, 2, 4, 3)
    rows = np.arange(len(grid))
    half = np.where(np.abs(value) > 1.0, 1, 0)  # where the vector is larger
    grid = grid[rows, half]
    place = np.argmax(np.abs(grid.reshape(-1, 12)), axis=1)
    i, j = place // 3, place % 3
    with np.errstate(divide="ignore", invalid="ignore"):
        fourth = np.where(
            i > 0,
            grid[rows, i, j] / grid[rows, np.maximum(i, 1) - 1, j],
            grid[rows, 1, j] / grid[rows, 0, j],
        )
        fifth = np.where(
            j > 0,
            grid[rows, i, j] / grid[rows, i, np.maximum(j, 1) - 1],
            grid[rows, i, 1] / grid[rows, i, 0],
        )
        found = np.stack([value, fourth, fifth], axis=1).real
    return np.asarray(np.nan_to_num(found, nan=0.0, posinf=1e16, neginf=-1e16))
