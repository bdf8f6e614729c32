"""Writes what is derived from the code: the extension's types and settings, pages of harnesses and rules, a picture.

``--check`` only names stale files.

    python tools/generate.py [--check]

The pydantic models in ``lsp`` and ``options`` are the only source of the types; the harnesses' own
descriptions and the captured sessions in tests/wire and tests/parts are the source of docs/harnesses.md.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pages
import picture
import sources
import typescript
from pydantic import BaseModel

from promptls import __version__, harnesses
from promptls.checks.rules.catalogue import RULES
from promptls.checks.rules.page import page
from promptls.cli.harnesses import TIER_WORDS
from promptls.core import specs
from promptls.core.spec import Home
from promptls.harnesses import catalogue
from promptls.kit.base import TIERS
from promptls.lsp import params, results, view_results
from promptls.lsp.virtual import SCHEME
from promptls.workspace.options import Options
from promptls.workspace.settings_file import OWN

ROOT = Path(__file__).parent.parent
EXTENSION = ROOT / "vscode-extension"
CASES = (ROOT / "tests" / "wire" / "cases", ROOT / "tests" / "parts" / "cases")
RULE_PAGES = ROOT / "docs" / "rules"
SOURCE_PAGES = ROOT / "docs" / "harnesses"
# Of a line of Python.
WIDTH = 120
MODELS: tuple[type[BaseModel], ...] = (
    params.PreviewParams,
    results.PreviewResult,
    view_results.DidChangeParams,
    params.HarnessesParams,
    view_results.HarnessesResult,
    params.UseParams,
    view_results.UseResult,
    params.ExplainParams,
    view_results.ExplainResult,
    params.SessionsParams,
    results.SessionsResult,
    params.SessionPageParams,
    view_results.SessionPageResult,
    params.RulesParams,
    results.RulesResult,
    params.MapParams,
    view_results.MapResult,
    params.TableParams,
    view_results.TableResult,
    params.VerifyParams,
    view_results.VerifyResult,
)
METHODS = (
    *("PREVIEW", "DID_CHANGE", "HARNESSES", "USE", "EXPLAIN"),
    *("SESSIONS", "SESSION", "RULES", "MAP", "TABLE", "VERIFY"),
)
HEAD = """\
/**
 * The messages between the server and this extension beyond LSP, and the settings of the server.
 *
 * Generated from the server's models by tools/generate.py: change it there.
 */
"""


def main() -> int:
    """Write the files, or name those that are stale."""
    check = "--check" in sys.argv[1:]
    stale = []
    for path, text in generated():
        if not path.exists() or _compared(path, path.read_text(encoding="utf-8"), check) != _compared(
            path, text, check
        ):
            stale.append(path.name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if RULE_PAGES.is_dir():
        for path in sorted(RULE_PAGES.iterdir()):
            if path.stem not in (*RULES, "README"):
                stale.append(path.name)
                if not check:
                    path.unlink()
    if stale:
        print("stale:" if check else "written:", *stale)
    return 1 if check and stale else 0


def _compared(path: Path, text: str, check: bool) -> str:
    """What is compared: a page with places in the code is not stale because code above them grew."""
    return LINE.sub("", text) if check and path.parent == SOURCE_PAGES else text


LINE = re.compile(r"(?<=\.py)#L\d+")


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file with the text that it should have."""
    yield EXTENSION / "src" / "protocol.ts", protocol()
    package = EXTENSION / "package.json"
    yield package, with_settings(package.read_text(encoding="utf-8"))
    yield ROOT / "server" / "promptls" / "harnesses" / "detection_table.py", detection_table()
    yield ROOT / "docs" / "harnesses.md", harnesses_page()
    for harness in harnesses.every():
        if sources.rules(harness.name):
            yield SOURCE_PAGES / f"{harness.name}.md", sources.page(harness.name, harness.title)
    yield ROOT / "docs" / "images" / "sizes.svg", picture.picture()
    yield ROOT / "docs" / "documented.md", pages.documented_page()
    yield ROOT / "docs" / "settings.md", pages.settings_page()
    yield ROOT / "docs" / "protocol.md", pages.protocol_page()
    yield RULE_PAGES / "README.md", rules_page()
    for rule in RULES.values():
        yield RULE_PAGES / f"{rule.code}.md", page(rule)


def detection_table() -> str:
    """harnesses/detection_table.py: what detection needs of each spec, in one module."""
    lines = [DETECTION]
    for name in catalogue.FOLDERS:
        found = specs.detection_of(specs.of(name))
        lines += [f'    "{name}": Detection(']
        for field, value in _set_fields(found):
            if field == "homes":
                homes = [_home(each) for each in found.homes]
                line = f"        homes=({homes[0].strip()}),"
                is_short = len(homes) == 1 and "\n" not in line and len(line) <= WIDTH
                lines += [line] if is_short else ["        homes=(", *homes, "        ),"]
            else:
                lines += [f"        {field}={_quoted(value)},"]
        lines += ["    ),"]
    return "\n".join([*lines, "}", ""])


def _set_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a value of a spec that are not those of an empty one."""
    names = value.__match_args__
    usual = type(value)(value.path) if isinstance(value, Home) else type(value)()
    yield from ((each, getattr(value, each)) for each in names if getattr(value, each) != getattr(usual, each))


def _home(home: Home) -> str:
    told = [_quoted(home.path), *(f"{field}={_quoted(value)}" for field, value in _set_fields(home))]
    line = f"            Home({', '.join(told)}),"
    if len(line) <= WIDTH:
        return line
    return "\n".join(("            Home(", *(f"                {each}," for each in told), "            ),"))


def _quoted(value: object) -> str:
    return repr(value).replace(chr(39), chr(34))


DETECTION = '''"""What shows that a folder is configured for a harness, from its spec: a preview need not load all.

