"""Names beside marks cover neither each other nor other marks, as matplotlib measures them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports.figures.style import write_beside


def drawn(places, names, **options):
    """Boxes of the names as drawn, and the marks. [px]."""
    figure = Figure(figsize=(6.0, 3.0))
    axis = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    axis.scatter(*places.T, s=26)
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.2)
    write_beside(axis, places, names, size=6.5, **options)
    FigureCanvasAgg(figure).draw()
    return [text.get_window_extent() for text in axis.texts], axis.transData.transform(places)


CROWDED = {
    "beside": [[0.0, 0.0], [8.0, -0.5], [60.0, 3.0], [90.0, -30.0]],
    "above": [[0.0, 0.0], [-1.0, -6.0], [60.0, 3.0], [90.0, -30.0]],
    "three": [[0.0, 0.0], [9.0, 2.0], [4.0, -7.0], [90.0, -30.0]],
}


@pytest.mark.parametrize("places", CROWDED.values(), ids=CROWDED)
def test_names_of_near_marks_stay_readable(places):
    boxes, marks = drawn(np.array(places), ["T3 −0.339", "T4 +31.9", "T5 −0.891", "T6 −1.16"])
    assert len(boxes) == len(places)
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[k + 1 :])
        assert not any(box.contains(*mark) for mark in marks)


def test_a_lone_name_stands_above_to_the_right():
    boxes, marks = drawn(np.array([[0.0, 0.0], [90.0, 0.0]]), ["A", "B"])
    for box, (x, y) in zip(boxes, marks, strict=True):
        assert x < box.x0 < x + 10
        assert y < box.y0 < y + 10


def test_nothing_is_written_for_nothing():
    assert drawn(np.zeros((0, 2)), [])[0] == []


def test_other_places_are_kept_clear():
    wall = np.array([[8.0, y] for y in range(-30, 31)], dtype=float)
    boxes, _ = drawn(np.array([[0.0, 0.0], [90.0, 0.0]]), ["T2 +9.62", "T8"], others=wall)
    assert boxes[0].x1 < drawn(np.array([[0.0, 0.0], [90.0, 0.0]]), ["T2", "T8"])[1][0][0]
