"""The number of tokens in a text: exact if there is a list of the vocabulary, otherwise an estimate, labelled as such.

What a program reported of the user's own requests makes an estimate better (``calibration.py``): then it is calibrated.

Estimates go by what a text is made of and by the family of the model. Their weights were fitted to 4,014 texts of 36
repositories and of 13 coding agents with public vocabularies of each family, and their errors measured on texts that
were held out. Those of ``claude-4-7``, whose vocabulary is not public, are those of older Claude models with words 1.62
times as heavy: six counts of the service itself lie within 6 %.
"""

from __future__ import annotations

import collections
from functools import lru_cache, partial
from operator import mul

from promptls.core.lazy import regex
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from promptls.core.calibration import Calibration

ESTIMATE, CALIBRATED = "estimate", "calibrated"


@dataclass(frozen=True, slots=True)
class Family:
    """Models with one tokenizer, and a column of the weights.

    ``error``: how far estimates of prompts were off, in percent. ``per_tool`` and ``per_prose``: the characters of a
    token in definitions of tools and in a harness's own prose, of which only the size is known: the mean of programs.
    """

    column: int
    error: int
    per_tool: float
    per_prose: float


# Counted with the list of each family in what programs send in an empty folder (tools/own_text.py), so that none is far
# off (tests/bench/own_text.py). That of tekken is
# between its neighbours; that of claude-4-7 by counts of the service: 1.57 times the tokens of o200k_base in tools,
# 1.49 times in prose.
FAMILIES = {
    "o200k_base": Family(0, 4, 4.44, 4.86),
    "cl100k_base": Family(1, 4, 4.47, 4.84),
    "claude": Family(2, 5, 4.32, 4.52),
    "gemma-3": Family(3, 5, 4.25, 4.60),
    "qwen-3": Family(4, 5, 4.41, 4.83),
    "deepseek-3": Family(5, 5, 4.25, 4.75),
    "tekken": Family(6, 5, 4.27, 4.66),
    "claude-4-7": Family(7, 10, 2.83, 3.26),
}
# The family that the texts of each program are counted with; others have as much more or less as their rows say.
REFERENCE = "o200k_base"
# The error for a model of a family that is only assumed, or whose vocabulary nobody has named.
ASSUMED = 15
# Newer GPT models: like those before, as far as anybody knows.
FAMILIES["gpt"] = replace(FAMILIES["o200k_base"], error=ASSUMED)
# Of a model that nobody knows: the weights of o200k_base.
UNKNOWN = replace(FAMILIES[REFERENCE], error=30)


@dataclass(frozen=True, slots=True)
class Service:
    """What the service of a family adds to a request, and how much of the tokens of tools it reports.

    ``error``: how far that may be off, in percent of the whole, besides what a count is off.
    """

    per_message: int
    of_request: int
    with_tools: int
    tools: float
    error: int


# For a message and a request: the OpenAI cookbook; its tools are 7 to 27 % smaller by the rules of harmony, which are
# not documented for newer models. With tools: docs.anthropic.com, tool use; a message: measured with count_tokens.
# Tools of Gemini: names, descriptions and keys only, as the counter of google-genai has it.
SERVICES = {
    "o200k_base": Service(3, 3, 0, 1.0, 10),
    "cl100k_base": Service(3, 3, 0, 1.0, 10),
    "gpt": Service(3, 3, 0, 1.0, 10),
    "claude": Service(6, 0, 346, 1.0, 5),
    "claude-4-7": Service(6, 0, 346, 1.0, 5),
    "gemma-3": Service(0, 0, 0, 0.82, 5),
}

