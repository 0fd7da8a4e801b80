"""Rules of an order: read from names, refused where they contradict, judged on an order."""

import numpy as np
import pytest

from planner.errors import JobError
from planner.order.stops import Rules

NAMES = ("A", "B", "C", "D", "E")
FEATURES = ("bore", "", "bore", "plane", "plane")


def test_rules_from_names():
    rules = Rules.named(NAMES, FEATURES, (("C", "A"), ("B",)))
    assert rules.group.tolist() == [0, -1, 0, rules.group[3], rules.group[3]]
    assert len(set(rules.group.tolist())) == 3
    assert rules.runs == ((2, 0), (1,))
    assert Rules.named(NAMES).group.tolist() == [-1] * 5


@pytest.mark.parametrize(
    ("order", "kept"),
    [
        ("CADEB", True),
        ("BDECA", True),
        ("ACDEB", False),  # the run backwards
        ("CBADE", False),  # the run and the bore interrupted
        ("CADBE", False),  # the plane interrupted
        ("DE", True),  # points that are not visited do not count
        ("CDE", True),
    ],
)
def test_orders_are_judged(order, kept):
    rules = Rules.named(NAMES, FEATURES, (("C", "A"),))
    assert rules.kept_by(np.array([NAMES.index(name) for name in order])) is kept


@pytest.mark.parametrize(
    ("features", "locked", "message"),
    [
        ((), (("A", "X"),), "names 'X', and there is no such point"),
        ((), (("A", "B"), ("C", "A")), "Point 0 stands in locked runs twice"),
        (FEATURES, (("A", "D"),), "leaves its feature"),
    ],
)
def test_contradictions_are_refused(features, locked, message):
    with pytest.raises(JobError, match=message):
        Rules.named(NAMES, features, locked)


def test_a_run_of_points_that_do_not_exist_is_refused():
    with pytest.raises(JobError, match="names point 5; there are 5"):
        Rules(group=np.full(5, -1), runs=((0, 5),))
