"""What a reader sees of an evaluation: page, paper, tables, figures, QIF results."""
