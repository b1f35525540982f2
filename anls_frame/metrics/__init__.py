"""
Row expressions: Polars expressions that return the distance, the score or the errors of each row.

The prediction always comes first. *Answers* means a column of strings or of lists of accepted answers
(``List(String)`` or ``Array(String)``); each row is scored against its best answer. Every expression is named
after its metric. Distances and lengths count Unicode code points.
"""
