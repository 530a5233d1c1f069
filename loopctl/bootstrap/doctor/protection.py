"""Protected paths: what of the base tree judges the work and is put back."""

from loopctl.bootstrap.doctor.diagnosis import Topic, note, warning
from loopctl.bootstrap.request import StartRequest
from loopctl.domain.globs import matches_any
from loopctl.domain.presets import named_presets
from loopctl.domain.protection import Protection
from loopctl.observe.plain import count, one_line


def protected(request: StartRequest, protection: Protection, known: frozenset[str]) -> Topic:
    """What is protected in a loop of this request."""
    presets = named_presets(protection.presets)
    covered = [path for path in known if protection.covers(path)]
    manifests = {name for preset in presets for name in preset.manifests}
    partly = sorted(path for path in known if path.rpartition("/")[2] in manifests)
    rows = [
        (preset.name, f"tests and their settings; not covered: {preset.leaves_open}")
        for preset in presets
    ]
    said = count(len(covered), "file")
    if partly:
        said += f", and the test settings in {count(len(partly), 'manifest')}"
    rows.append(("in all", said))
    rows += [("protect", one_line(glob)) for glob in request.protect]
    rows += [("allow", one_line(glob)) for glob in request.allow]
    facts = {
        "presets": [{"name": each.name, "leaves_open": each.leaves_open} for each in presets],
        "files": len(covered),
        "manifests": partly,
        "protect": list(request.protect),
        "allow": list(request.allow),
    }
    findings = [
        warning(f"{option} {one_line(glob)} matches no file of the base commit", "correct the glob")
        for option, globs in (("--protect", request.protect), ("--allow", request.allow))
        for glob in globs
        if not any(matches_any(path, (glob, f"{glob.rstrip('/')}/**")) for path in known)
    ]
    if not covered:
        findings.append(note("no file is protected: name what judges the work", "--protect GLOB"))
    return Topic("protection", tuple(rows), facts, tuple(findings))
