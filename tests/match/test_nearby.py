"""Entries near a failure that nothing explains: named, and never as a match."""

from indexes import entry, index, message

from faultbook.match.engine import triage

LOG = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    loader.fetch()
RuntimeError: the arena refused 12 blocks
"""
NEAR = entry("near", {"all": [{"message": "the arena refused {n:int} blocks"}, {"message": "quota of the tenant"}]})
VETOED = entry("vetoed", {"all": [{"message": "the arena refused {n:int} blocks"}],
                          "none": [{"message": "loader.fetch()", "note": "It comes from the loader."}]})  # fmt: skip
FAR = entry("far", message("nothing of the sort is said"), message("RuntimeError"))


def test_signs_that_are_there_and_what_is_missing_are_named():
    it = triage([("log", LOG.encode())], index(NEAR, FAR))
    assert (it.verdict, it.findings) == ("match", it.findings)  # `far` holds by its second signature
    it = triage([("log", LOG.encode())], index(NEAR))
    assert (it.verdict, [one.id for one in it.related]) == ("unknown", ["near"])
    assert it.related[0].why == "log:4 has ‘the arena refused {n:int} blocks’, but its other signs are missing"


def test_what_speaks_against_it_is_named():
    (one,) = triage([("log", LOG.encode())], index(VETOED)).related
    assert one.why.endswith("against it stands: It comes from the loader.")


def test_a_kind_of_event_that_every_failure_has_brings_nothing_near():
    common = entry("common", {"all": [{"event": "exception"}, {"message": "never printed at all"}]})
    assert triage([("log", LOG.encode())], index(common)).related == ()


def test_an_explained_or_healthy_log_has_none():
    assert triage([("log", LOG.encode())], index(NEAR, entry("it", message("arena refused")))).related == ()
    assert triage([("log", b"step 1\n")], index(NEAR)).related == ()
