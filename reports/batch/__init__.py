"""Reports of a batch: tables, JUnit, one page, and changes since another batch."""

from reports.batch.changes import VERDICTS as VERDICTS
from reports.batch.changes import BatchChanges as BatchChanges
from reports.batch.changes import changes as changes
from reports.batch.dashboard import unchecked_counts as unchecked_counts
from reports.batch.files import IndexCount as IndexCount
from reports.batch.files import previous_rows as previous_rows
from reports.batch.files import write_index as write_index
from reports.batch.files import write_summary as write_summary
from reports.batch.reasons import reason_words as reason_words
from reports.batch.rows import JobRow as JobRow
