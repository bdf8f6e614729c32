"""What opencode makes of the name of a model: provider template, package, role of the system message (section 7)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Role
    from promptls.harnesses.opencode.start.config import OpencodeConfig

KIMI_PROVIDERS = ("kimi-for-coding", "moonshotai", "moonshotai-cn")
PACKAGES = {"anthropic": "@ai-sdk/anthropic", "openai": "@ai-sdk/openai", "google": "@ai-sdk/google"}


def provider_template(model: str, *, knows_gpt_6: bool = True) -> str:
    """The template's name for ``provider/model``: the first test that holds (section 7)."""
    provider, _, own = model.partition("/")
    if "muse" in own:
        return "meta.txt"
    if any(part in own for part in ("gpt-4", "o1", "o3")):
        return "beast.txt"
    if "gpt" in own:
        is_6 = knows_gpt_6 and "gpt-6" in own
        return "gpt-astra.txt" if is_6 else "codex.txt" if "codex" in own else "gpt.txt"
    if "gemini-" in own:
        return "gemini.txt"
    if "claude" in own:
        return "anthropic.txt"
    if "trinity" in own.lower():
        return "trinity.txt"
    return "kimi.txt" if "kimi" in own.lower() or provider in KIMI_PROVIDERS else "default.txt"


def is_patching(model: str) -> bool:
    """Whether ``provider/model`` changes files with apply_patch (captured: gpt-5, gpt-4o, gpt-oss-120b)."""
    own = model.partition("/")[2]
    return "gpt-" in own and "gpt-4" not in own and "oss" not in own


def own_id(config: OpencodeConfig, model: str) -> str:
    """``provider/model`` with the model's own id instead of its key in the configuration."""
    provider, _, key = model.partition("/")
    return f"{provider}/{config.model_ids.get((provider, key), key)}"


def package(config: OpencodeConfig, model: str | None) -> str:
    """The npm package that speaks to the model's provider."""
    provider = (model or "").partition("/")[0]
    return config.packages.get(provider) or PACKAGES.get(provider, "@ai-sdk/openai-compatible")


def system_role(package_: str, model: str | None, *, knows_gpt_6: bool = True) -> Role:
    """``developer`` for reasoning models of the Responses API (section 1.5; seen for gpt-5)."""
    own = (model or "").rpartition("/")[2]
    families = ("o1", "o3", "o4", "codex-", "gpt-5", *(("gpt-6",) if knows_gpt_6 else ()))
    reasons = own.startswith(families) and not own.startswith("gpt-5-chat")
    return "developer" if package_ == "@ai-sdk/openai" and reasons else "system"
