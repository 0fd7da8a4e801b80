"""Platform files: what they say, what they leave out, and that writing keeps every number."""

from __future__ import annotations

import json

import numpy as np
import pytest

from robots.stewart.library import load, names, text_of
from robots.stewart.platform import LegEnd
from robots.stewart.platform_file import json_schema, read_platform, warnings, write_toml

FIELDS = (
    *("base", "platform", "first_axis", "min_length", "max_length", "max_speed", "radius"),
    *("max_acceleration", "max_force", "base_cone", "base_direction", "platform_cone"),
    *("platform_direction", "coulomb", "viscous"),
)
BODIES = ("cross", "cylinder", "piston", "end_cross", "end")


def leg(name: str, base: list[float], platform: list[float], more: str = "") -> str:
    return f'[[leg]]\nname = "{name}"\nbase_mm = {base}\nplatform_mm = {platform}\n{more}\n'


def circle(*degrees: float) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1).round(6)


def text(more: str = "", first: str = "") -> str:
    base, top = circle(10, 110, 130, 230, 250, 350), circle(50, 70, 170, 190, 290, 310)
    legs = [
        leg(f"L{k}", (1000 * a).tolist(), (500 * b).tolist(), "" if k else first)
        for k, (a, b) in enumerate(zip(base, top, strict=True))
    ]
    head = 'format = 1\n[stewart]\nname = "six"\nhome = { translation_mm = [0, 0, 900] }\n'
    return head + more + "\n" + "\n".join(legs)


def test_what_a_leg_does_not_say_is_taken_from_the_defaults():
    defaults = '[leg_defaults]\nend = "cardan"\nmax_mm = 2000\nradius_mm = 12.5\nmax_force_n = 40\n'
    platform = read_platform(text(defaults, first='end = "spherical"\nmax_mm = 1800'))
    first, second = platform.legs[:2]
    assert (first.end, second.end) == (LegEnd.SPHERICAL, LegEnd.CARDAN)
    assert (first.max_length, second.max_length) == (1.8, 2.0)
    assert first.radius == second.radius == 0.0125
    assert first.max_force == 40.0
    assert first.min_length == 0.0
    assert np.isinf(first.max_speed)


def test_directions_that_are_not_given_are_those_at_home():
    platform = read_platform(text())
    for found in platform.legs:
        across = found.platform + platform.home[:3, 3] - found.base
        across /= np.linalg.norm(across)
        assert found.base_direction == pytest.approx(across, abs=1e-15)
        assert found.platform_direction == pytest.approx(-across, abs=1e-15)
        assert abs(found.first_axis[2]) < 1e-15
        assert abs(found.first_axis @ across) < 1e-15


@pytest.mark.parametrize("name", names())
def test_what_is_written_reads_back_unchanged(name):
    platform = load(name)
    again = read_platform(write_toml(platform))
    # The home turn goes through three angles: two rounding errors of a sine.
    assert again.home == pytest.approx(platform.home, abs=5e-16)
    assert (again.name, again.source) == (platform.name, platform.source)
    assert np.array_equal(again.gravity, platform.gravity)
    for new, old in zip(again.legs, platform.legs, strict=True):
        assert (new.name, new.end) == (old.name, old.end)
        for field in FIELDS:
            # A unit vector that is made unit again may move by one rounding.
            assert getattr(new, field) == pytest.approx(getattr(old, field), abs=3e-16)
        for what in BODIES:
            a, b = getattr(new.bodies, what), getattr(old.bodies, what)
            assert (a.mass, a.at) == (b.mass, b.at)
            assert np.array_equal(a.com, b.com)
            assert np.array_equal(a.inertia, b.inertia)


def test_every_library_file_fits_the_schema():
    import tomllib

    import jsonschema

    schema = json.loads(json.dumps(json_schema()))
    for name in names():
        jsonschema.validate(tomllib.loads(text_of(name)), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text("[leg_defaults]\nradius_cm = 2\n")), schema)


def test_a_home_pose_out_of_stroke_is_a_warning_with_leg_and_amount():
    platform = read_platform(text(first="max_mm = 800"))
    (found,) = warnings(platform)
    assert found.startswith("At the home pose leg L0: longest length 800 mm is missed by ")
    assert warnings(read_platform(text())) == ()


def test_an_unreal_body_is_a_warning():
    body = (
        "[leg_defaults.cylinder]\nmass_kg = 20\ncom_mm = [0, 0, 1350]\n"
        'inertia_kg_m2 = { xx = 30, yy = 30, zz = 5 }\nat = "origin"\n'
    )
    found = warnings(read_platform(text(body)))
    # The paper's own numbers, read at A: -6.45 kg m² about the centre of mass.
    assert len(found) == 6
    assert "No real body is like the cylinder of leg 'L0'" in found[0]
    assert "-6.45" in found[0]


def test_similar_hexagons_are_singular_everywhere():
    points = circle(10, 110, 130, 230, 250, 350)
    legs = [leg(f"L{k}", (1000 * p).tolist(), (500 * p).tolist()) for k, p in enumerate(points)]
    head = 'format = 1\n[stewart]\nname = "s"\nhome = { translation_mm = [0, 0, 900] }\n'
    (found,) = warnings(read_platform(head + "\n".join(legs)))
    assert found.startswith("The geometry is singular at every pose")