# The tokens of each thing that a text consists of, by family: the columns.
WEIGHTS = {
    "word": (0.97, 1.01, 1.11, 0.96, 1.01, 1.01, 0.99, 1.80),
    "letter after the seventh": (0.17, 0.19, 0.04, 0.15, 0.19, 0.19, 0.28, 0.06),
    "digit": (0.14, 0.11, 0.09, 0.78, 0.70, 0.17, 0.77, 0.09),
    "number": (1.45, 1.54, 1.16, 0.87, 1.31, 1.28, 1.17, 1.16),
    "sign": (0.18, 0.20, 0.08, 0.09, 0.20, 0.17, 0.21, 0.08),
    "run of signs": (0.54, 0.37, 0.79, 0.95, 0.35, 0.59, 0.43, 0.79),
    "line": (0.91, 1.30, 1.70, 1.43, 1.34, 1.36, 1.33, 1.70),
    "indented line": (0.28, 0.10, 0.00, 0.36, 0.02, 0.01, 0.20, 0.00),
    "tab": (0.17, 0.11, 0.26, 0.13, 0.08, 0.13, 0.18, 0.26),
    "latin": (1.34, 2.08, 2.69, 1.14, 1.81, 1.96, 1.20, 2.69),
    "cyrillic or greek word": (1.79, 3.14, 3.53, 1.59, 2.37, 2.08, 2.00, 3.53),
    "run of box drawing": (2.5, 2.0, 2.9, 1.75, 1.95, 2.2, 2.2, 2.9),  # listings of directories
    "symbol": (0.27, 0.33, 0.34, 0.20, 0.30, 0.27, 0.47, 0.34),
    "kana": (0.63, 0.91, 0.94, 0.35, 0.54, 0.59, 0.57, 0.94),
    "han": (0.82, 1.17, 1.03, 0.64, 0.71, 0.64, 1.02, 1.03),
    "hangul": (0.83, 1.30, 1.49, 0.69, 0.97, 0.90, 0.80, 1.49),
    "wide": (1.80, 2.44, 2.24, 1.60, 2.04, 1.45, 1.57, 2.24),
    "other": (3.0, 3.0, 3.0, 1.5, 3.0, 3.0, 3.0, 3.0),  # hardly measured
}
_COLUMNS = tuple(zip(*WEIGHTS.values(), strict=True))
# Characters by the first letter of their block; what counts as words or runs counts as no letter.
_SCRIPTS = (
    ("", "\u0370", "\u058f"),
    ("latin", "\x80", "\u036f"),
    ("", "\u2500", "\u257f"),
    ("symbol", "\u2010", "\u2bff"),
    ("kana", "\u3000", "\u30ff"),
    ("han", "\u3400", "\u9fff"),
    ("hangul", "\uac00", "\ud7af"),
    ("wide", "\uf900", "\uffef"),
)
# An alternative that begins with a letter of its own takes half the time.
_WORD = regex("[a-z]+|[A-Z]+[a-z]*")
_LATIN_WORD = regex("[a-zß-öø-ɏ]+|[A-ZÀ-ÖØ-Þ]+[a-zß-öø-ɏ]*")
_NUMBER = regex("[0-9]+")
_SIGNS = regex(r"[!-/:-@\[-`{-~]+")
_SMALL = "abcdefghijklmnopqrstuvwxyz"


def _table(kinds: Mapping[str, str]) -> bytes:
    """What makes each letter of a kind its key, and all others blanks."""
    made = {letter: key for key, letters in kinds.items() for letter in letters}
    return "".join([made.get(chr(each), " ") for each in range(256)]).encode("ascii")


_LETTERS = _table({"a": _SMALL, "A": _SMALL.upper()})
_DIGIT = _table({"0": "0123456789"})
_SIGN = _table({"!": r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""})
_BEYOND_ASCII = regex(r"[^\x00-\x7f]")
_CYRILLIC_WORD = regex("[\u0370-\u058f]+")
_BOXES = regex("[\u2500-\u257f]+")
_LONG = 7

