"""What holds for the repository as a whole."""

import re
import tomllib
from pathlib import Path

import pytest

CODE = ("engine", "workbook", "tests", "benchmarks")
TEXT = {".py", ".yaml", ".md", ".toml", ".j2", ".txt"}
LONGEST_MODULE = 400
LONGEST_RULE_FILE = 250


def files(root: Path, *directories: str, suffix: str) -> list[Path]:
    return sorted(path for directory in directories for path in (root / directory).rglob(f"*{suffix}"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_modules_are_short(repository: Path) -> None:
    assert [path for path in files(repository, *CODE, suffix=".py") if lines(path) > LONGEST_MODULE] == []


def test_rule_files_are_short(repository: Path) -> None:
    assert [path for path in files(repository, "rules", suffix=".yaml") if lines(path) > LONGEST_RULE_FILE] == []


def test_no_paths_of_somebodys_machine(repository: Path) -> None:
    private = re.compile(r"(^|[^\w.])/(home|root|work|Users)/")
    found = [
        path
        for directory in (*CODE, "rules", "presets", "overlays", "templates", ".")
        for path in ((repository / directory).rglob("*") if directory != "." else repository.glob("*"))
        if path.suffix in TEXT
        and path.name != Path(__file__).name
        and private.search(path.read_text("utf-8", "replace"))
    ]
    assert found == []


def test_readme_has_two_commands_and_ci_runs_the_tests_as_it_says(repository: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (repository / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line and not line.startswith("#")]
    evaluate, test = commands
    assert "engine eval rules/ presets/document-7b.yaml" in evaluate
    call = re.search(r"python( -m pytest.*)", test)
    assert call is not None
    assert f'python"{call[1]}\n' in (repository / ".ci" / "run").read_text(encoding="utf-8")


def test_changelog_begins_with_what_is_not_released(repository: Path) -> None:
    headings = re.findall(r"^## (.*)$", (repository / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"


@pytest.mark.parametrize("package", ["engine", "workbook"])
def test_packages_are_typed(repository: Path, package: str) -> None:
    assert (repository / package / "py.typed").is_file()


def test_all_shipped_directories_are_in_the_wheel(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert shipped == {name: f"engine/_data/{name}" for name in ("rules", "presets", "overlays", "templates")}
    assert all((repository / name).is_dir() for name in shipped)
