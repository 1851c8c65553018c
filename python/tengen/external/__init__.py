"""Other programs: engines behind a pipe, and solvers that know the truth."""
