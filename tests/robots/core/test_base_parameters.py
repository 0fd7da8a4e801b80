"""Base inertial parameters: published counts and formulas, rank of the regressor, equal torques."""

from __future__ import annotations

import re

import numpy as np
import pytest

from robots.core.base_parameters import base_parameters
from robots.core.denavit_hartenberg import DhRow
from robots.core.errors import EquationError
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from tests.cases import some

R, P, FIXED = JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED
RIGHT = np.pi / 2


def chain(*rows, kinds=None, gravity=(0.0, 0.0, -9.81)):
    """A chain from modified Denavit-Hartenberg rows (α, d, r)."""
    joints = tuple(
        Joint(
            name=f"joint{k}",
            kind=kinds[k] if kinds else R,
            parent=k - 1,
            placement=DhRow(alpha=alpha, d=d, r=r).pose(),
        )
        for k, (alpha, d, r) in enumerate(rows)
    )
    return Mechanism(name="chain", joints=joints, gravity=gravity)


WRIST = [(RIGHT, 0, 0), (-RIGHT, 0, 0)]
PUMA = [(0, 0, 0), (-RIGHT, 0, 0), (0, 0.4318, 0.15005), (-RIGHT, 0.0203, 0.4318), *WRIST]
STAUBLI = [(0, 0, 0), (RIGHT, 0, 0), (0, 0.45, 0), (-RIGHT, 0, 0.45), *WRIST]
MEASURING_ARM = [(0, 0, 0.40982), (RIGHT, 0, 0), (0, 1.0, 0), (RIGHT, 0, 1.5139), (-RIGHT, 0, 0)]


def states(n, seed, samples=6):
    rng = np.random.default_rng(500 + seed)
    return tuple(rng.uniform(-2.0, 2.0, size=(samples, n)) for _ in range(3))


# --- worked figures ------------------------------------------------------------------------------


def test_a_puma_has_36_base_parameters():
    """7 for each of five joints, and ZZ1 alone for the first: its axis is along gravity."""
    found = base_parameters(chain(*PUMA))
    assert found.count == 36
    assert found.gap > 1e10
    expected = {"XX1", "XY1", "XZ1", "YY1", "YZ1", "MX1", "MY1", "MZ1", "M1", "MZ2", "M2"}
    assert set(found.no_effect) == expected


def test_a_staubli_rx90_has_40_with_its_motors():
    """Khalil and Dombre count 40 for this robot: IA1 and IA2 join ZZ1 and ZZ2, IA3 … IA6 stay."""
    found = base_parameters(chain(*STAUBLI), motors=True)
    assert found.count == 40
    alone = [text.split(" = ")[0] for text in found.formulas if text.startswith("IA")]
    assert alone == ["IA3", "IA4", "IA5", "IA6"]
    assert base_parameters(chain(*STAUBLI)).count == 36


def test_formulas_of_the_staubli_rx90():
    """The published groupings with D3 = RL4 = 0.45 m: d², 2·RL4, RL4² as numbers."""
    found = base_parameters(chain(*STAUBLI), motors=True).formulas
    masses = "M3 {0} 0.2025*M4 {0} 0.2025*M5 {0} 0.2025*M6"
    for formula in (
        f"ZZR1 = ZZ1 + YY2 + YY3 + 0.2025*{masses.format('+')} + IA1",
        f"XXR2 = XX2 - YY2 - 0.2025*{masses.format('-')}",
        "XZR2 = XZ2 - 0.45*MZ3",
        f"ZZR2 = ZZ2 + 0.2025*{masses.format('+')} + IA2",
        "MXR2 = MX2 + 0.45*M3 + 0.45*M4 + 0.45*M5 + 0.45*M6",
        "XXR3 = XX3 - YY3 + YY4 + 0.9*MZ4 + 0.2025*M4 + 0.2025*M5 + 0.2025*M6",
        "ZZR3 = ZZ3 + YY4 + 0.9*MZ4 + 0.2025*M4 + 0.2025*M5 + 0.2025*M6",
        "MYR3 = MY3 + MZ4 + 0.45*M4 + 0.45*M5 + 0.45*M6",
        "XXR4 = XX4 - YY4 + YY5",
        "ZZR4 = ZZ4 + YY5",
        "MYR4 = MY4 - MZ5",
        "XXR5 = XX5 - YY5 + YY6",
        "ZZR5 = ZZ5 + YY6",
        "MYR5 = MY5 + MZ6",
        "XXR6 = XX6 - YY6",
        "XY6 = XY6",
    ):
        assert formula in found


