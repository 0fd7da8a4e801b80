"""Single postures: ranks, lost directions, types 1 and 2, the nearest singular joint."""

import numpy as np
import pytest

from robots.core.denavit_hartenberg import DhRow
from robots.core.errors import InverseError
from robots.core.inverse import Task
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.singularities.analysis import SingularityKind, analyse
from robots.library import load


def chain(*rows, tool=(0.0, 0.0, 0.0)):
    T = np.eye(4)
    T[:3, 3] = tool
    joints = tuple(
        Joint(name=f"q{i + 1}", kind=JointKind.REVOLUTE, parent=i - 1, placement=row.pose())
        for i, row in enumerate(rows)
    )
    return Mechanism(name="chain", joints=joints, tool=T)


PLANAR_2R = chain(DhRow(), DhRow(d=0.5), tool=(0.3, 0, 0))
WRIST = chain(DhRow(), DhRow(alpha=-np.pi / 2), DhRow(alpha=np.pi / 2))
SHOULDER_Q3 = 1.0
SHOULDER = [0.3, np.arctan2(0.5 + 0.4 * np.cos(SHOULDER_Q3), 0.4 * np.sin(SHOULDER_Q3)), 1.0]

TYPES = [
    (PLANAR_2R, Task.PLANE_POSITION, [0.4, 0.0], 1),  # stretched
    (PLANAR_2R, Task.PLANE_POSITION, [0.4, np.pi], 1),  # folded
    (PLANAR_2R, Task.POSITION, [0.4, np.pi], 1),
    ("planar-3r", Task.PLANE_POSITION, [0.3, 0.0, 0.0], 1),  # reach 1.2 m
    ("planar-3r", Task.PLANE_POSITION, [0.3, 0.0, np.pi], 2),  # 0.6 m of 0 to 1.2 m
    ("planar-3r", Task.PLANE_POSITION, [0.3, np.pi, 0.0], 2),
    ("planar-3r", Task.PLANE_POSE, [0.3, 0.0, 0.7], 1),
    ("planar-4r", Task.PLANE_POSITION, [0.3, 0.0, 0.0, 0.0], 1),
    ("anthropomorphic", Task.POSITION, [0.3, 0.7, 0.0], 1),  # elbow
    ("anthropomorphic", Task.POSITION, [0.3, 0.7, np.pi], 1),
    ("anthropomorphic", Task.POSITION, SHOULDER, 2),  # tool on the first axis
    (WRIST, Task.POSE, [0.3, 0.0, 0.5], 2),  # first and last axis in line
    ("stanford", Task.POSE, [0.3, 0.7, 0.5, 0.3, 0.0, 0.2], 2),  # wrist
    ("stanford", Task.POSE, [0.3, 0.0, 0.5, 0.3, 0.5, 0.2], 1),  # cannot enter the d2 cylinder
    ("stanford", Task.POSE, [0.3, 0.7, 0.0, 0.3, 0.5, 0.2], 1),  # d3 = 0: on the same cylinder
    ("measuring-arm", Task.POSITION_AND_AXIS, [0.3, 0.7, np.pi / 2, 0.3, 0.5], 1),
    ("measuring-arm", Task.POSITION_AND_AXIS, [0.3, 0.7, 0.5, 0.3, 0.0], 2),
    ("industrial-6r", Task.POSE, [0.3, 0.7, 0.5, 0.3, 0.0, 0.5], 2),
    # Elbow and wrist at once: the boundary stays one.
    ("industrial-6r", Task.POSE, [0.3, 0.7, -np.arctan2(0.4331, 0.0203), 0.3, 0.0, 0.5], 1),
]


@pytest.mark.parametrize(("robot", "task", "q", "expected"), TYPES)
def test_types_of_the_course(robot, task, q, expected):
    """ "type 1": limits of the reachable volume; "type 2": inside it."""
    model = Model(load(robot) if isinstance(robot, str) else robot)
    found = analyse(model, q, task)
    assert found.singular
    assert found.kind.course_type == expected
    assert found.condition == np.inf
    assert len(found.lost) == found.order >= 1


@pytest.mark.parametrize(("robot", "task", "q", "expected"), TYPES)
def test_types_agree_with_moving_the_tool(robot, task, q, expected):
    """Oracle: small self-motions of finite size. A shift along the lost direction to one side only
    is a boundary, to both sides an interior; none at all says nothing."""
    model = Model(load(robot) if isinstance(robot, str) else robot)
    q = np.asarray(q, dtype=float)
    found = analyse(model, q, task)
    still = np.linalg.svd(task.jacobian(model, q))[2][found.rank :]
    rng = np.random.default_rng(0)
    w = rng.normal(size=(200, len(still))) @ still
    h = 1e-3
    T0, T = model.forward(q), model.forward(q + h * w)
    linear = T[:, :3, 3] - T0[:3, 3]
    turn = T[:, :3, :3] @ T0[:3, :3].T
    angular = 0.5 * np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ],
        axis=-1,
    )
    twists = np.concatenate([linear, angular], axis=-1)
    if found.order > 1:
        return  # one of several lost directions need not show a side
    shift = twists @ found.lost[0].covector / h**2
    third_order = 20 * h
    sides = int(np.min(shift) < -third_order) + int(np.max(shift) > third_order)
    assert sides in (0, expected)


