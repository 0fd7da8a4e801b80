"""``palpeur batch``: many jobs, judged by worker processes or on a cluster."""
