"""The arm with errors: rows that are truly changed, Pinocchio, a planar arm by hand, edges."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.errors import MechanismError
from robots.core.geometric_errors import (
    NEARLY_PARALLEL,
    ErrorModel,
    GeometricParameter,
    ParameterKind,
    foot,
    geometric_parameters,
    path_to_tool,
    record_probe,
)
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.pose import exact_cos_sin, make_pose, rotation_x, rotation_y
from robots.core.robot_file import read_robot
from robots.library import text_of
from tests.cases import some

ROBOTS = ("measuring-arm", "anthropomorphic", "stanford", "planar-3r", "industrial-6r", "gantry-5")


def robot(name):
    return read_robot(text_of(name), origin=name)


def planar(l1=0.7, l2=0.4):
    """Two turning joints, axes z; the tool at the end of the second link."""
    rows = (DhRow(), DhRow(d=l1))
    joints = tuple(
        Joint(name=f"q{k + 1}", kind=JointKind.REVOLUTE, parent=k - 1, placement=row.pose())
        for k, row in enumerate(rows)
    )
    return Mechanism(name="planar", joints=joints, tool=make_pose(translation=[l2, 0.0, 0.0]))


def changed(mechanism, parameter, error):
    """The mechanism with one parameter truly changed in its own row."""
    if parameter.joint < 0:
        tool = np.array(mechanism.tool)
        axis = "xyz".index(parameter.symbol)
        tool[:3, 3] += error * tool[:3, axis]
        return replace(mechanism, tool=tool)
    joint = mechanism.joints[parameter.joint]
    pair = rows_of(joint.placement)
    row = replace(pair.joint, **{parameter.symbol: getattr(pair.joint, parameter.symbol) + error})
    joints = list(mechanism.joints)
    joints[parameter.joint] = replace(joint, placement=pair.carrier.pose() @ row.pose())
    return replace(mechanism, joints=tuple(joints))


def in_rows(mechanism, parameter):
    """Whether the parameter is one of the joint's own row: not where axes are parallel but skewed.

    The foot of parallel axes is a choice; rows_of and the error model agree for a single row.
    """
    if parameter.symbol in ("beta", "expansion"):
        return False
    if parameter.joint < 0:
        return True
    P = mechanism.joints[parameter.joint].placement
    sine = math.hypot(P[0, 2], P[1, 2])
    return sine >= NEARLY_PARALLEL or (sine == 0.0 and rows_of(P).is_single)


# --- without errors ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_without_errors_it_is_the_forward_model(name):
    mechanism = robot(name)
    model = ErrorModel(mechanism, engine="numpy")
    q = np.random.default_rng(1).uniform(-2.0, 2.0, (20, mechanism.dof))
    T = Model(mechanism, "numpy").forward(q)
    found = model.probe(q, np.zeros(len(model.parameters)))
    # metres of a few links, sums of ten rounded products
    np.testing.assert_allclose(found[:, :3], T[:, :3, 3], atol=1e-14)
    np.testing.assert_allclose(found[:, 3:], T[:, :3, 2], atol=1e-14)
    np.testing.assert_allclose(
        model.reading_sensitivities(q), Model(mechanism, "numpy").jacobian(q)[:, :3], atol=1e-13
    )


@pytest.mark.parametrize("seed", some(range(6), gate=3))
def test_random_trees_without_errors(make_mechanism, seed):
    mechanism = make_mechanism(seed)
    model = ErrorModel(mechanism, engine="numpy")
    q = np.random.default_rng(seed).uniform(-2.0, 2.0, (5, mechanism.dof))
    found = model.positions(q, np.zeros(len(model.parameters)))
    np.testing.assert_allclose(found, Model(mechanism, "numpy").forward(q)[:, :3, 3], atol=1e-12)


# --- with errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", some(["measuring-arm", "industrial-6r", "gantry-5", "stanford"], gate=2)
)
def test_errors_of_any_size_are_changed_rows(name):
    """Not only small ones: 0.3 rad and 0.3 m in each parameter of a row, one at a time."""
    mechanism = robot(name)
    model = ErrorModel(mechanism, engine="numpy")
    q = np.random.default_rng(2).uniform(-2.0, 2.0, (4, mechanism.dof))
    tried = 0
    for k, parameter in enumerate(model.parameters):
        if not in_rows(mechanism, parameter):
            continue
        errors = np.zeros(len(model.parameters))
        errors[k] = 0.3
        T = Model(changed(mechanism, parameter, 0.3), "numpy").forward(q)
        found = model.probe(q, errors)
        np.testing.assert_allclose(found[:, :3], T[:, :3, 3], atol=1e-13, err_msg=parameter.name)
        np.testing.assert_allclose(found[:, 3:], T[:, :3, 2], atol=1e-13, err_msg=parameter.name)
        tried += 1
    assert tried >= 4 * mechanism.dof


def test_all_errors_at_once_are_changed_rows():
    mechanism = robot("measuring-arm")
    parameters = tuple(p for p in geometric_parameters(mechanism) if in_rows(mechanism, p))
    model = ErrorModel(mechanism, parameters, engine="numpy")
    rng = np.random.default_rng(3)
    errors, q = 0.1 * rng.normal(size=len(parameters)), rng.uniform(-2.0, 2.0, 5)
    wrong = mechanism
    for parameter, error in zip(parameters, errors, strict=True):
        wrong = changed(wrong, parameter, error)
    # The arm's rows stay single, so that one after another is all at once.
    T = Model(wrong, "numpy").forward(q)
    np.testing.assert_allclose(model.probe(q, errors), [*T[:3, 3], *T[:3, 2]], atol=1e-13)


@pytest.mark.parametrize("seed", some(range(8), gate=4))
def test_sensitivities_are_pinocchio_s_differences(make_mechanism, make_peer, seed):
    mechanism = make_mechanism(seed)
    model = ErrorModel(mechanism, engine="numpy")
    q = np.random.default_rng(seed).uniform(-2.0, 2.0, mechanism.dof)
    found = model.sensitivities(q)
    h = 1e-6
    for k, parameter in enumerate(model.parameters):
        if not in_rows(mechanism, parameter):
            continue
        ends = [
            make_peer(changed(mechanism, parameter, sign * h)).poses(q)[-1][:3, 3]
            for sign in (1.0, -1.0)
        ]
        # h² times a third derivative of metres, and 1e-15/h of rounding
        np.testing.assert_allclose(
            found[:, k], (ends[0] - ends[1]) / (2.0 * h), atol=2e-8, err_msg=parameter.name
        )


def test_a_planar_arm_by_hand():
    """x = l1·c1 + l2·c12, y = l1·s1 + l2·s12: the sensitivities of a textbook."""
    l1, l2, q1, q2 = 0.7, 0.4, 0.6, -1.1
    model = ErrorModel(planar(l1, l2), engine="numpy")
    J = dict(zip(model.names, model.sensitivities([q1, q2]).T, strict=True))
    c1, s1, c12, s12 = math.cos(q1), math.sin(q1), math.cos(q1 + q2), math.sin(q1 + q2)
    x, y = l1 * c1 + l2 * c12, l1 * s1 + l2 * s12
    expected = {
        "q1 theta": [-y, x, 0.0],
        "q2 theta": [-l2 * s12, l2 * c12, 0.0],
        "q2 d": [c1, s1, 0.0],
        "tool x": [c12, s12, 0.0],
        "tool y": [-s12, c12, 0.0],
        "q2 r": [0.0, 0.0, 1.0],
        "q2 alpha": [0.0, 0.0, l2 * math.sin(q2)],  # about the first link
        "q2 beta": [0.0, 0.0, -l2 * math.cos(q2)],  # across it, at the second axis
        "expansion": [x, y, 0.0],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(J[name], value, atol=1e-15, err_msg=name)
    np.testing.assert_allclose(model.reading_sensitivities([q1, q2])[:, 0], [-y, x, 0], atol=1e-15)


def test_a_tilt_between_parallel_axes_is_a_rotation_at_the_foot():
    mechanism = planar()
    model = ErrorModel(mechanism, engine="numpy")
    errors = np.zeros(len(model.parameters))
    errors[model.names.index("q2 alpha")] = a = 0.2
    errors[model.names.index("q2 beta")] = b = -0.3
    P = mechanism.joints[1].placement @ make_pose(rotation_x(a) @ rotation_y(b))
    joints = (mechanism.joints[0], replace(mechanism.joints[1], placement=P))
    T = Model(replace(mechanism, joints=joints), "numpy").forward([0.4, 0.9])
    np.testing.assert_allclose(model.probe([0.4, 0.9], errors), [*T[:3, 3], *T[:3, 2]], atol=1e-15)


# --- laws ----------------------------------------------------------------------------------------


def test_a_uniform_growth_scales_every_position():
    model = ErrorModel(robot("measuring-arm"), engine="numpy")
    q = np.random.default_rng(4).uniform(-1.0, 1.0, (10, 5))
    none, grown = np.zeros(len(model.parameters)), np.zeros(len(model.parameters))
    grown[-1] = 1e-4
    assert model.names[-1] == "expansion"
    np.testing.assert_allclose(
        model.positions(q, grown), (1.0 + 1e-4) * model.positions(q, none), rtol=1e-15, atol=1e-15
    )


def test_an_offset_acts_as_a_reading():
    model = ErrorModel(robot("measuring-arm"), engine="numpy")
    q = np.random.default_rng(5).uniform(-1.0, 1.0, 5)
    for k in range(5):
        errors, moved = np.zeros(len(model.parameters)), q.copy()
        errors[model.names.index(f"q{k + 1} theta")] = moved[k] = 0.05
        moved[k] += q[k]
        np.testing.assert_allclose(
            model.probe(q, errors), model.probe(moved, np.zeros(len(errors))), atol=1e-15
        )


@pytest.mark.parametrize("tilt", [0.0, 1e-13, 1e-9, 1e-5, 0.01, 0.08])
def test_nearly_parallel_axes_have_levers_of_the_arm_s_size(tilt):
    """A common normal kilometres away would make any angle's error enormous."""
    mechanism = planar()
    P = np.array(mechanism.joints[1].placement)
    c, s = exact_cos_sin(tilt)
    P[:3, :3] = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
    P[:3, 3] = [0.7, 0.2, 0.1]
    joints = (mechanism.joints[0], replace(mechanism.joints[1], placement=P))
    model = ErrorModel(replace(mechanism, joints=joints), engine="numpy")
    assert "q2 beta" in model.names
    assert np.max(np.abs(model.sensitivities([0.3, 0.5]))) < 2.0  # [m/rad], of 1.1 m of arm


