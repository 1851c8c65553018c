"""What outcome(state) of a rules file returns: ONGOING, DRAW, or the number of the winner, 0 or 1.

The same numbers as RuleResult of table_game.h.
"""

ONGOING = -1
DRAW = 2
FAILED = -100  # the function raised an error
