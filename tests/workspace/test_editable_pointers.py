"""What in an environment's packages leads to the project's own files."""

import json
from pathlib import Path

import pytest
from editable_world import Environment

from loopctl.workspace.editable_installs import ProjectRoots, find_copies, find_pointers, spellings


@pytest.fixture
def repo(tmp_path) -> Path:
    for folder in ("repo/src/product", "repo/flat", "repo2/src", "checkout", "worktree/src"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path / "repo"


@pytest.fixture
def environment(tmp_path) -> Environment:
    return Environment(tmp_path / "venv")


def roots(repo: Path, *more: str) -> ProjectRoots:
    folders = [repo, *(repo.parent / name for name in more)]
    return ProjectRoots.of(spellings(folders), repo.parent / "checkout")


def found(environment: Environment, repo: Path, *more: str) -> list[tuple[str, str, bool]]:
    pointers = find_pointers([environment.site], roots(repo, *more))
    return sorted((each.file.name, each.inside, bool(each.obstacle)) for each in pointers)


@pytest.mark.parametrize(
    ("name", "text", "inside"),
    [
        ("__editable__.product-0.1.pth", "{repo}/src\n", "src"),
        ("product.pth", "# a comment\n\n{repo}", ""),
        ("easy-install.pth", "import sys; sys.__plen = 1\n./other.egg\n{repo}/src\n", "src"),
        ("product.egg-link", "{repo}/src\n../", "src"),
        ("relative.pth", "../../../../repo/src\n", "src"),
        ("two.pth", "{repo}/src/../flat\n", "flat"),
        ("code.pth", "import sys; sys.path.insert(0, '{repo}/src')\n", "src"),
    ],
)
def test_a_path_in_a_file_is_found(environment, repo, name, text, inside):
    environment.write(name, text.format(repo=repo))
    assert found(environment, repo) == [(name, inside, False)]


def test_a_finder_is_found_by_its_table(environment, repo):
    environment.add_finder("product", repo / "src" / "product")
    environment.add_redirector("exact", repo / "flat" / "__init__.py")
    assert found(environment, repo) == [
        ("__editable___product_0_1_finder.py", "src/product", False),
        ("_editable_impl_exact.py", "flat/__init__.py", False),
    ]


def test_what_cannot_be_led_elsewhere_is_found_as_such(environment, repo):
    environment.add_loader("compiled", repo / "build" / "cp311")
    environment.add_path("__editable__.strict-0.1", repo / "build" / "__editable__.strict-0.1-py3")
    environment.write("sudden.pth", f"import os; os.environ['X'] = '{repo}/src'\n")
    environment.write("named.pth", "import plainly; plainly.start()\n")
    environment.write("plainly.py", f"ROOT = '{repo}'\n")
    (environment.site / "linked").symlink_to(repo / "flat")
    assert found(environment, repo) == [
        ("__editable__.strict-0.1.pth", "build/__editable__.strict-0.1-py3", True),
        ("_compiled_editable_loader.py", "build/cp311", True),
        ("linked", "flat", True),
        ("plainly.py", "", True),
        ("sudden.pth", "src", True),
    ]


@pytest.mark.parametrize(
    ("url", "more", "is_copy"),
    [
        ("file://{repo}", {}, True),
        ("file://{repo}/packages/a%20b", {"dir_info": {"editable": False}}, True),
        ("file://{repo}", {"dir_info": {"editable": True}}, False),
        ("file://{repo}2", {}, False),
        ("https://example.org{repo}", {}, False),
        ("file://[", {}, False),
    ],
)
def test_a_copy_of_the_project_is_told_by_its_origin(environment, repo, url, more, is_copy):
    text = json.dumps({"url": url.format(repo=repo), **more})
    record = environment.write("product-0.1.dist-info/direct_url.json", text)
    environment.write("broken-0.1.dist-info/direct_url.json", "[")
    environment.write("odd-0.1.dist-info/direct_url.json", "[]")
    found = find_copies([environment.site], roots(repo))
    assert found == ((record.parent,) if is_copy else ())


def test_other_folders_are_none_of_the_project(environment, repo):
    """Another project, the place that is judged, a dependency inside an environment."""
    environment.add_path("sibling", repo.parent / "repo2" / "src")
    environment.add_path("judged", repo.parent / "checkout" / "src")
    inner = Environment(repo / ".venv")
    environment.add_path("dependency", inner.folder / "src" / "other")
    environment.add_path("packages", repo / "tool" / "lib" / "python3" / "site-packages")
    environment.write("unused.py", f"ROOT = '{repo}'\n")
    environment.write(
        "binary.pth", "\udcff\0\n".encode("utf-8", "surrogateescape").decode("latin1")
    )
    assert found(environment, repo) == []


def test_the_loops_worktree_and_a_linked_name_are_the_project_too(environment, repo):
    environment.add_path("worktree", repo.parent / "worktree" / "src")
    (repo.parent / "alias").symlink_to(repo)
    environment.add_path("alias", repo.parent / "alias" / "src")
    assert found(environment, repo, "worktree") == [
        ("alias.pth", "src", False),
        ("worktree.pth", "src", False),
    ]


def test_of_nested_checkouts_the_inner_one_counts(environment, repo):
    inner = repo / ".worktrees" / "feature"
    environment.add_path("inner", inner / "src")
    assert found(environment, repo, "repo/.worktrees/feature") == [("inner.pth", "src", False)]


def test_an_environment_at_the_root_of_the_checkout_hides_no_source(repo):
    environment = Environment(repo)
    environment.add_path("product", repo / "src")
    environment.add_path("inner", environment.site / "other")
    assert found(environment, repo) == [("product.pth", "src", False)]


def test_a_checkout_inside_the_users_is_still_the_judged_one(environment, repo):
    place = repo / ".state" / "checkout"
    environment.add_path("product", place / "src")
    within = ProjectRoots.of(spellings([repo]), place)
    assert find_pointers([environment.site], within) == ()


def test_folders_that_cannot_be_read_hold_nothing(tmp_path, repo):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "broken.pth").symlink_to("nowhere")
    (tmp_path / "site" / "folder.pth").mkdir()
    assert find_pointers([tmp_path / "gone", tmp_path / "site"], roots(repo)) == ()
