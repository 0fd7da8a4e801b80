"""``palpeur batch``: what is asked; ``batched`` does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import AllowOutside, Force, Json, argument, flag, option, out_option


def batch(
    context: typer.Context,
    sources: Annotated[
        list[str],
        argument(
            "SOURCES...",
            "Job files, folders of them, patterns in quotes, sweeps (TOML with [sweep]).",
        ),
    ],
    *,
    out: Annotated[
        str,
        out_option(
            "DIR", "Folder of the results; run again with the same one to go on.", kept=True
        ),
    ],
    workers: Annotated[
        int, flag("--workers", "Processes on this machine; 0: one per processor.")
    ] = 0,
    cluster: Annotated[
        str | None,
        option(
            "--cluster",
            "ADDRESS",
            "Scheduler of a dask cluster, as tcp://host:8786, instead of local workers.",
        ),
    ] = None,
    share: Annotated[
        str,
        option("--share", "I/N", "Only this share of the cases, for arrays of jobs."),
    ] = "",
    dry_run: Annotated[
        bool, flag("--dry-run", "List what would run, and why; run nothing.")
    ] = False,
    retry_failed: Annotated[bool, flag("--retry-failed", "Run again what a cap ended.")] = False,
    time_cap: Annotated[float, option("--time-cap", "S", "Seconds one job may take.")] = 600.0,
    memory_cap: Annotated[float, option("--memory-cap", "MB", "Memory one job may take.")] = 4000.0,
    reports: Annotated[
        str,
        option("--reports", "none|failed|all", "Whose report sets to write."),
    ] = "none",
    compare: Annotated[
        str,
        option("--compare", "DIR", "Folder of a batch to compare with: what became worse."),
    ] = "",
    write_jobs: Annotated[
        str,
        option(
            "--write-jobs",
            "DIR",
            "With --dry-run: write each job of the sweeps there, with the files it names.",
        ),
    ] = "",
    as_json: Json = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Validate many jobs, each by itself; stop and go on at any time, nothing is lost.

    DIR holds one result per job and the summaries: dashboard.html, summary.csv, .parquet, .json and
    junit.xml. Exit codes: 0 all feasible; 1 some are not; 2 bad input; 130 interrupted: the same
    command goes on.
    """
    from pathlib import Path

    from planner.batch.batch import BatchOptions
    from planner.cli.batch.batched import BatchRequest, run

    return run(
        BatchRequest(
            sources=tuple(sources),
            out=out,
            options=BatchOptions(
                workers=workers,
                cluster=cluster,
                share=share,
                retry_failed=retry_failed,
                time_cap=time_cap,
                memory_cap=memory_cap,
                reports=reports,
                compare=Path(compare) if compare else None,
                allow_outside=allow_outside,
            ),
            compare=compare,
            dry_run=dry_run,
            write_jobs=write_jobs,
            as_json=as_json,
        ),
        context.obj.forced(force),
    )
