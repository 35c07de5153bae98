"""Short texts that stand for a position: the IDs of GNU Backgammon, XG, OpenGammon and FIBS."""
