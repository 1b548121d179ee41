"""What the stages of matching hand to each other. All frozen, nothing computed.

bytes --read--> Record --recognise--> Event --engine(SignatureIndex)--> Diagnosis
"""

from __future__ import annotations

from collections.abc import Mapping

from .frozen import NOTHING, Frozen

Value = int | float | str


class Record(Frozen):
    """One logical log line, decoded, freed of prefixes and joined if it was wrapped.

    `line` counts physical lines from 1 and names the first one; `lines` says how many physical lines
    were joined; `count` how many equal records in a row were collapsed into this one.
    `rank`, `node`, `pid` come from stripped prefixes, or from the file's name (`rank3.log`) for `rank`.
    `time` is seconds since the epoch where the prefix has a full date, else seconds since midnight.
    `level` is the log level as a capital word (`INFO`, `ERROR`), where a prefix names one.
    """

    __slots__ = ()

    file: str
    line: int
    text: str
    raw: str
    rank: int | None = None
    node: str | None = None
    pid: int | None = None
    time: float | None = None
    lines: int = 1
    count: int = 1
    level: str | None = None


class Frame(Frozen):
    """A traceback frame as printed; `line` is the source line number, `record` where the log shows it."""

    __slots__ = ()

    file: str
    line: int | None
    function: str
    code: str
    record: Record


class Event(Frozen):
    """Something recognised in records.

    `record` is the line to show as evidence, `message` the text templates are searched in, `fields` the
    facts by name (bytes, milliseconds and counts as integers), `frames` outermost first.
    `failure` is False for what is only context (a healthy progress series, an advice line).
    `KINDS` lists the fields of each kind.
    """

    __slots__ = ()

    kind: str
    record: Record
    message: str = ""
    fields: Mapping[str, Value] = NOTHING
    frames: tuple[Frame, ...] = ()
    failure: bool = True


KINDS: Mapping[str, Mapping[str, str]] = {
    "exception": {
        "type": "class name as printed, with its module if printed",
        "caused_by": "type of the exception it was chained to, if any",
        "errno": "number of the operating system's error, if printed",
        "resource": "what ran out: shared memory | disk | disk quota | file descriptors | host memory |"
        " memory mappings | processes",
    },
    "memory-report": {
        "memory": "cuda | hip | mps | xpu | xla | host | pinned: whose memory ran out",
        "wording": "short name of the recogniser's wording, e.g. torch-2.2, torch-2.1, torch-1.10, bare",
        "requested": "bytes asked for",
        "total": "bytes of the device",
        "free": "bytes the driver has free",
        "allocated": "bytes in live tensors",
        "reserved": "bytes held by the caching allocator (given, or allocated + unallocated)",
        "unallocated": "bytes reserved but unallocated (given, or reserved - allocated)",
        "process": "bytes in use by this process",
        "others": "bytes in use by other processes that the report lists",
        "other_processes": "how many other processes the report lists",
        "private_pools": "bytes in private pools (CUDA graphs)",
        "allowed": "bytes the process may use (set_per_process_memory_fraction)",
        "device": "device index",
    },
    "device-assert": {
        "kernel": "kernel function as printed",
        "source": "source file name without path",
        "assertion": "text between the assertion's quotes",
        "count": "how many lines said so",
    },
    "cuda-error": {
        "error": "text after 'CUDA error: ', or the status name for libraries",
        "library": "cuda | cublas | cudnn | nccl | hip | driver",
        "code": "numeric code, if printed",
    },
    "collective-timeout": {
        "backend": "nccl | gloo",
        "rank": "rank that reports it",
        "seq": "sequence number",
        "op": "collective's name, e.g. ALLREDUCE",
        "group": "process group id or name",
        "timeout_ms": "limit",
        "ran_ms": "time until it was given up",
    },
    "process-exit": {
        "exit_code": "as reported; negative is minus the signal",
        "signal": "signal number",
        "pid": "process",
        "rank": "global rank, where the report names it",
        "local_rank": "local rank, where the report names it",
        "reporter": "shell | torchelastic | deepspeed | slurm | kubernetes | dataloader | docker | mpi | python |"
        " other",
    },
    "kernel-oom": {
        "scope": "cgroup | node",
        "pid": "victim",
        "command": "victim's comm",
        "anon_rss": "bytes",
        "total_vm": "bytes",
        "shmem_rss": "bytes",
        "reporter": "kernel | slurm | kubernetes",
    },
    "launcher-report": {
        "launcher": "torchelastic | deepspeed | slurm | ray | accelerate | lightning | spawn | mpi",
        "rank": "rank it names as first",
        "local_rank": "local rank it names",
        "exit_code": "exit code it names",
        "pid": "pid it names",
    },
    "growth": {
        "quantity": "name of the number in the progress lines, as printed",
        "points": "how many lines",
        "first": "first value (bytes if it has a size unit)",
        "last": "last value",
        "slope": "mean growth a line",
        "monotonic": "1 if it never fell, else 0",
    },
    "xid": {
        "code": "Xid number",
        "device": "PCI address",
        "count": "lines with this code",
        "follows": "code that the device reported before, for one that only cleans up after others (45)",
    },
}


