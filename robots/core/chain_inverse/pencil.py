"""Any chain of six revolute joints: all postures from one matrix pencil.

The loop of the chain and its pose is cut so that fourteen equations hold between two groups of
joints: three of them on the left, two on the right, and the sixth in none. Eight unknown products
of the right are eliminated, the half tangents of two joints on the left become a vector of
monomials, and the third is an eigenvalue of a pencil of size 24. Eight of these are ±i and mean
nothing; of the others at most sixteen are real.

The equations are multilinear in (1, cos, sin) of every joint, so three samples of each angle give
all coefficients, whatever the constant transforms between the joints are. Where the loop is cut is
chosen by trial poses: for most cuts the pencil of an arm with parallel or intersecting axes is
identically singular, and for the others it is not.

Source: Raghavan and Roth 1993, J. Mechanical Design 115(3), for the fourteen equations; Manocha and
    Canny 1994, IEEE Trans. Robotics and Automation 10(5), for the eigenvalues. The coefficients by
    sampling, the cut by trial and the repair of shared eigenvalues are own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.chain_inverse.chain import Chain, Postures, joined
from robots.core.errors import InverseError
from robots.core.paul import Complex

_JOINTS = 6
_TRIALS = 12  # poses by which the cut is chosen
_SEED = 20
_BLOCK = 512  # poses worked on at once: 24x24 pencils of complex numbers
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
# Three angles, and (1, cos, sin) of each: the inverse gives coefficients of sampled values.
_ANGLES = np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
_FROM_SAMPLES = np.linalg.inv(np.stack([np.ones(3), np.cos(_ANGLES), np.sin(_ANGLES)], axis=1))
# (1, cos, sin), times 1 + x², in powers of x = tan(θ/2).
_HALF = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 2.0, 0.0]])


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

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """Cuts of the loop by the number of roots they find on trial poses, best first.

        Raises:
            InverseError: none finds a root.
        """
        random = np.random.default_rng(_SEED)
        q = random.uniform(-np.pi, np.pi, (_TRIALS, _JOINTS))
        T = self.chain.forward(q)
        found = []
        for cut in range(_JOINTS):
            seeds = self._seeds(T, cut)
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
        return tuple(cut for count, cut in found if count < 0)

    def solve(self, T: Array) -> Postures:
        """All postures of a batch of poses.

        Real roots come and go in pairs. A pose with an odd number of postures, or with none, is
        solved again with other half tangents and at other cuts, and what is new is added.

        Args:
            T: poses of the target. # (N, 4, 4)
        """
        parts = [
            self._block(T[first : first + _BLOCK], first) for first in range(0, len(T), _BLOCK)
        ]
        return joined(parts, self.chain.size)

    def _block(self, T: Array, first: int) -> Postures:
        found = self.chain.postures(*self._seeds(T, self.cuts[0]), T)
        for cut, turn in self._again:
            count = np.bincount(found.pose, minlength=len(T))
            doubtful = np.nonzero((count % 2 == 1) | (count == 0))[0]
            if doubtful.size == 0:
                break
            pose, q = self._seeds(T[doubtful], cut, turn)
            seeds = np.concatenate([found.pose, doubtful[pose]])
            order = np.argsort(seeds, kind="stable")
            found = self.chain.postures(seeds[order], np.concatenate([found.q, q])[order], T)
        return replace(found, pose=found.pose + first)

    @property
    def _again(self) -> list[tuple[int, float]]:
        """Other ways to solve: cut, and turn of the half tangents. [rad]."""
        return [(self.cuts[0], 1.1), *((cut, 0.0) for cut in self.cuts[1:2]), (self.cuts[0], 2.3)]

    def _seeds(self, T: Array, cut: int, turn: float = 0.0) -> tuple[Indices, Array]:
        """Postures from the eigenvectors of every pose, with the pose of each."""
        loop = _Loop.of(self.chain, T, cut, turn)
        system = loop.eliminated()
        values, vectors = system.eigen()
        pose, which = np.nonzero(np.abs(values.imag) <= _REAL * (1.0 + np.abs(values.real)))
        # ±i are the spurious ones, and an infinite value is half a turn.
        middle = _repaired(values, vectors, pose, which)
        q = loop.postures(middle, pose, system)
        shifted = np.empty_like(q)
        for k in range(_JOINTS):
            shifted[:, (k + cut) % _JOINTS] = q[:, k]
        order = np.argsort(pose, kind="stable")
        return pose[order], shifted[order]


# ------------------------------------------------------------------------------------------- Loop
# The loop reads J1·B1·J2·B2·J3·B3·J4·B4·J5·B5·J6·B6 = 1 with the pose in one of the B. Columns z
# and p of J3·B3·J4·B4·J5·B5 are those of B2⁻¹·J2⁻¹·B1⁻¹·J1⁻¹·B6⁻¹, as J6 moves neither.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Loop:
    links: list[Array]  # B1 … B6, each (N or 1, 4, 4), lengths in scale lengths
    offsets: Array  # of joints 3, 4 and 5: half tangents are of the angle less this. # (3,) [rad]

    @classmethod
    def of(cls, chain: Chain, T: Array, cut: int, turn: float) -> _Loop:
        """The loop of a chain, cut before joint ``cut``."""
        inner = [chain.links[k][None] for k in range(1, _JOINTS)]
        last = chain.links[-1] @ _inverse(T) @ chain.links[0]
        links = [link.copy() for link in (*inner, last)]
        for link in links:
            link[:, :3, 3] /= chain.length
        return cls(
            links=[links[(k + cut) % _JOINTS] for k in range(_JOINTS)], offsets=_OFFSETS + turn
        )

    def eliminated(self) -> _System:
        """The fourteen equations, eliminated down to six in three joints."""
        left, right = self._left(), self._right()
        n = max(len(left), len(right))
        left = np.array(np.broadcast_to(left, (n, *left.shape[1:])))
        right = np.broadcast_to(right, (n, *right.shape[1:]))
        left[:, :, 0, 0, 0] -= right[:, :, 0]
        u, _, _ = np.linalg.svd(right[:, :, 1:])
        null = np.swapaxes(u[:, :, 8:], 1, 2)
        reduced = np.einsum("nij,njabc->niabc", null, left, optimize=True)
        powers = np.einsum("niabc,ax,by,cz->nixyz", reduced, _HALF, _HALF, _HALF, optimize=True)
        return _System(left=left, right=right[:, :, 1:], powers=powers)

    def _left(self) -> Array:
        """Coefficients of the equations in joints 3, 4 and 5. # (N, 14, 3, 3, 3)."""
        lines = self.links[4][:, :3, 2:]  # (N, 3, 2): z and p
        for place, link in ((2, self.links[3]), (1, self.links[2]), (0, None)):
            lines = _turned(_ANGLES + self.offsets[place], lines)
            if link is not None:
                lines = _moved(link, lines)
        # Axes are (N, 3, 2, samples of 5, of 4, of 3).
        values = _equations(lines)
        return np.asarray(
            np.einsum(
                "nezyx,ax,by,cz->neabc",
                values,
                _FROM_SAMPLES,
                _FROM_SAMPLES,
                _FROM_SAMPLES,
                optimize=True,
            )
        )

    def _right(self) -> Array:
        """Coefficients of the equations in joints 1 and 2. # (N, 14, 9)."""
        lines = _inverse(self.links[5])[:, :3, 2:]
        for k in (0, 1):
            lines = _moved(_inverse(self.links[k]), _turned(-_ANGLES, lines))
        values = _equations(lines)
        found = np.einsum("nezy,az,by->neab", values, _FROM_SAMPLES, _FROM_SAMPLES, optimize=True)
        return np.asarray(found.reshape(*values.shape[:2], 9))

    def postures(self, middle: Array, pose: Indices, system: _System) -> Array:
        """The other joints, from joints 3, 4 and 5.

        Args:
            middle: half tangents of the three. # (m, 3)
            pose: of each row. # (m,)
            system: that they come from.
        """
        half = 2.0 * np.arctan(middle)
        basis = np.stack([np.ones_like(half), np.cos(half), np.sin(half)], axis=2)
        B = [link[pose if len(link) > 1 else np.zeros_like(pose)] for link in self.links]
        angles = half + self.offsets
        moved = _turn(angles[:, 0]) @ B[2] @ _turn(angles[:, 1]) @ B[3] @ _turn(angles[:, 2]) @ B[4]
        target = _inverse(B[5])[:, :3, 2:]
        wanted = (B[1] @ moved)[:, :3, 2:]
        best = np.full(len(pose), np.inf)
        q = np.full((len(pose), _JOINTS), np.nan)
        for first in self._first_joint(B, basis, target, wanted, pose, system):
            u = _inverse(B[0])[:, :3, :3] @ _rotated(-first, target)
            u[:, :, 1] += _inverse(B[0])[:, :3, 3]
            # J2·(B2·moved) = B1⁻¹·J1⁻¹·B6⁻¹ in z and p, by least squares.
            sine = np.sum(wanted[:, 0] * u[:, 1] - wanted[:, 1] * u[:, 0], axis=1)
            cosine = np.sum(wanted[:, 0] * u[:, 0] + wanted[:, 1] * u[:, 1], axis=1)
            second = np.arctan2(sine, cosine)
            away = np.linalg.norm(_rotated(second, wanted) - u, axis=(1, 2))
            whole = _turn(first) @ B[0] @ _turn(second) @ B[1] @ moved
            rest = np.swapaxes((B[5] @ whole)[:, :3, :3], 1, 2)
            sixth = np.arctan2(rest[:, 1, 0] - rest[:, 0, 1], rest[:, 0, 0] + rest[:, 1, 1])
            better = away < best
            best = np.where(better, away, best)
            row = np.column_stack([first, second, angles, sixth])
            q = np.where(better[:, None], row, q)
        return q

    def _first_joint(
        self,
        B: list[Array],
        basis: Array,
        target: Array,
        wanted: Array,
        pose: Indices,
        system: _System,
    ) -> tuple[Array, Array]:
        """Joint 1 in two ways; which one is well determined depends on the arm.

        The eliminated products hold it, unless axes 1 and 2 make them dependent; the heights along
        axis 2 hold it, unless that axis is parallel to axis 1.
        """
        value = np.einsum(
            "meabc,ma,mb,mc->me",
            system.left[pose],
            basis[:, 0],
            basis[:, 1],
            basis[:, 2],
            optimize=True,
        )
        inverse = system.right_inverse[pose]
        products = (inverse @ value[..., None])[..., 0]
        # The rest of the right side's products in the order of their basis: a·3 + b - 1.
        by_products = np.arctan2(products[:, 5], products[:, 2])
        normal = B[0][:, :3, 2]  # axis 2 in the frame of joint 1: row z of B1⁻¹
        heights = wanted[:, 2].copy()
        heights[:, 1] += np.einsum("mi,mi->m", normal, B[0][:, :3, 3])
        heights = heights - normal[:, 2:] * target[:, 2]
        a = target[:, 0] * normal[:, :1] + target[:, 1] * normal[:, 1:2]  # of the cosine
        b = target[:, 1] * normal[:, :1] - target[:, 0] * normal[:, 1:2]  # of the sine
        determinant = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        cosine = (heights[:, 0] * b[:, 1] - heights[:, 1] * b[:, 0]) * np.sign(determinant)
        sine = (a[:, 0] * heights[:, 1] - a[:, 1] * heights[:, 0]) * np.sign(determinant)
        return by_products, np.arctan2(sine, cosine)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _System:
    """Equations of a batch of poses.

    Args:
        left: in (1, cos, sin) of joints 3, 4, 5, less the constants of the right.
            # (N, 14, 3, 3, 3)
        right: in the eight products of joints 1 and 2. # (N, 14, 8)
        powers: six equations in powers of the half tangents of 3, 4, 5. # (N, 6, 3, 3, 3)
    """

    left: Array
    right: Array
    powers: Array

    @property
    def right_inverse(self) -> Array:
        """Pseudo-inverse of the right. # (N, 8, 14)."""
        return np.asarray(np.linalg.pinv(self.right, rcond=1e-9))

    def eigen(self) -> tuple[Complex, Complex]:
        """Half tangents of joint 3, with vectors of monomials; infinite where there is none."""
        n = len(self.powers)
        # Twelve equations: the six, and the six times the half tangent of joint 4.
        M = np.zeros((n, 3, 12, 4, 3))
        by_power = np.moveaxis(self.powers, 2, 1)  # (N, power of 3, 6, of 4, of 5)
        M[:, :, :6, :3] = by_power
        M[:, :, 6:, 1:] = by_power
        return _eigen(M.reshape(n, 3, 12, 12))