Generated from the specs by tools/generate.py: change them there.
"""

from __future__ import annotations

from promptls.core.spec import Detection, Home

DETECTION = {'''


def harnesses_page() -> str:
    """docs/harnesses.md: what each harness loads, and how well that is known."""
    lines = [
        "# Harnesses",
        "",
        "Generated by tools/generate.py from the harness modules and the captured sessions in tests/wire and",
        "tests/parts.",
        "",
        "Every version has a *tier*, which says how well its prompt is known:",
        "",
        *(f"- *{TIER_WORDS[tier]}*: {TIERS[tier]}." for tier in TIERS),
        "",
        "A version of the tier *captured* is also called verified.",
        "",
        "| harness | version | tier | captured sessions | note |",
        "| --- | --- | --- | --- | --- |",
    ]
    for harness in harnesses.every():
        sessions = Counter(json.loads(path.read_text(encoding="utf-8"))["version"] for path in _cases(harness.name))
        for version in harness.versions:
            known = f"{TIER_WORDS[version.tier]} | {sessions[version.name] or '-'} | {version.note}"
            lines.append(f"| {harness.title} | `{harness.name}@{version.name}` | {known} |")
    for harness in harnesses.every():
        lines += ["", f"## {harness.title}", ""]
        lines += [f"{number}. {line}" for number, line in enumerate(harness.loads, 1)]
        evidence = ", ".join(f"`{entry}`" for entry in harness.evidence)
        lines += ["", f"Detected by the presence of {evidence}."]
        if sources.rules(harness.name):
            lines += ["", f"[Each rule, the evidence for it and where it is in the code](harnesses/{harness.name}.md)"]
    return "\n".join([*lines, ""])


def rules_page() -> str:
    """docs/rules/README.md: every rule with its severity, by family."""
    lines = ["# Rules", "", "Generated by tools/generate.py from the rows in server/promptls/checks/rules."]
    lines += [
        "",
        "`promptls check --fix` applies *safe* fixes; editors also offer the others, where you have to choose.",
    ]
    family = ""
    for rule in RULES.values():
        if rule.family != family:
            family = rule.family
            lines += [
                "",
                f"## {family[:1].upper()}{family[1:]}",
                "",
                "| rule | severity | what | fix |",
                "| --- | --- | --- | --- |",
            ]
        lines.append(f"| [{rule.code}]({rule.code}.md) | {rule.severity} | {rule.summary} | {rule.fix} |")
    return "\n".join([*lines, ""])


def _cases(name: str) -> list[Path]:
    return sorted(path for place in CASES for path in (place / name).glob("*.json"))


def protocol() -> str:
    """The TypeScript types."""
    schemas: dict[str, Any] = {}
    for model in MODELS:
        schemas |= typescript.schemas_of(model)
    options = Options.model_json_schema()
    keys = [f"  {json.dumps(key)}," for key, _ in typescript.settings(options)]
    return "\n".join(
        [
            HEAD,
            *map(_constant, METHODS),
            "/** The URI scheme of the virtual documents. */",
            f"export const SCHEME = {json.dumps(SCHEME)};",
            "",
            "/** Every setting of the server, as it is named in settings.json. */",
            "export const SETTING_KEYS = [",
            *keys,
            "] as const;",
            "",
            typescript.interface("Settings", options, all_optional=True),
            "export interface InitializationOptions extends Settings {\n  untrustedWorkspace: boolean;\n}\n",
            *(typescript.interface(name, schema) for name, schema in schemas.items()),
        ]
    )


def with_settings(package: str) -> str:
    """package.json with the server's version, its settings and the events that start it; the rest stays as it is."""
    manifest = json.loads(package) | {"version": __version__}
    properties = manifest["contributes"]["configuration"]["properties"]
    own = {key: value for key, value in properties.items() if key.partition(".")[2] in EXTENSION_ONLY}
    server = {}
    for order, (key, schema) in enumerate(typescript.settings(Options.model_json_schema()), 1):
        kept = {name: schema[name] for name in ("type", "items", "default", "minimum") if name in schema}
        kept.setdefault("default", [])
        scope = "application" if key in OF_THE_USER else "resource"
        about = {"scope": scope, "order": order, "markdownDescription": schema["description"]}
        server[f"promptls.{key}"] = kept | about
    manifest["contributes"]["configuration"]["properties"] = server | own
    manifest["activationEvents"] = ["onLanguage:markdown", *(f"workspaceContains:{each}" for each in evidence())]
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def evidence() -> list[str]:
    """What shows that a folder has something to preview: evidence, instruction files at the top, our settings."""
    nested = {name for spec in specs.every() for name in spec.nested if not name.endswith("/")}
    return sorted({OWN} | nested | {entry for spec in specs.every() for entry in spec.evidence})


# A folder must not be able to set these.
OF_THE_USER = ("urls.allow",)
EXTENSION_ONLY = ("path", "interpreter", "trace.server")


def _constant(name: str) -> str:
    return f"export const {name} = {json.dumps(getattr(params, name))};"


if __name__ == "__main__":
    sys.exit(main())
