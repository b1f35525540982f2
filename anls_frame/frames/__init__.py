"""Checks and conversions of frames of any kind."""
