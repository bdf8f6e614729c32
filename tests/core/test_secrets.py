import re

import pytest

from promptls.core import secrets
from promptls.core.formats import parse_json, parse_toml, parse_yaml
from promptls.core.formats.tree import Document
from promptls.core.secrets import masked, masked_arguments, masked_file, masked_url
from promptls.core.text import units

pytestmark = pytest.mark.same_everywhere
HIDDEN = "canary-7f3a"


@pytest.mark.parametrize(
    "document",
    [
        parse_json('{"provider": [{"id": "x", "apiKey": "sk-1"}]}', comments=False),
        parse_json('{"provider": [{"id": "x", "API_KEY": "sk-1"', comments=True),
        parse_json('{"id": "x", "OPENAI_API_KEY": "sk-1", "accessToken": "sk-1"}', comments=True),
        parse_toml('[provider]\nid = "x"\ntoken = "sk-1"\n'),
        parse_yaml("id: x\npassword: sk-1\n"),
    ],
    ids=["json", "broken json", "longer names", "toml", "yaml"],
)
def test_the_text_of_a_secret_never_leaves_a_parser(document: Document) -> None:
    assert "'x'" in repr(document.root)
    assert "sk-1" not in repr(document.root)


# Each says "model" after its secret, which stays.
@pytest.mark.parametrize(
    "text",
    [
        '{"apiKey": "canary-7f3a", "model": "x"}',
        '{"apiKey": canary-7f3a, "model": 1}',
        "{'api_key': 'canary-7f3a', 'model': 1}",
        '"apiKey":\n   "canary-7f3a",\n "model": 1',
        '"apiKeys": ["canary-7f3a", "canary-7f3a"], "model": 1',
        '"OPENAI_API_KEY_2": "canary-7f3a", "model": 1',
        '"credentials": {"user": "canary-7f3a"}, "model": 1',
        r'{"a": "{\"apiKey\": \"canary-7f3a\", \"model\": 1}"}',
        r'"password": "with \" canary-7f3a", "model": 1',
        '"password": "over\ntwo canary-7f3a lines", "model": 1',
        'token = "canary-7f3a"\nmodel = "x"',
        'password = """\ncanary-7f3a\n\ncanary-7f3a\n"""\nmodel = 1',
        "secret = '''a\ncanary-7f3a'''\nmodel = 1",
        'http_headers = { "X-Own" = "canary-7f3a" }\nmodel = 1',
        '[mcp_servers.x.env]\nOWN = "canary-7f3a"\n[mcp_servers.y]\nmodel = "x"',
        '"headers": {"X-Own": "canary-7f3a", "B": "canary-7f3a"}, "model": 1',
        '"env": {"OWN": "canary-7f3a"}, "model": 1',
        "a:\n  password: canary-7f3a # said so\n  model: x",
        "token: |\n  canary-7f3a\n\n  canary-7f3a\nmodel: x",
        "token: >-  # folded\n  canary-7f3a\nmodel: x",
        "token:\n  canary-7f3a\nmodel: x",
        "tokens:\n- model: x\n- token: canary-7f3a\n- model: x",
        "env:\n  OWN: canary-7f3a\n\n  B: canary-7f3a\nmodel: x",
        "https://user:canary-7f3a@host/model",
        "https://canary-7f3a@host/model",
        "url = git+ssh://a:b@canary-7f3a@host/model",
        "https://h/x?api_key=canary-7f3a&model=x",
        "https://h/x?model=x#access_token=canary-7f3a",
        "https://h/x?sig=canary-7f3a&model=x",
        "model https://user:canary-7f3a",
        "model https://user:canary-7f3a…",
        '"args": ["--api-key", "canary-7f3a", "--model", "x"]',
        "--token canary-7f3a --model x",
        "--api-key=canary-7f3a --model x",
        "export GITHUB_TOKEN=canary-7f3a model",
        "-H 'Authorization: Bearer canary-7f3a' model",
        "'X-Api-Key: canary-7f3a' model",
        "it is Bearer canary-7f3a-canary model",
        "-----BEGIN RSA PRIVATE KEY-----\ncanary-7f3a\n-----END RSA PRIVATE KEY-----\nmodel",
        "model -----BEGIN PRIVATE KEY-----\ncanary-7f3a",
        "it is Basic canary-7f3a-canary model",
        'model password = """canary-7f3a',
        'password = """canary-7f3a"""\nmodel = 1',
        "secret = '''canary-7f3a'''\nmodel = 1",
        "`token: canary-7f3a` model",
        "'token': canary-7f3a\nmodel: 1",
        "- token:\n    canary-7f3a\n  model: x",
        "a:\n  - token:\n      canary-7f3a\n      canary-7f3a\n  - model: x",
        "token:\n  - canary-7f3a\n  - canary-7f3a\nmodel: x",
        "token:\n- canary-7f3a\n- canary-7f3a\nmodel: x",
        "  env:\n    OWN: canary-7f3a\n  model: x",
        "[env]\nOWN = canary-7f3a\n\nB = canary-7f3a\n[x]\nmodel = 1",
        "  [env]\n  OWN = canary-7f3a\n  [x]\nmodel = 1",
        "env:\n OWN: canary-7f3a\nmodel: x",
        "env: # said so\n  OWN: canary-7f3a\nmodel: x",
        "{env: x, model: 1, token: canary-7f3a}",
    ],
)
def test_a_secret_is_hidden_and_nothing_moves(text: str) -> None:
    shown = masked(text)
    assert HIDDEN not in shown
    assert "model" in shown
    assert [units(line) for line in shown.split("\n")] == [units(line) for line in text.split("\n")]


