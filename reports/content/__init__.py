"""What a report says, before any page or workbook gives it a form."""

from reports.content.curves import CurveSet as CurveSet
from reports.content.curves import Panel as Panel
from reports.content.report import Report as Report
from reports.content.report import report_content as report_content
from reports.content.table import Column as Column
from reports.content.table import Fact as Fact
from reports.content.table import Table as Table
from reports.content.table import Value as Value
from reports.content.table import ValueStatus as ValueStatus
