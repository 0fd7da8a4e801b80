"""Preview control of the cart-table model: a ZMP reference becomes a motion of the centre of mass.

The cart-table is a point mass at a constant height z_c; its ZMP is p = x − (z_c/g)·ẍ. The jerk of
the mass is the input; an integrating linear-quadratic servo with a preview of N samples keeps p on
its reference. One axis at a time; x and y are independent and of the same gains.

Source: S. Kajita et al., "Biped walking pattern generation by using preview control of
zero-moment point", ICRA 2003; gains as T. Katayama et al., 1985. Reference numbers: bip2000.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.core.arrays import Array

STANDARD_G = 9.81  # [m/s²]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CartTable:
    """The sampled cart-table: state (x, ẋ, ẍ), input jerk, output ZMP.

    Args:
        height: z_c of the centre of mass above the ground. [m]
        period: T. [s]
        gravity: [m/s²]

    Raises:
        BipedError: a value that is not above zero.
    """

    height: float
    period: float = 0.005
    gravity: float = STANDARD_G

    def __post_init__(self) -> None:
        for name, unit in (("height", "m"), ("period", "s"), ("gravity", "m/s²")):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise BipedError(
                    f"The cart-table's {name} is {value!r} {unit}; it must be above zero.",
                    field=name,
                    value=value,
                    limit=0.0,
                    unit=unit,
                )

    @property
    def transition(self) -> Array:
        """A: state after one period without jerk. # (3, 3)."""
        T = self.period
        return np.array([[1.0, T, T * T / 2.0], [0.0, 1.0, T], [0.0, 0.0, 1.0]])

    @property
    def input(self) -> Array:
        """B: effect of a jerk held for one period. # (3,)."""
        T = self.period
        return np.array([T**3 / 6.0, T * T / 2.0, T])

    @property
    def output(self) -> Array:
        """C: ZMP of a state. # (3,)."""
        return np.array([1.0, 0.0, -self.height / self.gravity])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreviewGains:
    """Gains of u = −G_i·Σ(p − p_ref) − G_x·x − Σ_l G_p(l)·p_ref(k + l).

    Args:
        table: of which cart-table.
        G_i: of the summed ZMP error.
        G_x: of the state. # (3,)
        G_p: of the coming references; the first entry is that of the next sample. # (N,)
    """

    table: CartTable
    G_i: float
    G_x: Array
    G_p: Array

    @property
    def horizon(self) -> float:
        """How far the controller looks ahead. [s]."""
        return len(self.G_p) * self.table.period


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CartMotion:
    """Motion of the cart at every sample of the reference.

    Args:
        position: of the centre of mass along each axis. # (k, axes) [m]
        velocity: # (k, axes) [m/s]
        acceleration: # (k, axes) [m/s²]
        zmp: of the cart-table. # (k, axes) [m]
    """

    position: Array
    velocity: Array
    acceleration: Array
    zmp: Array


def preview_gains(
    table: CartTable, samples: int = 320, *, error_weight: float = 1.0, jerk_weight: float = 1e-6
) -> PreviewGains:
    """Gains that minimise Σ Q·(p − p_ref)² + R·Δu².

    Args:
        table: the sampled cart-table.
        samples: N, how many coming references are used.
        error_weight: Q.
        jerk_weight: R, on the change of the jerk.

    Raises:
        BipedError: no sample, or a weight that is not above zero.

    Source: Kajita et al. 2003 eqs. (18)-(24)
    """
    from scipy.linalg import solve_discrete_are

    if samples < 1 or not (error_weight > 0.0 and jerk_weight > 0.0):
        raise BipedError(
            f"Preview control got N = {samples}, Q = {error_weight!r}, R = {jerk_weight!r}; "
            "N must be at least 1 and both weights above zero.",
            samples=samples,
        )
    A, B, C = table.transition, table.input, table.output
    # State of the augmented system: the summed error's step, then the increments of (x, ẋ, ẍ).
    Bt = np.concatenate([[C @ B], B])[:, None]
    It = np.array([1.0, 0.0, 0.0, 0.0])
    Ft = np.vstack([C @ A, A])
    At = np.column_stack([It, Ft])
    P = solve_discrete_are(At, Bt, np.diag([error_weight, 0.0, 0.0, 0.0]), [[jerk_weight]])
    scale = 1.0 / (jerk_weight + float((Bt.T @ P @ Bt)[0, 0]))
    row = scale * (Bt.T @ P)[0]
    closed = At - Bt @ (row @ At)[None, :]
    coming = np.empty(samples)
    coming[0] = -row @ It
    X = -closed.T @ P @ It
    for l in range(1, samples):
        coming[l] = scale * float(Bt[:, 0] @ X)
        X = closed.T @ X
    return PreviewGains(table=table, G_i=float(row @ It), G_x=row @ Ft, G_p=coming)


def run_preview(
    gains: PreviewGains, reference: ArrayLike, start: ArrayLike | None = None
) -> CartMotion:
    """Drive the cart along a ZMP reference.

    Args:
        gains: of ``preview_gains``.
        reference: ZMP to follow on each axis; its last value is held. # (k, axes) [m]
        start: (x, ẋ, ẍ) of each axis; default at rest on the first reference. # (axes, 3)

    Raises:
        BipedError: a reference that is empty or not finite.
    """
    wanted = np.asarray(reference, dtype=float)
    if wanted.ndim != 2 or not wanted.size or not np.isfinite(wanted).all():
        raise BipedError(
            f"The ZMP reference has shape {wanted.shape}; give finite metres, a row per sample "
            "and a column per axis."
        )
    # Relative to the start, so that cutting the preview at N leaves no trace of the origin chosen.
    origin = wanted[0]
    p = wanted - origin
    x = np.zeros((3, p.shape[1])) if start is None else np.array(start, dtype=float).T
    x[0] -= origin if start is not None else 0.0
    states = _stepped(gains, p, _coming(gains.G_p, p), x)
    states[:, 0] += origin
    zmp = np.einsum("i,kia->ka", gains.table.output, states)
    return CartMotion(
        position=states[:, 0], velocity=states[:, 1], acceleration=states[:, 2], zmp=zmp
    )


def _coming(G_p: Array, p: Array) -> Array:
    """Σ_l G_p(l)·p(k + l) of every sample, the last reference held. # (k, axes)."""
    from scipy.signal import fftconvolve

    longer = np.vstack([p[1:], np.repeat(p[-1:], len(G_p), axis=0)])
    return np.asarray(fftconvolve(longer, G_p[::-1, None], mode="valid", axes=0))


def _stepped(gains: PreviewGains, p: Array, coming: Array, x: Array) -> Array:
    """States of all samples. # (k, 3, axes)."""
    A, B, C = gains.table.transition, gains.table.input, gains.table.output
    states = np.empty((len(p), *x.shape))
    error_sum = np.zeros(p.shape[1])
    for k in range(len(p)):
        states[k] = x
        error_sum = error_sum + C @ x - p[k]
        jerk = -gains.G_i * error_sum - gains.G_x @ x - coming[k]
        x = A @ x + B[:, None] * jerk
    return states
