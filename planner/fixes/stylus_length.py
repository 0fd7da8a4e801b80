"""The job with a stylus of another length: its tool frame, room, and mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.job import Job
from planner.job.settings import Probe
from planner.job.stylus import probe_capsules, with_probe
from robots.core.arrays import Array
from robots.core.mechanism import Body, Mechanism
from robots.core.pose import make_pose, transform_points


def with_stylus_length(job: Job, length: float) -> Job:
    """The job as it would be read with another ``stylus_length_mm``.

    A centre of mass in the middle of the stylus stays in its middle, any other one where it is.

    Args:
        job: as it was read.
        length: wrist centre to ball centre. [m]
    """
    probe, mechanism = job.probe, job.mechanism
    wrist = mechanism.tool @ make_pose(translation=[0.0, 0.0, -probe.stylus_length])
    middle = probe.com == probe.stylus_length / 2.0
    changed = replace(probe, stylus_length=length, com=length / 2.0 if middle else probe.com)
    bare = _without_probe(mechanism, wrist, probe)
    return replace(job, mechanism=with_probe(bare, wrist, changed), probe=changed)


def _without_probe(mechanism: Mechanism, wrist: Array, probe: Probe) -> Mechanism:
    """The mechanism before it was given its probe."""
    own = [capsule.name for capsule in probe_capsules(mechanism.tool_joint, wrist, probe)]
    known = len(mechanism.capsules)
    if [capsule.name for capsule in mechanism.capsules[-len(own) :]] == own:
        known -= len(own)
    pairs = tuple((a, b) for a, b in mechanism.self_pairs if max(a, b) < known)
    joints = list(mechanism.joints)
    place = mechanism.tool_joint
    center = transform_points(wrist, [0.0, 0.0, probe.com])
    joints[place] = replace(joints[place], body=_lighter(joints[place].body, probe.mass, center))
    return replace(
        mechanism,
        joints=tuple(joints),
        tool=wrist,
        capsules=mechanism.capsules[:known],
        self_pairs=pairs,
    )


def _lighter(body: Body, mass: float, center: Array) -> Body:
    """A body without a point mass that it carries."""
    if mass == 0.0:
        return body
    left = max(body.mass - mass, 0.0)
    com = (body.first_moment - mass * center) / left if left else np.zeros(3)
    tensor = mass * (np.dot(center, center) * np.eye(3) - np.outer(center, center))
    return Body(mass=left, com=com, inertia=body.inertia_at_origin - tensor, at="origin")
