"""How strong a player is: ratings, tournaments, accuracy against exact solutions, and reviews of games."""