def _eigen(M: Array) -> tuple[Complex, Complex]:
    """Eigenvalues and vectors of M0 + x·M1 + x²·M2. # (n, 3, 12, 12)."""
    n = len(M)
    values = np.full((n, 24), complex(np.nan, np.inf))
    vectors = np.zeros((n, 24, 24), dtype=np.complex128)
    # One matrix without an inverse would stop the whole batch.
    sign, size = np.linalg.slogdet(M[:, 2])
    regular = (sign != 0.0) & np.isfinite(size)
    one, M_regular = np.eye(12), M[regular]
    lower = np.linalg.solve(
        M_regular[:, 2], np.concatenate([-M_regular[:, 0], -M_regular[:, 1]], axis=2)
    )
    companion = np.zeros((len(lower), 24, 24))
    companion[:, :12, 12:], companion[:, 12:] = one, lower
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


def _equations(lines: Array) -> Array:
    """The fourteen functions of a direction and a point. # (N, 3, 2, ...) -> (N, 14, ...)."""
    z, p = lines[:, :, 0], lines[:, :, 1]
    square = np.sum(p * p, axis=1, keepdims=True)
    along = np.sum(p * z, axis=1, keepdims=True)
    moment = np.cross(p, z, axis=1)
    return np.concatenate([p, z, square, along, moment, square * z - 2.0 * along * p], axis=1)


