"""The room and the mass of the probe, added to the mechanism that carries it.

The probe's capsules hang on the joint that carries the tool. Which robot capsules they are watched
against is the rule of ``robots.core.self_pairs``: not those of the wrist that they are screwed to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.job.settings import Probe
from robots.core.arrays import Array
from robots.core.capsule import Capsule
from robots.core.mechanism import Mechanism, with_payload
from robots.core.pose import make_pose, transform_points
from robots.core.self_pairs import default_self_pairs

BALL, SHANK = STYLUS = ("stylus ball", "stylus shank")


def with_probe(mechanism: Mechanism, wrist: Array, probe: Probe) -> Mechanism:
    """The mechanism with the probe's tool frame, mass and capsules.

    Args:
        mechanism: without the probe.
        wrist: tool frame without the stylus, in the joint that carries the tool. # (4, 4)
        probe: the probe.

    Raises:
        MechanismError: a name of a probe capsule that the robot has already.
    """
    along = make_pose(translation=[0.0, 0.0, probe.stylus_length])
    capsules = probe_capsules(mechanism.tool_joint, wrist, probe)
    known = mechanism.capsules
    laden = replace(mechanism, tool=wrist @ along, capsules=known + capsules)
    laden = _with_pairs(laden, len(known))
    return with_payload(laden, probe.mass, [0.0, 0.0, probe.com - probe.stylus_length])


def probe_capsules(joint: int, wrist: Array, probe: Probe) -> tuple[Capsule, ...]:
    """The ball, the shank where the stylus has a length, then the probe's other bodies.

    Args:
        joint: index of the joint that carries the tool.
        wrist: tool frame without the stylus, in that joint. # (4, 4)
        probe: the probe.
    """
    center = np.array([0.0, 0.0, probe.stylus_length])
    stylus = [(BALL, center, center, probe.ball_radius)]
    if probe.stylus_length > 0.0:
        stylus.append((SHANK, np.zeros(3), center, probe.shank_diameter / 2.0))
    others = [(body.name, body.start, body.end, body.radius) for body in probe.bodies]
    return tuple(
        Capsule(
            name=name,
            joint=joint,
            start=transform_points(wrist, start),
            end=transform_points(wrist, end),
            radius=radius,
        )
        for name, start, end, radius in stylus + others
    )


def _with_pairs(mechanism: Mechanism, known: int) -> Mechanism:
    """Pairs of a robot capsule, of which there are ``known``, and a probe capsule, added."""
    if not known:
        return mechanism
    pairs = tuple((a, b) for a, b in default_self_pairs(mechanism) if a < known <= b)
    return replace(mechanism, self_pairs=mechanism.self_pairs + pairs)
