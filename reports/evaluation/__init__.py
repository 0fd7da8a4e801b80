"""Reports of an evaluation: page, paper, tables, figures, QIF results."""