def _turned(angles: Array, lines: Array) -> Array:
    """Lines turned about z by each angle, along one more axis. # (N, 3, 2, ...)."""
    c, s = np.cos(angles), np.sin(angles)
    x, y, z = (lines[:, k, ..., None] for k in range(3))
    return np.stack([c * x - s * y, s * x + c * y, z + 0.0 * c], axis=1)


def _moved(T: Array, lines: Array) -> Array:
    """Lines in another frame. # (N or 1, 4, 4), (N or 1, 3, 2, ...)."""
    out = np.asarray(np.einsum("nij,njk...->nik...", *_alike(T[:, :3, :3], lines)))
    shift = T[:, :3, 3].reshape(len(T), 3, *[1] * (lines.ndim - 3))
    out[:, :, 1] += shift
    return out


def _alike(T: Array, lines: Array) -> tuple[Array, Array]:
    n = max(len(T), len(lines))
    return np.broadcast_to(T, (n, 3, 3)), np.broadcast_to(lines, (n, *lines.shape[1:]))


def _rotated(angle: Array, lines: Array) -> Array:
    """Each line turned about z by its own angle. # (m,), (m, 3, 2)."""
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    x, y, z = lines[:, 0], lines[:, 1], lines[:, 2]
    return np.stack([c * x - s * y, s * x + c * y, z], axis=1)


def _turn(angle: Array) -> Array:
    """Turns about z. # (m,) -> (m, 4, 4)."""
    T = np.zeros((len(angle), 4, 4))
    T[:, 0, 0] = T[:, 1, 1] = np.cos(angle)
    T[:, 1, 0] = np.sin(angle)
    T[:, 0, 1] = -T[:, 1, 0]
    T[:, 2, 2] = T[:, 3, 3] = 1.0
    return T


def _inverse(T: Array) -> Array:
    """Inverse poses. # (N, 4, 4)."""
    out = np.zeros_like(T)
    out[:, :3, :3] = np.swapaxes(T[:, :3, :3], 1, 2)
    out[:, :3, 3] = -(out[:, :3, :3] @ T[:, :3, 3:])[..., 0]
    out[:, 3, 3] = 1.0
    return out
