"""The part with its measured features numbered: every one that is seen has its number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parts.library import open_part
from reports.evaluation.labels import labelled_part
from reports.evaluation.tables import labels_of


def numbers(figure):
    """Numbers in each view, and where they stand."""
    return [{text.get_text(): text.get_position() for text in axes.texts} for axes in figure.axes]


@pytest.fixture(scope="module")
def exact(shown):
    """The same part with its faces told apart."""
    return replace(shown, job=replace(shown.job, geometry=open_part("block").geometry))


def test_every_feature_has_its_number_where_it_is_seen(exact):
    front, behind = numbers(labelled_part(exact))
    labels = labels_of(exact.evaluation)
    assert set(front) | set(behind) == set(labels.values())
    assert labels["top"] in front
    assert labels["top"] not in behind  # from below
    assert len({(round(x), round(y)) for x, y in front.values()}) == len(front)


def test_a_mesh_has_numbers_where_its_points_are(shown):
    front, behind = numbers(labelled_part(shown))
    labels = labels_of(shown.evaluation)
    assert set(front) | set(behind) == set(labels.values())
    assert labels["front"] in front
    assert labels["front"] not in behind


def test_without_geometry_the_points_are_drawn(shown):
    bare = replace(shown, job=replace(shown.job, geometry=None))
    [view] = numbers(labelled_part(bare))
    assert set(view) == set(labels_of(shown.evaluation).values())
