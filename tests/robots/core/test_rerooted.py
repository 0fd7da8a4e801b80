"""The same tree from another base: poses, centre of mass, torques and mass matrix must agree."""

import numpy as np
import pytest

from robots.core.capsule import Capsule
from robots.core.errors import MechanismError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.rerooted import reroot
from tests.cases import some

SEEDS = range(12)
EXACT = 1e-11  # composition of up to twelve poses with metres and radians near one


@pytest.fixture(params=some(SEEDS, gate=5))
def pair(request, make_mechanism):
    old = make_mechanism(request.param)
    rng = np.random.default_rng(request.param)
    link = old.joints[int(rng.integers(len(old.joints)))].name
    return old, reroot(old, link), rng


def states(rng, n, count=3):
    return rng.normal(size=(3, count, n))


def old_poses(mechanism, q):
    """Poses of all links, then of the base, in the base frame."""
    T = Model(mechanism, engine="numpy").transforms(q)
    base = np.broadcast_to(np.eye(4), (*T.shape[:-3], 1, 4, 4))
    return np.concatenate([T, base], axis=-3)


def test_links_stand_as_before_towards_each_other(pair):
    old, new, rng = pair
    q = states(rng, old.dof)[0]
    before = old_poses(old, q)
    after = new.old_links(Model(new.mechanism, engine="numpy").transforms(new.variables(q)))
    root = before[:, old.index(new.link)]
    assert np.allclose(root[:, None] @ after, before, atol=EXACT)
    tool = Model(new.mechanism, engine="numpy").forward(new.variables(q))
    assert np.allclose(root @ tool, Model(old, engine="numpy").forward(q), atol=EXACT)


def test_mass_and_centre_of_mass_stay(pair):
    old, new, rng = pair
    q = states(rng, old.dof)[0]
    root = old_poses(old, q)[:, old.index(new.link)]
    seen = Model(new.mechanism, engine="numpy").center_of_mass(new.variables(q))
    com = Model(old, engine="numpy").center_of_mass(q)
    assert new.mechanism.total_mass == pytest.approx(old.total_mass, rel=1e-14)
    assert np.allclose(
        np.einsum("kij,kj->ki", root[:, :3, :3], seen) + root[:, :3, 3], com, atol=1e-11
    )


def test_every_variable_keeps_its_joint(pair):
    old, new, _ = pair
    names = [joint.name for joint in old.movable]
    assert [joint.name for joint in new.mechanism.movable] == [names[k] for k in new.order]
    for joint in new.mechanism.movable:
        same = old.joints[old.index(joint.name)]
        assert (joint.kind, joint.motor_inertia, joint.q_min) == (
            same.kind,
            same.motor_inertia,
            same.q_min,
        )
    values = np.arange(2.0 * old.dof).reshape(2, -1)
    assert np.array_equal(new.old_variables(new.variables(values)), values)


def test_there_and_back_is_the_same_robot(pair):
    """Back on the old base: by the joint that carries it now."""
    old, new, rng = pair
    q, qd, qdd = states(rng, old.dof)
    carrier = new.mechanism.joints[new.carriers[-1]].name
    back = reroot(new.mechanism, carrier)
    tau = Model(old, engine="numpy").torques(q, qd, qdd)
    there = back.variables(new.variables(np.array([q, qd, qdd])))
    # The base came back with the axes of the carrier's frame; gravity is what tells them apart.
    R = new.offsets[-1][:3, :3]
    upright = Mechanism(name="back", joints=back.mechanism.joints, gravity=R @ old.gravity)
    again = Model(upright, engine="numpy").torques(*there)
    scale = np.abs(tau).max()
    assert np.allclose(new.old_variables(back.old_variables(again)), tau, atol=1e-10 * scale)


def test_mass_matrix_is_that_of_the_free_tree_with_the_new_base_held(pair):
    """Both trees float: held at the new base, the old tree's energy must be the new tree's."""
    old, new, rng = pair
    q, qd, _ = states(rng, old.dof, count=1)
    q, qd = q[0], qd[0]
    energy = Model(new.mechanism, engine="numpy").energies(new.variables(q), new.variables(qd))
    assert energy.kinetic == pytest.approx(floating_energy(old, new.link, q, qd), rel=1e-6)


