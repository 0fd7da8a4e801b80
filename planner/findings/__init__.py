"""Findings: what is doubtful or infeasible, with stable codes and one page for each."""

from planner.findings.finding import Finding as Finding
from planner.findings.finding import Quantity as Quantity
from planner.findings.finding import Severity as Severity
from planner.findings.pages import Page as Page
from planner.findings.pages import page as page
from planner.findings.pages import pages as pages
