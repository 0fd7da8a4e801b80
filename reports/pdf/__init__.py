"""The report as a PDF for signature: vector figures, tagged text, embedded fonts."""

from reports.pdf.report_pdf import report_pdf as report_pdf
