"""The public names, which are imported on first use; `.ci/stub.py` writes this file."""

from anls_frame.readers._page_names import Pages as Pages
from anls_frame.readers.any_file import read_file as read_file
from anls_frame.readers.harness import read_inspect as read_inspect
from anls_frame.readers.harness import read_lm_eval as read_lm_eval
from anls_frame.readers.harness import read_lmms_eval as read_lmms_eval
from anls_frame.readers.harness import read_vlmevalkit as read_vlmevalkit
from anls_frame.readers.judgements import LostPoints as LostPoints
from anls_frame.readers.judgements import audited_scores as audited_scores
from anls_frame.readers.judgements import judged as judged
from anls_frame.readers.judgements import lost_points as lost_points
from anls_frame.readers.judgements import read_verdicts as read_verdicts
from anls_frame.readers.pages import read_pages as read_pages
from anls_frame.readers.rules import ScoringRules as ScoringRules
from anls_frame.readers.rules import scoring_rules as scoring_rules
from anls_frame.readers.submissions import read_dude as read_dude
from anls_frame.readers.submissions import read_rrc as read_rrc
from anls_frame.readers.submissions import write_submission as write_submission
from anls_frame.readers.system_files import SystemTexts as SystemTexts
from anls_frame.readers.system_files import read_logs as read_logs
from anls_frame.readers.system_files import read_systems as read_systems
from anls_frame.readers.table import read_results as read_results
from anls_frame.readers.table import scan_results as scan_results
from anls_frame.readers.table import write_results as write_results
