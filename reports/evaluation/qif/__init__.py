"""QIF 3.0 results (ISO 23952) of an evaluation."""

from reports.evaluation.qif.document import results_qif as results_qif
