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
            if not slots or hasattr(cls, "__post_init__") or cls.__bases__ != (object,):
                raise TypeError(f"{cls.__name__} needs the dataclass of the standard library.")
            body = dict(cls.__dict__)
            del body["__dict__"], body["__weakref__"]
            names = body["__slots__"] = body["__match_args__"] = tuple(cls.__annotations__)
            body["_given"] = {name: body.pop(name) for name in names if name in body}
            body.update(_FROZEN if frozen else _MUTABLE)
            return type(cls.__name__, (object,), body)

        return make

    def replace(value, **changes):
        """A copy of ``value`` with other fields."""
        return type(value)(**{name: getattr(value, name) for name in value.__slots__} | changes)

    class _Mutable:  # noqa: PLW1641 - only its methods are used
        # Most classes are not used in one run: a method that depends on the fields is made when it is first called.

        def __init__(self, /, *args, **given):
            cls = type(self)
            cls.__init__ = _init(cls)
            cls.__init__(self, *args, **given)

        def __eq__(self, other):
            cls = type(self)
            cls.__eq__ = _equal(_compared(cls))
            return cls.__eq__(self, other)

        def __repr__(self):
            shown = _names(type(self), "repr")
            inside = ", ".join([f"{name}={getattr(self, name)!r}" for name in shown])
            return f"{type(self).__qualname__}({inside})"

        def __reduce__(self):
            # By all fields: how the library's values are pickled would set them one by one, which is refused.
            return type(self), tuple([getattr(self, name) for name in self.__slots__])

    class _Frozen:
        def __hash__(self):
            cls = type(self)
            cls.__hash__ = _hash(_compared(cls))
            return hash(self)

        def __setattr__(self, name, _value):
            raise AttributeError(f"{type(self).__name__}.{name} cannot be changed.")

        def __delattr__(self, name):
            raise AttributeError(f"{type(self).__name__}.{name} cannot be changed.")

    _MUTABLE = {name: each for name, each in vars(_Mutable).items() if callable(each)}
    _FROZEN = _MUTABLE | {name: each for name, each in vars(_Frozen).items() if callable(each)}

    def _init(cls):
        rows = []
        for name in cls.__slots__:
            default, factory = cls._given.get(name, _MISSING), None
            if isinstance(default, _Field):
                default, factory = default.default, default.factory
            rows.append((getattr(cls, name).__set__, name, default, factory))
        puts = [row[0] for row in rows]
        left = [_MANY]

        def __init__(self, /, *args, **given):  # noqa: N807 - it becomes the method
            left[0] -= 1
            if not left[0]:
                cls.__init__ = _compiled(cls, rows)
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
                raise TypeError(f"A {cls.__name__} has the fields {', '.join(cls.__slots__)}, each once.")

        return __init__

    def _compiled(cls, rows):
        """The same as generated code: many times as fast, and worth compiling if many values are made.

        While it gets its fields, a frozen value is of a twin of its class that refuses nothing: Python then sets them
        at half the price.
        """
        known = {"__missing": _MISSING}  # no field is called so
        parameters, body = ["self", "/"], ["pass"]
        for _, name, default, factory in rows:
            known |= {f"default_{name}": default, f"factory_{name}": factory}
            is_needed = default is _MISSING and factory is None
            parameters.append(name if is_needed else f"{name}=default_{name}")
            given = name if factory is None else f"factory_{name}() if {name} is __missing else {name}"
            body.append(f"self.{name} = {given}")
        if cls.__setattr__ is not object.__setattr__:
            twin = type(cls.__name__, (object,), {"__slots__": cls.__slots__})
            known |= {"__own": cls, "__twin": twin, "__become": object.__dict__["__class__"].__set__}
            body = ["__become(self, __twin)", *body, "self.__class__ = __own"]
        exec(f"def __init__({', '.join(parameters)}): {'; '.join(body)}", known)  # noqa: S102 - names of our fields
        return known["__init__"]

    def _names(cls, trait):
        """The fields of ``cls`` that have a trait, as those have of which nothing is said."""
        said = {name: each for name, each in cls._given.items() if isinstance(each, _Field)}
        return [name for name in cls.__slots__ if name not in said or getattr(said[name], trait)]

    def _compared(cls):
        return attrgetter(*_names(cls, "compare"))

    def _equal(values):
        def __eq__(self, other):  # noqa: N807 - it becomes the method
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _hash(values):
        def __hash__(self):  # noqa: N807 - it becomes the method
            return hash(values(self))

        return __hash__
