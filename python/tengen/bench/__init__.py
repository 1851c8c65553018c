"""Every speed that tengen states: games, search, self-play, side by side with peers; and the check-up of a machine."""
