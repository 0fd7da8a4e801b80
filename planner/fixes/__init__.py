"""Why a point fails, branch by branch, and the smallest change that makes it served."""