def test_the_measuring_arm_has_29():
    found = base_parameters(chain(*MEASURING_ARM))
    assert found.count == 29
    assert "XXR3 = XX3 - YY3 + YY4 + 3.0278*MZ4 + 2.29189321*M4 + 2.29189321*M5" in found.formulas


def test_a_planar_arm_under_no_gravity():
    """Two parallel axes: ZZ1 + d²·M2, ZZ2, MX2, MY2; gravity along the axes changes nothing."""
    for gravity in ((0, 0, 0), (0, 0, -9.81)):
        found = base_parameters(chain((0, 0, 0), (0, 0.5, 0), gravity=gravity))
        assert found.formulas == ("ZZR1 = ZZ1 + 0.25*M2", "ZZ2 = ZZ2", "MX2 = MX2", "MY2 = MY2")
    upright = base_parameters(chain((0, 0, 0), (0, 0.5, 0), gravity=(0, -9.81, 0)))
    assert upright.formulas[:3] == ("ZZR1 = ZZ1 + 0.25*M2", "MXR1 = MX1 + 0.5*M2", "MY1 = MY1")
    assert upright.count == 6


def test_prismatic_joints_near_the_base():
    """A gantry never turns its bodies: masses only, and each of them is felt apart."""
    rows = [(0, 0, 0), (RIGHT, 0, 0), (RIGHT, 0, 0)]
    found = base_parameters(chain(*rows, kinds=[P, P, P]))
    assert found.formulas == ("M1 = M1", "M2 = M2", "M3 = M3")
    assert set(found.only_grouped) == set()
    assert {"XX3", "MX3", "MZ3"} <= set(found.no_effect)


def test_a_scara_with_a_sliding_wrist():
    """Three parallel axes; the sliding body's tensor and moments act through the elbow only."""
    rows = [(0, 0, 0), (0, 0.3, 0), (0, 0.2, 0)]
    found = base_parameters(chain(*rows, kinds=[R, R, P]))
    assert found.formulas == (
        "ZZR1 = ZZ1 + 0.09*M2",
        "ZZR2 = ZZ2 + ZZ3 + 0.4*MX3",
        "MXR2 = MX2 + MX3",
        "MYR2 = MY2 + MY3",
        "M3 = M3",
    )


def test_a_body_on_a_fixed_joint_joins_its_carrier():
    rows = [(0, 0, 0), (0, 0.5, 0)]
    found = base_parameters(chain(*rows, kinds=[R, FIXED], gravity=(0, -9.81, 0)))
    assert found.formulas == (
        "ZZR1 = ZZ1 + ZZ2 + MX2 + 0.25*M2",
        "MXR1 = MX1 + MX2 + 0.5*M2",
        "MYR1 = MY1 + MY2",
    )


def test_slanted_axes_have_fractions_and_digits():
    """An axis tilted by 60°: cos² = 1/4 and cos·sin = √3/4 enter; a length of 1/3 too."""
    tilted = chain((0, 0, 0), (np.pi / 3, 1 / 3, 0), (0.7, 0.1, 0.2), gravity=(3, -9.81, 1))
    text = "\n".join(base_parameters(tilted).formulas)
    assert "ZZR1 = ZZ1 + 0.75*YY2" in text
    assert "1/9*M2" in text
    assert "0.866025403784*MZ2" in text


