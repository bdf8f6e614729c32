"""Requests of our own: their parameters are pydantic models, checked before the handler is called.

pydantic is not imported here: that costs a fifth of the start. A model can be named by a function, which
is called at the first request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from promptls.core.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydantic import BaseModel

    ModelSource = type[BaseModel] | Callable[[], type[BaseModel]]

_LONGEST_REASON = 200


class CustomRequests:
    """The models of the parameters, by method."""

    def __init__(self) -> None:
        self._sources: dict[str, ModelSource] = {}

    def __contains__(self, method: str) -> bool:
        """Whether ``method`` is one of them."""
        return method in self._sources

    def add(self, method: str, source: ModelSource) -> None:
        """Check the parameters of ``method`` by the model, or by the one that the function returns."""
        self._sources[method] = source

    def validated(self, method: str, params: object) -> BaseModel:
        """``params`` as the model of ``method``; raises JsonRpcInvalidParams with one plain sentence."""
        from pydantic import ValidationError  # noqa: PLC0415 - see the module's docstring

        source = self._sources[method]
        model: type[BaseModel] = source if isinstance(source, type) else source()
        try:
            return model.model_validate({} if params is None else params)
        except ValidationError as error:
            from promptls.workspace.invalid import first_sentence  # noqa: PLC0415 - see the module's docstring

            says = visible(first_sentence(error.errors(include_url=False)))[:_LONGEST_REASON]
            raise JsonRpcInvalidParams(f"The parameters of {method} are not valid: {says}.") from None


def plain(value: BaseModel) -> Any:
    """A pydantic model as JSON: by alias, and with nulls, because documented keys are always present."""
    return value.model_dump(mode="json", by_alias=True)


def is_model(value: object) -> bool:
    """Whether ``value`` is a pydantic model."""
    return hasattr(value, "model_dump")
