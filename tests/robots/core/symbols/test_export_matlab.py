"""Export to MATLAB: run by Octave where it is installed, and read here by a strict interpreter.

The interpreter knows only the statements that the printer uses and fails on any other line, so a
change of the printer's grammar must be made here too.
"""

from __future__ import annotations

import ast
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

from robots.core.kernels import Kernel
from robots.core.quantities import quantity
from robots.core.recording import Recorder, recording_functions
from robots.core.symbols.export import EXPORTED, export, export_programmes
from robots.core.symbols.listing import Language

FN = recording_functions()
NAME = "[A-Za-z][A-Za-z0-9_]*"
NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
CHECK = rf"worst = check\(worst, '({NAME})', \1\((.*)\), expected\);"
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "sign": np.sign}
ALLOWED = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div),
    *(ast.Call, ast.Name, ast.Load, ast.Constant),
)


def functions_of(text):
    """Name -> (parameters, lines) of every function of a file, comments removed."""
    found, current = {}, None
    for line in text.splitlines():
        if not line.strip() or line.strip().startswith("%"):
            continue
        start = re.fullmatch(
            rf"function {NAME} = ({NAME})\((.*)\)|function {NAME} = ({NAME})\(\)", line
        )
        if start:
            assert current is None, f"a function inside a function: {line}"
            current = start[1]
            found[current] = (start[2].split(", "), [])
        elif line == "end":
            current = None
        else:
            assert current is not None, f"a statement outside functions: {line}"
            found[current][1].append(line.strip())
    return found


def value(expression, variables):
    """Number of an arithmetic expression."""
    tree = ast.parse(expression, mode="eval")
    assert all(isinstance(node, ALLOWED) for node in ast.walk(tree)), expression
    return eval(compile(tree, "line", "eval"), {"__builtins__": {}}, variables)


def execute(function, *arguments):
    """Run the straight line of one exported function."""
    parameters, lines = function
    given = dict(zip(parameters, map(np.asarray, arguments), strict=True))
    variables, out = dict(FUNCTIONS), None
    for line in lines:
        if match := re.fullmatch(r"out = zeros\((\d+(?:, \d+)+)\);", line):
            out = np.zeros([int(k) for k in match[1].split(", ")])
        elif match := re.fullmatch(rf"({NAME}) = ({NAME})\((\d+(?:, \d+)*)\);", line):
            assert match[2] in given, line
            indices = tuple(int(k) - 1 for k in match[3].split(", "))
            variables[match[1]] = float(given[match[2]][indices])
        elif match := re.fullmatch(r"out\((\d+(?:, \d+)*)\) = (.+);", line):
            indices = tuple(int(k) - 1 for k in match[1].split(", "))
            out[indices if len(indices) > 1 else (*indices, 0)] = value(match[2], variables)
        else:
            match = re.fullmatch(rf"({NAME}) = (.+);", line)
            assert match, f"unknown statement: {line}"
            assert match[1] not in variables, f"assigned twice: {line}"
            variables[match[1]] = value(match[2], variables)
    return out


def table_of(function):
    """(function, arguments, expected) of every state in the self-test."""
    _, lines = function
    states, arrays, name = [], {}, None
    for line in lines[1:-1]:
        if match := re.fullmatch(rf"({NAME}) = \[", line):
            name = match[1]
            arrays[name] = []
        elif line == "];":
            name = None
        elif match := re.fullmatch(
            rf"worst = check\(worst, '({NAME})', \1\((.*)\), expected\);", line
        ):
            states.append((match[1], [arrays[a] for a in match[2].split(", ")], arrays["expected"]))
            arrays = {}
        else:
            assert re.fullmatch(rf"{NUMBER}(?:; {NUMBER})*;?", line), f"no numbers: {line}"
            arrays[name] += [float(x) for x in line.rstrip(";").split("; ")]
    return states


@pytest.mark.parametrize("seed", [3, 4, 11])
def test_the_functions_give_the_results_of_their_table(seed, make_mechanism):
    found = export(make_mechanism(seed), Language.MATLAB)
    assert found.name == f"random_{seed}.m"
    functions = functions_of(found.text)
    assert next(iter(functions)) == found.name[:-2]
    states = table_of(functions["self_test"])
    assert sorted({state[0] for state in states}) == sorted(EXPORTED)
    for name in EXPORTED:
        assert sum(state[0] == name for state in states) >= 3
        assert f"case '{name}'" in found.text
    for name, arguments, expected in states:
        out = execute(functions[name], *arguments)
        scale = max(map(abs, expected)) or 1.0
        assert np.abs(out.ravel() - expected).max() <= 1e-13 * scale


def test_results_agree_with_the_kernels(make_mechanism):
    mechanism = make_mechanism(0)
    functions = functions_of(export(mechanism, Language.MATLAB, ["torques", "jacobian"]).text)
    rng = np.random.default_rng(2)
    for name in ("torques", "jacobian"):
        programme = quantity(name).record(mechanism)
        state = [rng.uniform(-2, 2, size=a.shape) for a in programme.arguments]
        expected = Kernel(programme, "numpy")(*state)
        out = execute(functions[name], *state)
        assert out.shape == (expected.shape if expected.ndim > 1 else (*expected.shape, 1))
        scale = max(1.0, np.abs(expected).max())
        assert np.abs(out.reshape(expected.shape) - expected).max() <= 1e-13 * scale


def test_roots_signs_and_arguments_of_two_dimensions():
    recorder = Recorder()
    M = recorder.argument("end", (2, 2))
    x = recorder.argument("pi", (2,))
    outputs = [FN.sqrt(M[1] * M[1] + 2.0), FN.sign(x[1]), x[0] - (M[2] - 0.5), 0.0, -1e-5, -x[0]]
    programme = recorder.programme("mixed", outputs, (1, 2, 3))
    text = export_programmes([programme], Language.MATLAB, name="mixed").text
    functions = functions_of(text)
    assert list(functions)[:2] == ["mixed", "mixed_"]
    assert "end_ = permute(reshape(end_, 2, 2), 2:-1:1);" in text
    state = [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.25, -3.0])]
    out = execute(functions["mixed_"], *state)
    np.testing.assert_allclose(out, Kernel(programme, "numpy")(*state), rtol=1e-15)


@pytest.mark.skipif(shutil.which("octave") is None, reason="Octave is not installed")
@pytest.mark.parametrize("seed", [3, 11])
def test_octave_runs_the_self_test(tmp_path, seed, make_mechanism):
    found = export(make_mechanism(seed), Language.MATLAB)
    (tmp_path / found.name).write_text(found.text, encoding="utf-8")
    command = ["octave", "--norc", "--quiet", "--eval", f"random_{seed}('self_test')"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "largest relative error" in done.stdout