# --- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(0, 96, 8), gate=2))
def test_grouped_parameters_give_the_torques_of_the_originals(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    model = Model(mechanism, "numpy")
    q, qd, qdd = states(model.dof, seed)
    found = base_parameters(mechanism)
    drives = np.array([joint.motor_inertia for joint in mechanism.movable])
    tau = model.regressor(q, qd, qdd)[..., list(found.columns)] @ found.values + drives * qdd
    expected = model.torques(q, qd, qdd)
    assert np.abs(tau - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("seed", some(range(0, 96, 8), gate=3))
def test_their_number_is_the_rank_of_the_regressor(seed, make_mechanism):
    """At other states than the ones used inside, and from singular values instead of columns."""
    mechanism = make_mechanism(seed)
    found = base_parameters(mechanism)
    q, qd, qdd = states(mechanism.dof, seed, 160)
    Y = Model(mechanism, "numpy").regressor(q, qd, qdd).reshape(-1, len(found.names))
    norms = np.linalg.norm(Y, axis=0)
    values = np.linalg.svd(Y / np.where(norms > 0, norms, 1.0), compute_uv=False)
    # Rounding leaves 1e-14; geometry of decimetres leaves more than 1e-7 of a unit column.
    assert found.count == np.sum(values > 1e-10 * values[0])
    assert found.gap > 1e6


@pytest.mark.parametrize("seed", some([2, 5, 8], gate=1))
def test_every_body_with_the_same_base_parameters_has_the_same_torques(seed, make_mechanism):
    """Any φ + ν with K·ν = 0 moves alike: columns of the regressor see K·φ only."""
    mechanism = make_mechanism(seed)
    found = base_parameters(mechanism, motors=True)
    n = mechanism.dof
    q, qd, qdd = states(n, seed)
    Y = Model(mechanism, "numpy").regressor(q, qd, qdd)
    Y = np.concatenate([Y, qdd[..., None] * np.eye(n)], axis=-1)
    reduced = Y[..., list(found.columns)] @ found.matrix
    assert np.abs(Y - reduced).max() <= 1e-12 * np.abs(Y).max()


def test_motors_enter_the_values(make_mechanism):
    mechanism = make_mechanism(6)
    model = Model(mechanism, "numpy")
    found = base_parameters(mechanism, motors=True)
    q, qd, qdd = states(model.dof, 6)
    Y = np.concatenate([model.regressor(q, qd, qdd), qdd[..., None] * np.eye(model.dof)], axis=-1)
    expected = model.torques(q, qd, qdd)
    tau = Y[..., list(found.columns)] @ found.values
    assert np.abs(tau - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("seed", some(range(1, 60, 9), gate=1))
def test_formulas_say_what_the_matrix_holds(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    found = base_parameters(mechanism)
    for formula, row, column in zip(found.formulas, found.matrix, found.columns, strict=True):
        name, text = formula.split(" = ")
        terms = re.findall(r"([+-]?) ?(?:([0-9.e+-]+(?:/\d+)?)\*)?([A-Z]+\d+)", text)
        read = np.zeros(len(row))
        for sign, size, parameter in terms:
            top, _, bottom = (size or "1").partition("/")
            value = float(top) / float(bottom or 1)
            read[found.names.index(parameter)] = -value if sign == "-" else value
        np.testing.assert_allclose(read, row, rtol=1e-11, atol=0)
        plain = found.names[column]
        assert name in (plain, re.sub(r"(\d+)$", r"R\1", plain))
        assert (name == plain) == (len(terms) == 1)


def test_each_parameter_is_one_of_three(make_mechanism):
    found = base_parameters(make_mechanism(3))
    kept = [found.names[k] for k in found.columns]
    assert sorted([*kept, *found.no_effect, *found.only_grouped]) == sorted(found.names)
    reached = np.abs(found.matrix).max(axis=0) > 0
    silent = {name for name, acts in zip(found.names, reached, strict=True) if not acts}
    assert silent == set(found.no_effect)


# --- edges ---------------------------------------------------------------------------------------


def test_a_mechanism_that_cannot_move_has_none():
    found = base_parameters(chain((0, 0, 0), (0, 1, 0), kinds=[FIXED, FIXED]))
    assert found.count == 0
    assert found.formulas == ()
    assert len(found.no_effect) == 20


def test_arrays_are_read_only(make_mechanism):
    found = base_parameters(make_mechanism(2))
    for array in (found.matrix, found.values, found.singular_values):
        assert not array.flags.writeable


def test_an_almost_parallel_axis_is_refused():
    """A second axis off by 1e-10 rad: its effects are neither rounding nor measurable."""
    almost = chain((0, 0, 0), (1e-10, 0.4, 0), (0, 0.1, 0.3))
    with pytest.raises(EquationError, match="'chain': the number of base parameters is not clear"):
        base_parameters(almost)


@pytest.mark.parametrize(("tilt", "count"), [(0.0, 7), (1e-2, 15), (1e-13, 7)])
def test_a_clearly_tilted_axis_and_a_parallel_one_are_told_apart(tilt, count):
    assert base_parameters(chain((0, 0, 0), (tilt, 0.4, 0), (0, 0.1, 0.3))).count == count
