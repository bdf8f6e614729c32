import pytest

from promptls.core.formats import jsonc, toml, yaml
from promptls.core.formats.tree import Document


@pytest.mark.parametrize(
    "document",
    [
        jsonc.parse('{"provider": [{"id": "x", "apiKey": "sk-1"}]}', comments=False),
        jsonc.parse('{"provider": [{"id": "x", "API_KEY": "sk-1"', comments=True),
        toml.parse('[provider]\nid = "x"\ntoken = "sk-1"\n'),
        yaml.parse("id: x\npassword: sk-1\n"),
    ],
    ids=["json", "broken json", "toml", "yaml"],
)
def test_the_text_of_a_secret_never_leaves_a_parser(document: Document) -> None:
    assert "'x'" in repr(document.root)
    assert "sk-1" not in repr(document.root)
