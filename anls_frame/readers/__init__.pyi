"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.files.table_files import read_results as read_results
from anls_frame.files.table_files import scan_results as scan_results
from anls_frame.files.table_files import write_results as write_results
from anls_frame.readers._page_names import Pages as Pages
from anls_frame.readers.inspect_logs import read_inspect as read_inspect
from anls_frame.readers.lm_eval import read_lm_eval as read_lm_eval
from anls_frame.readers.lmms_eval import read_lmms_eval as read_lmms_eval
from anls_frame.readers.pages import read_pages as read_pages
from anls_frame.readers.submissions import write_submission as write_submission
from anls_frame.readers.vlmevalkit import read_vlmevalkit as read_vlmevalkit
from anls_frame.reports.judgements import LostPoints as LostPoints
from anls_frame.reports.judgements import audited_scores as audited_scores
from anls_frame.reports.judgements import judged as judged
from anls_frame.reports.judgements import lost_points as lost_points
from anls_frame.reports.judgements import read_verdicts as read_verdicts
from anls_frame.runs.compared_files import compare_files as compare_files
from anls_frame.runs.competitions import read_dude as read_dude
from anls_frame.runs.competitions import read_rrc as read_rrc
from anls_frame.runs.reading import Reading as Reading
from anls_frame.runs.reading import read_file as read_file
from anls_frame.runs.reported_files import report_files as report_files
from anls_frame.runs.rules import ScoringRules as ScoringRules
from anls_frame.runs.rules import scoring_rules as scoring_rules
from anls_frame.runs.system_files import read_logs as read_logs
from anls_frame.runs.system_files import read_systems as read_systems
