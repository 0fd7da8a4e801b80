"""What a report says, before any page or workbook gives it a form."""
