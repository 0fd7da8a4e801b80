"""Joint paths as polynomials, piece by piece: polylines with blended corners among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, Mask, freeze_field
from robots.core.errors import MotionError
from robots.core.motion.joint_motion import PathState

DEGREE = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointPath:
    """q(r) for 0 ≤ r ≤ span, with continuous q' and q'' except where the path stops.

    Args:
        length: of the pieces, in r; above zero. # (p,)
        powers: of each joint, rising, from the start of each piece. # (p, n, 5)
        stops: pieces that begin at rest, because q' or q'' jumps there; the first always does.
            # (p,) bool

    Raises:
        MotionError: no piece, a length that is not above zero, numbers that are not finite.
    """

    length: Array
    powers: Array
    stops: Mask

    def __post_init__(self) -> None:
        for name in ("length", "powers"):
            freeze_field(self, name, np.array(getattr(self, name), dtype=np.float64))
        stops = np.array(self.stops, dtype=bool)
        p = len(self.length)
        if p == 0 or stops.shape != (p,) or self.powers.shape[::2] != (p, DEGREE + 1):
            raise MotionError(
                f"A joint path has {p} lengths, {stops.shape} stops and powers of shape "
                f"{self.powers.shape}; give at least one piece, and of each piece five powers of "
                "every joint."
            )
        if not (np.all(self.length > 0.0) and np.all(np.isfinite(self.powers))):
            raise MotionError(
                f"The pieces of a joint path are {self.length.tolist()} long; each must be above "
                "zero, and its powers finite."
            )
        stops[0] = True
        freeze_field(self, "stops", stops)

    @classmethod
    def blended(cls, waypoints: Array, widths: Array, max_speed: Array) -> JointPath:
        """A polyline whose corners are blended; r is time at the full speed of each leg.

        A corner's q' turns from one leg's to the next as 3u² - 2u³, so that q'' is continuous and
        no joint's |q'| is above that of both legs. A corner of no width is a stop, unless q' is
        the same before and after it.

        Args:
            waypoints: no two alike in succession. # (w, n) [rad or m]
            widths: of the corners; half of one belongs to each leg. # (w - 2,) [s]
            max_speed: of the joints. # (n,) [rad/s or m/s]
        """
        legs = np.diff(waypoints, axis=0)
        time = np.max(np.abs(legs) / max_speed, axis=1)
        velocity = legs / time[:, None]
        before, after = np.append(0.0, widths), np.append(widths, 0.0)
        held = time - 0.5 * (before + after)
        lengths: list[float] = []
        powers: list[Array] = []
        stops: list[bool] = []
        stop = True
        n = waypoints.shape[1]
        for leg, v in enumerate(velocity):
            if held[leg] > _SLIVER * time[leg]:
                straight = np.zeros((n, DEGREE + 1))
                straight[:, 0] = waypoints[leg] + 0.5 * before[leg] * v
                straight[:, 1] = v
                lengths.append(float(held[leg]))
                powers.append(straight)
                stops.append(stop)
                stop = False
            if leg == len(velocity) - 1:
                break
            change, w = velocity[leg + 1] - v, float(after[leg])
            if w > 0.0:
                corner = np.zeros((n, DEGREE + 1))
                corner[:, 0] = waypoints[leg + 1] - 0.5 * w * v
                corner[:, 1] = v
                corner[:, 3] = change / (w * w)
                corner[:, 4] = -change / (2.0 * w * w * w)
                lengths.append(w)
                powers.append(corner)
                stops.append(stop)
                stop = False
            else:
                stop = bool(np.any(change != 0.0))
        return cls(length=np.array(lengths), powers=np.array(powers), stops=np.array(stops))

    @property
    def dof(self) -> int:
        """Number of joints n."""
        return int(self.powers.shape[1])

    @property
    def starts(self) -> Array:
        """Of the pieces, in r. # (p,)."""
        return np.concatenate([[0.0], np.cumsum(self.length)[:-1]])

    @property
    def span(self) -> float:
        """Length of the whole path, in r."""
        return float(np.sum(self.length))

    @property
    def straight(self) -> Mask:
        """Pieces on which q' is constant. # (p,) bool."""
        return np.asarray(np.all(self.powers[:, :, 2:] == 0.0, axis=(1, 2)))

    def piece_state(self, piece: Indices, place: Array) -> PathState:
        """Joints and derivatives by r, at places from the start of a piece. # (m,) -> (m, n)."""
        return polynomial_state(self.powers[piece], place)

    def state(self, r: Array) -> PathState:
        """Joints and derivatives by r. # (m,) -> (m, n)."""
        starts = self.starts
        piece = np.clip(np.searchsorted(starts, r, side="right") - 1, 0, len(starts) - 1)
        return self.piece_state(piece, r - starts[piece])


_SLIVER = 1e-12  # of a leg: what rounding leaves between two corners is no piece


def polynomial_state(powers: Array, place: Array) -> PathState:
    """Values and two derivatives of polynomials. # (m, n, 5), (m,) -> (m, n)."""
    s = np.asarray(place)[:, None]
    c0, c1, c2, c3, c4 = (powers[:, :, k] for k in range(DEGREE + 1))
    return PathState(
        q=c0 + s * (c1 + s * (c2 + s * (c3 + s * c4))),
        dq=c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * 4.0 * c4)),
        ddq=2.0 * c2 + s * (6.0 * c3 + s * 12.0 * c4),
    )
