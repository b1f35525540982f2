"""Error analysis of frames: character confusions, worst rows, curves."""
