"""Points of one feature that are touched differently: ``[[approach.feature]]``."""

import re

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import FeatureApproach, json_schema, read_job, write_template
from planner.reach.placement import place

POINTS = '[points]\nfile = "points.csv"'
FEATURES = {
    "points.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz,feature\n"
    + "".join(
        f"{name},{400 + 10 * k},1500,1200,0,0,1,{feature}\n"
        for k, (name, feature) in enumerate(
            [("A", "bore-1"), ("B", "top"), ("C", "bore-2"), ("D", "")]
        )
    )
}
USUAL = "[approach]\ndistance_mm = 40\naxis = [0, 0, -2]\n"
FEATURE = "[[approach.feature]]\n"


def with_text(text):
    return {POINTS: f"{text}\n{POINTS}"}


def test_every_key_arrives(job_of):
    text = (
        f'{USUAL}{FEATURE}name = "bore-1"\ndistance_mm = 8.5\ndirection = [0, 3, 4]\n'
        f'axis = "normal"\n{FEATURE}name = "bore-2"\ndistance_mm = 7\n'
    )
    approach = job_of(change=with_text(text), files=FEATURES).approach
    first, second = approach.features
    assert (first.name, first.distance, first.axis) == ("bore-1", 0.0085, "normal")
    assert first.direction.tolist() == pytest.approx([0.0, 0.6, 0.8], abs=1e-16)
    assert (second.name, second.distance) == ("bore-2", 0.007)
    assert (second.direction, second.axis) == (None, None)
    own = approach.of("bore-1")
    assert (own.distance, own.axis, own.features) == (0.0085, None, ())
    assert own.direction.tolist() == pytest.approx([0.0, 0.6, 0.8], abs=1e-15)
    assert approach.of("bore-2").axis.tolist() == [0.0, 0.0, -1.0]
    assert approach.of("top") is approach


def test_points_are_placed_by_their_feature(job_of):
    text = (
        f'[approach]\ndistance_mm = 40\novertravel_mm = 1\n{FEATURE}name = "bore-1"\n'
        f'distance_mm = 8\naxis = [1, 0, -1]\n{FEATURE}name = "top"\ndirection = [0, 1, 1]\n'
    )
    placed = place(job_of(change=with_text(text), files=FEATURES))
    assert placed.distances.tolist() == [0.008, 0.04, 0.04, 0.04]
    assert placed.along_normal.tolist() == [True, False, True, True]
    assert placed.fixed_axis.tolist() == [True, False, False, False]
    half, up = np.sqrt(0.5), [0.0, 0.0, 1.0]
    expected = [up, [0.0, half, half], up, up]
    np.testing.assert_allclose(placed.directions, expected, atol=1e-15)
    np.testing.assert_allclose(
        placed.axes, [[half, 0.0, -half], *np.tile([0.0, 0.0, -1.0], (3, 1))], atol=1e-15
    )
    away = placed.distances[:, None] * placed.directions
    np.testing.assert_allclose(placed.clearances - placed.contacts, away, atol=1e-15)
    ends = placed.contacts - placed.search_ends
    np.testing.assert_allclose(ends, 0.001 * placed.directions, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'name = "bore-3"\naxis = [0, 0, 1]',
            "line 10: approach.feature[0].name is 'bore-3', which no point has; did you mean "
            "'bore-2' or 'bore-1'?",
        ),
        (
            'name = "slot"\ndistance_mm = 1',
            "which no point has; the points have 'bore-1', 'top', 'bore-2'.",
        ),
        (
            'name = "top"\ndistance_mm = 1\n[[approach.feature]]\nname = "top"\naxis = [1, 0, 0]',
            "line 13: approach.feature[1].name is 'top' again; keep one table for it.",
        ),
        ('name = "top"', "line 9: approach.feature[0] gives feature 'top' nothing that [approach]"),
        ('name = "top"\ndistance_mm = 40', "nothing that [approach] does not"),
        ('name = "top"\naxis = [0, 0, -7]', "nothing that [approach] does not"),
        ('name = "top"\ndirection = "normal"', "nothing that [approach] does not"),
        ("axis = [0, 0, 1]", "approach.feature.0.name is missing"),
        ('name = "top"\naxis = [0, 0, 0]', '"normal", or three numbers in base axes, not all zero'),
        ('name = "top"\ndistance_mm = 0', "expected a number above 0"),
        ('name = "top"\nlaw = "linear"', "law is not a known key"),
    ],
)
def test_what_cannot_be_meant(job_of, text, message):
    with pytest.raises(JobError) as caught:
        job_of(change=with_text(f"{USUAL}{FEATURE}{text}\n"), files=FEATURES)
    assert re.sub(r"feature\.(\d)", r"feature[\1]", message) in re.sub(
        r"feature\.(\d)", r"feature[\1]", caught.value.message
    )


def test_points_without_features(job_of):
    with pytest.raises(JobError, match="but the points have no features; give each its feature"):
        job_of(change=with_text(f'{FEATURE}name = "top"\naxis = [0, 0, 1]\n'))


def test_an_axis_without_length():
    with pytest.raises(JobError, match="The stylus axis"):
        FeatureApproach(name="top", axis=np.zeros(3))


def test_the_schema_knows_the_table():
    feature = json_schema()["$defs"]["FeatureApproachTable"]
    assert set(feature["properties"]) == {"name", "distance_mm", "direction", "axis"}
    assert feature["required"] == ["name"]


def test_the_template_s_table_is_right(tmp_path):
    paths = write_template(tmp_path)
    text = paths[0].read_text()
    start = text.index("# [[approach.feature]]")
    table, rest = text[start:].split("\n\n", 1)
    table = "\n".join(line[2:] for line in table.splitlines())
    paths[0].write_text(f"{text[:start]}{table}\n\n{rest}")
    head, *rows = paths[1].read_text().splitlines()
    bores = [f"{row.rsplit(',', 1)[0]},bore" for row in rows]
    paths[1].write_text("\n".join([head, *bores]))
    (own,) = read_job(paths[0]).approach.features
    assert (own.name, own.distance, own.axis.tolist()) == ("bore", 0.008, [0.0, 0.0, -1.0])
