"""How strong a player is: ratings, tournaments, accuracy against the truth, and reviews of games."""