@pytest.mark.parametrize("end", range(9, 40))
def test_a_text_that_is_cut_anywhere_hides_what_is_left(end: int) -> None:
    text = '"apiKey": "canary-7f3a-canary-7f3a", "model": 1'
    assert "canary" not in masked(text[:end])


@pytest.mark.parametrize(
    "name",
    [
        *secrets.ENDINGS,
        *secrets.INSIDE,
        *(f"{each}_key" for each in ("api", "access", "private", "account", "signing", "encryption")),
        # Letters that are the same as others where case does not count.
        *("\u017fecret", "api_\u212aey", "CREDENT\u0131AL", "cook\u0131e"),
    ],
)
def test_no_name_of_a_secret_is_ruled_out_before_it_is_looked_for(name: str) -> None:
    for each in (name, name.upper(), f"MY_{name}"):
        assert any(stem in each.casefold() for stem in secrets._STEMS)
        assert re.search(secrets._HINT, each)


def test_letters_that_are_two_units_are_two_stars() -> None:
    assert masked('token = "a😀b" # x') == 'token = "****" # x'


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 5, tokenizer: x, token_count = 7",
        '"apiKeyHelper": "x.sh", "api_key_file": "/x", "secretName": "x"',
        '"token": "${TOKEN}", "apiKey": "{env:KEY}", "secret": "{{ vault }}", "password": null',
        "author: Jane <jane@host>, envelope: x, env {} and headers",
        "Basic authentication and Bearer tokens: see docs/tokens.md",
        "https://host/a@b?x=1&keyboard=us, git@github.com:a/b",
        "http://localhost:8080",
        "http://localhost:${PORT}",
    ],
)
def test_what_only_sounds_like_a_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_prose_counts_by_its_looks_and_front_matter_by_its_keys() -> None:
    text = f"---\ntoken: {HIDDEN}\n---\npassword: in the vault\nhttps://u:{HIDDEN}@host/ ghp_{'a1' * 18}\n"
    shown = masked_file("/a/AGENTS.md", text)
    assert shown == f"---\ntoken: {'*' * 11}\n---\npassword: in the vault\nhttps://{'*' * 13}@host/ {'*' * 40}\n"
    assert masked_file("/a/b.yaml", "password: in the vault") == f"password: {'*' * 12}"


def test_a_url_and_arguments() -> None:
    assert masked_url("https://u:p@h/x?token=a&b=c&key=1#d") == "https://h/x?token=***&b=c&key=***#d"
    args = ["--api-key", HIDDEN, "--model", "x", "--token", "--other", "-c", f'a.api_key="{HIDDEN}"', HIDDEN]
    assert masked_arguments(args) == [
        *("--api-key", "*" * 11, "--model", "x", "--token", "--other", "-c", f'a.api_key="{"*" * 11}"', "*" * 11)
    ]


