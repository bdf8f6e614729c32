from promptls import harnesses


def test_the_table_of_evidence_is_what_the_harnesses_say() -> None:
    assert {harness.name: harness.evidence for harness in harnesses.every()} == harnesses.EVIDENCE
