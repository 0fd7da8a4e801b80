"""The report as one HTML page: offline, safe with any name, readable on paper and on a phone."""

from reports.page.page import page as page
from reports.page.scene import embeds as embeds