def test_without_the_offset_the_stanford_shoulder_is_inside():
    """d2 = 0: no cylinder is kept free, and q2 = 0 becomes type 2."""
    rows = [DhRow(), DhRow(alpha=-np.pi / 2), DhRow(alpha=np.pi / 2)]
    kinds = [JointKind.REVOLUTE, JointKind.REVOLUTE, JointKind.PRISMATIC]
    joints = tuple(
        Joint(name=f"q{i + 1}", kind=kind, parent=i - 1, placement=row.pose())
        for i, (kind, row) in enumerate(zip(kinds, rows, strict=True))
    )
    model = Model(Mechanism(name="spherical", joints=joints))
    assert analyse(model, [0.3, 0.0, 0.5], Task.POSITION).kind is SingularityKind.INTERIOR


def test_a_regular_posture_and_its_numbers():
    """σ of the 2R arm by hand: product |a1·a2·sin q2|/L², condition above 1."""
    model = Model(PLANAR_2R)
    found = analyse(model, [0.4, 1.1], Task.PLANE_POSITION)
    length = 0.8  # a1 + a2
    assert found.kind is SingularityKind.REGULAR
    assert not found.singular
    assert found.lost == ()
    assert found.scale_length == pytest.approx(length)
    assert found.manipulability == pytest.approx(0.5 * 0.3 * np.sin(1.1) / length**2)
    assert found.condition == pytest.approx(found.singular_values[0] / found.singular_values[1])
    assert list(found.chain_ranks) == [1, 2]


def test_rank_along_the_chain_names_the_joint_that_adds_nothing():
    """Axes 4 and 6 in line: the sixth column adds nothing to the first five."""
    model = Model(load("stanford"))
    assert list(analyse(model, [0.3, 0.7, 0.5, 0.3, 0.0, 0.2]).chain_ranks) == [1, 2, 3, 4, 5, 5]
    assert list(analyse(model, [0.3, 0.7, 0.5, 0.3, 0.4, 0.2]).chain_ranks) == [1, 2, 3, 4, 5, 6]


def test_what_a_planar_arm_never_does_is_not_lost():
    found = analyse(Model(load("planar-3r")), [0.3, 0.5, 0.2], Task.POSE)
    assert (found.rank, found.full_rank) == (3, 3)
    assert found.kind is SingularityKind.REGULAR


def test_lost_directions_in_words():
    stretched = analyse(Model(load("anthropomorphic")), [0.0, 0.0, 0.0], Task.POSITION)
    assert str(stretched.lost[0]) == "no velocity along base x at the tool"
    wrist = analyse(Model(WRIST), [0.0, 0.0, 0.0], Task.POSE)
    assert str(wrist.lost[0]) == "no rotation about base x"
    planar = analyse(Model(load("planar-3r")), [0.0, 0.0, np.pi / 2], Task.PLANE_POSE)
    # The wrist centre is 0.3 m below the tool in base y.
    assert str(planar.lost[0]) == (
        "no velocity along base x at the point of the tool's body that is (0, -0.3, 0) m from the "
        "tool, base axes"
    )
    skew = analyse(Model(load("industrial-6r")), [0.3, 0.7, 0.5, 0.3, 0.0, 0.5], Task.POSE)
    assert "m/rad times the rotation about" in str(skew.lost[0])


@pytest.mark.parametrize(("robot", "task", "q", "expected"), TYPES)
def test_no_joint_moves_the_tool_in_a_lost_direction(robot, task, q, expected):  # noqa: ARG001
    model = Model(load(robot) if isinstance(robot, str) else robot)
    for lost in analyse(model, q, task).lost:
        assert lost.covector @ model.jacobian(q) == pytest.approx(0.0, abs=1e-7)


def test_the_nearest_singular_joint():
    """Measuring arm: q3 is 0.57 from 90°, q5 is 0.5 from 0; the shoulder is farther."""
    model = Model(load("measuring-arm"))
    found = analyse(model, [0.3, 0.7, 1.0, 0.3, 0.5], Task.POSITION_AND_AXIS).nearest
    assert (found.joint, found.index) == ("q5", 4)
    assert found.value == pytest.approx(0.0, abs=1e-6)
    assert found.distance == pytest.approx(0.5, abs=1e-6)
    found = analyse(model, [0.3, 0.7, 1.2, 0.3, 0.5], Task.POSITION_AND_AXIS).nearest
    assert found.joint == "q3"
    assert found.value == pytest.approx(np.pi / 2, abs=1e-6)


def test_a_singular_posture_names_the_joint_that_leads_out():
    found = analyse(Model(load("stanford")), [0.3, 0.7, 0.5, 0.3, 0.0, 0.2])
    assert found.nearest.joint == "q5"
    assert found.nearest.distance == 0.0


def test_a_mechanism_without_singularities_has_no_nearest():
    joints = tuple(
        Joint(name=f"q{i + 1}", kind=JointKind.PRISMATIC, parent=i - 1, placement=row.pose())
        for i, row in enumerate([DhRow(), DhRow(alpha=np.pi / 2)])
    )
    found = analyse(Model(Mechanism(name="table", joints=joints)), [0.1, 0.2], Task.POSITION)
    assert found.nearest is None
    assert found.kind is SingularityKind.REGULAR


def test_wrong_requests_are_refused():
    model = Model(PLANAR_2R)
    with pytest.raises(InverseError, match=r"shape \(3,\); give one of 2"):
        analyse(model, [0, 0, 0])
    with pytest.raises(InverseError, match="not finite"):
        analyse(model, [0, np.nan])
    with pytest.raises(InverseError, match="between 0 and 1"):
        analyse(model, [0, 0], tolerance=0.0)
