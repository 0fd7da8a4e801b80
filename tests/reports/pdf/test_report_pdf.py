"""The PDF, opened by Poppler: every section and name, hostile texts as texts, the same bytes."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from planner.findings.finding import Point
from reports.content.table import Value, ValueStatus
from reports.pdf.document import printed_findings, report_pdf
from reports.pdf.text import shown

POPPLER = ("pdftotext", "pdffonts", "pdfinfo", "pdfimages")
needs_poppler = pytest.mark.skipif(
    not all(map(shutil.which, POPPLER)), reason="needs Debian's poppler-utils"
)
WIDTH, MARGIN = 595.28, 59.0  # of A4, left and right [pt]
SECTIONS = (
    *("Findings", "Notes on the source", "Joints", "Curves", "Path", "Points"),
    *("Points: joints at contact", "Motions", "Clearance", "Cell", "Validation"),
    *("Job file", "Provenance"),
)
# A drawing as matplotlib would give it.
PATH = {
    "tip-path.svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200">'
    b'<path d="M0 0L400 200" stroke="black"/></svg>'
}


def run(tool, path, *options):
    command = [tool, *options, str(path)] + (["-"] if tool == "pdftotext" else [])
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout.decode("utf-8")


def squeezed(text):
    return "".join(re.sub(r"[\u200e\u200f\u202a-\u202e]", "", text).split())


@pytest.fixture(scope="session")
def printed(report, plan):
    return report_pdf(report, plan.timeline, PATH)


@pytest.fixture(scope="session")
def path(printed, tmp_path_factory):
    path = tmp_path_factory.mktemp("pdf") / "report.pdf"
    path.write_bytes(printed)
    return path


@pytest.fixture(scope="session")
def hostile_path(hostile, plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("pdf") / "hostile.pdf"
    segments = tuple(replace(s, point="<b>\u202e" + s.point) for s in plan.timeline)
    path.write_bytes(report_pdf(hostile, segments, PATH))
    return path


@needs_poppler
def test_every_section_and_every_point_can_be_read(path, report):
    text = run("pdftotext", path)
    for section in SECTIONS:
        assert re.search(rf"^\d+\s+{re.escape(section)}$", text, flags=re.MULTILINE), section
    words = set(text.split())
    assert {row[0].text for row in report.points.rows} <= words
    for wanted in (report.verdict, "Planned by", "Approved by", "Signature", "Table 7 errs."):
        assert wanted in " ".join(text.split())


@needs_poppler
def test_every_finding_residual_and_curve_can_be_read(path, report):
    text = squeezed(run("pdftotext", path, "-raw"))
    for finding in report.findings:
        assert squeezed(finding.message) in text
        assert squeezed(finding.hint) in text
    for row in report.validation.rows:
        assert squeezed(row[0].text + row[1].text + row[2].text) in text
    for curves in report.curves:
        assert squeezed(curves.title) in text
    assert squeezed(report.job_text.splitlines()[-1]) in text


@needs_poppler
def test_pages_are_numbered_and_carry_the_job(path, plan):
    pages = run("pdftotext", path).split("\f")[:-1]
    assert len(pages) > 3
    for number, page in enumerate(pages, start=1):
        assert page.rstrip().replace(" ", "").endswith(f"{number}/{len(pages)}")
        assert f"job {plan.job.sha256[:8]}" in page
        assert plan.job.name[:60] in page
    assert f"this report of {len(pages)} pages" in " ".join(pages[0].split())
    assert plan.job.sha256 in pages[0]


@needs_poppler
def test_fonts_are_embedded_and_text_is_tagged(path, plan):
    rows = run("pdffonts", path).splitlines()[2:]
    assert len(rows) >= 3
    assert all(re.search(r"\s+yes yes yes\s+\d+\s+\d+$", row) for row in rows)
    told = run("pdfinfo", path)
    assert re.search(r"^Tagged:\s+yes$", told, flags=re.MULTILINE)
    assert f"Measuring plan: {plan.job.name}" in told
    assert not re.search(r"^(CreationDate|ModDate)", told, flags=re.MULTILINE)
    assert re.search(r"595\.\d+ x 841\.\d+ pts \(A4\)", told)
    structure = run("pdfinfo", path, "-struct")
    assert "H1" in structure
    assert "TH" in structure
    assert "Figure" in structure


def test_the_file_says_that_it_is_pdf_ua(printed):
    assert b"<pdfuaid:part>1</pdfuaid:part>" in printed
    assert b"/Lang (en-GB)" in printed or b"/Lang(en-GB)" in printed
    assert b"/Outlines" in printed


@needs_poppler
def test_figures_are_drawn_as_vectors(path):
    assert len(run("pdfimages", path, "-list").splitlines()) == 2  # the head, and no image


def test_nine_points_are_a_small_file(printed):
    assert len(printed) < 2e6


@needs_poppler
def test_hostile_names_are_printed_as_texts(hostile_path, hostile):
    text = squeezed(run("pdftotext", hostile_path, "-raw"))
    for row in hostile.points.rows:
        name = squeezed(shown(row[0].text, 100))
        assert name in text, row[0].text[:40]
    told = run("pdfinfo", hostile_path)
    assert re.search(r"^JavaScript:\s+no$", told, flags=re.MULTILINE)
    assert "#set page(fill: red)" in told


@needs_poppler
def test_no_text_leaves_the_margins(hostile_path):
    boxes = re.findall(
        r'<word xMin="([\d.]+)".*? xMax="([\d.]+)"', run("pdftotext", hostile_path, "-bbox")
    )
    assert len(boxes) > 500
    slack = 1.0  # what rounding and the sides of letters take
    assert min(float(low) for low, _ in boxes) >= MARGIN - slack
    assert max(float(high) for _, high in boxes) <= WIDTH - MARGIN + slack


def test_the_same_report_gives_the_same_bytes(printed, report, plan):
    assert report_pdf(report, plan.timeline, PATH) == printed


@needs_poppler
def test_a_report_without_motion_figures_findings_and_hash_is_printed(report, tmp_path):
    empty = replace(
        report,
        findings=(),
        curves=(),
        errata=(),
        points=replace(report.points, rows=()),
        provenance=replace(report.provenance, rows=()),
        job_text="",
    )
    (tmp_path / "empty.pdf").write_bytes(report_pdf(empty, (), {}))
    text = run("pdftotext", tmp_path / "empty.pdf")
    assert "There are no findings." in text
    assert "There are no rows." in text
    assert "Curves" not in text


@needs_poppler
def test_long_tables_say_where_the_rest_is(report, plan, tmp_path):
    row = report.segments.rows[0]
    rows = tuple((Value(text=f"motion{k}"), *row[1:]) for k in range(1200))
    finding = report.findings[0]
    long = replace(
        report,
        segments=replace(report.segments, rows=rows),
        findings=tuple(replace(finding, subject=Point(f"P{k}")) for k in range(300)),
        job_text="line\n" * 900,
    )
    (tmp_path / "long.pdf").write_bytes(report_pdf(long, plan.timeline, {}))
    text = " ".join(run("pdftotext", tmp_path / "long.pdf", "-raw").split())
    assert "motion49 " in text
    assert "motion50 " not in text
    assert "The first 50 of 1,200 rows; all of them stand in the workbook" in text
    assert "100 more findings stand in the workbook and in plan.json." in text
    assert "500 more lines stand in the job file." in text
    assert text.count("what fixes the duration") > 1  # the head is repeated


def test_every_character_that_is_shown_can_be_printed_bold_and_in_the_listing(report, plan):
    """PDF/UA refuses a letter that no typeface has; then there would be no report at all."""
    letters = [chr(code) for code in range(0x21, 0x1FFFF, 3) if not 0xD800 <= code < 0xE000]
    kept = [letter for letter in letters if shown(letter, 12) == letter]
    assert len(kept) > 1500
    texts = [" ".join(kept[k : k + 40]) for k in range(0, len(kept), 40)]
    row = report.joints.rows[0]
    rows = tuple((Value(text=text, status=ValueStatus.BAD), *row[1:]) for text in texts)
    spoken = replace(
        report,
        title=texts[7],
        errata=tuple(texts),
        joints=replace(report.joints, rows=rows),
        job_text="\n".join(texts),
    )
    assert report_pdf(spoken, plan.timeline, {}).startswith(b"%PDF-1.7")


def test_neighbours_that_share_a_fix_say_it_once(report):
    first = report.findings[0]
    alike = [replace(first, hint="turn it", subject=Point(name)) for name in ("P1", "P2", "P3")]
    other = replace(first, hint="move it")
    told = ["".join(printed["hint"]) for printed in printed_findings([*alike, other, alike[0]])]
    assert told == ["", "", "turn it", "move it", "turn it"]
