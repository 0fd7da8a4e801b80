"""Benchmarks measure speed beside peers; only a collapse fails.

Every benchmark first checks that its results are right and then measures ratios to a peer in the
same run. ``make bench`` prints them beside those in ``recorded.json`` and fails below half of one:
less than that is what neighbours on a shared machine do. ``make bench RECORD=1`` records what it
measured. With ``PALPEUR_BENCHMARKS=once`` (the gate) everything runs once, for its results only.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import pytest

RECORDED = Path(__file__).parent / "recorded.json"
COLLAPSE = 2.0  # times worse than recorded: more than noise explains
MODE = os.environ.get("PALPEUR_BENCHMARKS", "")
ONCE, RECORD = MODE == "once", MODE == "record"

measured = pytest.StashKey[dict[str, dict[str, float]]]()


class Speed:
    """Collects the ratios of one run of the benchmarks."""

    def __init__(self, ratios: dict[str, dict[str, float]]) -> None:
        self.ratios = ratios
        self.recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["ratios"]

    def runs(self, count: int) -> int:
        """Repetitions of a measurement: as many as given, one where only results count."""
        return 1 if ONCE else count

    def ratio(self, name: str, values: Sequence[float] | float) -> None:
        """Take ratios to a peer, of which more is better; fail below half of the recorded one."""
        values = [values] if isinstance(values, float | int) else list(values)
        found = {"median": median(values), "lowest": min(values), "highest": max(values)}
        self.ratios[name] = found
        if not MODE and name in self.recorded:
            last = self.recorded[name]["median"]
            assert found["median"] > last / COLLAPSE, (
                f"{name}: {found['median']:.3g}, recorded {last:.3g}; all of this run: {values}"
            )


@pytest.fixture
def speed(request) -> Speed:
    return Speed(request.config.stash.setdefault(measured, {}))


def pytest_terminal_summary(terminalreporter, config):
    """A line for each ratio: this run, its spread, the recorded one."""
    ratios = config.stash.get(measured, {})
    if not ratios or ONCE:
        return
    last = json.loads(RECORDED.read_text(encoding="utf-8"))["ratios"]
    terminalreporter.section("ratios to peers in this run (more is better)")
    terminalreporter.line(f"{'':44} {'median':>9} {'lowest':>9} {'highest':>9} {'recorded':>9}")
    for name, found in ratios.items():
        figures = [found[key] for key in ("median", "lowest", "highest")]
        figures.append(last.get(name, {}).get("median", float("nan")))
        terminalreporter.line(f"{name:44} " + " ".join(f"{figure:9.3g}" for figure in figures))
    if RECORD:
        rounded = {
            name: {key: float(f"{value:.3g}") for key, value in found.items()}
            for name, found in {**last, **ratios}.items()
        }
        document = {"machine": _machine(), "ratios": dict(sorted(rounded.items()))}
        RECORDED.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        terminalreporter.line(f"recorded in {RECORDED}")


def _machine() -> str:
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} processors"
