"""The condensed form and ``robots.core.equations`` are the same expressions.

The condensed equations of [LIEGEOIS80] are not read from ``equations``: they have a construction of
their own. Here both become polynomials in the sines, cosines and slides of the joints, with exact
coefficients, modulo sin² + cos² = 1; their normal forms must be identical, so that they agree at
every posture and not only where somebody looked. Small robots keep every length, mass and inertia
as a symbol. Larger ones have whole numbers drawn at random in their place: polynomials of at most
the fourth degree in the parameters that differ would agree for such a draw with a chance of less
than 1e-5.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import sympy

from robots.core.equations.algebra import Sym3
from robots.core.equations.kinematics import frames
from robots.core.equations.lagrange import lagrange
from robots.core.equations.tree import Inertia, Tree, tree_of
from robots.core.mechanism import BASE, Body, Joint, JointKind, Mechanism
from robots.core.singularities.determinant import TrigonometricRing
from robots.core.symbols.condensed.chain import SymbolicChain, SymbolicLink, Tensor
from robots.core.symbols.condensed.equations import condensed_equations
from robots.core.symbols.condensed.terms import (
    ZERO,
    Factor,
    GravityTorque,
    Reading,
    Slide,
    Sum,
    Symbol,
    Trig,
    added,
    scaled,
    symbol,
)
from robots.library import load

Element = Any  # of a SymPy polynomial ring
Entry = tuple[int, int]

REVOLUTE, PRISMATIC = JointKind.REVOLUTE, JointKind.PRISMATIC
LARGEST = 10**6  # of the numbers that stand for parameters
ENTRIES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@dataclass(frozen=True)
class Named:
    """A mechanism whose numbers have names; what is zero stays zero.

    Every joint moves, and at q = 0 every axis lies along X, Y or Z of the base.
    """

    mechanism: Mechanism

    def turns(self) -> list[np.ndarray]:
        """Orientation of every link at q = 0, of whole numbers."""
        found: list[np.ndarray] = []
        for joint in self.mechanism.joints:
            before = np.eye(3) if joint.parent == BASE else found[joint.parent]
            turned = before @ np.round(joint.placement[:3, :3])
            np.testing.assert_allclose(joint.placement[:3, :3], before.T @ turned, atol=1e-12)
            found.append(turned)
        return found

    def names(self) -> list[str]:
        """Of all parameters that are not zero."""
        return [name for link in range(self.mechanism.dof) for name in self.of_link(link)] + [
            f"G{axis}" for axis, g in zip("xyz", self.mechanism.gravity, strict=True) if g
        ]

    def of_link(self, k: int) -> list[str]:
        joint = self.mechanism.joints[k]
        inertia = joint.body.inertia_at_com
        offset, com = np.round(joint.placement[:3, 3], 12), joint.body.com
        return [
            *(f"l{k}{axis}" for axis, value in zip("xyz", offset, strict=True) if value),
            *([f"m{k}"] if joint.body.mass else []),
            *(f"d{k}{axis}" for axis, value in zip("xyz", com, strict=True) if value),
            *(f"i{k}{entry}" for entry, at in ENTRIES.items() if inertia[at]),
            *([f"a{k}"] if joint.motor_inertia else []),
        ]

    def chain(self) -> SymbolicChain:
        """For the condensed equations: vectors in the axes of the base at q = 0."""
        known = {name: symbol(name) for name in self.names()}
        get: Callable[[str], Sum] = lambda name: known.get(name, ZERO)  # noqa: E731
        turns, links = self.turns(), []
        for k, joint in enumerate(self.mechanism.joints):
            R = turns[k]
            before = np.eye(3) if joint.parent == BASE else turns[joint.parent]
            tensor = [[get(f"i{k}{min(a, b)}{max(a, b)}") for b in "xyz"] for a in "xyz"]
            links.append(
                SymbolicLink(
                    kind=joint.kind,
                    parent=joint.parent,
                    axis=tuple(R[:, 2].tolist()),
                    lever=rotated(before, [get(f"l{k}{axis}") for axis in "xyz"]),
                    mass=get(f"m{k}"),
                    com=rotated(R, [get(f"d{k}{axis}") for axis in "xyz"]),
                    inertia=Tensor(**turned_tensor(R, tensor)),
                    motor=get(f"a{k}"),
                )
            )
        return SymbolicChain(
            name=self.mechanism.name,
            links=tuple(links),
            gravity=tuple(get(f"G{axis}") for axis in "xyz"),
        )

    def tree(self, ring: Any, values: dict[str, Element]) -> Tree:
        """For ``equations``: vectors in the axes of the joints, inertia at their origins."""
        zero = ring.zero
        get: Callable[[str], Element] = lambda name: values.get(name, zero)  # noqa: E731
        numeric, links = tree_of(self.mechanism), []
        for k, (link, joint) in enumerate(zip(numeric.links, self.mechanism.joints, strict=True)):
            m, d = get(f"m{k}"), [get(f"d{k}{axis}") for axis in "xyz"]
            square = d[0] ** 2 + d[1] ** 2 + d[2] ** 2
            tensor = {
                name: get(f"i{k}{name}") + m * ((square if a == b else zero) - d[a] * d[b])
                for name, (a, b) in ENTRIES.items()
            }
            rotation = np.round(joint.placement[:3, :3]).astype(int).tolist()
            links.append(
                replace(
                    link,
                    rotation=tuple(tuple(row) for row in rotation),
                    offset=tuple(get(f"l{k}{axis}") for axis in "xyz"),
                    inertia=Inertia(mass=m, moment=tuple(m * x for x in d), tensor=Sym3(**tensor)),
                    motor_inertia=get(f"a{k}"),
                )
            )
        return replace(
            numeric, links=tuple(links), gravity=tuple(get(f"G{axis}") for axis in "xyz")
        )


def rotated(R: np.ndarray, v: Sequence[Sum]) -> tuple[Sum, Sum, Sum]:
    x, y, z = (added(*(scaled(float(R[a, b]), v[b]) for b in range(3))) for a in range(3))
    return x, y, z


def turned_tensor(R: np.ndarray, tensor: Sequence[Sequence[Sum]]) -> dict[str, Sum]:
    """R·I·Rᵀ; R moves entries and changes signs."""
    return {
        name: added(
            *(
                scaled(float(R[a, c] * R[b, d]), tensor[c][d])
                for c in range(3)
                for d in range(3)
                if R[a, c] * R[b, d]
            )
        )
        for name, (a, b) in ENTRIES.items()
    }


class Polynomials(Reading[Element]):
    """Condensed sums as elements of the ring."""

    def __init__(self, ring: TrigonometricRing, q: Sequence[Any], values: dict[str, Any]) -> None:
        self.ring, self.q, self.values = ring, q, values
        self.torques: dict[int, Element] = {}

    def symbol(self, factor: Symbol) -> Element:
        return self.values[factor.name]

    def slide(self, factor: Slide) -> Element:
        return self.q[factor.joint - 1]

    def torque(self, factor: GravityTorque) -> Element:
        return self.torques[factor.joint]

    def trig(self, factor: Trig) -> Element:
        angle = sum(sign * self.q[joint - 1] for joint, sign in factor.angle)
        return self.ring.cos(angle) if factor.cosine else self.ring.sin(angle)

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, Element]]) -> Element:
        value = self.ring.ring(sympy.QQ.from_sympy(sympy.Rational(coefficient)))
        for _, factor in factors:
            value = self.ring.reduced(value * factor)
        return value

    def total(self, terms: Sequence[Element]) -> Element:
        return sum(terms, self.ring.ring.zero)


def differences(mechanism: Mechanism, *, drawn: int | None = None) -> dict[str, Element]:
    """Coefficients whose normal forms differ, by name; every parameter a symbol, or drawn."""
    named = Named(mechanism)
    variables = sympy.symbols(f"q1:{mechanism.dof + 1}")
    angular = [joint.kind.angular for joint in mechanism.joints]
    angles = [v for v, turns in zip(variables, angular, strict=True) if turns]
    slides = [v for v, turns in zip(variables, angular, strict=True) if not turns]
    names = named.names()
    symbols = [] if drawn is not None else [sympy.Symbol(name) for name in names]
    ring = TrigonometricRing.over(angles, [*slides, *symbols])
    draw = random.Random(drawn)
    values = {
        name: ring.element(sympy.Symbol(name))
        if drawn is None
        else ring.ring(draw.randrange(1, LARGEST))
        for name in names
    }
    q = [v if turns else ring.element(v) for v, turns in zip(variables, angular, strict=True)]

    tree = named.tree(ring.ring, values)
    expected = lagrange(tree, frames(tree, q, ring.functions()))

    condensed = condensed_equations(named.chain())
    reading = Polynomials(ring, q, dict(values))
    for constant in condensed.constants:
        reading.values[constant.name] = reading.read(constant.definition)
    n = mechanism.dof
    for k in reversed(range(n)):
        reading.torques[k + 1] = reading.read(condensed.Q[k])
    pairs = {f"Q{i}": (-reading.torques[i + 1], expected.Q[i]) for i in range(n)}
    for i in range(n):
        for j in range(n):
            pairs[f"A{i}{j}"] = (reading.read(condensed.A[i][j]), expected.A[i][j])
            pairs[f"C{i}{j}"] = (reading.read(condensed.C[i][j]), expected.C[i][j])
            for k in range(j + 1, n):
                pairs[f"B{i}{j}{k}"] = (reading.read(condensed.B[i][j][k]), expected.B[i][j][k])
    found = {name: ring.reduced(ring.ring.zero + a - b) for name, (a, b) in pairs.items()}
    return {name: difference for name, difference in found.items() if difference}


X = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # its z lies along x
Y = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # its z lies along y
BODY = Body(mass=2.0, com=np.array([0.1, 0.2, 0.3]), inertia=np.ones((3, 3)) + 9 * np.eye(3))


def robot(*joints: tuple[JointKind, np.ndarray, tuple[float, float, float]], parents=()):
    """Joints by kind, orientation in the joint before and place there; general bodies."""
    made = []
    for k, (kind, R, place) in enumerate(joints):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, place
        parent = parents[k] if parents else k - 1
        made.append(
            Joint(
                name=f"q{k + 1}",
                kind=kind,
                parent=parent,
                placement=T,
                body=BODY,
                motor_inertia=0.1,
            )
        )
    return Mechanism(name="named", joints=tuple(made), gravity=np.array([1.0, 2.0, -9.0]))


I3 = np.eye(3)
PLANAR = robot((REVOLUTE, Y, (0, 0, 0)), (REVOLUTE, I3, (1, 0, 0)))
ELBOW = robot((REVOLUTE, I3, (0, 0, 1)), (REVOLUTE, X, (1, 0, 0)))
SLIDING = robot((REVOLUTE, I3, (0, 0, 1)), (PRISMATIC, X, (1, 2, 0)))
GANTRY = robot((PRISMATIC, X, (0, 0, 0)), (PRISMATIC, Y, (1, 1, 1)), (REVOLUTE, X, (0, 0, 1)))
FORK = robot(
    (REVOLUTE, I3, (0, 0, 1)),
    (REVOLUTE, X, (1, 0, 0)),
    (PRISMATIC, Y, (0, 1, 1)),
    parents=(-1, 0, 0),
)


@pytest.mark.parametrize(
    "mechanism", [PLANAR, ELBOW, SLIDING, GANTRY, FORK], ids=["2R", "elbow", "RP", "PPR", "fork"]
)
def test_every_coefficient_is_the_same_expression_of_all_parameters(mechanism):
    assert differences(mechanism) == {}


def test_the_measuring_arm_s_coefficients_are_the_same_expressions():
    assert differences(load("measuring-arm"), drawn=1) == {}


@pytest.mark.soak
@pytest.mark.parametrize("name", ["industrial-6r", "gantry-5", "liegeois-6r"])
def test_those_of_larger_robots_are(name):
    assert differences(load(name), drawn=3) == {}


def test_a_wrong_coefficient_is_seen(monkeypatch):
    """The comparison can fail: a lever of another sign is another expression."""
    right = Named.chain

    def wrong(named: Named) -> SymbolicChain:
        *before, last = right(named).links
        lever = tuple(scaled(-1.0, x) for x in last.lever)
        return replace(right(named), links=(*before, replace(last, lever=lever)))

    monkeypatch.setattr(Named, "chain", wrong)
    assert {"A00", "A01", "B001", "Q0"} <= differences(PLANAR).keys()
