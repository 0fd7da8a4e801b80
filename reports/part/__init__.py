"""A part as a reader sees it: tables and JSON of its features, numbered pictures, a page."""

from reports.part.document import audit_document as audit_document
from reports.part.document import audit_lines as audit_lines
from reports.part.document import part_document as part_document
from reports.part.document import part_lines as part_lines
from reports.part.document import sound as sound
from reports.part.document import tolerance_tables as tolerance_tables
from reports.part.page import part_page as part_page
from reports.part.picture import part_picture as part_picture
from reports.part.picture import part_views as part_views
