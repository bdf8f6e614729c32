"""A folder with secrets in every configuration, each with the canary in it, and problems beside them."""

from __future__ import annotations

CANARY = "canary-7f3a"
# A key as a well-known service makes them, in a text that is sent.
KEY = "sk-" + "Canary7f3a" * 4

FILES: dict[str, str | bytes | dict[str, object]] = {
    "opencode.json": f"""{{
      "instructions": ["https://user:{CANARY}@127.0.0.1:1/a.md", "gone.md", "ftp://u:{CANARY}@h/",
        "http://127.0.0.1:1/b?api_key={CANARY}&x=1"],
      "mcp": {{"x": {{"headers": {{"Authorization": "Bearer {CANARY}"}}, "command": ["x", "--token", "{CANARY}"]}}}},
      "agent": {{"build": {{"prompt": "{{file:./gone.txt}}"}}}}, "apiKey": "{CANARY}", "odd-key": 1
    }}
    """,
    "etcode.json": f"""{{"apiKey": "{CANARY}", "instructions": ["https://{CANARY}@127.0.0.1:1/y", "gone.md"]}}""",
    "api/etcode.json": f"""{{"apiKey": "{CANARY}", "provider": [{{"token": {CANARY}}}], """,
    "broken/opencode.json": f"""{{"provider": {{"x": {{"apiKey": '{CANARY}', "b": 1}}, }}, "password": "{CANARY}\n""",
    ".codex/config.toml": f'''
        model_instructions_file = "gone.md"
        project_doc_fallback_filenames = "x"
        experimental_bearer_token = """
{CANARY}
{CANARY}"""
        [mcp_servers.a]
        http_headers = {{ "X-Own" = "{CANARY}" }}
        [mcp_servers.a.env]
        OWN = '{CANARY}'
        ''',
    ".claude/settings.json": f'{{"env": {{"OWN": "{CANARY}"}}, "apiKey": "{CANARY}", "claudeMdExcludes": 5}}',
    ".claude/agents/a.md": f"---\nname: a\nmcp:\n  headers:\n    X-Own: {CANARY}\ntools: [\n---\nText.\n",
    ".gemini/settings.json": f'{{"context": {{"fileName": 5}}, "security": {{"auth": "{CANARY}"}}',
    ".cursor/rules/a.mdc": f"---\nglobs: 5\ntoken: |\n  {CANARY}\n  {CANARY}\n---\nText.\n",
    "config/environments/a.yaml": f"name: a\npassword:\n  {CANARY}\nrules: [gone.md\n",
    "AGENTS.md": f"The key {KEY} is here, @gone.md and [x](gone.md).\n",
    "CLAUDE.md": "@AGENTS.md @gone.md\n",
    "GEMINI.md": "@AGENTS.md @gone.md\n",
    "app.py": "",
}
