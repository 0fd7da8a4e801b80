"""The example of [LIEGEOIS80] §4, character by character, with its two corrected entries.

Every other condensed equation is derived by the same code, so this is the worked example of all.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from robots.core.language import mechanism_of, parse
from robots.core.mechanism import Body
from robots.core.model import Model
from robots.core.symbols.condensed.chain import from_description
from robots.core.symbols.condensed.equations import (
    condensed_equations,
    constant_line,
    gravity_lines,
    inertia_lines,
)

PHRASE = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),"
    "RX(T4MIN,T4MAX),TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6);"
)

# §4.3, its three tables in the report's order
CONSTANTS = """
BODY 1: VY1 = D1*M1+L1*(+M2+M3+M6)
BODY 2: VY2 = D2*M2+L2*(+M3+M6)
BODY 3: VZ3 = D3*M3+L3*(+M6)
BODY 6: VZ6 = D6*M6
BODY 1: WY1 = D1**2*M1+L1**2*(M2+M3+M6)
BODY 2: WY2 = D2**2*M2+L2**2*(M3+M6)
BODY 3: WZ3 = D3**2*M3+L3**2*(M6)
BODY 6: WZ6 = D6**2*M6
BODY 1: JX1 = IX1+WY1
BODY 1: JZ1 = IZ1+WY1
BODY 2: JX2 = IX2+WY2
BODY 2: JZ2 = IZ2+WY2
BODY 3: JX3 = IX3+WZ3
BODY 3: JY3 = IY3+WZ3
BODY 6: JX6 = IX6+WZ6
BODY 6: JY6 = IY6+WZ6
"""

# §4.4
GRAVITY = """
Q(6) = 0
Q(5) = +G*(+S234*S5*VZ6)
Q(4) = +G*(-C234*C5*VZ6)
Q(3) = +G*(-C23*VZ3)+Q(4)
Q(2) = +G*(-S2*VY2)+Q(3)
Q(1) = 0
"""

# §4.5, broken at column 84 as in the report; the first JX6 term of A11 and the first of A33 are
# the corrected ones
INERTIA = """
A11=+2*VZ3*L2*(+C23*S2)+2*VZ6*L2*(+C234*C5*S2)+2*VZ6*L3*(+C234*C5*C23)+JZ2*S2*S2+JY3
*C23*C23+JX6*C6*S5*S234*C6*S5*S234+JX6*C6*S5*S234*S6*C234+JX6*S6*C234*C6*S5*S234
+JX6*S6*C234*S6*C234+JY6*S6*S5*S234*S6*S5*S234-JY6*S6*S5*S234*C6*C234-JY6*C6*C23
4*S6*S5*S234+JY6*C6*C234*C6*C234
A12=+VZ6*L2*(-S5*C2)+VZ6*L3*(+S5*S23)+JX6*C6*C5*C6*S5*S234+JX6*C6*C5*S6*C234+JY6*S6*
C5*S6*S5*S234-JY6*S6*C5*C6*C234
A13=+VZ6*L3*(+S5*S23)+JX6*C6*C5*C6*S5*S234+JX6*C6*C5*S6*C234+JY6*S6*C5*S6*S5*S234-JY
6*S6*C5*C6*C234
A14=+JX6*C6*C5*C6*S5*S234+JX6*C6*C5*S6*C234+JY6*S6*C5*S6*S5*S234-JY6*S6*C5*C6*C234
A15=+VZ6*L2*(+S2*C5)+VZ6*L3*(+C23*C5)+JX6*S6*C6*S5*S234+JX6*S6*S6*C234-JY6*C6*S6*S5*
S234+JY6*C6*C6*C234
A16=0
A22=+2*VZ3*L2*(-S3)+2*VZ6*L2*(-S34*C5)+2*VZ6*L3*(+C4*C5)+JX2+JX3+JX6*C6*C5*C6*C5+JY6
*S6*C5*S6*C5
A23=+VZ3*L2*(-S3)+VZ6*L3*(+C4*C5)+VZ6*L2*(-S34*C5)+VZ6*L3*(+C4*C5)+JX3+JX6*C6*C5*C6*
C5+JY6*S6*C5*S6*C5
A24=+VZ6*L2*(-S34*C5)+VZ6*L3*(+C4*C5)+JX6*C6*C5*C6*C5+JY6*S6*C5*S6*C5
A25=+VZ6*L2*(-C34*S5)+VZ6*L3*(-S4*S5)+JX6*S6*C6*C5-JY6*C6*S6*C5
A26=0
A33=+2*VZ6*L3*(+C4*C5)+JX3+JX6*C6*C5*C6*C5+JY6*S6*C5*S6*C5
A34=+VZ6*L3*(+C4*C5)+JX6*C6*C5*C6*C5+JY6*S6*C5*S6*C5
A35=+VZ6*L3*(-S4*S5)+JX6*S6*C6*C5-JY6*C6*S6*C5
A36=0
A44=+JX6*C6*C5*C6*C5+JY6*S6*C5*S6*C5
A45=+JX6*S6*C6*C5-JY6*C6*S6*C5
A46=0
A55=+JX6*S6*S6+JY6*C6*C6
A56=0
A66=0
"""


def lines_of(block):
    """Lines of a block; a line that starts no new coefficient goes on with the one before."""
    joined = re.sub(r"\n(?!A\d|Q|BODY|$)", "", block)
    return joined.strip().splitlines()


VALUES = {
    "L1": 0.6, "L2": 0.8, "L3": 0.7, "L6": 0.2, "D1": 0.3, "D2": 0.35, "D3": 0.25, "D6": 0.12,
    "M1": 30.0, "M2": 14.0, "M3": 8.0, "M6": 3.0, "IX1": 1.1, "IZ1": 0.9, "IX2": 0.75,
    "IZ2": 0.8, "IX3": 0.33, "IY3": 0.31, "IX6": 0.02, "IY6": 0.03, "G": -9.81,
}  # fmt: skip


def example_mechanism():
    """The same robot as numbers, through the description language, gravity along -Y."""
    v = VALUES
    bodies = {
        "q1": Body(mass=v["M1"], com=[0, v["D1"], 0], inertia=np.diag([v["IX1"], 0, v["IZ1"]])),
        "q2": Body(mass=v["M2"], com=[0, v["D2"], 0], inertia=np.diag([v["IX2"], 0, v["IZ2"]])),
        "q3": Body(mass=v["M3"], com=[0, 0, v["D3"]], inertia=np.diag([v["IX3"], v["IY3"], 0])),
        "q6": Body(mass=v["M6"], com=[0, 0, v["D6"]], inertia=np.diag([v["IX6"], v["IY6"], 0])),
    }
    limits = {f"T{k}{end}": sign * 3.0 for k in range(1, 7) for end, sign in LIMITS}
    values = {**v, **limits}
    return mechanism_of(parse(PHRASE), values, gravity=(0.0, v["G"], 0.0), bodies=bodies)


LIMITS = (("MIN", -1.0), ("MAX", 1.0))


@pytest.fixture(scope="module")
def example():
    return condensed_equations(
        from_description(parse(PHRASE), name="liegeois-6r", gravity="Y", values=VALUES)
    )


def test_constants_are_the_printed_ones(example):
    lines = [constant_line(c, 6) for c in example.constants]
    assert sorted(lines) == sorted(lines_of(CONSTANTS))
    page = example.as_text().split("\n")
    assert [line for line in page if line.startswith("BODY")] == lines_of(
        CONSTANTS
    )  # in this order, too


def test_gravity_torques_are_the_printed_ones(example):
    assert gravity_lines(example) == lines_of(GRAVITY)


def test_inertia_coefficients_are_the_printed_ones(example):
    assert inertia_lines(example) == lines_of(INERTIA)
    assert len(lines_of(INERTIA)) == 21


def test_a_mechanism_with_numbers_gives_the_same_lines():
    equations = condensed_equations(example_mechanism())
    assert gravity_lines(equations) == lines_of(GRAVITY)
    assert inertia_lines(equations) == lines_of(INERTIA)


def test_symbols_and_numbers_and_the_model_agree(example):
    q = np.random.default_rng(1).uniform(-3, 3, (20, 6))
    model = Model(example_mechanism(), engine="numpy").lagrange(q)
    found = example.evaluate(q)
    for name in ("A", "B", "C", "gravity"):
        expected = getattr(model, name)
        # 1e-12: a few tens of products of order 10, two orders of summation
        np.testing.assert_allclose(getattr(found, name), expected, atol=1e-12 * 100)
    assert np.all(found.A[..., 5] == 0.0)  # IZ6 = 0: the mass matrix is singular, as printed


@pytest.mark.parametrize(
    ("entry", "right", "printed"),
    [
        ((0, 0), "JX6*C6*S5*S234*C6*S5*S234", "JX6*C6*S5*S234*C5*S5*S234"),
        ((2, 2), "2*VZ6*L3*(+C4*C5)", "2*VZ3*L3*(+C4*C5)"),
    ],
)
def test_the_entries_as_printed_are_wrong(example, entry, right, printed):
    """Errata of §4.5: with the printed product the coefficient misses the model's."""
    i, j = entry
    line = inertia_lines(example)[[(0, 0), (2, 2)].index(entry) * 11]
    assert right in line
    q = np.random.default_rng(2).uniform(-3, 3, 6)
    expected = Model(example_mechanism(), engine="numpy").lagrange(q).A[i, j]
    names = {**example.constant_values(), **trigonometry(q)}
    as_printed = eval(line.split("=")[1].replace(right, printed, 1), {}, names)
    corrected = eval(line.split("=")[1], {}, names)
    assert corrected == pytest.approx(expected, rel=1e-12)
    assert abs(as_printed - expected) > 1e-3


def test_body_one_enters_no_inertia_coefficient(example):
    """JX1 and JZ1 are computed and never used: the first axis is Y and IY1 is zero."""
    used = set().union(*(body.symbols() for body in example.sums()))
    assert not used & {"JX1", "JZ1", "VY1"}


def trigonometry(q):
    """S2, C23, S234, … of a chain of up to nine joints."""
    names = {}
    for first in range(len(q)):
        for last in range(first, len(q)):
            digits = "".join(str(k + 1) for k in range(first, last + 1))
            names[f"S{digits}"] = np.sin(q[first : last + 1].sum())
            names[f"C{digits}"] = np.cos(q[first : last + 1].sum())
    return names