def test_the_same_numbers_from_numpy_and_machine_code():
    mechanism = robot("measuring-arm")
    rng = np.random.default_rng(6)
    q, errors = rng.uniform(-1, 1, (37, 5)), 1e-4 * rng.normal(size=(37, 26))
    one, other = (ErrorModel(mechanism, engine=e).probe(q, errors) for e in ("numpy", "compiled"))
    np.testing.assert_allclose(one, other, atol=1e-14)


# --- names and edges -----------------------------------------------------------------------------


def test_the_parameters_of_the_measuring_arm():
    parameters = geometric_parameters(robot("measuring-arm"))
    by_name = {p.name: p for p in parameters}
    assert len(parameters) == 26
    # the second and third axes are parallel, and the first is parallel to the base's z
    assert [p.name for p in parameters if p.symbol == "beta"] == ["q1 beta", "q3 beta"]
    assert [p.name for p in parameters if p.base] == ["q1 alpha", "q1 d", "q1 beta", "q1 r"]
    assert by_name["q4 theta"].kind is ParameterKind.OFFSET
    assert by_name["q4 r"].kind is ParameterKind.LENGTH
    assert by_name["q4 alpha"].kind is ParameterKind.ANGLE
    assert (by_name["expansion"].unit, by_name["tool z"].unit) == ("1", "m")


