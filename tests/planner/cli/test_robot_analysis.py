"""``robot workspace``, ``singularities``, ``equations`` and ``bench``."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from robots.core.benchmark.pinocchio_peer import pinocchio_version

# --- workspace -----------------------------------------------------------------------------------


def test_the_planar_arm_reaches_a_disc(palpeur):
    """Lengths 0.5, 0.4, 0.3 m: a disc of radius 1.2 m without a hole."""
    ran = palpeur("robot", "workspace", "planar-3r", "--cell-mm", "20", "--json")
    document = ran.json
    assert (ran.code, document["dimension"]) == (0, 2)
    # cells that the edge cuts count whole: half a cell around, about 2 %
    assert document["area_m2"] == pytest.approx(np.pi * 1.2**2, rel=0.04)
    low, high = document["distance_from_base_m"]
    assert low < 0.02
    assert high == pytest.approx(1.2, rel=1e-3)


def test_the_arm_s_reach_is_its_stretched_length(palpeur):
    document = palpeur("robot", "workspace", "measuring-arm", "--samples", "100000", "--json").json
    assert document["dimension"] == 3
    low, high = np.array(document["low_m"]), np.array(document["high_m"])
    shoulder, reach = 0.40982, 1.0 + 1.5139
    assert high[2] <= shoulder + reach + 1e-9
    assert np.all(np.abs([low[:2], high[:2]]) <= reach + 1e-9)
    assert high[2] > shoulder + 0.97 * reach


def test_a_coarse_sampling_is_told(palpeur):
    ran = palpeur("robot", "workspace", "measuring-arm", "--samples", "1000")
    assert ran.code == 0
    assert "take more --samples" in ran.err
    assert palpeur("robot", "workspace", "planar-3r", "--cell-mm", "nan").code == 2


# --- singularities -------------------------------------------------------------------------------


def test_the_arm_s_three_singularities(palpeur):
    """sources.md decision 5: elbow, shoulder and wrist."""
    document = palpeur("robot", "singularities", "measuring-arm", "--json").json
    assert document["task"] == "position-and-axis"
    joints = sorted(condition["joints"] for condition in document["determinant"]["conditions"])
    assert joints == [[2, 3], [3], [5]]
    assert document["determinant"]["constants"] == {"d3": 1.0, "r4": 1.5139}
    elbow = [item for item in document["examples"] if item["joint"] == "q3"]
    assert any(abs(abs(item["value"]) - np.pi / 2) < 1e-5 for item in elbow)
    assert all(item["singular"] for item in document["examples"])


def test_postures_are_judged(palpeur, states):
    ran = palpeur("robot", "singularities", "measuring-arm", "--states", states, "--json")
    zero, regular = ran.rows
    assert (zero["singular"], zero["rank"], zero["type"]) == (True, 4, 2)
    assert (regular["singular"], regular["rank"], regular["type"]) == (False, 5, 0)
    assert zero["condition"] is None  # infinite
    text = palpeur("robot", "singularities", "measuring-arm", "--states", states)
    assert "4 of 5" in text.out


def test_singularities_in_words(palpeur):
    """[COURSE-JAC]: the planar arm is singular where θ2 and θ3 are 0 or 180° (position only)."""
    out = palpeur("robot", "singularities", "planar-3r").out
    assert "sin(q2) = 0" in out
    assert palpeur("robot", "singularities", "planar-3r", "--task", "fly").code == 2


# --- equations -----------------------------------------------------------------------------------


def test_liegeois_80_gravity_torques_are_generated(palpeur):
    """[LIEGEOIS80] §4.4."""
    out = palpeur("robot", "equations", "liegeois-6r", "--quantity", "gravity").out
    assert "Q(3) = +G*(-C23*VZ3)+Q(4)" in out
    assert "Q(5) = +G*(+S234*S5*VZ6)" in out


def test_condensed_text_tells_symbols_counts_and_values(palpeur):
    ran = palpeur("robot", "equations", "liegeois-6r")
    assert ran.code == 0
    for part in ("A11=", "B112=", "C12=", "Operations per posture", "L1 = 0.8"):
        assert part in ran.out


def test_a_body_off_its_axis_is_not_described_by_the_report_s_symbols(palpeur, file):
    from robots.library import text_of

    text = text_of("liegeois-6r").replace("com_mm = [0, 400, 0]", "com_mm = [50, 400, 0]")
    out = palpeur("robot", "equations", file("off.toml", text)).out
    assert "Values of the symbols" not in out  # numbers instead: they are right for any body


def test_python_code_tests_itself(palpeur, tmp_path):
    ran = palpeur("robot", "equations", "measuring-arm", "--as", "python", "--out", f"{tmp_path}/")
    assert (ran.code, ran.out) == (0, "")
    (path,) = tmp_path.glob("*.py")
    done = subprocess.run([sys.executable, path], check=False, capture_output=True, timeout=60)
    assert done.returncode == 0


@pytest.mark.parametrize("form", ["text", "latex", "python", "c", "matlab"])
def test_every_form_is_printed(palpeur, form):
    ran = palpeur("robot", "equations", "measuring-arm", "--as", form)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out) > 1000


def test_neglecting_states_its_bound(palpeur):
    ran = palpeur("robot", "equations", "measuring-arm", "--neglect", "0.5")
    assert ran.code == 0
    assert "Neglected: " in ran.out
    assert "N m" in ran.out
    latex = palpeur("robot", "equations", "measuring-arm", "--neglect", "0.5", "--as", "latex")
    assert "% Neglected: " in latex.out


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--as", "fortran"), "text, python"),
        (("--quantity", "colour"), "mass, coriolis"),
        (("--as", "c", "--quantity", "colour"), "there are forward"),
        (("--as", "c", "--neglect", "1"), "always complete"),
        (("--neglect", "nan"), "--neglect"),
        (("--out", "/proc/nothing/x.txt"), "cannot be written"),
    ],
)
def test_equations_that_do_not_exist_are_bad_input(palpeur, options, part):
    ran = palpeur("robot", "equations", "measuring-arm", *options)
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err


def test_neglecting_without_limits_is_bad_input(palpeur):
    ran = palpeur("robot", "equations", "liegeois-6r", "--neglect", "1")
    assert ran.code == 2
    assert "bound" in ran.err


# --- bench ---------------------------------------------------------------------------------------


def test_bench_measures_every_kernel_and_agrees(palpeur):
    ran = palpeur(
        "robot", "bench", "measuring-arm", "--samples", "1000", "--runs", "3", "--json", "--quiet"
    )
    assert (ran.code, ran.err) == (0, "")
    document = ran.json
    assert [kernel["name"] for kernel in document["kernels"]] == [
        *("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics")
    ]
    for kernel in document["kernels"]:
        assert kernel["numpy_ns"] > 0
        if document["machine"]["vector_doubles"]:
            assert kernel["compiled_ns"] > 0
            assert kernel["from_cache_s"] > 0
        if pinocchio_version():
            assert kernel["ratio_numpy"] == kernel["pinocchio_ns"] / kernel["numpy_ns"]
            assert kernel["max_relative_difference"] < 1e-10
    assert document["agrees"]


def test_bench_without_pinocchio_says_so(palpeur, monkeypatch):
    """Of a robot without mass, which is measured without accelerations."""
    monkeypatch.setattr("robots.core.benchmark.kernels.pinocchio_version", lambda: "")
    ran = palpeur("robot", "bench", "planar-3r", "--samples", "1000", "--runs", "3")
    assert ran.code == 0
    assert "jacobian" in ran.out
    assert "forward_dynamics" not in ran.out
    assert "pip install pin" in ran.err
    assert "not installed" in ran.out


def test_results_that_differ_from_pinocchio_fail_the_bench(palpeur, monkeypatch):
    pytest.importorskip("pinocchio")
    monkeypatch.setattr("robots.core.benchmark.kernels.largest_difference", lambda *_: 1e-3)
    ran = palpeur("robot", "bench", "planar-3r", "--samples", "1000", "--runs", "3", "--json")
    assert (ran.code, ran.json["agrees"]) == (1, False)
