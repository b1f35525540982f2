"""A search for slices of a frame in which a system is worse than in the rest."""
