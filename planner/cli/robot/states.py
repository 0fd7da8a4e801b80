"""Tables of a robot's states: joints, rates, torques, poses and wrenches by their columns."""

from __future__ import annotations

from functools import partial

from planner.cli.robot.states_columns import known_columns, unknown_header
from planner.cli.table_text import origin_of, table_text
from planner.cli.unit_table import States, table_of
from robots.core.mechanism import Mechanism


def read_states(source: str, mechanism: Mechanism) -> States:
    """Read a table of states.

    Args:
        source: path of a CSV file; "-" reads standard input.
        mechanism: whose joints the columns name.

    Raises:
        StatesError: a file that cannot be read, a column or a cell that is not right; with file,
            line, column, what was found and what was expected.
    """
    return states_of(table_text(source), origin_of(source), mechanism)


def states_of(text: str, origin: str, mechanism: Mechanism) -> States:
    """States from the text of a table; ``origin`` names it in messages.

    Raises:
        StatesError: as for ``read_states``.
    """
    known = known_columns(mechanism)
    states = table_of(text, origin, known, partial(unknown_header, mechanism, known))
    for group in ("q", "qd", "qdd", "tau"):
        states.headers.setdefault(group, [])
    return states
