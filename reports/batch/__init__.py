"""Reports of a batch: tables, JUnit, one page, and changes since another batch."""
