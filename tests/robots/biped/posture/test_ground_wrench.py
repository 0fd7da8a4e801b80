"""The ground's wrench: sums over bodies, the centroidal road, Pinocchio, statics on slopes."""

from __future__ import annotations

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import stand
from robots.biped.posture.zero_moment import (
    centroidal_state,
    centroidal_zero_moment_points,
    ground_wrench,
    zero_moment_points,
)
from robots.core.model import Model

GROUND = Ground(alpha=0.12, beta=-0.2, point=np.array([0.02, -0.03, 0.4]))
COUNT = 40


def states(name, seed=7):
    """Postures with one or both feet flat, and gentle rates, so that the ground only pushes."""
    biped = open_biped(name)
    n = biped.mechanism.dof
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.3, 0.3, size=(COUNT, n))
    names = [joint.name for joint in biped.mechanism.movable]
    if name == "bip2000":
        q[:, :12] = 0.0
        bend = 0.4 * rng.uniform(size=COUNT)
        for index, leg in enumerate((("q2", "q3", "q4"), ("q6", "q7", "q8"))):
            rows = np.arange(COUNT) % 2 == index  # the other leg is bent and off the ground
            for joint, factor in zip(leg, (-1, 2, -1), strict=True):
                q[rows, names.index(joint)] = factor * bend[rows]
    qd, qdd = 0.3 * rng.normal(size=(2, COUNT, n))
    return stand(biped, q, GROUND), qd, qdd


@pytest.mark.parametrize("name", ["bip-leg", "bip2000"])
def test_both_roads_lead_to_one_zero_moment_point(name):
    standing, qd, qdd = states(name)
    dynamic = zero_moment_points(standing, qd, qdd)
    centroidal = centroidal_zero_moment_points(standing, qd, qdd)
    # Asked for: 1e-6 m. The time derivative of the momentum is good to about 1e-12.
    np.testing.assert_allclose(dynamic, centroidal, atol=1e-10)
    np.testing.assert_allclose(GROUND.clearance(dynamic), 0.0, atol=1e-14)


@pytest.mark.parametrize("name", ["bip-leg", "bip2000"])
def test_at_rest_it_is_below_the_centre_of_mass(name):
    standing, qd, _ = states(name)
    found = zero_moment_points(standing, 0 * qd, 0 * qd)
    np.testing.assert_allclose(found, GROUND.below(standing.com), atol=1e-13)
    wrench = ground_wrench(standing, 0 * qd, 0 * qd)
    weight = 9.81 * standing.biped.mechanism.total_mass
    np.testing.assert_allclose(wrench.force, np.tile([0, 0, weight], (COUNT, 1)), atol=1e-11)


@pytest.mark.parametrize("name", ["bip-leg", "bip2000"])
@pytest.mark.parametrize("row", [0, 1])
def test_wrench_is_the_sum_over_the_bodies(name, row):
    """Newton and Euler body by body in the world, from poses differentiated in time."""
    standing, qd, qdd = states(name)
    found = ground_wrench(standing, qd, qdd)
    h = 1e-3
    poses = _poses_around(standing, row, (qd[row], qdd[row]), h)
    force, moment = np.zeros(3), np.zeros(3)
    for index, joint in enumerate(standing.biped.mechanism.joints):
        R, p = poses[:, index, :3, :3], poses[:, index, :3, 3]
        way = p + R @ joint.body.com
        momenta = [
            R[k] @ joint.body.inertia_at_com @ R[k].T @ _spin(R[k], _first(R[k - 2 : k + 3], h))
            for k in (2, 4)
        ]
        acceleration = (way[2] - 2 * way[3] + way[4]) / h**2
        push = joint.body.mass * (acceleration + np.array([0, 0, 9.81]))
        force += push
        moment += (momenta[1] - momenta[0]) / (2 * h) + np.cross(way[3], push)
    # Second differences: h² = 1e-6 of the fourth derivative, on forces of 1,000 N.
    np.testing.assert_allclose(found.force[row], force, atol=1e-3)
    np.testing.assert_allclose(found.moment[row], moment, atol=1e-3)


