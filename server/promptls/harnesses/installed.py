"""Which version of a harness is installed, found without running anything: by the package its command belongs to."""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.text import decode
from promptls.harnesses.shared.paths import is_absolute, is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host


def installed(host: Host, command: str, package: str, workspace: str) -> str | None:
    """The version of the npm package that the first ``command`` on PATH belongs to.

    What is in the workspace does not count: a folder must not decide what is shown as installed.
    """
    for named in (host.env.get("PATH") or "").split(host.list_separator):
        if not is_absolute(named, host.home):
            continue
        directory = resolve(host.home, named)
        path = join(directory, f"{command}.cmd" if host.platform == "win32" else command)
        if is_below(directory, workspace) or host.kind(path) != "file":
            continue
        # On Windows npm links no command: what it starts is beside it.
        start = join(directory, "node_modules", package) if host.platform == "win32" else parent(host.realpath(path))
        for place in upwards(start):
            contents = host.read(join(place, "package.json"))
            if contents.state == "file":
                root = jsonc.parse(decode(contents.data, keep_bom=False), comments=False).root
                if root is not None and root.text("name") == package:
                    return root.text("version")
        return None
    return None
