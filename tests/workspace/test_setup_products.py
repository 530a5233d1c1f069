"""What setups have made, and when it may be used again."""

import pytest
from workspace_world import git

from loopctl.workspace.setup_inputs import SetupInputs
from loopctl.workspace.setup_products import MANIFESTS, SetupProducts


@pytest.fixture
def products(world, tmp_path):
    world.start()
    return SetupProducts(world.project, tmp_path / "setup", "npm ci")


NOTHING_READ = SetupInputs((), ())


def tree_with(world, **files):
    for name, text in files.items():
        world.write(name, text)
    return world.take().tree


def test_the_key_follows_command_and_manifests_and_nothing_else(world, products, tmp_path):
    base = world.spec.base_tree
    key = products.key(base)
    assert key == products.key(tree_with(world, **{"app.py": "other\n"}))
    assert key != SetupProducts(world.project, tmp_path, "npm install").key(base)
    names = ("package-lock.json", "web/package.json", "requirements-dev.txt", "pom.xml")
    keys = [key, *(products.key(tree_with(world, **{name: "x\n"})) for name in names)]
    assert len(set(keys)) == len(keys)
    assert "Cargo.lock" in MANIFESTS


def test_only_what_was_added_is_kept_and_put_where_it_was(world, products, tmp_path):
    tree = tree_with(world, **{"packages/a/code": "x\n"})
    made = tmp_path / "first"
    for name in ("packages/a/node_modules/x/y", "env/bin/run", ".git/HEAD", "packages/a/code"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(f"#!{made}/env\n")
    (made / "app.py").write_text("changed by the setup\n")
    (made / "link").symlink_to(made / "env")
    products.keep(made, tree, NOTHING_READ)
    place = tmp_path / "second"
    (place / "packages" / "a").mkdir(parents=True)
    (place / "packages" / "a" / "code").write_text("of the tree\n")
    assert sorted(products.place(tree, place)) == ["env", "link", "packages/a/node_modules"]
    assert (place / "packages" / "a" / "code").read_text() == "of the tree\n"
    assert (place / "packages" / "a" / "node_modules" / "x" / "y").exists()
    assert (place / "env" / "bin" / "run").read_text() == f"#!{place}/env\n"
    assert (place / "link").readlink() == place / "env"
    assert not (place / "app.py").exists()
    assert not (place / ".git").exists()


def test_a_setup_that_added_nothing_is_done_as_well(world, products, tmp_path):
    tree = world.spec.base_tree
    assert products.find(tree) is None
    (tmp_path / "checkout").mkdir()
    products.keep(tmp_path / "checkout", tree, NOTHING_READ)
    assert products.find(tree)
    assert products.place(tree, tmp_path / "other") == ()


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        (NOTHING_READ, {"setup.py"}),
        (SetupInputs(("app.py",), ()), {"setup.py", "app.py"}),
        (SetupInputs(("app.py",), ("tests",)), {"setup.py", "app.py", "tests/test_new.py"}),
        (SetupInputs(), {"setup.py", "app.py", "tests/test_new.py", "notes"}),
    ],
)
def test_products_are_for_trees_with_the_same_manifests_and_inputs(
    world, products, tmp_path, inputs, names
):
    (tmp_path / "checkout").mkdir()
    products.keep(tmp_path / "checkout", world.spec.base_tree, inputs)
    others = set()
    for name in ("setup.py", "app.py", "tests/test_new.py", "notes"):
        tree = tree_with(world, **{name: "other\n"})
        others |= set() if products.find(tree) else {name}
        git(world.folder, "clean", "-fdq")
        git(world.folder, "checkout", "-q", ".")
    assert others == names


def test_a_folder_that_is_not_finished_is_not_used(world, products, tmp_path):
    (tmp_path / "setup" / "new-half").mkdir(parents=True)
    assert products.find(world.spec.base_tree) is None


def test_only_the_newest_are_kept(world, products, tmp_path):
    trees = [tree_with(world, **{"app.py": f"{number}\n"}) for number in range(5)]
    for number, tree in enumerate(trees):
        folder = tmp_path / f"checkout-{number}"
        folder.mkdir()
        products.keep(folder, tree, SetupInputs(("app.py",), ()))
    found = [products.find(tree) for tree in trees]
    assert found[:2] == [None, None]
    assert len(set(found[2:])) == len(list((tmp_path / "setup").iterdir())) == 3


@pytest.mark.parametrize(
    "tamper",
    [
        lambda made: (made / "env" / "run").write_text("exit 0"),
        lambda made: (made / "env" / "more").write_text(""),
        lambda made: (made / "env" / "empty").mkdir(),
        lambda made: (made / "env" / "run").chmod(0o755),
        lambda made: (made / "env" / "run").unlink(),
        lambda made: (made / "env").chmod(0o777),
    ],
    ids=["edited", "added", "a folder", "its mode", "removed", "a folder's mode"],
)
def test_what_somebody_has_touched_is_not_used_again(world, products, tmp_path, tamper):
    """Agents and evaluations run as the same user and may find the place."""
    tree, made = world.spec.base_tree, tmp_path / "checkout"
    (made / "env").mkdir(parents=True)
    (made / "env" / "run").write_text("exit 1")
    products.keep(made, tree, NOTHING_READ)
    products.drop_touched()
    assert products.find(tree)
    tamper(tmp_path / "setup" / products.find(tree) / "files")
    products.drop_touched()
    assert products.find(tree) is None
    assert list((tmp_path / "setup").glob("[!n]*")) == []
