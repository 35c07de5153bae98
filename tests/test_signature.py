"""The number that stands for everything bgcore computes.

A change of plays, evaluations or rollouts changes it: then write the new number here and a line
into the changelog. Any other change of it is a fault.
"""

from bgcore.signature import signature

SIGNATURE = 595961863556439


def test_signature_is_the_committed_number():
    parts = signature()
    assert parts["signature"] == SIGNATURE, parts
