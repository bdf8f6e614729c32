"""``dataclass``, ``field`` and ``replace`` as in the standard library, for a tenth of the start-up time.

The library imports ``inspect`` and compiles six functions for each class, which was a third of the time that
``promptls preview`` took; here the classes share theirs. Type checkers see the library's. What there is:
``frozen``, and fields with a default, a factory, ``compare`` and ``repr``. Every class has slots; none inherits
fields or has a ``__post_init__``. Values can be copied and pickled.
"""

# Type checkers do not read the half that runs, so it has no annotations.
# ruff: noqa: ANN001, ANN002, ANN003, ANN201, ANN202, ANN204

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace

    __all__ = ["dataclass", "field", "replace"]
else:
    _MISSING = object()
    # After this many values of a class, a generated method makes the next ones.
    _MANY = 100

    class _Field:
        __slots__ = ("compare", "default", "factory", "repr")

        def __init__(self, default, factory=None, compare=True, repr=True):  # noqa: A002 - the library's
            self.default = default
            self.factory = factory
            self.compare = compare
            self.repr = repr

    def field(*, default=_MISSING, default_factory=None, compare=True, repr=True):  # noqa: A002 - the library's
        """A field with more than a default value."""
        return _Field(default, default_factory, compare, repr)

    def dataclass(*, slots, frozen=False):
        """A class with its annotated names as fields."""

        def make(cls):
            body = {key: value for key, value in cls.__dict__.items() if key not in ("__dict__", "__weakref__")}
            if not slots or "__post_init__" in body or cls.__bases__ != (object,):
                raise TypeError(f"{cls.__name__} needs the dataclass of the standard library.")
            fields = {name: body.pop(name, _MISSING) for name in cls.__annotations__}
            fields = {name: each if isinstance(each, _Field) else _Field(each) for name, each in fields.items()}
            body["__slots__"] = body["__match_args__"] = tuple(fields)
            body["__reduce__"] = _reduce
            body["__repr__"] = _repr([name for name, each in fields.items() if each.repr])
            body["__eq__"], body["__hash__"] = _compared([name for name, each in fields.items() if each.compare])
            if frozen:
                body["__setattr__"] = body["__delattr__"] = _refuse
            else:
                body["__hash__"] = None
            made = type(cls)(cls.__name__, cls.__bases__, body)
            made.__init__ = _init(made, fields)
            return made

        return make

    def replace(value, **changes):
        """A copy of ``value`` with other fields."""
        return type(value)(**{name: getattr(value, name) for name in value.__slots__} | changes)

    def _init(cls, fields):
        rows = [(getattr(cls, name).__set__, name, each.default, each.factory) for name, each in fields.items()]
        puts = [row[0] for row in rows]
        left = [_MANY]

        def __init__(self, /, *args, **given):  # noqa: N807 - it becomes the method
            left[0] -= 1
            if not left[0]:
                cls.__init__ = _compiled(rows)
            for put, value in zip(puts, args, strict=False):
                put(self, value)
            for put, name, default, factory in rows[len(args) :]:
                value = given.pop(name, default)
                if value is _MISSING:
                    if factory is None:
                        raise TypeError(f"A {cls.__name__} needs {name}.")
                    value = factory()
                put(self, value)
            if given or len(args) > len(rows):
                raise TypeError(f"A {cls.__name__} has the fields {', '.join(fields)}, each once.")

        return __init__

    def _compiled(rows):
        """The same as generated code: four times as fast, and worth compiling if many values are made."""
        known = {"missing": _MISSING}
        parameters, body = ["self", "/"], ["pass"]
        for put, name, default, factory in rows:
            known |= {f"put_{name}": put, f"default_{name}": default, f"factory_{name}": factory}
            is_needed = default is _MISSING and factory is None
            parameters.append(name if is_needed else f"{name}=default_{name}")
            given = name if factory is None else f"factory_{name}() if {name} is missing else {name}"
            body.append(f"put_{name}(self, {given})")
        exec(f"def __init__({', '.join(parameters)}): {'; '.join(body)}", known)  # noqa: S102 - names of our fields
        return known["__init__"]

    def _repr(names):
        def __repr__(self):  # noqa: N807 - it becomes the method
            inside = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
            return f"{type(self).__qualname__}({inside})"

        return __repr__

    def _compared(names):
        values = attrgetter(*names)

        def __eq__(self, other):  # noqa: N807 - it becomes the method
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):  # noqa: N807 - it becomes the method
            return hash(values(self))

        return __eq__, __hash__

    def _reduce(self):
        # By all fields: how the library's values are pickled would set them one by one, which is refused.
        return type(self), tuple([getattr(self, name) for name in self.__slots__])

    def _refuse(self, name, *_value):
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed.")