class Evidence(Frozen):
    __slots__ = ()

    file: str
    line: int
    text: str
    why: str = ""
    rank: int | None = None


class Finding(Frozen):
    """One entry that the log speaks for. `confidence` is 0..1, ordered within one diagnosis only."""

    __slots__ = ()

    id: str
    title: str
    category: str
    severity: str
    confidence: float
    signature: str
    strength: str
    says: str
    url: str
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    fix: Mapping[str, str] = NOTHING


class Initiating(Frozen):
    """The failure that came first as far as the log tells. `basis` says on what evidence."""

    __slots__ = ()

    rank: int | None
    node: str | None
    file: str
    line: int
    what: str
    basis: str = ""


class Collateral(Frozen):
    __slots__ = ()

    rank: int | None
    file: str
    line: int
    what: str


class RankFailure(Frozen):
    __slots__ = ()

    file: str
    line: int
    what: str


class RankLine(Frozen):
    """One rank of a run, or a file whose rank nothing tells, for a small timeline.

    Times as in Record, None where its lines have none. `role`: `first` (it failed first), `collateral` (it failed
    after and because of that), `unknown` (it failed, or fell silent, in an order that nothing tells), `silent`
    (others timed out and it said nothing since the first failure, or there is no line of it: then `file` is empty),
    else `healthy`: nothing failed on it as far as its lines go.
    """

    __slots__ = ()

    rank: int | None
    node: str | None
    file: str
    first_time: float | None
    last_time: float | None
    failure: RankFailure | None
    role: str


class Settle(Frozen):
    """A question that tells two candidates apart; `command` answers it, a yes/no leads to an id.

    `key` names the question for `narrow`. An id is empty where that answer leads to a failure without an entry,
    which `name` then says in words.
    """

    __slots__ = ()

    key: str
    question: str
    command: str
    if_yes: str
    if_no: str
    name: str = ""


class Account(Frozen):
    """What the numbers of a memory report say: `kind` is over-size | fragmentation | foreign-process | limit |
    spill | no-size | host | pinned | unknown; `says` is the reason, with the numbers.
    """

    __slots__ = ()

    kind: str
    says: str
    file: str
    line: int
    rank: int | None


class Related(Frozen):
    """An entry that is near a log that nothing explains. Not a match; `why` says what it has in common."""

    __slots__ = ()

    id: str
    title: str
    url: str
    why: str


class Reply(Frozen):
    """What the reader said to a question: evidence by the reader, not by the log."""

    __slots__ = ()

    key: str
    question: str
    answer: str


class Diagnosis(Frozen):
    """Contract `faultbook triage --format json`, format 1; `to_dict` in `diagnosis.py` writes it.

    `verdict` is match | ambiguous | unknown | clean. `facts` holds captured numbers of the leading
    finding, else of the first failure. `notes` says what was skipped or could not be read, never silently.
    """

    __slots__ = ()

    verdict: str
    findings: tuple[Finding, ...] = ()
    initiating: Initiating | None = None
    collateral: tuple[Collateral, ...] = ()
    settle: tuple[Settle, ...] = ()
    facts: Mapping[str, Value] = NOTHING
    notes: tuple[str, ...] = ()
    memory: Account | None = None
    related: tuple[Related, ...] = ()
    replies: tuple[Reply, ...] = ()
    ranks: tuple[RankLine, ...] = ()
    ranks_left_out: int = 0
