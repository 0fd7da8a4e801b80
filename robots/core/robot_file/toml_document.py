"""TOML read in time and memory proportional to its length."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from typing import Any

from robots.core.file_units import decimal_of

MOST_PARTS = 32  # of a dotted key; no file of ours has more than six
# For every part of a dotted key tomllib keeps all that stand before it, so that 50 kB of "a.a.a…"
# take 15 s and 1 MB more memory than there is.
_TOKEN = re.compile(
    r"""
    (?P<deep>
      (?<![\w-]) (?: (?: [\w-]++ | "[^"\n]*+" | '[^'\n]*+' ) [ \t]*+ \. [ \t]*+ ){MOST_PARTS}
    )
    | \#[^\n]*+
    | "{3} (?: [^"\\] | \\. | "(?!"") )*+ "{3,5} | '{3} (?: [^'] | '(?!'') )*+ '{3,5}
    | (?P<torn> "{3} | '{3} )
    | " (?: [^"\\\n] | \\[^\n] )*+ " | ' [^'\n]*+ '
    """.replace("MOST_PARTS", str(MOST_PARTS)),
    re.ASCII | re.VERBOSE | re.DOTALL,
)


def toml_document(text: str, parse_float: Callable[[str], object] = decimal_of) -> dict[str, Any]:
    """Read a TOML document, by default with its decimals exactly as printed.

    Args:
        text: of a file.
        parse_float: makes a value of a decimal.

    Raises:
        ValueError: not TOML; a dotted key with more than ``MOST_PARTS`` parts.
        RecursionError: nested too deeply.
    """
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "torn":
            break  # the parser stops there as well
        if token.lastgroup == "deep":
            line = text.count("\n", 0, token.start()) + 1
            raise tomllib.TOMLDecodeError(
                f"A dotted key has more than {MOST_PARTS} parts (at line {line}, column 1)"
            )
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int, whose advice is meant for programmers
        limit = sys.get_int_max_str_digits()
        raise tomllib.TOMLDecodeError(f"A whole number has more than {limit} digits") from None
