"""
Row expressions: a distance, a score or the errors of each row, as Polars expressions.

The prediction always comes first. *Answers* means a column of strings or a column of lists of accepted
answers (``List(String)`` or ``Array(String)``); the best answer of a row counts. Every expression is named
after its metric. Distances and lengths count Unicode code points.
"""
