"""Condensed equations as numbers: against the model core, finite differences and SymPy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.language import parse
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.symbols.condensed.chain import from_description
from robots.core.symbols.condensed.equations import condensed_equations
from tests.cases import cases, some

# Products of order 1 to 100 in two orders of summation; the issue asks for 1e-10.
TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
NAMES = ("A", "B", "C", "gravity")
REVOLUTE, PRISMATIC, FIXED = JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED
# Columns are the axes of a frame whose z lies along ±X, ±Y, ±Z of the frame before.
ALIGNED = [
    np.roll(np.eye(3), shift, axis=0) @ flip
    for shift in range(3)
    for flip in (np.eye(3), np.diag([1.0, -1.0, -1.0]))
]


def aligned_mechanism(seed, kinds, *, tree=False):
    """A robot whose axes lie along X, Y or Z of each other at q = 0; general bodies."""
    rng = np.random.default_rng(seed)
    joints = []
    for index, kind in enumerate(kinds):
        placement = np.eye(4)
        placement[:3, :3] = ALIGNED[rng.integers(6)]
        placement[:3, 3] = rng.normal(size=3) * rng.integers(0, 2, size=3)
        root = rng.normal(size=(3, 3))
        joints.append(
            Joint(
                name=f"j{index}",
                kind=kind,
                parent=int(rng.integers(max(-1, index - 3), index)) if tree else index - 1,
                placement=placement,
                motor_inertia=0.0 if kind is FIXED else float(rng.uniform(0.1)),
                body=Body(
                    mass=rng.uniform(0.5, 5), com=rng.normal(size=3) * 0.3, inertia=root @ root.T
                ),
            )
        )
    return Mechanism(name=f"aligned-{seed}", joints=tuple(joints), gravity=rng.normal(size=3) * 6)


def assert_agrees(mechanism, seed=0):
    q = np.random.default_rng(seed).uniform(-3, 3, (5, mechanism.dof))
    found = condensed_equations(mechanism).evaluate(q)
    expected = Model(mechanism, engine="numpy").lagrange(q)
    for name in NAMES:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), **TOLERANCE)


@settings(max_examples=cases(gate=6, soak=25), deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    kinds=st.lists(st.sampled_from([REVOLUTE, REVOLUTE, PRISMATIC, FIXED]), max_size=4),
    tree=st.booleans(),
)
def test_aligned_mechanisms_agree_with_the_model(seed, kinds, tree):
    assert_agrees(aligned_mechanism(seed, [REVOLUTE, *kinds], tree=tree), seed)


@pytest.mark.parametrize("seed", some(range(8), gate=4))
def test_prismatic_chains_agree_with_the_model(seed):
    """Every order of slides and turns: eqs. (3-10), (3-12)-(3-14), variable levers."""
    kinds = [PRISMATIC if seed >> bit & 1 else REVOLUTE for bit in range(3)]
    assert_agrees(aligned_mechanism(seed, [*kinds, PRISMATIC, REVOLUTE]), seed)


@pytest.mark.parametrize("seed", some([1, 6, 10, 11, 17, 21, 24, 30, 36], gate=4))
def test_random_trees_agree_with_the_model(make_mechanism, seed):
    """Slanted and aligned axes, slides, fixed joints, branches."""
    assert_agrees(make_mechanism(seed), seed)


def test_mass_matrix_gravity_and_torques_agree(make_mechanism):
    """The other, independently tested equations: composite bodies and Newton-Euler."""
    mechanism = make_mechanism(21)
    model, n = Model(mechanism, engine="numpy"), mechanism.dof
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 6, n))
    found = condensed_equations(mechanism).evaluate(q)
    np.testing.assert_allclose(found.A, model.mass_matrix(q), **TOLERANCE)
    np.testing.assert_allclose(found.gravity, model.gravity_torques(q), **TOLERANCE)
    np.testing.assert_allclose(found.torques(qd, qdd), model.torques(q, qd, qdd), **TOLERANCE)


def test_q_is_the_torque_that_gravity_exerts():
    """Sign of §4.4: a pendulum along +X about Z falls under gravity along -Y: torque -m·g·d."""
    joint = Joint(
        name="pendulum", kind=REVOLUTE, parent=-1, placement=np.eye(4),
        body=Body(mass=2.0, com=[0.5, 0, 0]),
    )  # fmt: skip
    pendulum = Mechanism(name="pendulum", joints=(joint,), gravity=np.array([0, -9.81, 0]))
    equations = condensed_equations(pendulum)
    text = equations.as_text()
    assert "Q(1) = +G*(+C1*VX1)" in text
    assert "G = -9.81" in text
    assert "A11=+JZ1" in text
    assert equations.evaluate([0.0]).gravity == pytest.approx([2.0 * 9.81 * 0.5], rel=1e-15)


@pytest.mark.parametrize("seed", [0, 5, 10, 19])
def test_the_printed_text_is_python_and_gives_the_same_numbers(seed):
    """Constants, Q, A, B and C are read back from the page, in its order."""
    kinds = [REVOLUTE, PRISMATIC, REVOLUTE, REVOLUTE]
    mechanism = aligned_mechanism(seed, kinds, tree=seed % 2 == 0)
    q = np.random.default_rng(seed).uniform(-3, 3, mechanism.dof)
    expected = Model(mechanism, engine="numpy").lagrange(q)
    read = read_page(condensed_equations(mechanism).as_text(), q)
    n = mechanism.dof
    for i in range(n):
        assert -read[f"Q({i + 1})"] == pytest.approx(expected.gravity[i], **approx())
        for j in range(n):
            a, b = min(i, j) + 1, max(i, j) + 1
            assert read[f"A{a}{b}"] == pytest.approx(expected.A[i, j], **approx())
            assert read.get(f"C{i + 1}{j + 1}", 0.0) == pytest.approx(expected.C[i, j], **approx())
            for k in range(j + 1, n):
                name = f"B{i + 1}{j + 1}{k + 1}"
                assert read.get(name, 0.0) == pytest.approx(expected.B[i, j, k], **approx())


def test_more_than_nine_joints_keep_their_numbers_apart():
    """C1_2 is not C12; a page of ten joints, four of them parallel hinges, reads back, too."""
    kinds = [REVOLUTE] * 2 + [PRISMATIC] * 6 + [REVOLUTE] * 2
    rng = np.random.default_rng(4)
    joints = tuple(
        Joint(
            name=f"j{k}", kind=kind, parent=k - 1,
            placement=np.block([[np.eye(3), np.array([[0.3], [0.1], [0]])], [np.zeros(3), 1.0]]),
            body=Body(mass=1.0, com=rng.normal(size=3) * 0.1),
        )
        for k, kind in enumerate(kinds)
    )  # fmt: skip
    snake = Mechanism(name="snake", joints=joints, gravity=np.array([0, -9.81, 0]))
    q = rng.uniform(-3, 3, 10)
    page = condensed_equations(snake).as_text()
    assert "S9_10" in page
    read = read_page(page, q)
    expected = Model(snake, engine="numpy").lagrange(q)
    for i in range(10):
        assert -read[f"Q({i + 1})"] == pytest.approx(expected.gravity[i], **approx())
        assert read[f"A{i + 1}_10"] == pytest.approx(expected.A[i, 9], **approx())


def test_a_tree_of_a_phrase_with_values_agrees_with_its_numbers():
    """Symbolic chain with branches, slide and constant rotations: values enter at the end."""
    phrase = "RX(-1,1),TYK(L1),RZK(90),TX(0,100),[TZK(L9),RZ(-1,1),TZK(100)],RX(-9,9),TYK(-L2);"
    names = {"L1": 0.4, "L2": 0.3, "L9": 0.2, "G": -9.81}
    equations = condensed_equations(from_description(parse(phrase)))
    masses = {name: 0.1 + 0.01 * k for k, name in enumerate(sorted(equations.chain.symbols()))}
    q = np.random.default_rng(0).uniform(-1, 1, (4, 4))
    found = equations.evaluate(q, {**masses, **names})
    assert np.array_equal(found.A, np.swapaxes(found.A, -1, -2))
    # Semi-definite: body 3 lies on its own axis of rotation and has no inertia about it.
    assert np.all(np.linalg.eigvalsh(found.A) > -1e-12)
    # Slopes of A by central differences: error h²·|A'''| ~ 1e-10 and rounding 1e-16/h ~ 1e-11.
    assert_speed_coefficients(lambda x: equations.evaluate(x, {**masses, **names}).A, found, q)


def test_speed_coefficients_are_slopes_of_the_inertia_coefficients():
    """Corrected (3-17), (3-18): C_ij is half of what is printed, with B counted once per pair."""
    mechanism = aligned_mechanism(7, [REVOLUTE, REVOLUTE, PRISMATIC, REVOLUTE])
    q = np.random.default_rng(7).uniform(-1, 1, (3, 4))
    equations = condensed_equations(mechanism)
    assert_speed_coefficients(lambda x: equations.evaluate(x).A, equations.evaluate(q), q)


def test_planar_arm_agrees_with_sympy():
    """Euler-Lagrange by SymPy's own differentiation of the kinetic energy."""
    sp = pytest.importorskip("sympy")
    equations = condensed_equations(from_description(parse("RZ(-9,9),TXK(L1),RZ(-9,9),TXK(L2);")))
    q1, q2, u1, u2, D1, D2, L1, M1, M2, IZ1, IZ2 = sp.symbols("q1 q2 u1 u2 D1 D2 L1 M1 M2 IZ1 IZ2")
    x1, y1 = D1 * sp.cos(q1), D1 * sp.sin(q1)
    x2, y2 = L1 * sp.cos(q1) + D2 * sp.cos(q1 + q2), L1 * sp.sin(q1) + D2 * sp.sin(q1 + q2)

    def square(e):
        return (sp.diff(e, q1) * u1 + sp.diff(e, q2) * u2) ** 2

    kinetic = M1 * (square(x1) + square(y1)) + M2 * (square(x2) + square(y2))
    kinetic = (kinetic + IZ1 * u1**2 + IZ2 * (u1 + u2) ** 2) / 2
    local = {name: value for name, value in vars(sp).items() if name in ("sin", "cos")}
    defined = {c.name: c for c in equations.constants}
    assert set(defined) >= {"VX1", "VX2", "JZ1", "JZ2"}
    page = equations.as_text()
    names = {str(s): s for s in (D1, D2, L1, M1, M2, IZ1, IZ2)}
    names |= {"IY1": sp.Symbol("IY1"), "IY2": sp.Symbol("IY2"), "G": sp.Symbol("G")}
    for symbol, expression in re.findall(r"BODY \d: (\w+) = (.*)", page):
        names[symbol] = eval(expression, {}, names)
    names |= {"C2": local["cos"](q2), "S2": local["sin"](q2)}
    for index, a, b in (("11", u1, u1), ("12", u1, u2), ("22", u2, u2)):
        line = re.search(rf"A{index}=(.*)", page).group(1)
        assert sp.simplify(eval(line, {}, names) - sp.diff(kinetic, a, b)) == 0


