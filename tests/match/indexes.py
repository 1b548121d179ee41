"""Small indexes for tests of the deciding side: entries with nothing but what matching needs."""

from faultbook.match.index import from_data


def entry(id, *signatures, refines=(), leads_to=(), confused_with=()):
    return {
        "id": id, "title": id.replace("-", " "), "category": "memory", "severity": "high", "gist": "g",
        "url": f"memory/{id}/", "fix": {"text": "do it", "command": "true", "lang": "bash"},
        "refines": list(refines), "leads_to": list(leads_to), "confused_with": list(confused_with),
        "signatures": [
            {"id": f"s{n}", "says": f"{id} says", "strength": "strong", **s} for n, s in enumerate(signatures)
        ],
    }  # fmt: skip


def index(*entries):
    return from_data({"format": 1, "entries": list(entries)})


def message(text, **more):
    return {"all": [{"message": text}], **more}
