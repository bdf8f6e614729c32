"""What Copilot CLI hides in the results of tools (captured: texts with each)."""

import pytest

from promptls.harnesses.copilot_cli.files.on_view import without_secrets

pytestmark = pytest.mark.same_everywhere
HIDDEN = (
    ('"Authorization": f"Bearer {token}",', '"Authorization": f"******",'),
    ("Bearer abc'def", "******'def"),
    ("Bearer abc;def", "******;def"),
    ("Bearer abc,def x", "****** x"),
    ('password="a b" x', "****** x"),
    ('password="a\nb" x', "****** x"),
    ('Pwd="abc"def x', "******def x"),
    ('PASSWORD=abc"d x', '******"d x'),
    ("https://a:b;c@h x", "******h x"),
    ("https://a:@h x", "******h x"),
    ("https://$A:$B@h x", "******h x"),
)
AS_THEY_ARE = (
    *("bearer abc", "BEARER abc", 'Bearer "abc"', "pwd='abc'", 'password=""', "password = abc", "db_password=abc"),
    *("https://a:{b}@h", "https://<a>:<b>@h", 'https://a:b"c@h', "https://a:b?c@h", "https://:b@h", "https://a:é@h"),
)


@pytest.mark.parametrize(("text", "sent"), [*HIDDEN, *((text, text) for text in AS_THEY_ARE)])
def test_a_secret_is_hidden_as_the_program_does(text: str, sent: str) -> None:
    assert without_secrets(text) == sent
