"""The tree of the workspace in the first message: as many levels as fit (parts: system-notes-memory; source)."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit import collation
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host

# What is never shown: names of files, endings, and names anywhere in the path (source).
FILES = frozenset((".ds_store", "thumbs.db", "package-lock.json", "yarn.lock", ".cache"))
FOLDERS = frozenset(
    (
        *("out", "dist", ".git", ".svn", ".hg", ".yarn", "foo.asar", ".vscode-test"),
        *("node_modules", "bower_components", ".next", ".npm", ".nuxt", ".turbo", ".parcel-cache"),
        *("__pycache__", "venv", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox"),
        *("pods", ".gradle", ".terraform", ".nyc_output"),
    )
)
_ENDINGS = (
    "jpg jpeg jpe png gif bmp tif tiff tga ico icns xpm webp svg eps heif heic raw arw cr2 cr3 nef nrw orf raf "
    "rw2 rwl pef srw x3f erf kdc 3fr mef mrw iiq gpr dng mp4 m4v mkv webm mov avi wmv flv mp3 wav m4a flac ogg "
    "wma weba aac pcm 7z bz2 gz gz_ tgz rar tar xz zip vsix iso img pkg woff woff2 otf ttf eot obj fbx stl 3ds "
    "dae blend ply glb gltf max c4d ma mb pcd pdf ai ps indd doc docx xls xlsx ppt pptx odt ods odp rtf psd pbix "
    "temp tmp exe db db-wal db-shm sqlite parquet bin dat data hex cache sum hash wasm pdb idb sym coverage "
    "testlog git pack pack_ lock log trace tlog snap msi deb vsidx suo xcuserstate download map tsbuildinfo "
    "jsbundle dll dll.config dylib so a o lib out elf nupkg winmd pyc pkl pickle pyd rlib rmeta dill jar class "
    "ear war apk dex phar pfx p12 pem crt cer key priv jks keystore csr"
)
ENDINGS = frozenset(_ENDINGS.split())


@dataclass(frozen=True, slots=True)
class _Part:
    """A line of the tree; ``below`` is the directory whose entries may follow."""

    text: str
    level: int
    below: str = ""


def tree(host: Host, root: str, limit: int, *, dot: bool) -> str:
    """The entries of ``root`` and below, files before directories, breadth first while they fit into ``limit``.

    ``dot``: names that begin with a dot are shown, too.
    """
    if not FOLDERS.isdisjoint(root.lower().split("/")):
        return ""
    parts = _level(host, root, 0, limit, dot=dot)
    left = limit - _length(parts)
    while any(part.below for part in parts):
        expanded: list[_Part] = []
        for part in parts:
            expanded.append(_Part(part.text, part.level))
            if part.below:
                below = _level(host, part.below, part.level + 1, left - 1, dot=dot)
                if below:
                    left -= _length(below) + 1
                    expanded += below
        parts = expanded
    return "\n".join(part.text for part in parts)


def _length(parts: list[_Part]) -> int:
    return sum(len(part.text) for part in parts) + max(0, len(parts) - 1)


def _level(host: Host, directory: str, level: int, limit: int, *, dot: bool) -> list[_Part]:
    """The entries of one directory that fit; three dots replace the rest."""
    indent = "\t" * level
    parts: list[_Part] = []
    left = limit
    # Nothing fits any more, not even the dots: the directory need not be read.
    if limit < len(indent) + len("..."):
        return []
    for name, is_directory in _names(host, directory, dot=dot):
        text = f"{indent}{name}{'/' if is_directory else ''}"
        if len(text) > left:
            dots = f"{indent}..."
            while len(dots) > left and parts:
                left += len(parts.pop().text) + 1
            return [*parts, _Part(dots, level)] if len(dots) <= left else parts
        parts.append(_Part(text, level, join(directory, name) if is_directory else ""))
        left -= len(text) + 1
    return parts


def _names(host: Host, directory: str, *, dot: bool) -> list[tuple[str, bool]]:
    entries = [
        (entry.name, entry.is_directory)
        for entry in host.entries(directory)
        if (dot or not entry.name.startswith(".")) and not _is_left_out(entry.name)
    ]
    return sorted(entries, key=lambda each: (each[1], collation.key(each[0])))


def _is_left_out(name: str) -> bool:
    lower = name.lower()
    ending = lower.rpartition(".")[2] if "." in lower[1:] else ""
    return lower in FILES or lower in FOLDERS or ending in ENDINGS
