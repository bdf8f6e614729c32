"""What prompts say of a repository is what git says in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptls.git.state import state
from tests.folder import lay_out
from tests.repository import commit

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("configured", "user"),
    [
        ("[user]\nname = first\n[user]\nname = Zoë of two\n", "Zoë of two"),
        ('[user]\nname = "two\\nlines"\n', "two\nlines"),
        ('[user "name"]\nname = other\n[filter "user.name"]\nclean = cat\n[user]\nname = own\n', "own"),
    ],
    ids=["last", "lines", "subsections"],
)
def test_the_user_is_the_one_that_git_names(tmp_path: Path, configured: str, user: str) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    commit(folder)
    with (folder / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(configured)
    said = state(str(folder))
    assert said is not None
    assert (said.user, said.status) == (user, "")
