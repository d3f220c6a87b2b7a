"""Builds the documentation as a site, in build/site: `make docs`.

The pages of docs/ are copied first, as they may link to files of the repository that are no pages: such a link becomes
the name of its file. Run it by an interpreter that has Zensical (the dependency group `docs`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


def within(text: str, page: PurePosixPath) -> str:
    """A page whose links all stay within the site.

    Args:
        text: Markdown.
        page: Its path below docs/.
    """

    def link(found: re.Match[str]) -> str:
        target = (DOCS / page).parent / found[2]
        if target.resolve().is_relative_to(DOCS):
            return found[0]
        name = f"`{target.resolve().relative_to(ROOT)}`"
        return name if found[1].strip("`") in name else f"{found[1]} ({name})"

    return _LINK.sub(link, text)


def main() -> None:
    """Builds; ends with the generator's exit code, which a broken link makes 1."""
    build = ROOT / "build"
    shutil.rmtree(build / "docs", ignore_errors=True)
    for path in sorted(DOCS.rglob("*.*")):
        name = path.relative_to(DOCS)
        copied = build / "docs" / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copied.write_text(within(path.read_text("utf-8"), PurePosixPath(name.as_posix())), "utf-8")
        elif path.suffix in {".svg", ".png"}:
            shutil.copyfile(path, copied)
    shutil.copyfile(DOCS / "zensical.toml", build / "zensical.toml")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
    code = subprocess.run(command, cwd=build, check=False).returncode
    print(f"the site is in {build / 'site'}" if not code else "the site was not built", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
