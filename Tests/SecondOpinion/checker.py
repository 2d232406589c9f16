"""Judges a history by the protocol alone. Pure: records in, violations out."""
import check_calls
import check_counts
import check_domains
import check_end
import check_first
import check_lists
import check_times
import check_values
from calls import Run
from history import Record
from streams import streams
from writes import Writes


def violations(records: list[Record]) -> list[str]:
    """Returns a sentence for each violation of the protocol that the records prove."""
    run = Run(records)
    found = [*run.problems, *check_calls.remove_malformed(run)]
    writes = Writes(run)
    facts = check_values.Facts(run, writes)
    found += check_values.violations(run, writes, facts)
    all_streams = streams(run)
    for check in (check_calls, check_counts, check_times, check_first, check_lists, check_domains, check_end):
        found += check.violations(run, writes, facts, all_streams)
    return found
