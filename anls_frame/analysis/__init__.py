"""Error analysis of frames: confused characters, worst rows, curves."""
