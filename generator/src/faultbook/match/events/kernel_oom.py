"""The kernel's OOM killer, as the kernel, Slurm and Kubernetes tell it. Lines about one victim are one event.

Wordings read in mm/oom_kill.c: `Kill process … or sacrifice child` (up to 5.0), `Killed process`,
`oom-kill:constraint=` (since 5.0), and `Memory cgroup out of memory` for containers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..lazy import Lazy
from ..types import Event, Record, Value
from .common import HARMLESS, Sayings, known, whole

TRIGGERS = (
    "Killed process", "Kill process", "oom-kill", "oom_kill", "oom_reaper", "OOMKilled", "OOM Killed",
    "invoked oom-killer", "System OOM encountered", "Out Of Memory", "OUT_OF_MEMORY",
)  # fmt: skip

_KILLED = Lazy(r"Kill(?:ed)? process (?P<pid>\d{1,9}),? (?:\(|UID \d{1,9}, \()(?P<command>[^)\n]{1,64})\)")
_CONSTRAINT = Lazy(r"oom-kill:constraint=(?P<constraint>CONSTRAINT_\w{1,20})")
_TASK = Lazy(r"task=(?P<command>[^,\n]{1,64}),pid=(?P<pid>\d{1,9})")
_SIZES = Lazy(r"(?P<name>total-vm|anon-rss|shmem-rss):(?P<kb>\d{1,15})kB")
_REAPED = Lazy(r"oom_reaper: reaped process (?P<pid>\d{1,9}) \((?P<command>[^)\n]{1,64})\)")
_INVOKED = Lazy(r"invoked oom-killer: ")
_SLURM = Lazy(
    r"Detected \d{1,9} oom[-_]kill event|task \d{1,7}: Out Of Memory|\bOUT_OF_MEMORY \(exit|oom-kill event\(s\) in step"
)
_POD = Lazy(r"\bOOMKilled\b(?!\"?\s?[:=]\s?\"?(?:false|0))")
_KUBELET = Lazy(r"System OOM encountered, victim process: (?P<command>[^,\n]{1,64}), pid: (?P<pid>\d{1,9})")

Fields = dict[str, Value]


def recognise(sayings: Sayings) -> Iterator[Event]:
    victims: dict[tuple[str, object], tuple[Record, Fields]] = {}
    invoked: list[Record] = []
    for record in sayings.spoken(TRIGGERS):
        text = record.text
        fields = _kernel(text) or _reported(text)
        if fields:
            key = (record.file, fields.get("pid", (record.line, record.text)))
            first, known_so_far = victims.get(key, (record, {}))
            # the line with the sizes is the one to show
            shown = record if "anon_rss" in fields and "anon_rss" not in known_so_far else first
            scoped = "scope" in known_so_far
            victims[key] = (shown, {**fields, **known_so_far} if scoped else {**known_so_far, **fields})
        elif _INVOKED.search(text):
            invoked.append(record)
    for record, fields in victims.values():
        yield Event("kernel-oom", record, record.text, fields, (), record.level not in HARMLESS or "pid" in fields)
    if invoked and not any(file == invoked[0].file for file, _ in victims):
        yield Event("kernel-oom", invoked[0], invoked[0].text, {"reporter": "kernel"})


def _kernel(text: str) -> Fields | None:
    killed = _KILLED.search(text) or _REAPED.search(text)
    constraint = _CONSTRAINT.search(text)
    task = _TASK.search(text) if constraint else None
    found = killed or task
    if not (found or constraint):
        return None
    if constraint:
        # 5.0 and 5.1 print CONSTRAINT_NONE for a cgroup as well; only a cgroup's limit has an oom_memcg
        memcg = constraint["constraint"] == "CONSTRAINT_MEMCG" or ",oom_memcg=" in text
        scope = "cgroup" if memcg else "node"
    else:
        scope = "cgroup" if "emory cgroup out of memory" in text else "node" if "Out of memory" in text else None
    body = "" if "oom_reaper" in text else text  # what it was left with, not what it had
    sizes = {m["name"].replace("-", "_"): int(m["kb"]) * 1024 for m in _SIZES.finditer(body)}
    about = known([("scope", scope), ("pid", whole(found and found["pid"])), ("command", found and found["command"])])
    return {**about, **sizes, "reporter": "kernel"}


def _reported(text: str) -> Fields | None:
    if _SLURM.search(text):
        return {"scope": "cgroup", "reporter": "slurm"}
    if kubelet := _KUBELET.search(text):
        return {"scope": "node", "pid": int(kubelet["pid"]), "command": kubelet["command"], "reporter": "kubernetes"}
    return {"scope": "cgroup", "reporter": "kubernetes"} if _POD.search(text) else None
