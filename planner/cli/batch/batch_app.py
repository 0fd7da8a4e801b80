"""``palpeur batch``: what is asked; ``batched`` does the work."""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import AllowOutside, Force, Json, out_option


def batch(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCES...",
            help="Job files, folders of them, patterns in quotes, sweeps (TOML with [sweep]).",
            show_default=False,
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
        int, typer.Option("--workers", help="Processes on this machine; 0: one per processor.")
    ] = 0,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Scheduler of a dask cluster, as tcp://host:8786, instead of local workers.",
        ),
    ] = None,
    share: Annotated[
        str,
        typer.Option(
            "--share", metavar="I/N", help="Only this share of the cases, for arrays of jobs."
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would run, and why; run nothing.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run again what a cap ended.")
    ] = False,
    time_cap: Annotated[
        float, typer.Option("--time-cap", metavar="S", help="Seconds one job may take.")
    ] = 600.0,
    memory_cap: Annotated[
        float, typer.Option("--memory-cap", metavar="MB", help="Memory one job may take.")
    ] = 4000.0,
    reports: Annotated[
        str,
        typer.Option("--reports", metavar="none|failed|all", help="Whose report sets to write."),
    ] = "none",
    compare: Annotated[
        str,
        typer.Option(
            "--compare", metavar="DIR", help="Folder of a batch to compare with: what became worse."
        ),
    ] = "",
    write_jobs: Annotated[
        str,
        typer.Option(
            "--write-jobs",
            metavar="DIR",
            help="With --dry-run: write each job of the sweeps there, with the files it names.",
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
