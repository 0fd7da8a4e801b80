"""Where an evaluation comes from: command, files with their hashes, versions."""

from __future__ import annotations

from reports.content.table import Table, columns, text
from reports.evaluation.shown import Source
from reports.provenance import installed_versions


def provenance_table(source: Source) -> Table:
    """The table that every report ends with; nothing of when, where or by whom."""
    rows = [
        ("command", source.command),
        (f"job file {source.job.name}", f"SHA-256 {source.job.sha256}"),
        *((f"input {one.name}", f"SHA-256 {one.sha256}") for one in source.others),
        *installed_versions(),
    ]
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=tuple((text(what), text(value)) for what, value in rows),
    )
