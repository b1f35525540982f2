"""Row expressions: distances, scores and kinds of errors, as Polars expressions."""
