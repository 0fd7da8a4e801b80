"""Batches: many jobs, one result each, nothing lost.

``case`` is one job to be judged, ``key`` what its result depends on, ``outcome`` what came out,
``ledger`` the folder that holds outcomes by key.
"""
