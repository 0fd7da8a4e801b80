"""Forms of condensed equations: LaTeX, derivation rules, counts, and refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from robots.core.errors import EquationError, StateError
from robots.core.language import parse
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.symbols.condensed.chain import (
    NO_VECTOR,
    SymbolicChain,
    SymbolicLink,
    from_description,
    from_mechanism,
)
from robots.core.symbols.condensed.coefficients import derivative
from robots.core.symbols.condensed.equations import (
    condensed_equations,
    gravity_lines,
    inertia_lines,
)
from robots.core.symbols.condensed.terms import (
    LatexReading,
    Slide,
    Sum,
    Symbol,
    Term,
    TextReading,
    Trig,
    collected,
    number_latex,
    symbol,
    symbol_latex,
)
from tests.cases import cases

PLANAR = "RZ(-9,9),TXK(L1),RZ(-9,9),TXK(L2);"
SINE = Trig(cosine=False, angle=((2, 1), (3, -1)))
COSINE = Trig(cosine=True, angle=((2, 1), (3, -1)))


def total(*terms):
    return Sum(terms=tuple(Term(coefficient=c, factors=tuple(f)) for c, f in terms))


def revolute(name, axes, body=None, parent=-1, **extra):
    """A joint whose z lies along the last column of ``axes``."""
    placement = np.eye(4)
    placement[:3, :3] = axes
    return Joint(
        name=name, kind=JointKind.REVOLUTE, parent=parent, placement=placement,
        body=body or Body(mass=1.0, com=[0.2, 0, 0]), **extra,
    )  # fmt: skip


def test_latex_of_the_planar_arm():
    page = condensed_equations(from_description(parse(PLANAR), gravity="Y")).as_latex()
    assert r"V_{X1} &= D_{1} \, M_{1} + L_{1} \, \left(M_{2}\right)" in page
    assert r"Q_{2} &= G \, \left(c_{12} \, V_{X2}\right)" in page
    assert r"A_{11} &= 2 \, V_{X2} \, L_{1} \, \left(c_{2}\right) + J_{Z1} + J_{Z2}" in page
    assert r"C_{21} &= V_{X2} \, L_{1} \, \left(s_{2}\right)" in page
    assert page.count("{") == page.count("}")
    assert page.count(r"\left(") == page.count(r"\right)")
    assert page.count(r"\begin{align*}") == page.count(r"\end{align*}") == 5


def test_latex_breaks_long_lines_and_keeps_every_term():
    chain = from_description(
        parse("RY(-9,9),TYK(L1),RX(-9,9),TYK(L2),RX(-9,9),TZK(L3),RY(-9,9),TXK(L4);")
    )
    equations = condensed_equations(chain)
    block = re.search(r"A_\{11\} &= (.*?)A_\{12\}", equations.as_latex(), re.DOTALL).group(1)
    lines = block.split("\\\\\n")
    assert len(lines) > 2
    assert all(line.startswith(("&\\quad + ", "&\\quad -")) for line in lines[1:-1])
    assert block.count("J_{") == sum("J" in str(t.factors[:1]) for t in equations.A[0][0].terms)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("VZ3", "V_{Z3}"), ("L1", "L_{1}"), ("JXY6", "J_{XY6}"), ("LX2_4", "L_{X2,4}"),
        ("MA4", r"\mathit{MA}_{4}"), ("G", "G"), ("GX", r"\mathit{GX}"), ("q", "q"),
    ],
)  # fmt: skip
def test_latex_names(name, text):
    assert symbol_latex(name) == text


def test_latex_numbers_signs_and_powers():
    body = total((-0.5, [SINE, SINE]), (1e-9, [Slide(joint=4)]), (3.0, []))
    assert LatexReading(4).read(body) == r"-0.5 \, s_{2-3}^{2} + 1 \cdot 10^{-9} \, q_{4} + 3"
    assert number_latex(1e22) == r"1 \cdot 10^{22}"
    assert LatexReading(4).read(Sum()) == "0"


def test_text_of_opposed_angles_and_powers():
    body = total((-0.5, [SINE, SINE]), (2.0, [Symbol(name="D1"), Symbol(name="D1"), COSINE]))
    assert TextReading(4).read(body) == "-0.5*S2M3*S2M3+2*D1**2*C2M3"
    far = Trig(cosine=True, angle=((9, 1), (10, -1), (11, 1)))
    assert TextReading(12).read(total((1.0, [far]))) == "+C9M10_11"


def test_derivatives_follow_the_rules():
    q3 = Slide(joint=3)
    text = TextReading(4).read
    assert text(derivative(total((2.0, [SINE])), 2)) == "+2*C2M3"
    assert text(derivative(total((2.0, [SINE])), 3)) == "-2*C2M3"
    assert text(derivative(total((2.0, [COSINE])), 3)) == "+2*S2M3"
    assert text(collected(derivative(total((5.0, [q3, q3])), 3))) == "+10*q3"
    assert text(derivative(total((5.0, [q3])), 3)) == "+5"
    bracket = Sum(terms=(Term(factors=(SINE,)), Term(coefficient=-1.0, factors=(q3, COSINE))))
    head = Sum(terms=(Term(coefficient=3.0, factors=(Symbol(name="L1"), bracket)),))
    assert text(derivative(head, 3)) == "+3*L1*(-C2M3-C2M3-q3*S2M3)"
    assert text(derivative(head, 1)) == "0"


def test_collected_adds_equal_products_in_place():
    a, b = Symbol(name="A"), Symbol(name="B")
    body = total((1.0, [a, SINE]), (2.0, [b]), (1.0, [SINE, a]), (-2.0, [b]))
    assert TextReading(3).read(collected(body)) == "+2*A*S2M3"


def test_operation_count_of_the_planar_arm():
    """By hand. Q2 2 mul (G, VX2), Q1 2 mul 1 add; A11 3 mul 2 add (2·V·L·C2), A12 2 mul 1 add,
    A22 none; B112 3 mul, C12 and C21 2 mul each, B212 is zero; C1, C12, C2, S2 and one angle."""
    count = condensed_equations(from_description(parse(PLANAR), gravity="Y")).operation_count
    assert count.sines_cosines == 4
    assert count.multiplications == 2 + 2 + 3 + 2 + 3 + 2 + 2
    assert count.additions == 1 + 2 + 1 + 1


def test_opposed_parallel_axes_share_one_angle():
    """Second axis along -Z: q1 - q2 in one cosine, and Q(1) takes Q(2) with a minus."""
    down = np.diag([1.0, -1.0, -1.0])
    joints = (revolute("a", np.eye(3)), revolute("b", down, parent=0))
    lines = gravity_lines(
        condensed_equations(Mechanism(name="two", joints=joints, gravity=np.array([0, -9.8, 0])))
    )
    assert lines == ["Q(2) = +G*(-C1M2*VX2)", "Q(1) = +G*(+C1*VX1)-Q(2)"]


def test_axes_within_rounding_of_an_axis_are_aligned():
    """A placement made with cos(pi/2) = 6e-17 gives the same equations as an exact one."""
    c, s = math.cos(math.pi / 2), math.sin(math.pi / 2)
    rounded = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    joints = [
        (revolute("a", np.eye(3)), revolute("b", axes, parent=0))
        for axes in (rounded, np.round(rounded))
    ]
    first, second = (
        inertia_lines(condensed_equations(Mechanism(name="r", joints=pair))) for pair in joints
    )
    assert first == second


def test_fixed_bodies_are_merged_and_motors_enter_the_diagonal():
    fixed = Joint(
        name="load", kind=JointKind.FIXED, parent=0, placement=np.eye(4),
        body=Body(mass=2.0, com=[0.5, 0, 0]),
    )  # fmt: skip
    arm = Mechanism(
        name="arm", joints=(revolute("a", np.eye(3), motor_inertia=0.7), fixed),
        gravity=np.array([0, -9.8, 0]),
    )  # fmt: skip
    equations = condensed_equations(arm)
    assert inertia_lines(equations) == ["A11=+JZ1+IA1"]
    values = equations.constant_values()
    assert values["IA1"] == 0.7
    # 1 kg at 0.2 m and 2 kg at 0.5 m
    assert values["JZ1"] == pytest.approx(0.04 + 0.5, rel=1e-14)
    assert values["VX1"] == pytest.approx(0.2 + 1.0, rel=1e-14)


def test_massless_chain_has_no_terms():
    chain = from_mechanism(
        Mechanism(name="nothing", joints=(revolute("a", np.eye(3), Body()),), gravity=np.zeros(3))
    )
    equations = condensed_equations(chain)
    assert equations.evaluate([0.3]).A.tolist() == [[0.0]]
    assert "A11=0" in equations.as_text()
    assert equations.as_latex().count("&= 0") == 2
    assert equations.operation_count.multiplications == 0


def test_batches_keep_their_shape():
    equations = condensed_equations(from_description(parse(PLANAR)))
    values = dict.fromkeys(equations.chain.symbols(), 1.0)
    found = equations.evaluate(np.zeros((3, 4, 2)), values)
    assert found.A.shape == (3, 4, 2, 2)
    assert found.B.shape == (3, 4, 2, 2, 2)
    assert found.C.shape == (3, 4, 2, 2)
    assert found.gravity.shape == (3, 4, 2)
    assert equations.evaluate(np.zeros((0, 2)), values).A.shape == (0, 2, 2)


def test_wrong_states_and_missing_values_are_refused():
    equations = condensed_equations(from_description(parse(PLANAR)))
    with pytest.raises(StateError, match=r"shape \(3,\).*2 joint variables"):
        equations.evaluate([1.0, 2.0, 3.0])
    with pytest.raises(EquationError, match="no value is known for D1, D2, G, IY1") as caught:
        equations.evaluate([1.0, 2.0], {"L1": 1.0})
    assert "L1" not in caught.value.facts["missing"]


@pytest.mark.parametrize("name", ["S2", "C23", "q4", "VZ3", "JX6", "LX2_4", "MA1", "IA3", "C2M3"])
def test_a_symbol_named_as_the_equations_own_is_refused(name):
    with pytest.raises(EquationError, match=f"the symbol '{name}' is a name"):
        from_description(parse(f"RZ(-9,9),TXK({name}),RZ(-9,9),TXK(L2);"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"parent": 0}, "parent index 0"),
        ({"kind": JointKind.FIXED}, "fixed joint"),
        ({"axis": (0.0, 0.0, 2.0)}, "not a unit vector"),
        ({"axis": (0.6, 0.8, 0.0)}, "slanted"),
        ({"kind": JointKind.PRISMATIC, "turn": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}, "no turn"),
    ],
)
def test_impossible_links_are_refused(fields, words):
    link = SymbolicLink(**{"kind": JointKind.REVOLUTE, "axis": (0.0, 0.0, 1.0), **fields})
    with pytest.raises(EquationError, match=f"Robot 'x', joint 1.*{words}"):
        SymbolicChain(name="x", links=(link,), gravity=NO_VECTOR)


def test_phrases_that_give_no_chain_are_refused():
    with pytest.raises(EquationError, match="no joint"):
        from_description(parse("TXK(L1);"))
    with pytest.raises(EquationError, match="not along 'W'"):
        from_description(parse(PLANAR), gravity="W")
    slanted = parse("RZ(-9,9),RXK(A),RZ(-9,9),TXK(L1);")
    with pytest.raises(EquationError, match=r"constant rotation by 'A'.*radians"):
        from_description(slanted)
    assert from_description(slanted, values={"A": math.pi / 2}).links[1].turn is None


def test_equations_too_long_to_read_are_refused_in_time(make_mechanism, monkeypatch):
    """A chain of ten slanted axes mixes everything; the message names the way out."""
    monkeypatch.setenv("PALPEUR_CAP_INERTIA_TERMS", str(cases(gate=2_000, soak=20_000)))
    with pytest.raises(EquationError, match="--as python"):
        condensed_equations(make_mechanism(13))


def test_numbers_in_a_name_clash_get_another_name():
    """A lever of mixed parts would be called L1; that name is taken by the phrase."""
    chain = from_description(parse("RZ(-9,9),TXK(L1),TXK(L2),RZ(-9,9),TXK(L3);"))
    text = condensed_equations(chain).as_text()
    assert "BODY 1: LX1 = L1+L2" in text
    assert symbol("L1") in [Sum(terms=(t,)) for t in chain.links[1].lever[0].terms]
