"""Overviews: how good a system is, where and why it fails, and what to do first."""
