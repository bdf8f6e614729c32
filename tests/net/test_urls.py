import pytest

from promptls.core.secrets import without_userinfo


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@host/a", "https://host/a"),
        ("https://user@host:8080", "https://host:8080"),
        ("https://a@b:secret@host/", "https://host/"),
        ("HTTP://user:secret@host?x=1", "HTTP://host?x=1"),
        ("https://host/a@b", "https://host/a@b"),
        ("https://host?mail=a@b", "https://host?mail=a@b"),
        ("https://host#a@b", "https://host#a@b"),
        ("not a url", "not a url"),
    ],
)
def test_only_the_user_name_and_password_go(url: str, shown: str) -> None:
    assert without_userinfo(url) == shown