@pytest.mark.parametrize(
    "unit",
    [
        *('"apiKey": ', "env ", "[env]", "token: |\n", "a://", '"headers": {', "a:////", "?token=", "env:\n a: b\n"),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "token:\n",
            "--token ",
            "a.",
            "Bearer ",
            '"',
            "token: [",
            "a://b@",
            "token" * 9,
        ),
    ],
)
def test_time_is_linear(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in characters that are looked at one by one, and in matches."""

    def steps(size: int) -> int:
        count = 0
        is_of_name, literal = secrets._is_of_name, secrets._literal

        def counted(letter: str) -> bool:
            nonlocal count
            count += 1
            return is_of_name(letter)

        def literal_counted(text: str, at: int, *, is_tight: bool, ends: str = "") -> tuple[int, int] | None:
            nonlocal count
            found = literal(text, at, is_tight=is_tight, ends=ends)
            count += found[1] - found[0] if found else 1
            return found

        with monkeypatch.context() as patch:
            patch.setattr(secrets, "_is_of_name", counted)
            patch.setattr(secrets, "_literal", literal_counted)
            secrets.spans(unit * (size // len(unit)))
        return count + size

    assert steps(40_000) <= 2.3 * steps(20_000)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('token = """ab"""', 'token = """**"""'),
        ("token = ['ab', 'c']", "token = [*********]"),
        ("token = {a: b}", "token = {****}"),
        ('token = ""', 'token = ""'),
        ("token = \uffff", "token = *"),
        ("token = 😀", "token = **"),
        ('"token":"a","b":1', '"token":"*","b":1'),
        ('{"token": ab, "b": "c"}', '{"token": **, "b": "c"}'),
        ("https://a:b@c/?token=d", "https://***@c/?token=*"),
        ("token: ab\ntoken: cd", "token: **\ntoken: **"),
        ("token:\n  ab\n\n  cd\nx: y", "token:\n****\n\n****\nx: y"),
        ("token: # password=ab\nname: x", "token: # password=**\nname: x"),
        ("env:\n  A: b\n  C: d\nx: y", "env:\n  A: *\n  C: *\nx: y"),
        ("env A", "env A"),
        ("env A\nB: c", "env A\nB: c"),
        ("a = b\n[env]", "a = b\n[env]"),
        ("env]\nA = b", "env]\nA = b"),
        ("[env\nA = b", "[env\nA = b"),
        ("-token ab", "-token **"),
        ("token ab", "token ab"),
        ('token = """"""\nname = "x"', 'token = """"""\nname = "x"'),
        ('token = """ab"""\nname = "x"', 'token = """**"""\nname = "x"'),
    ],
)
def test_exactly_the_value_is_hidden(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("API_KEY_PROD", True), ("x-api-key", True), ("token", True), ("secretsPath", False)),
        *(("api_key_file", False), ("max_tokens", False), ("keyboard", False), ("TOKEN_URL", False)),
        *(("SERVER_AUTH", True), ("password_required", False)),
    ],
)
def test_names_of_secrets(name: str, expected: bool) -> None:
    assert secrets.is_secret(name) is expected


def test_a_long_text_has_secrets_too() -> None:
    long = "word " * 500
    assert masked(f"{long}token: ab") == f"{long}token: **"


def test_a_key_may_begin_a_text() -> None:
    key = f"ghp_{'a1' * 18}"
    assert masked_file("/a/AGENTS.md", key) == "*" * 40


def test_places_of_secrets_that_touch_are_one_and_none_is_empty() -> None:
    assert secrets.spans('token = ""') == []
    assert secrets.spans(f"token:\n  ab\nghp_{'a1' * 18}") == [(7, 52)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((f"/a/x{ending}", True) for ending in (".json", ".JSON", ".toml", ".yml", ".env", "rc", ".gitconfig")),
        *(
            ("/a/.env", True),
            ("/a/.env.local", True),
            ("/a/.env.py", False),
            ("/a/config", True),
            ("/a/x.py", False),
            ("/a/x.md", False),
        ),
        *(("/a/config/x.md", False), ("/a/env.md", False)),
    ],
)
def test_what_is_configuration(path: str, expected: bool) -> None:
    assert secrets.is_config(path) is expected


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:p@h/x", "https://h/x"),
        ("https://u@h@i/x@y", "https://i/x@y"),
        ("https://h/x?a=u@h", "https://h/x?a=u@h"),
        ("a https://u:p@h/", "a https://u:p@h/"),
        ("HTTPS://u@h/ https://v@i/", "HTTPS://h/ https://v@i/"),
    ],
)
def test_a_url_without_its_user(url: str, shown: str) -> None:
    assert secrets.without_userinfo(url) == shown


def test_prose_without_front_matter_counts_by_its_looks() -> None:
    text = f"password: {HIDDEN}\nhttps://u:{HIDDEN}@host/\n"
    assert masked_file("/a/AGENTS.md", text) == f"password: {HIDDEN}\nhttps://{'*' * 13}@host/\n"