def assert_speed_coefficients(matrix, found, q, h=1e-5):
    n = q.shape[-1]
    slopes = [(matrix(q + h * e) - matrix(q - h * e)) / (2 * h) for e in np.eye(n)]
    for i in range(n):
        for j in range(n):
            C = slopes[j][..., i, j] - slopes[i][..., j, j] / 2
            np.testing.assert_allclose(found.C[..., i, j], C, atol=1e-6)
            for k in range(j + 1, n):
                B = slopes[k][..., i, j] + slopes[j][..., i, k] - slopes[i][..., j, k]
                np.testing.assert_allclose(found.B[..., i, j, k], B, atol=1e-6)


def approx():
    return {"rel": 1e-10, "abs": 1e-10}


def read_page(page, q):
    """Evaluate a printed page with nothing but Python; values by name, ``Q(4)`` included."""
    values = {f"q{k + 1}": x for k, x in enumerate(q)}
    torques = {}
    values["Q"] = lambda joint: torques[joint]
    separated = len(q) > 9
    found = {}
    for line in page.split("\n"):
        match = re.fullmatch(r"(?:BODY \d+: )?([\w()]+) ?= ?(.+)", line)
        if not match or line.startswith("sum_j"):
            continue
        name, expression = match.groups()
        for trig in re.findall(r"\b[SC]\d[\dM_]*\b", expression):
            values[trig] = trigonometric(trig, q, separated)
        found[name] = eval(expression, {}, values)
        if name.startswith("Q("):
            torques[int(name[2:-1])] = found[name]
        elif line.startswith("BODY") or re.fullmatch(r"G[XYZ]?", name):
            values[name] = found[name]
    return found


def trigonometric(name, q, separated):
    joints = re.findall(r"([_M]?)(\d+)" if separated else r"(M?)(\d)", name[1:])
    angle = sum((-1 if sign == "M" else 1) * q[int(joint) - 1] for sign, joint in joints)
    return np.cos(angle) if name[0] == "C" else np.sin(angle)
