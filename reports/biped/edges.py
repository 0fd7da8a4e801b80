"""How a sentence names an edge of a support polygon."""

from __future__ import annotations


def edge_words(edge: str) -> str:
    """An edge within a sentence: "the heel", "the left edge", "edge 3"."""
    if any(sign.isdigit() for sign in edge):
        return edge
    return f"the {edge} edge" if edge in ("left", "right") else f"the {edge}"
