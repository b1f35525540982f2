"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.gec._comparison import compare as compare
from anls_frame.gec._errant import by_type as by_type
from anls_frame.gec._errant import errant as errant
from anls_frame.gec._errant import errant_corpus as errant_corpus
from anls_frame.gec._i_measure import align3 as align3
from anls_frame.gec._i_measure import i_measure as i_measure
from anls_frame.gec._i_measure import i_measure_corpus as i_measure_corpus
from anls_frame.gec._i_measure import improvement as improvement
from anls_frame.gec._i_measure import weighted_accuracy as weighted_accuracy
from anls_frame.gec._m2 import m2 as m2
from anls_frame.gec._m2 import m2_edits as m2_edits
from anls_frame.gec._m2_corpus import m2_corpus as m2_corpus
from anls_frame.gec._m2_files import M2FormatError as M2FormatError
from anls_frame.gec._m2_files import read_m2 as read_m2
from anls_frame.gec._m2_files import read_parallel as read_parallel
from anls_frame.gec._m2_files import write_m2 as write_m2
from anls_frame.gec._score_table import scores as scores
