"""Oracle of the bent stylus: four functions of the roll, zero at its postures and nowhere else.

Every roll puts the wrist centre at one place of a circle, which the arm reaches with four
combinations of shoulder and elbow; a posture exists where the forearm comes out normal to the last
axis. It shares nothing with the polynomial of the derived inverse.
"""

import numpy as np


class StylusRoll:
    """Functions of the roll for targets. Args: family; closed form; positions and axes. # (N, 3)"""

    def __init__(self, family, branches, position, axis):
        self._family, self._branches, self._axis = family, branches, axis
        self._middle = position - family.stylus_length * axis
        smallest = np.eye(3)[np.argmin(np.abs(axis), axis=-1)]
        u = np.cross(axis, smallest)
        u /= np.linalg.norm(u, axis=-1, keepdims=True)
        self._basis = u, np.cross(axis, u)

    def centers(self, target, roll):
        """Wrist centres. # (m,), (m,) -> (m, 3) [m]."""
        z5 = self._last_axis(target, roll)
        along, across = self._family.side
        return self._middle[target] - (along * z5 + across * np.cross(z5, self._axis[target]))

    def values(self, target, roll):
        """Cosine between forearm and last axis, by shoulder and elbow. # (m, 4)."""
        theta = self._branches(self.centers(target, roll), self._axis[target])[:, ::2]
        s1, c1 = np.sin(theta[..., 0]), np.cos(theta[..., 0])
        q23 = theta[..., 1] + theta[..., 2]
        forearm = np.stack([c1 * np.sin(q23), s1 * np.sin(q23), -np.cos(q23)], axis=-1)
        return np.einsum("msk,mk->ms", forearm, self._last_axis(target, roll))

    def _last_axis(self, target, roll):
        u, v = self._basis[0][target], self._basis[1][target]
        return np.cos(roll)[:, None] * u + np.sin(roll)[:, None] * v