# The family of a model, by the start of its id after the last slash; the first that fits counts. Newer Claude models
# have another tokenizer: Opus from 4.7 on, and all from 5 on.
_OLD_CLAUDE = (
    "claude-1",
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-haiku-4",
    "claude-sonnet-4",
    "claude-4",
    *(f"claude-opus-4-{minor}" for minor in (0, 1, 2, 5, 6)),
)
_FAMILIES = (
    (("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt-4o", "o1", "o3", "o4", "codex"), "o200k_base"),
    (("gpt-4", "gpt-3.5"), "cl100k_base"),
    (("gpt-",), "gpt"),
    (_OLD_CLAUDE, "claude"),
    (("claude-",), "claude-4-7"),
    (("gemini", "gemma"), "gemma-3"),
    (("qwen", "qwq"), "qwen-3"),
    (("deepseek",), "deepseek-3"),
    (("mistral", "ministral", "magistral", "devstral", "codestral"), "tekken"),
)
# Those of which there is a list.
_VOCABULARIES = ("o200k_base",)
_EXACT = 0
# Each view of a prompt counts the same texts. Of short ones, in characters, which lists have thousands of, many counts
# are kept; of longer ones, which take memory, fewer: a file that somebody edits is another text with each key.
SHORT, LONG = 1000, 8000
MANY, FEW, FEWEST = 16_384, 512, 64


