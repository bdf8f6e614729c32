"""Templates for editors without an extension of ours, held against what each editor reads, and the gallery's needs."""

from __future__ import annotations

import json
import re
import struct
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from promptls import __version__
from promptls.core.formats import parse_yaml
from promptls.workspace.options import Options

pytestmark = pytest.mark.same_everywhere

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "docs" / "editors"
EXTENSION = ROOT / "vscode-extension"


def text_of(name: str) -> str:
    return (EDITORS / name).read_text(encoding="utf-8")


def test_lsp4ij_reads_the_template_of_jetbrains() -> None:
    """The keys are those of LSP4IJ's own templates."""
    template = json.loads(text_of("lsp4ij/template.json"))
    assert template.keys() == {"id", "name", "programArgs", "fileTypeMappings"}
    assert template["programArgs"] == {"default": "promptls serve", "windows": "promptls.exe serve"}
    patterns = []
    for each in template["fileTypeMappings"]:
        assert each.keys() == {"fileType", "languageId"}
        assert each["fileType"].keys() <= {"name", "patterns"}
        patterns += each["fileType"]["patterns"]
    for name in ("AGENTS.md", "SKILL.md", "own.mdc", ".cursorrules", "opencode.json", "config.toml"):
        assert any(fnmatch(name, each) for each in patterns)


def test_the_options_of_a_template_are_settings() -> None:
    options = json.loads(text_of("lsp4ij/initializationOptions.json"))
    assert options.keys() <= {field.alias or name for name, field in Options.model_fields.items()}


def test_the_package_of_mason_has_what_its_schema_requires() -> None:
    text = text_of("mason/package.yaml")
    assert parse_yaml(text).flaw is None
    keys = re.findall(r"^(\w+):", text, re.MULTILINE)
    required = {"name", "description", "homepage", "licenses", "languages", "categories", "source"}
    assert {*keys} == required | {"bin", "neovim"}
    assert f"\n  id: pkg:pypi/promptls@{__version__}\n" in text
    assert "\n  promptls: pypi:promptls\n" in text
    # Longer ones must be split, as its CONTRIBUTING.md says.
    assert max(map(len, text.splitlines())) <= 120
    categories = text.partition("categories:\n")[2].partition("\n\n")[0]
    assert re.findall(r"  - (\w+)", categories) == ["LSP", "Linter"]


def test_the_configuration_for_nvim_lspconfig_starts_the_server() -> None:
    text = text_of("nvim-lspconfig/promptls.lua")
    assert "cmd = { 'promptls', 'serve' }" in text
    assert re.findall(r"^  (\w+) =", text, re.MULTILINE) == ["cmd", "filetypes", "root_markers"]


def test_the_configuration_of_helix_is_toml_and_starts_the_server() -> None:
    block = re.search(r"```toml\n(.*?)```", text_of("helix.md"), re.DOTALL)
    assert block is not None
    server = tomllib.loads(block[1])["language-server"]["promptls"]
    assert (server["command"], server["args"]) == ("promptls", ["serve"])


def test_the_settings_of_zed_are_json() -> None:
    block = re.findall(r"```json\n(.*?)```", text_of("zed.md"), re.DOTALL)[-1]
    assert json.loads(block)["lsp"]["promptls"]["initialization_options"].keys() <= Options.model_fields.keys()


def test_the_extension_has_what_a_gallery_shows() -> None:
    """Open VSX asks for a publisher, a version, a licence file and a readable page; its list shows icon and texts."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    assert {"publisher", "displayName", "description", "categories", "keywords", "galleryBanner"} <= manifest.keys()
    assert manifest["version"] == __version__
    assert "MIT" in (EXTENSION / "LICENSE").read_text(encoding="utf-8")
    assert manifest["license"] == "MIT"
    width, height = struct.unpack(">II", (EXTENSION / manifest["icon"]).read_bytes()[16:24])
    assert width == height >= 128
    page = (EXTENSION / "README.md").read_text(encoding="utf-8")
    assert page.startswith("# ")
    assert len(manifest["description"]) <= 200
    assert len(manifest["keywords"]) <= 30
    # A gallery shows the page without the files beside it, and no repository is named that would have them.
    assert [link for link in re.findall(r"\]\(([^)]+)\)", page) if "://" not in link and link[0] != "#"] == []


def test_the_manifest_is_what_open_vsx_takes() -> None:
    """The limits of its validator: names, lengths, letters that nobody sees, and the values of a few fields."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    for name in (manifest["name"], manifest["publisher"]):
        assert re.fullmatch(r"[\w\-+$~]{1,255}", name)
    banner = manifest["galleryBanner"]
    texts = [manifest[key] for key in ("displayName", "description", "license")]
    texts += [*manifest["categories"], *manifest["keywords"], banner["color"]]
    assert [each for each in texts if not each.isprintable()] == []
    assert [each for each in texts if len(each) > (2048 if each == manifest["description"] else 255)] == []
    assert (len(banner["color"]) <= 16, banner["theme"] in ("dark", "light")) == (True, True)
    assert json.dumps(manifest.get("qna", False)).strip('"') in ("marketplace", "false")
