"""Frames of any kind in, the same kind out: checks, conversion, scores as columns."""
