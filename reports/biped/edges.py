"""How a sentence names an edge of a support polygon."""

from __future__ import annotations


def edge_words(edge: str) -> str:
    """An edge within a sentence: "the heel", "edge 3"."""
    return edge if any(sign.isdigit() for sign in edge) else f"the {edge}"
