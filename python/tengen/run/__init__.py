"""The folder of a run, what it takes in memory, and what its figures say about its learning."""
