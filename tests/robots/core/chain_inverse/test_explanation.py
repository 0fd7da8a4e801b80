"""Printed and exported equations say what the solver computes."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from robots.core.chain_inverse.explanation import explain, source_of
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.errors import InverseError
from robots.core.symbols.listing import Language
from robots.library import open_robot
from tests.cases import some


def _value(text: str, names: dict[str, float]) -> float:
    """Value of a printed expression, by SymPy's own parser."""
    import sympy
    from sympy.parsing.sympy_parser import parse_expr

    return float(parse_expr(text).subs({sympy.Symbol(k): v for k, v in names.items()}))


@pytest.mark.parametrize("name", some(["industrial-6r", "ur5e", "scara-4", "stanford"], gate=2))
def test_printed_equations_hold_at_every_posture(name: str) -> None:
    inverse = ChainInverse.of(open_robot(name), engine="numpy")
    chain = inverse.chain
    q = np.array([0.4, -0.8, 0.7, 0.5, 0.9, -0.3])[: chain.size] * chain.units
    T = chain.forward(q[None])[0]
    names = {f"{c}_{r}": float(T[i, j]) for i, r in enumerate("xyz") for j, c in enumerate("nsap")}
    for k, turns in enumerate(chain.revolute, start=1):
        names |= (
            {f"S{k}": np.sin(q[k - 1]), f"C{k}": np.cos(q[k - 1])} if turns else {f"r{k}": q[k - 1]}
        )
    explanation = explain(inverse)
    assert len(explanation.steps) == chain.size
    for step in explanation.steps:
        known = names | {factor: _value(text, names) for factor, text in step.factors}
        for equation in step.equation.replace("^", "**").split(",  "):
            left, right = re.sub(r"([XY]\d?) ([SCr])", r"\1*\2", equation).split(" = ")
            assert _value(left, known) == pytest.approx(_value(right, known), abs=1e-7)


def test_types_of_the_anthropomorphic_arm_are_those_of_the_table() -> None:
    steps = explain(ChainInverse.of(open_robot("industrial-6r"), engine="numpy")).steps
    assert {step.joint: step.paul for step in steps} == {
        "q1": 2, "q2": 3, "q3": 2, "q4": 3, "q5": 2, "q6": 3,
    }  # fmt: skip


def test_an_offset_wrist_is_told_by_its_polynomial() -> None:
    found = explain(ChainInverse.of(open_robot("yaskawa-hc10"), engine="numpy"))
    assert found.degree == 4
    assert found.assumed
    assert found.assumed not in {step.joint for step in found.steps}


def test_exported_python_passes_its_own_test(tmp_path) -> None:
    source = source_of(ChainInverse.of(open_robot("stanford"), engine="numpy"), Language.PYTHON)
    path = tmp_path / source.name
    path.write_text(source.text)
    ran = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert "largest relative error" in ran.stdout


def test_only_a_closed_form_is_exported() -> None:
    inverse = ChainInverse.of(open_robot("ufactory-xarm6"), engine="numpy")
    with pytest.raises(InverseError, match="has no closed form"):
        source_of(inverse, Language.C)
