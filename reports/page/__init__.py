"""The report as one HTML page: offline, safe with any name, readable on paper and on a phone."""
