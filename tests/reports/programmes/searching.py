"""A plan with the facts of a search, whichever planner made it.

A plan that has them already stays as it is; of another the new places are found on its probing
lines by Newton steps of the joints.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from robots.core.model import Model


class Over:
    """A value with some attributes laid over its own."""

    def __init__(self, base, **own):
        self.__dict__.update(own)
        self.__dict__["_base"] = base

    def __getattr__(self, name):
        return getattr(self._base, name)


def searching(plan, *, speed=5e-3, before=3e-3, after=3e-3, back_off=2e-3, mode="search"):
    """A plan as programmes take it."""
    if hasattr(plan.placed, "search_starts"):
        return plan
    placed, model = plan.placed, Model(plan.job.mechanism)
    c, d = placed.contacts, placed.directions
    start = c + np.minimum(before, 0.5 * placed.distances)[:, None] * d
    back = c + np.minimum(back_off, placed.distances)[:, None] * d
    end = c - after * d
    touch = SimpleNamespace(
        mode=mode,
        searching=mode == "search",
        speed=speed,
        latency=2e-3,
        settle=0.0,
        deceleration=None,
        positioning_speed=0.0,
        search_before=before,
        search_after=after,
        back_off=back_off,
    )
    points = []
    for k, point in enumerate(plan.planned_points):
        places = {"q_search_start": start[k], "q_search_end": end[k], "q_back_off": back[k]}
        q = {
            name: posture(model, point.q_contact, place) if point.reachable else point.q_contact
            for name, place in places.items()
        }
        if mode != "search":
            q = {name: np.full_like(point.q_contact, np.nan) for name in q}
        points.append(Over(point, **q, touch_speed=speed, overrun=speed * 2e-3 + 5e-5))
    over = Over(
        placed,
        search_starts=start,
        search_ends=end,
        back_offs=back,
        line_ends=end,
        touch_speeds=np.full(len(c), speed),
    )
    job = Over(plan.job, touch=touch)
    return Over(plan, placed=over, planned_points=tuple(points), job=job)


def posture(model, near, place, like=None):
    """Joints near others with the ball at a place, oriented like a pose or else like them."""
    q = np.array(near, dtype=float)
    goal = (model.forward(q[None])[0] if like is None else like).copy()
    goal[:3, 3] = place
    for _ in range(30):
        gap = task_gap(model.forward(q[None])[0], goal, len(q))
        if np.abs(gap).max() < 1e-14:
            break
        q = q + np.linalg.pinv(task_rows(model, q), rcond=1e-9) @ gap
    return q


def task_gap(T, goal, n):
    """Shift and turn that are missing. # (6,)."""
    R = goal[:3, :3] @ T[:3, :3].T
    turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if n < 6:
        z = T[:3, 2]
        turn = turn - (turn @ z) * z
    return np.concatenate([goal[:3, 3] - T[:3, 3], turn])


def task_rows(model, q):
    """Jacobian of the same. # (6, n)."""
    J = np.array(model.jacobian(q[None])[0])
    if len(q) < 6:
        z = model.forward(q[None])[0][:3, 2]
        J[3:] -= np.outer(z, z @ J[3:])
    return J
