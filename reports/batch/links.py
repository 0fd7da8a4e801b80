"""Links from the page of a batch to files beside it."""

from __future__ import annotations

from urllib.parse import quote

from reports.batch.columns import storable


def href(path: str) -> str:
    """A path from the batch's folder as a link that leads nowhere else, whatever it holds."""
    if ".." in path.split("/"):
        return "./"
    return f"./{quote(storable(path))}"
