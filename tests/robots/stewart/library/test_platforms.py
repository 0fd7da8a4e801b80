"""The library's platforms: names, provenance, and the lengths that their sources print."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.pose import make_pose, rotation_zxz
from robots.stewart.library import load, names, open_platform, text_of
from robots.stewart.limits import conditioning
from robots.stewart.model import PlatformModel
from robots.stewart.platform import lengths
from robots.stewart.platform_file import warnings


def test_names_are_those_of_the_files():
    assert names() == (
        *("dietmaier", "genhex-6-3", "mathworks-hexapod", "measuring-hexapod"),
        *("roboop-stewart", "staicu-stewart"),
    )
    assert all(load(name).name == name for name in names())


@pytest.mark.parametrize("name", names())
def test_a_platform_tells_where_it_comes_from_and_nothing_is_odd_about_it(name):
    platform = load(name)
    assert platform.source
    assert text_of(name).startswith("#")
    assert warnings(platform) == ()


def test_staicu_stands_on_three_metres_and_weighs_as_published():
    platform = load("staicu-stewart")
    assert lengths(platform, platform.home) == pytest.approx(np.full(6, 3.0), abs=1e-12)
    assert platform.home[2, 3] == pytest.approx(1.07703296, abs=5e-9)
    forces = PlatformModel(platform).forces(platform.home, np.zeros(6), np.zeros(6))
    # stewart.md item 1, four decimals.
    assert forces == pytest.approx(np.full(6, 1036.7536), abs=5e-5)


def test_staicu_is_the_platform_that_the_dynamics_are_tested_with(staicu):
    platform = load("staicu-stewart")
    for mine, theirs in zip(platform.legs, staicu.legs, strict=True):
        assert mine.base == pytest.approx(theirs.base, abs=1e-12)
        assert mine.platform == pytest.approx(theirs.platform, abs=1e-12)
        assert abs(mine.first_axis @ theirs.first_axis) == pytest.approx(1.0, abs=1e-12)
        for what in ("cross", "cylinder", "piston", "end_cross", "end"):
            a, b = getattr(mine.bodies, what), getattr(theirs.bodies, what)
            assert a.mass == b.mass
            assert a.inertia_at_com == pytest.approx(b.inertia_at_com, abs=1e-12)


def test_measuring_hexapod_has_the_calibrated_length_in_every_leg():
    platform = load("measuring-hexapod")
    # Printed to a tenth of a micrometre, so that legs differ by less.
    assert lengths(platform, platform.home) == pytest.approx(np.full(6, 0.6048652), abs=1e-7)


def test_roboop_lengths():
    platform = load("roboop-stewart")
    T = make_pose(rotation_zxz(np.array([0.1, -1.4, 0.1])), [0.2, 0.3, -0.4])
    printed = [3.0508, 3.2324, 3.2997, 3.4560, 3.5797, 3.6935]
    assert lengths(platform, T) == pytest.approx(printed, abs=1e-4)


def test_dietmaier_home_has_the_printed_lengths():
    platform = load("dietmaier")
    printed = [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]
    # The home pose is written with thirteen digits.
    assert lengths(platform, platform.home) == pytest.approx(printed, abs=1e-12)


def test_genhex_lengths_in_inches():
    platform = load("genhex-6-3")
    printed = [29.7467, 29.7467, 29.7467, 29.7464, 29.7464, 29.7467]
    assert lengths(platform, platform.home) / 0.0254 == pytest.approx(printed, abs=5e-5)
    assert len(np.unique(platform.base_points.round(9), axis=0)) == 3
    assert len(np.unique(platform.platform_points.round(9), axis=0)) == 6


def test_mathworks_lengths_condition_and_singular_yaw():
    platform = load("mathworks-hexapod")
    assert lengths(platform, platform.home) == pytest.approx(np.full(6, 3.15380), abs=5e-6)
    assert float(conditioning(platform, platform.home).condition) == pytest.approx(1.90, abs=5e-3)
    for yaw in (np.pi / 2, -np.pi / 2):
        T = platform.home @ make_pose(rotation_zxz(np.array([yaw, 0.0, 0.0])))
        # Points are written to twelve decimals of a millimetre.
        assert float(conditioning(platform, T).smallest) < 1e-12


def test_a_platform_is_opened_by_name_or_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(text_of("genhex-6-3"))
    assert open_platform(str(path)).name == open_platform("genhex-6-3").name
    with pytest.raises(RobotFileError, match="did you mean 'staicu-stewart'"):
        open_platform("staicu")
    other = tmp_path / "mine.json"
    other.write_text("{}")
    with pytest.raises(RobotFileError, match=r"known ending: \.toml"):
        open_platform(str(other))
