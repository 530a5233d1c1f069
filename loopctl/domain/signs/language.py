"""Which language a file is written in, by its name."""

from enum import StrEnum


class Language(StrEnum):
    """The languages in which signs are looked for."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    GO = "go"
    RUST = "rust"
    JVM = "jvm"
    RUBY = "ruby"


_SUFFIXES = {
    Language.PYTHON: ("py", "pyi", "pyx"),
    Language.JAVASCRIPT: ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"),
    Language.GO: ("go",),
    Language.RUST: ("rs",),
    Language.JVM: ("java", "kt", "kts", "scala", "groovy"),
    Language.RUBY: ("rb", "rake", "gemspec"),
}
_BY_SUFFIX = {suffix: language for language, all_ in _SUFFIXES.items() for suffix in all_}


def language_of(path: str) -> Language | None:
    """The language of a file; ``None`` when its signs are not known."""
    name = path.rpartition("/")[2]
    return _BY_SUFFIX.get(name.rpartition(".")[2].lower()) if "." in name else None
