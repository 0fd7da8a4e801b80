"""Export: what holds in every language, and the Python source executed."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import EquationError
from robots.core.kernels import Kernel
from robots.core.quantities import QUANTITIES, quantity
from robots.core.recording import Recorder, recording_functions
from robots.core.symbols.export import EXPORTED, LIMIT, export, export_programmes
from robots.core.symbols.listing import Language, comment_text, identifier
from tests.cases import some

FN = recording_functions()
HOSTILE = 'x"""\nimport os\nos._exit(3)\n*/ int y; /* \\\n%} ??/ $(id) `id` \u202e {0}'


def recorded(equation, *sizes, shape=None, names="xyz", name="f"):
    recorder = Recorder()
    arguments = [recorder.argument(names[k], (size,)) for k, size in enumerate(sizes)]
    outputs = equation(*arguments)
    return recorder.programme(name, outputs, shape or (len(outputs),))


def run(text, path):
    """Run a Python source in an interpreter of its own, without this project on the path."""
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", str(path)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=path.parent)


def loaded(text):
    """The functions of a Python source."""
    space = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), space)
    return space


# --- Python --------------------------------------------------------------------------------------


def test_the_python_file_tests_itself(tmp_path, make_mechanism):
    found = export(make_mechanism(3), Language.PYTHON, [*EXPORTED, "forward_dynamics"])
    assert found.name == "random_3.py"
    done = run(found.text, tmp_path / found.name)
    assert done.returncode == 0, done.stderr
    assert "largest relative error" in done.stdout
    assert "(limit 1e-12)" in done.stdout


def test_the_python_file_needs_only_math(make_mechanism):
    text = export(make_mechanism(3), Language.PYTHON).text
    imports = [line for line in text.splitlines() if "import" in line.split("#")[0]]
    assert imports == ["import math"]


def test_a_changed_digit_fails_the_self_test(tmp_path, make_mechanism):
    text = export(make_mechanism(3), Language.PYTHON, ["torques"]).text
    lines = text.splitlines()
    place = next(k for k, line in enumerate(lines) if line.strip().startswith("t5 = "))
    lines[place] += " + 1e-6"
    done = run("\n".join(lines), tmp_path / "wrong.py")
    assert done.returncode == 1
    assert "torques: errors" in done.stderr


def test_a_nan_fails_the_self_test(make_mechanism):
    text = export(make_mechanism(3), Language.PYTHON, ["torques"]).text
    space = loaded(text.replace("    q2 = q[1]\n", '    q2 = float("nan")\n'))
    with pytest.raises(ArithmeticError, match="torques"):
        space["self_test"]()


@pytest.mark.parametrize("name", sorted(QUANTITIES))
def test_every_quantity_of_a_random_tree_agrees_with_its_kernel(name, make_mechanism):
    mechanism = make_mechanism(11)  # 3 links
    space = loaded(export(mechanism, Language.PYTHON, [name]).text)
    assert space["self_test"]() <= LIMIT
    programme = quantity(name).record(mechanism)
    rng = np.random.default_rng(1)
    state = [rng.uniform(-1, 1, size=a.shape) for a in programme.arguments]
    found = np.array(space[name](*(x.tolist() for x in state)))
    assert found.shape == programme.result.shape
    expected = Kernel(programme, "numpy")(*state)
    np.testing.assert_allclose(found, expected, atol=1e-12 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("seed", some(range(0, 24, 2), gate=5))
def test_random_trees_agree_with_their_kernels(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    space = loaded(export(mechanism, Language.PYTHON, ["torques", "jacobian"]).text)
    assert space["self_test"]() <= LIMIT


def test_results_and_arguments_keep_their_shapes():
    recorder = Recorder()
    M = recorder.argument("M", (2, 2))
    k = recorder.argument("k", ())
    outputs = [k[0] * x for x in M] + [M[0] * M[3] - M[1] * M[2], 1.0, -M[2], 0.5]
    cube = recorder.programme("cube", outputs, (2, 2, 2))
    space = loaded(export_programmes([cube], Language.PYTHON, name="shapes").text)
    assert space["self_test"]() <= LIMIT
    assert space["cube"]([[1.0, 2.0], [3.0, 4.0]], 2.0) == [[[2, 4], [6, 8]], [[-2, 1], [-3, 0.5]]]


def test_roots_signs_and_quotients():
    def equation(x):
        root = FN.sqrt(x[0] * x[0] + 1.0)
        return [FN.sign(x[1]) * root, -(x[0] / root), x[0] - (x[1] - 0.5), x[0] / (x[1] / root)]

    programme = recorded(equation, 2)
    f = loaded(export_programmes([programme], Language.PYTHON, name="f").text)["f"]
    kernel = Kernel(programme, "numpy")
    for state in ([0.3, -0.2], [-2.0, 1.5], [0.7, 2.0]):
        np.testing.assert_allclose(f(state), kernel(state), rtol=1e-15)
    assert f([1.0, -math.inf])[0] < 0
    assert all(math.isnan(x) for x in f([1.0, math.nan])[::2])


def test_parentheses_keep_the_recorded_order():
    """a - (b - c) and a/(b/c) are not (a - b) - c and (a/b)/c."""
    programme = recorded(
        lambda x, y: [x[0] - (x[1] - y[0]), (x[0] * (x[1] + y[0])) / (x[1] / y[0])], 2, 1
    )
    f = loaded(export_programmes([programme], Language.PYTHON, name="f").text)["f"]
    assert f([7.0, 5.0], [2.0]) == [4.0, 7.0 * 7.0 / 2.5]


# --- names ---------------------------------------------------------------------------------------


def test_sines_are_named_after_their_joints_and_angle_sums():
    def equation(q):
        return [FN.sin(q[1] + q[2]) * FN.cos(q[1]), FN.cos(q[1] + q[2]), FN.sin(2.0 * q[0])]

    text = export_programmes([recorded(equation, 3, names="q")], Language.PYTHON, name="names").text
    for line in ("q23 = q2 + q3", "s23 = math.sin(q23)", "c23 = math.cos(q23)"):
        assert f"    {line}\n" in text
    assert "c2 = math.cos(q2)" in text
    assert "t1 = math.sin(2.0*q1)" in text


def test_ten_joints_keep_their_names_apart(make_mechanism):
    """From ten variables on, c1_2 is the cosine of q1 + q2 and c12 that of q12."""

    def equation(q):
        return [FN.cos(q[0] + q[1]), FN.cos(q[11])]

    space = export_programmes([recorded(equation, 12, names="q")], Language.PYTHON, name="n")
    assert "c1_2 = math.cos(q1 + q2)" in space.text
    assert "c12 = math.cos(q12)" in space.text
    assert loaded(space.text)["self_test"]() <= LIMIT
    wide = next(m for m in map(make_mechanism, range(40)) if m.dof >= 10)
    assert loaded(export(wide, Language.PYTHON, ["forward"]).text)["self_test"]() <= LIMIT


def test_arguments_whose_names_meet_stay_apart():
    programme = recorded(
        lambda a, b: [FN.sin(a[0]) * b[0] + a[1], b[1]], 2, 2, names=["s", "s1"], name="import"
    )
    found = export_programmes([programme, programme], Language.PYTHON, name="class")
    space = loaded(found.text)
    assert found.name == "class_.py"
    assert space["self_test"]() <= LIMIT
    x, y = [0.4, 0.5], [2.0, 3.0]
    expected = [math.sin(0.4) * 2 + 0.5, 3.0]
    assert space["import_"](x, y) == expected
    assert space["import__"](x, y) == expected


@pytest.mark.parametrize("language", Language)
def test_hostile_names_stay_in_their_comments(language, make_mechanism):
    smooth = make_mechanism(11)
    joints = tuple(replace(joint, name=f"{HOSTILE}{k}") for k, joint in enumerate(smooth.joints))
    hostile = replace(smooth, name=HOSTILE, source=HOSTILE, joints=joints)
    found = export(hostile, language, ["forward"])
    assert found.name.rpartition(".")[0].isidentifier()
    assert found.name.isascii()
    for line in found.text.splitlines():
        if "os._exit" in line:
            assert line.startswith(("# ", "// ", "% "))
            assert not set(line[2:].replace("// ", "")) & set("\\*\"'`%$?{}\u202e")
    if language is Language.PYTHON:
        assert loaded(found.text)["self_test"]() <= LIMIT


@given(text=st.text())
def test_any_text_becomes_an_identifier_and_a_comment(text):
    name = identifier(text, "robot", {"robot", "a"})
    assert name.isidentifier()
    assert name.isascii()
    assert name not in {"robot", "a"}
    assert len(name) <= 48
    line = comment_text(text)
    assert len(line.splitlines()) <= 1
    assert line.isprintable()
    assert not set(line) & set("\\*\"'`%$?{}#")
    assert len(line) <= 160


# --- all languages -------------------------------------------------------------------------------


@pytest.mark.parametrize("language", Language)
def test_the_head_says_what_it_is(language, make_mechanism):
    mechanism = replace(make_mechanism(11), name="bench arm", source="table 4 of the handbook")
    programme = quantity("forward").record(mechanism)
    text = export(mechanism, language, ["forward"]).text
    for fact in (
        "bench arm: forward",
        "Generated by palpeur",
        "table 4 of the handbook",
        "SI units and radians",
        "q1 is j0: revolute [rad], effort [N m]",
        QUANTITIES["forward"].purpose,
        str(programme.counts),
    ):
        assert fact in text


@pytest.mark.parametrize("language", Language)
def test_the_same_robot_gives_the_same_bytes(language, make_mechanism):
    one, two = (export(make_mechanism(4), language).text for _ in range(2))
    assert one == two


def test_at_least_three_states_within_the_limits(make_mechanism):
    smooth = make_mechanism(11)
    joints = tuple(replace(j, q_min=0.25, q_max=0.5) for j in smooth.joints)
    text = export(replace(smooth, joints=joints), Language.PYTHON, ["forward"]).text
    table = loaded(text)["SELF_TEST"]
    assert len(table) >= 3
    for _, (q,), _ in table:
        assert all(0.25 <= x <= 0.5 for x in q)


def test_latex_lists_the_straight_line():
    def equation(q, qd):
        return [qd[0] * FN.sin(q[0] + q[1]) + 1e-5, -(qd[1] * FN.cos(q[0]))]

    programme = recorded(equation, 2, 2, names=["q", "qd"], name="slow_speed")
    text = export_programmes([programme], Language.LATEX, name="planar").text
    assert r"s_{12} &= \sin(q_{1} + q_{2}) \\" in text
    assert r"\mathrm{slow\_speed}_{1} &= \dot{q}_{1} \, s_{12} + 1 \cdot 10^{-5} \\" in text
    assert r"\mathrm{slow\_speed}_{2} &= -\dot{q}_{2} \, c_{1}" in text
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}") == 1


# --- refusals ------------------------------------------------------------------------------------


def test_an_unknown_quantity_is_named(make_mechanism):
    with pytest.raises(EquationError, match="no quantity 'speeed'"):
        export(make_mechanism(1), Language.C, ["speeed"])


def test_nothing_to_export_is_said():
    with pytest.raises(EquationError, match="nothing to export"):
        export_programmes([], Language.C, name="empty")


@pytest.mark.parametrize("language", [Language.PYTHON, Language.C, Language.MATLAB])
def test_an_infinite_constant_is_refused(language):
    programme = recorded(lambda x: [x[0] + math.inf], 1)
    with pytest.raises(EquationError, match="constant inf"):
        export_programmes([programme], language, name="f")


UNSTABLE = {
    "undefined": lambda x: [FN.sqrt(x[0] - 5.0)],
    "singular": lambda x: [x[0] / (x[0] * FN.sign(x[0] * x[0] - 2.0) + x[0])],
    "cancelling": lambda x: [
        1.0 / (FN.sin(3.0 * x[0]) - FN.sin(x[0]) * (3.0 - 4.0 * FN.sin(x[0]) * FN.sin(x[0])))
    ],
}


@pytest.mark.parametrize("name", UNSTABLE)
def test_a_result_without_a_stable_state_is_refused(name):
    programme = recorded(UNSTABLE[name], 1, name=name)
    with pytest.raises(EquationError, match=f"{name}: in 64 random states.*could not test itself"):
        export_programmes([programme], Language.PYTHON, name="f")