def _poses_around(standing, row, rates, h):
    """Poses of all links in the world at seven instants, the standing foot resting."""
    t = np.arange(-3, 4)[:, None] * h
    q = standing.q[row] + t * rates[0] + 0.5 * t * t * rates[1]
    mechanism = standing.biped.mechanism
    links = Model(mechanism).transforms(q)
    foot = standing.foot[row]
    link = standing.biped.foot(foot).link
    T_base_foot = links[:, mechanism.index(link)] if link else np.tile(np.eye(4), (7, 1, 1))
    T_world_base = standing.T_world_feet[foot][row] @ np.linalg.inv(T_base_foot)
    return T_world_base[:, None] @ links


def _first(values, h):
    return (values[0] - 8 * values[1] + 8 * values[3] - values[4]) / (12 * h)


def _spin(R, Rd):
    W = Rd @ R.T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def test_rates_of_the_momentum_are_pinocchio_s():
    """The leg in Pinocchio; about the ankle, since Pinocchio leaves out the foot that rests."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
    standing, qd, qdd = states("bip-leg")
    mechanism = standing.biped.mechanism
    peer = _pinocchio_chain(pin, mechanism)
    data = peer.createData()
    found = centroidal_state(standing, qd, qdd)
    ankle = standing.T_world_base[:, :3, 3]
    force = mechanism.total_mass * found.acceleration
    moment = found.momentum_rate + np.cross(found.com - ankle, force)
    for row in range(0, COUNT, 5):
        R = standing.T_world_base[row, :3, :3]
        pin.computeCentroidalMomentumTimeVariation(peer, data, standing.q[row], qd[row], qdd[row])
        com = pin.centerOfMass(peer, data, standing.q[row])
        theirs = data.dhg.angular + np.cross(com, data.dhg.linear)
        # Our rates come from differences good to about 1e-11 of some 10 N.
        np.testing.assert_allclose(force[row], R @ data.dhg.linear, atol=1e-9)
        np.testing.assert_allclose(moment[row], R @ theirs, atol=1e-9)


def _pinocchio_chain(pin, mechanism):
    """The joints and their bodies; what is fixed to the base is left out."""
    peer = pin.Model()
    carriers = {-1: (0, pin.SE3.Identity())}
    for index, joint in enumerate(mechanism.joints):
        carrier, place = carriers[joint.parent]
        place = place * pin.SE3(np.array(joint.placement))
        if joint.movable:
            carrier = peer.addJoint(carrier, pin.JointModelRZ(), place, joint.name)
            place = pin.SE3.Identity()
        carriers[index] = (carrier, place)
        body, I = joint.body, joint.body.inertia_at_origin
        tensor = [I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
        numbers = np.array([body.mass, *body.first_moment, *tensor])
        if carrier:
            peer.appendBodyToJoint(carrier, pin.Inertia.FromDynamicParameters(numbers), place)
    return peer


def test_rates_must_fit():
    standing, qd, qdd = states("bip-leg")
    with pytest.raises(BipedError, match=r"have shape \(3, 4\), the postures \(40, 4\)"):
        ground_wrench(standing, qd[:3], qdd)
    with pytest.raises(BipedError, match="finite"):
        ground_wrench(standing, np.full_like(qd, np.nan), qdd)


def test_a_robot_that_jumps_has_no_zero_moment_point():
    biped = open_biped("bip-leg")
    bent = np.radians([[0.0, -16.0, 60.0, -44.0]])
    standing = stand(biped, bent)
    with pytest.raises(BipedError, match="in the air or pulls"):
        zero_moment_points(standing, np.zeros((1, 4)), np.array([[0.0, -60.0, 120.0, -60.0]]))
