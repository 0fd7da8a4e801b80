"""`palpeur plan`, `check`, `init` and `demo`: measuring jobs."""
