"""Rust, Go and the languages of the JVM: one command each, and where their packages come from."""

import re

from loopctl.domain.suggestions.suggestion import Reason, Strength, Suggestion
from loopctl.domain.suggestions.survey import Place

RUST, GO, JVM = "rust", "go", "jvm"
RUST_MANIFESTS = ("Cargo.toml",)
GO_MANIFESTS = ("go.work", "go.mod")
JVM_MANIFESTS = ("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle")
_GRADLE_FILES = (*JVM_MANIFESTS[1:], "settings.gradle.kts")


def suggest_rust(place: Place) -> tuple[Suggestion, ...]:
    """``cargo test``, with the locked versions, offline when they are vendored."""
    if not place.has("Cargo.toml"):
        return ()
    words = ["cargo test"]
    reasons = [f"{place.full('Cargo.toml')} is there"]
    if "[workspace]" in place.settings("Cargo.toml"):
        words.append("--workspace")
        reasons.append("it is a workspace")
    if place.has("Cargo.lock"):
        words.append("--locked")
        reasons.append("Cargo.lock is committed")
    settings = place.settings(".cargo/config.toml") + place.settings(".cargo/config")
    if "vendored-sources" in settings or "replace-with" in settings:
        words.append("--offline")
        reasons.append("the dependencies are vendored")
    return (
        Suggestion(
            language=RUST,
            command=place.command(" ".join(words)),
            because=", ".join(reasons),
            folder=place.folder,
            programs=("cargo",),
        ),
    )


def suggest_go(place: Place) -> tuple[Suggestion, ...]:
    """``go test`` on every package of the module, or of every module of a workspace."""
    if place.has("go.work"):
        used = re.findall(
            r"^\s*(?:use\s+)?(\./[\w./-]*|\.)\s*$", place.text("go.work"), re.MULTILINE
        )
        modules = [f"{name.rstrip('/')}/..." for name in used] or ["./..."]
        because = f"{place.full('go.work')} names the modules"
    elif place.has("go.mod"):
        modules, because = ["./..."], f"{place.full('go.mod')} is there"
    else:
        return ()
    cache = Reason(
        value="~/.cache/go-build", because="else every evaluation compiles everything anew"
    )
    return (
        Suggestion(
            language=GO,
            command=place.command(f"go test {' '.join(modules)}"),
            because=because,
            folder=place.folder,
            strength=Strength.CONFIGURED if place.matching("**/*_test.go") else Strength.GUESSED,
            programs=("go",),
            cache=(cache,),
        ),
    )


def suggest_jvm(place: Place) -> tuple[Suggestion, ...]:
    """The wrapper that the project brings, else the installed Gradle or Maven."""
    found = []
    gradle, maven = place.first("gradlew", *_GRADLE_FILES), place.first("mvnw", "pom.xml")
    if gradle:
        program = "./gradlew" if gradle == "gradlew" else "gradle"
        # Without --no-daemon a process would be left, which is ended and reported.
        cache = "~/.gradle", "else every evaluation downloads everything"
        found.append(_jvm(place, f"{program} --no-daemon test", gradle, cache))
    if maven:
        program = "./mvnw" if maven == "mvnw" else "mvn"
        cache = ("~/.m2/wrapper", "else every evaluation downloads Maven")
        found.append(
            _jvm(place, f"{program} -q -B test", maven, cache if maven == "mvnw" else None)
        )
    return tuple(found)


def _jvm(place: Place, command: str, file: str, cache: tuple[str, str] | None) -> Suggestion:
    tests = place.matching("**/src/test/**", "**/src/*Test/**")
    program = command.split(maxsplit=1)[0]
    return Suggestion(
        language=JVM,
        command=place.command(command),
        because=f"{place.full(file)} is there",
        folder=place.folder,
        strength=Strength.CONFIGURED if tests else Strength.GUESSED,
        programs=("java",) if "/" in program else ("java", program),
        cache=(Reason(value=cache[0], because=cache[1]),) if cache else (),
    )
