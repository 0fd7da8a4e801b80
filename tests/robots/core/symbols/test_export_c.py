"""Export to C: compiled with every warning an error, run, and called from here."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest

from robots.core.kernels import Kernel
from robots.core.quantities import quantity
from robots.core.recording import Recorder, recording_functions
from robots.core.symbols.export import EXPORTED, export, export_programmes
from robots.core.symbols.listing import Language
from tests.cases import some

FN = recording_functions()
COMPILER = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Werror"]

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")


def compiled(text, folder, *options):
    source, target = folder / "exported.c", folder / "exported"
    source.write_text(text, encoding="utf-8")
    command = [COMPILER, *STRICT, *options, str(source), "-o", str(target), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return target


def self_test(text, folder):
    target = compiled(text, folder, "-DPALPEUR_SELF_TEST")
    return subprocess.run([str(target)], check=False, capture_output=True, text=True)


def called(function, arguments, size):
    out = np.full(size, np.nan)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (*arguments, out)]
    function(*pointers)
    return out


@pytest.mark.parametrize("optimised", some(["-O2", "-O0"], gate=1))
def test_the_file_compiles_without_a_warning_and_tests_itself(tmp_path, optimised, make_mechanism):
    found = export(make_mechanism(3), Language.C, [*EXPORTED, "forward_dynamics"])
    assert found.name == "random_3.c"
    target = compiled(found.text, tmp_path, "-DPALPEUR_SELF_TEST", optimised)
    done = subprocess.run([str(target)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("largest relative error")


def test_a_changed_digit_fails_the_self_test(tmp_path, make_mechanism):
    text = export(make_mechanism(11), Language.C, ["torques"]).text
    place = text.index("    out[0] = ") + len("    out[0] = ")
    done = self_test(text[:place] + "1e-6 + " + text[place:], tmp_path)
    assert done.returncode == 1
    assert "torques: element 0 is" in done.stdout


def test_a_nan_fails_the_self_test(tmp_path, make_mechanism):
    text = export(make_mechanism(11), Language.C, ["torques"]).text
    place = text.index("    out[0] = ") + len("    out[0] = ")
    done = self_test(text[:place] + "(0.0/0.0) + " + text[place:], tmp_path)
    assert done.returncode == 1


def test_the_library_agrees_with_the_kernels(tmp_path, make_mechanism):
    mechanism = make_mechanism(4)
    found = export(mechanism, Language.C, ["torques", "transforms"])
    library = ctypes.CDLL(str(compiled(found.text, tmp_path, "-shared", "-fPIC")))
    rng = np.random.default_rng(0)
    for name in ("torques", "transforms"):
        programme = quantity(name).record(mechanism)
        state = [rng.uniform(-2, 2, size=a.shape) for a in programme.arguments]
        out = called(getattr(library, f"random_4_{name}"), state, programme.result.size)
        expected = Kernel(programme, "numpy")(*state).ravel()
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(out, expected, atol=1e-13 * scale)


def test_roots_signs_and_unused_arguments(tmp_path):
    recorder = Recorder()
    x, _, z = (recorder.argument(name, (2,)) for name in ("register", "y", "out"))
    root = FN.sqrt(x[0] * x[0] + 1.0)
    outputs = [FN.sign(z[1]) * root, -(x[0] / root), z[1] - (x[0] - 0.5), 0.0, -1e-5]
    programme = recorder.programme("while", outputs, (5,))
    text = export_programmes([programme], Language.C, name="9 lives!").text
    assert self_test(text, tmp_path).returncode == 0
    library = ctypes.CDLL(str(compiled(text, tmp_path, "-shared", "-fPIC")))
    for w in (-0.7, 0.0, 0.3, math.nan):
        state = [np.array([0.4, 0.0]), np.zeros(2), np.array([0.0, w])]
        with np.errstate(invalid="ignore"):
            expected = Kernel(programme, "numpy")(*state)
        out = called(library.robot_9_lives_while_, state, 5)
        np.testing.assert_allclose(out, expected, rtol=1e-15)


def test_the_result_may_overwrite_an_argument(tmp_path):
    recorder = Recorder()
    x = recorder.argument("x", (3,))
    programme = recorder.programme("turned", [x[2], x[0] * 2.0, x[1] - x[0]], (3,))
    text = export_programmes([programme], Language.C, name="p").text
    library = ctypes.CDLL(str(compiled(text, tmp_path, "-shared", "-fPIC")))
    both = np.array([1.0, 5.0, 9.0])
    pointer = both.ctypes.data_as(ctypes.c_void_p)
    library.p_turned(pointer, pointer)
    np.testing.assert_array_equal(both, [9.0, 2.0, 4.0])


def test_a_hostile_robot_still_compiles(tmp_path, make_mechanism):
    from dataclasses import replace

    hostile = '*/ int y; /* \\\n#error no\n"??/\n'
    mechanism = replace(make_mechanism(11), name=hostile, source=hostile)
    assert self_test(export(mechanism, Language.C, ["forward"]).text, tmp_path).returncode == 0
