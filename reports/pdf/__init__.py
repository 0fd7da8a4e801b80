"""The report as a PDF for signature: vector figures, tagged text, embedded fonts."""

from reports.pdf.document import report_pdf as report_pdf
