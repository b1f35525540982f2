"""Files of systems: read together, joined with their questions, and scored."""
