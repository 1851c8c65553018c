"""Other programs: engines that are controlled through pipes, and exact solvers."""
