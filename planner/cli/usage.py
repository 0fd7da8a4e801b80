"""What is wrong with an option or argument, with the value that was found."""

from __future__ import annotations

from collections.abc import Mapping

_EXPECTED = {
    "int_parsing": "a whole number, such as 12",
    "int_parsing_size": "a smaller whole number",
    "int_from_float": "a whole number, such as 12",
    "float_parsing": "a number, such as 1.5",
    "finite_number": "a finite number",
    "bool_parsing": "yes or no",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
}


def usage_text(error: BaseException) -> str:
    """The message of a usage error; of a value that does not fit with the value.

    Args:
        error: of Typer, which keeps what pydantic found as its cause.
    """
    text = str(error.format_message())  # type: ignore[attr-defined]
    for item in _found(error.__cause__):
        expected = _EXPECTED.get(str(item["type"]))
        context = item.get("ctx")
        if expected is not None:
            limits = context if isinstance(context, Mapping) else {}
            told = f"found {str(item['input'])[:60]}; expected {expected.format(**limits)}."
            return text.partition(": ")[0] + f": {told}"
    return text


def _found(cause: BaseException | None) -> list[Mapping[str, object]]:
    """What pydantic found; nothing where something else was raised."""
    from pydantic import ValidationError

    return [dict(item) for item in cause.errors()] if isinstance(cause, ValidationError) else []
