"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.pairs.alignments import Alignment as Alignment
from anls_frame.pairs.alignments import alignment as alignment
from anls_frame.pairs.edits import Edit as Edit
from anls_frame.pairs.line_alignments import AlignedLine as AlignedLine
from anls_frame.pairs.line_alignments import LineAlignment as LineAlignment
from anls_frame.pairs.matrices import EditMatrix as EditMatrix
from anls_frame.pairs.matrices import edit_matrix as edit_matrix
from anls_frame.pairs.string_scores import anls_score as anls_score
from anls_frame.pairs.string_scores import edit_distance as edit_distance
from anls_frame.pairs.string_scores import get_cer as get_cer
from anls_frame.pairs.string_scores import hamming_distance as hamming_distance