class Counter:
    """Counts tokens for one model.

    ``method`` is ``estimate``, ``calibrated`` or the name of the vocabulary used, ``error`` how far counts may be off,
    in percent. ``calibration`` is what the user's own requests say of such counts.
    """

    __slots__ = ("_count", "_family", "_of_text", "_of_tools", "_vocabulary", "calibration", "error", "method")

    def __init__(
        self,
        count: Callable[[str], int],
        family: Family,
        vocabulary: str = "",
        calibration: Calibration | None = None,
        *,
        has_sizes: bool = False,
        has_inherited: bool = False,
    ) -> None:
        """``count`` gives the tokens of a text, by ``vocabulary`` if there is one.

        ``family`` is for what only the size is known of. ``has_sizes``: it is for a sum that has such parts;
        ``has_inherited``: and some are sizes of another version.
        """
        self.calibration = calibration
        self._count = count
        self._family = family
        self._vocabulary = vocabulary
        self._of_text = calibration.factors.text if calibration is not None else 1.0
        self._of_tools = calibration.factors.tools if calibration is not None else 1.0
        of_sizes = ESTIMATE if calibration is None or has_inherited else CALIBRATED
        measured = calibration.error if calibration is not None else None
        is_exact = vocabulary and not has_sizes
        self.method = vocabulary if is_exact else of_sizes
        self.error = _EXACT if is_exact else family.error if measured is None else measured

    @property
    def base(self) -> str:
        """How it counts a text by itself: a calibration holds for counts of one kind."""
        return self._vocabulary or f"{ESTIMATE} {self._family.column}"

    @property
    def is_exact(self) -> bool:
        """Whether it counts a text with the vocabulary of the model."""
        return bool(self._vocabulary)

    @property
    def whole_error(self) -> int:
        """``error`` in whole percents, rounded up."""
        return -int(-self.error // 1)

    @property
    def is_about(self) -> bool:
        """Whether it does not count exactly."""
        return self.method in (ESTIMATE, CALIBRATED)

    def __call__(self, text: str) -> int:
        """The tokens of ``text``."""
        if not text:
            return 0
        found = self._count(text)
        return found if self._of_text == 1.0 else round(found * self._of_text)

    def of_prose(self, characters: int) -> int:
        """The tokens of a harness's own text with so many characters."""
        return round(characters * self._of_text / self._family.per_prose)

    def of_definition(self, text: str) -> int:
        """The tokens of the definition of a tool."""
        return round(self._count(text) * self._of_tools)

    def of_tools(self, characters: int) -> int:
        """The tokens of definitions of tools with so many characters."""
        return round(characters * self._of_tools / self._family.per_tool)

    def of_sizes(self, *, has_inherited: bool = False) -> Counter:
        """The same for a sum in which only the sizes of some parts are known: its weakest part names the method."""
        return Counter(
            self._count,
            self._family,
            self._vocabulary,
            self.calibration,
            has_sizes=True,
            has_inherited=has_inherited,
        )

    def calibrated(self, found: Calibration | None) -> Counter:
        """The same by what the user's own requests say, if they say anything."""
        return self if found is None else Counter(self._count, self._family, self._vocabulary, found)


def counter(model: str | None, usual: str = "", own: tuple[float, float] | None = None) -> Counter:
    """The best counter for a model id: exact if there is a list of its vocabulary.

    ``usual`` is the family of models that is meant where there is no id, "" for none; ``own``: what a program's own
    texts have, as ``Spec.own_text`` says.
    """
    name = family_of(model)
    family = FAMILIES[name] if name else UNKNOWN
    if not model and usual:
        family = replace(FAMILIES[usual], error=ASSUMED)
    if own is not None:
        of_all = FAMILIES[REFERENCE]
        tool, prose = family.per_tool * own[0] / of_all.per_tool, family.per_prose * own[1] / of_all.per_prose
        family = replace(family, per_tool=tool, per_prose=prose)
    if name in _VOCABULARIES:
        return Counter(_exact(name), family, name)
    return Counter(_estimates(family.column), family)


def family_of(model: str | None) -> str | None:
    """The name of the family that a model belongs to; None if it is not known."""
    name = (model or "").rpartition("/")[2].lower()
    _, claude, rest = name.partition("claude-")
    # As other services name them: us.anthropic.claude-opus-4-8, claude-opus-4.8.
    name = (claude + rest).replace(".", "-") if claude else name
    return next((family for heads, family in _FAMILIES if name.startswith(heads)), None)


def estimate(text: str, family: Family = UNKNOWN) -> int:
    """The tokens of ``text`` for the models of a family, at least 1."""
    return _estimates(family.column)(text)


def kept(count: Callable[[str], int]) -> Callable[[str], int]:
    """``count``, with what it said last."""
    of_short, of_long, of_longest = [lru_cache(maxsize=each)(count) for each in (MANY, FEW, FEWEST)]
    return lambda text: (of_short if len(text) < SHORT else of_long if len(text) < LONG else of_longest)(text)


@lru_cache(maxsize=len(_VOCABULARIES))
def _exact(name: str) -> Callable[[str], int]:
    from promptls.core.vocabularies import exact  # noqa: PLC0415 - most models have no public vocabulary

    return kept(exact(name))


@lru_cache(maxsize=len(FAMILIES))
def _estimates(column: int) -> Callable[[str], int]:
    return kept(partial(_estimate, column))


def _runs(text: str) -> tuple[Sequence[str | bytes], Sequence[str | bytes], Sequence[str | bytes]]:
    """Something as long as each word, number and run of signs of a text in ASCII: in a third of a pattern's time."""
    data = text.encode("ascii")
    letters = data.translate(_LETTERS)
    # A capital after a small letter begins a word, as in camelCase.
    words = _WORD.findall(text) if b"aA" in letters else letters.split()
    return words, data.translate(_DIGIT).split(), data.translate(_SIGN).split()


def _estimate(column: int, text: str) -> int:
    tokens: float = sum(map(mul, _everywhere(text), _COLUMNS[column]))
    if not text.isascii():
        tokens = sum([count * WEIGHTS[name][column] for name, count in _beyond_ascii(text).items()], tokens)
    return max(1, round(tokens))


@lru_cache(maxsize=FEWEST)
def _everywhere(text: str) -> tuple[int, ...]:
    """How often the first things of ``WEIGHTS`` are in ``text``: those that are in any."""
    runs = _runs(text) if text.isascii() else (_LATIN_WORD.findall(text), _NUMBER.findall(text), _SIGNS.findall(text))
    words, numbers, signs = list(map(len, runs[0])), runs[1], runs[2]
    lines = text.count("\n")
    return (
        len(words),
        sum([size - _LONG for size in words if size > _LONG]),
        sum(map(len, numbers)),
        len(numbers),
        sum(map(len, signs)),
        len(signs),
        lines and lines - text.count("\n\n"),
        lines and text.count("\n "),
        text.count("\t"),
    )


@lru_cache(maxsize=FEWEST)
def _beyond_ascii(text: str) -> Mapping[str, int]:
    """How often the others are in ``text``, by their name."""
    found = {
        "cyrillic or greek word": len(_CYRILLIC_WORD.findall(text)),
        "run of box drawing": len(_BOXES.findall(text)),
    }
    for letter, count in collections.Counter(_BEYOND_ASCII.findall(text)).items():
        script = next((name for name, first, last in _SCRIPTS if first <= letter <= last), "other")
        if script:
            found[script] = found.get(script, 0) + count
    return found