def test_a_sliding_joint_s_zero_is_its_r():
    by_name = {p.name: p for p in geometric_parameters(robot("stanford"))}
    joint = next(j for j in robot("stanford").joints if j.kind is JointKind.PRISMATIC)
    assert by_name[f"{joint.name} r"].kind is ParameterKind.OFFSET
    assert by_name[f"{joint.name} theta"].kind is ParameterKind.ANGLE


def test_only_the_path_to_the_tool_counts(make_mechanism):
    for seed in range(10):
        mechanism = make_mechanism(seed)
        owners = {p.joint for p in geometric_parameters(mechanism)} - {-1}
        assert owners == set(path_to_tool(mechanism))
        assert mechanism.tool_joint in owners


def test_the_foot_is_on_the_joint_s_axis(make_mechanism):
    for seed in range(10):
        for joint in make_mechanism(seed).joints:
            A = foot(joint.placement)
            np.testing.assert_allclose(A[:3, :3].T @ A[:3, :3], np.eye(3), atol=1e-9)
            np.testing.assert_allclose(A[:3, 2], joint.placement[:3, 2], atol=1e-9)
            away = np.cross(joint.placement[:3, 3] - A[:3, 3], A[:3, 2])
            assert np.linalg.norm(away) < 1e-9


def test_no_parameter_at_all():
    model = ErrorModel(planar(), (), engine="numpy")
    np.testing.assert_allclose(model.positions([0.0, 0.0], []), [1.1, 0.0, 0.0], atol=1e-15)
    assert model.sensitivities(np.zeros((3, 2))).shape == (3, 3, 0)


def test_a_parameter_that_is_not_there():
    strange = GeometricParameter(
        name="q9 alpha", joint=9, symbol="alpha", kind=ParameterKind.ANGLE, unit="rad"
    )
    with pytest.raises(MechanismError, match=r"'planar' has no geometric parameter 'q9 alpha'"):
        ErrorModel(planar(), (strange,))


def test_not_a_number_stays_one():
    model = ErrorModel(planar(), engine="numpy")
    errors = np.zeros((2, len(model.parameters)))
    errors[0, model.names.index("q2 d")] = np.nan
    found = model.positions(np.zeros((2, 2)), errors)
    assert np.isnan(found[0]).any()
    assert np.isfinite(found[1]).all()


def test_parameters_that_are_exact_cost_nothing():
    mechanism = robot("measuring-arm")
    some = tuple(p for p in geometric_parameters(mechanism) if p.kind is ParameterKind.LENGTH)
    few = record_probe(mechanism, some, axis=False).counts
    everything = record_probe(mechanism, geometric_parameters(mechanism), axis=False).counts
    assert few.sines_cosines <= 2 * mechanism.dof < everything.sines_cosines
