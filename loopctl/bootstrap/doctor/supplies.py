"""What a worktree and a checkout would be given, and what they would lack."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from loopctl.bootstrap.doctor.diagnosis import Finding, Topic, note, refusal, warning
from loopctl.bootstrap.doctor.programs import Origin, Surroundings, programs_in
from loopctl.bootstrap.request import StartRequest
from loopctl.bootstrap.specifier import SHOWN_FOLDERS
from loopctl.bootstrap.supplying import checked_supplies
from loopctl.domain.share_doubts import share_doubts
from loopctl.domain.supplies import (
    EvaluatorSupplies,
    WorkspaceSupplies,
    missing_folders,
    settings_files,
    share_line,
)
from loopctl.errors import LoopctlError
from loopctl.git.repository import UserRepository
from loopctl.observe.plain import byte_size, count, listing, one_line
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.folder_size import size_of
from loopctl.workspace.path_text import path_text


def supplies(request: StartRequest, user: UserRepository, where: Surroundings) -> Topic:
    """The supplies of the request, checked as a start checks them."""
    findings: list[Finding] = []
    given, judged = request.workspace_supplies, request.evaluator_supplies
    try:
        given, judged = checked_supplies(request, user, where.cwd)
    except LoopctlError as error:
        findings.append(refusal(error))
    found = (*user.ignored_folders(), *settings_files(user.ignored_files()))
    folders = tuple(path_text(path) for path in found[:SHOWN_FOLDERS])
    shared = _shared(user.top_level, (*given.share, *judged.share))
    in_place = request.is_in_place
    lacking = missing_folders(folders, given if in_place else judged)
    if lacking:
        line = share_line(lacking)
        if in_place:
            line = line.replace("[evaluator]", "[workspace]")
        findings.append(
            note(
                f"git ignores, so that no {'worktree' if in_place else 'checkout'} has: "
                f"{listing(lacking)}",
                f"if the stop command needs them: {_unless_built(lacking)}{line}",
            )
        )
    findings += [
        warning(f"[evaluator] share: {one_line(each.problem)}", each.remedy)
        for each in share_doubts(judged.share)
    ]
    for key, command in (("[workspace]", given.setup), ("[evaluator]", judged.setup)):
        findings += [
            warning(f"{each.name} was not found: {key} setup would fail", "install it")
            for each in programs_in(command, where)
            if each.origin is Origin.MISSING
        ]
    facts = {
        "workspace": _workspace_object(given, shared),
        "evaluator": _evaluator_object(judged, shared),
        "lacking": list(lacking),
    }
    return Topic("supplies", _rows(given, judged, shared), facts, tuple(findings))


def _unless_built(folders: tuple[str, ...]) -> str:
    """What is built from the sources is out of date as soon as an agent changes them."""
    return "build them there, or " if share_doubts(folders) else ""


def supplies_of_evaluators(request: StartRequest) -> WorkspaceSupplies | EvaluatorSupplies:
    """What is given to the place in which evaluators run."""
    if request.is_in_place:
        return request.workspace_supplies
    return request.evaluator_supplies


def variables(request: StartRequest, environment: Mapping[str, str], user: UserRepository) -> Topic:
    """The variables that a stop command would receive; their values are not shown."""
    made = CheckoutEnvironment(
        environment,
        request.evaluator_env,
        {"COMPOSE_PROJECT_NAME": ""},
        request.evaluator_supplies,
        user.top_level,
    )
    names = sorted(made.variables(Path("/home"), Path("/tmp")))  # noqa: S108 - only the names
    unset = [
        pattern
        for pattern in request.evaluator_env
        if not any(fnmatchcase(name, pattern) for name in environment)
    ]
    findings = tuple(
        warning(
            f"[evaluator] env names {one_line(pattern)}, which is not set",
            f"export {one_line(pattern)}=...",
        )
        for pattern in unset
    )
    rows = (("passed", one_line(", ".join(names))),)
    return Topic("variables", rows, {"passed": names, "unset": unset}, findings)


def _shared(top: Path, paths: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Each shared path that is there, with its size."""
    found = {}
    for path in dict.fromkeys(paths):
        if (top / path).exists():
            size = size_of(top / path)
            found[path] = {"path": path, "files": size.files, "bytes": size.bytes}
    return found


def _rows(
    given: WorkspaceSupplies, judged: EvaluatorSupplies, shared: Mapping[str, dict[str, Any]]
) -> tuple[tuple[str, str], ...]:
    rows = [("agent", f"a copy of {_share_text(path, shared)}") for path in given.share]
    if given.setup:
        rows.append(("agent", f"setup, once: {one_line(given.setup)}"))
    rows += [("checkout", f"a copy of {_share_text(path, shared)}") for path in judged.share]
    if judged.setup:
        rows.append(
            ("checkout", f"setup, kept until what it reads changes: {one_line(judged.setup)}")
        )
    if judged.teardown:
        rows.append(("checkout", f"teardown: {one_line(judged.teardown)}"))
    rows.append(("checkout", f"git finds: {judged.git}"))
    if judged.cache:
        rows.append(("checkout", f"your own folders, as they are: {listing(judged.cache)}"))
    if judged.paths:
        rows.append(("checkout", f"limited to: {listing(judged.paths)}"))
    return tuple(rows)


def _share_text(path: str, shared: Mapping[str, dict[str, Any]]) -> str:
    size = shared.get(path)
    if size is None:
        return one_line(path)
    return f"{one_line(path)} ({count(size['files'], 'file')}, {byte_size(size['bytes'])})"


def _workspace_object(
    given: WorkspaceSupplies, shared: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    return {
        "share": [shared.get(path, {"path": path}) for path in given.share],
        "setup": given.setup,
    }


def _evaluator_object(
    judged: EvaluatorSupplies, shared: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    return {
        "share": [shared.get(path, {"path": path}) for path in judged.share],
        "setup": judged.setup,
        "teardown": judged.teardown,
        "git": judged.git,
        "cache": list(judged.cache),
        "paths": list(judged.paths),
    }
