"""`palpeur robot`: the library, one robot, its models on tables of states."""
