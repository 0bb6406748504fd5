"""Pages of the site that are not in docs/: README, CONTRIBUTING, CHANGELOG, models, and the reference from docstrings.

mkdocs calls `on_config` and `on_files` (`hooks` in mkdocs.yml), and mkdocstrings reads with `CompiledDocstrings`.
"""

import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dodona"
PAGES = {  # where a page of the repository is on the site
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "src/dodona/models/README.md": "models.md",
}
LICENCES = {"LICENSE": "the file LICENSE"}
WITHOUT = ("cli", "models", "templates")  # folders that need no page: commands have --help, the others are data
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Pages of docs/ that mkdocs.yml gives no place come last."""
    placed = set(re.findall(r"[\w/]+\.md", str(config.nav)))
    others = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name not in placed)
    if others and config.nav is not None:
        config.nav.append({"More": others})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=_adapt_links(ROOT / source)))
    files.append(File.generated(config, "api/dodona.md", content=_write_front_page()))
    for path in sorted(PACKAGE.iterdir()):
        if (path / "__init__.py").exists() and path.name not in WITHOUT:
            files.append(File.generated(config, f"api/{path.name}.md", content=_write_folder_page(path)))
        elif path.suffix == ".py" and not path.stem.startswith("_"):
            page = f"# {path.stem}\n\n::: dodona.{path.stem}\n"
            files.append(File.generated(config, f"api/{path.stem}.md", content=page))
    return files


def _adapt_links(page: Path) -> str:
    """A page with links as the site has them; a link to what is not there stays as it is, and is an error."""

    def adapt(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        path = (page.parent / target).resolve().relative_to(ROOT).as_posix()
        if path in LICENCES and (ROOT / path).exists():
            return f"{text} ({LICENCES[path]})"
        return f"[{text}]({PAGES.get(path, path.removeprefix('docs/'))}{anchor})"

    return LINK.sub(adapt, page.read_text(encoding="utf-8"))


def _write_front_page() -> str:
    names = import_module("dodona").__all__
    shown = "\n".join(f"        - {name}" for name in names)
    return f"# dodona\n\n::: dodona\n    options:\n      show_root_heading: false\n      members:\n{shown}\n"


def _write_folder_page(folder: Path) -> str:
    """All modules of a folder; compiled ones by the .pyi that says what Python sees of them."""
    modules = {path.with_suffix("") for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi")}
    names = [".".join(("dodona", *path.relative_to(PACKAGE).parts)) for path in sorted(modules) if path.stem[0] != "_"]
    about = import_module(f"dodona.{folder.name}").__doc__ or ""
    return f"# {folder.name}\n\n{about}\n\n" + "\n".join(f"::: {name}\n" for name in names)


class CompiledDocstrings(griffe.Extension):
    """A .pyi has types and no docstrings: these are in the compiled module."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is None and str(obj.filepath).endswith(".pyi"):
            inner = obj.path.removeprefix(obj.module.path).lstrip(".")
            compiled: Any = import_module(obj.module.path)
            try:
                text = (attrgetter(inner)(compiled) if inner else compiled).__doc__
            except AttributeError:
                return
            if text and not obj.is_attribute:
                obj.docstring = griffe.Docstring(text, parent=obj)