def floating_energy(mechanism, link, q, qd, h=1e-5):
    """Kinetic energy from central differences of poses seen from the link; motors added."""

    def seen(q):
        T = Model(mechanism, engine="numpy").transforms(q)
        return np.linalg.inv(T[mechanism.index(link)]) @ T

    ahead, behind, now = seen(q + h * qd), seen(q - h * qd), seen(q)
    total = 0.5 * sum(
        joint.motor_inertia * speed**2 for joint, speed in zip(mechanism.movable, qd, strict=True)
    )
    for joint, b, a, T in zip(mechanism.joints, ahead, behind, now, strict=True):
        rate = (b - a) / (2.0 * h)
        spin = T[:3, :3].T @ rate[:3, :3]
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        v = rate[:3, 3] + rate[:3, :3] @ joint.body.com
        total += 0.5 * joint.body.mass * v @ v + 0.5 * w @ joint.body.inertia_at_com @ w
    return total


def test_gravity_keeps_its_direction_in_the_posture_it_was_taken_in(pair):
    old, _, rng = pair
    q = states(rng, old.dof)[0][0]
    link = old.joints[-1].name
    new = reroot(old, link, q)
    T = old_poses(old, q)[-2]
    assert np.allclose(new.T_base_link, T, atol=EXACT)
    assert np.allclose(T[:3, :3] @ new.mechanism.gravity, old.gravity, atol=EXACT)


def test_holding_torques_change_by_what_the_new_base_holds(pair):
    """Potential energy differs by a constant when gravity turns with the base: the same τ."""
    old, _, rng = pair
    q = states(rng, old.dof)[0][0]
    link = old.joints[-1].name
    new = reroot(old, link, q)
    model, seen = Model(old, engine="numpy"), Model(new.mechanism, engine="numpy")
    hold = new.old_variables(seen.gravity_torques(new.variables(q)))
    before = model.gravity_torques(q)
    on_path = _path(old, link)
    for k, joint in enumerate(old.movable):
        if joint.name not in on_path:  # what hangs on such a joint hangs on it from both bases
            assert hold[k] == pytest.approx(before[k], abs=1e-9)


def _path(mechanism, link):
    index, found = mechanism.index(link), set()
    while index >= 0:
        found.add(mechanism.joints[index].name)
        index = mechanism.joints[index].parent
    return found


def two_links(**facts):
    joints = (
        Joint(
            name="a", kind=JointKind.REVOLUTE, parent=-1, placement=np.eye(4), body=Body(mass=2.0)
        ),
        Joint(name="b", kind=JointKind.PRISMATIC, parent=0, placement=np.eye(4)),
    )
    return Mechanism(name="two", joints=joints, **facts)


def test_capsules_go_with_their_links():
    ball = Capsule(name="ball", joint=0, start=[1, 2, 3], end=[1, 2, 4], radius=0.1)
    foot = Capsule(name="foot", joint=-1, start=[1, 0, 0], end=[1, 0, 0], radius=0.1)
    old = two_links(capsules=(ball, foot))
    new = reroot(old, "b")
    q = np.array([0.3, 0.7])
    T = old_poses(old, q)
    seen = Model(new.mechanism, engine="numpy").transforms(new.variables(q))
    for capsule, moved in zip(old.capsules, new.mechanism.capsules, strict=True):
        before = np.linalg.inv(T[1]) @ T[capsule.joint] @ [*capsule.end, 1.0]
        after = seen[moved.joint] @ [*moved.end, 1.0]
        assert np.allclose(after, before, atol=1e-14)


def test_the_body_of_the_new_base_counts_and_the_old_base_has_none():
    new = reroot(two_links(), "a")
    assert [joint.name for joint in new.mechanism.joints] == ["a body", "a", "b"]
    assert [joint.body.mass for joint in new.mechanism.joints] == [2.0, 0.0, 0.0]


def test_unknown_link_is_refused_by_name():
    with pytest.raises(MechanismError, match="no joint 'c'; it has a, b"):
        reroot(two_links(), "c")


def test_a_name_that_is_taken_gets_a_number():
    joints = (
        Joint(name="a", kind=JointKind.REVOLUTE, parent=-1, placement=np.eye(4)),
        Joint(name="a body", kind=JointKind.FIXED, parent=0, placement=np.eye(4)),
    )
    new = reroot(Mechanism(name="m", joints=joints), "a")
    assert [joint.name for joint in new.mechanism.joints] == ["a body 2", "a", "a body"]
