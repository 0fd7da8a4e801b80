"""The document of a small plan, to be changed."""

from __future__ import annotations

import copy

import pytest

from reports.plan_document import plan_document


@pytest.fixture
def document(plan, proved):
    """A fresh one for every test; its clearances are made up."""
    made = copy.deepcopy(plan_document(proved(plan)))
    for row, point in enumerate(made["points"]):
        if point["reachable"]:
            point["min_clearance_mm"] = 20.0 + row
    return made


@pytest.fixture
def changed(document):
    """``changed(edit)`` → a copy of the document after ``edit(copy)``."""

    def change(edit):
        other = copy.deepcopy(document)
        edit(other)
        return other

    return change
