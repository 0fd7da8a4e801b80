"""What a reader sees: validation, tables, figures, documents, programmes."""
