"""The language policy: decides from the syntax tree what a bot may write, and inserts the few guards.

Names are checked here, statically; code is inserted only where the tree cannot decide, because a guard on
every read makes ordinary bots six to ten times slower. What is inserted are calls of reserved names that
live in the bot's builtins (:mod:`.guards`) and that no bot can bind:

=========================================  =============================================================
``a.format``, ``a._x``, ``a.__class__``    ``_getattr_(a, "...")``, or a set test first when ``a`` is a name
``a.b = c``, ``del a.b``, ``a.b += c``     the same with ``_write_(a)`` or ``_own_(a, ...)``
methods that store on ``self``             one check at the start instead of one at each store
handlers that could catch the interrupt    ``_still_()`` first; also in ``finally`` and after ``with``
=========================================  =============================================================

Source: the sandbox specification, sections 3 and 9.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from RestrictedPython import RestrictingNodeTransformer
from RestrictedPython.transformer import copy_locations

from .binding import bound_names
from .findings import Report
from .names import (
    ASSIGNABLE,
    DENIED,
    GUARDED,
    ONE_SUBPATTERN,
    READABLE,
    REFUSED_BUILTINS,
    SPECIAL_METHODS,
    is_dunder,
    is_guard,
    is_private,
    mangled,
)

__all__ = ["Imports", "Job", "KnownTypes", "Policy"]

_PLAIN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and value is not BaseException
)
_LEAVES = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class Imports(Protocol):
    """What the policy must know about imports; see :mod:`.imports`."""

    def refusal(self, module: str, level: int) -> str | None:
        """Return why ``module`` cannot be imported, or None."""
        ...

    def name_refusal(self, module: str, level: int, name: str) -> str | None:
        """Return why ``from module import name`` cannot work, or None."""
        ...

    def star_names(self, module: str, level: int) -> frozenset[str] | None:
        """Return what ``from module import *`` binds, or None when only running it can tell."""
        ...

    def attribute_refusal(self, module: str, name: str) -> str | None:
        """Return why ``module.name`` is kept from bots although the real module has it, or None."""
        ...


class KnownTypes:
    """Hands out the names of the sets of types that need no further check, one for each question.

    A question is (may it be written to?, which private names are used): the same question in any module of
    a program uses the same set, which the guards fill at run time.
    """

    def __init__(self) -> None:
        self.questions: dict[tuple[bool, tuple[str, ...]], str] = {(True, ()): "_ok0_"}

    def name(self, write: bool, private: Iterable[str] = ()) -> str:
        """Return the reserved name of the set for this question."""
        question = (write, tuple(sorted(set(private))))
        return self.questions.setdefault(question, f"_ok{len(self.questions)}_")


@dataclass
class Job:
    """One module to check: where findings go, what it binds and what it may import."""

    report: Report
    tree: ast.Module
    imports: Imports
    known_types: KnownTypes
    bound: Counter[str] = field(init=False)
    module_names: dict[str, str] = field(init=False, default_factory=dict)
    _binds_anything: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.bound = Counter(bound_names([self.tree]))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname is not None or "." not in alias.name:
                        self.module_names[alias.asname or alias.name] = alias.name
            elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                names = self.imports.star_names(node.module or "", node.level)
                if names is None:
                    self._binds_anything = True
                else:
                    self.bound.update(names)

    def binds(self, name: str) -> bool:
        """Return whether the module may bind ``name`` itself."""
        return self._binds_anything or name in self.bound


@dataclass
class _Method:
    """A method whose first parameter is never bound again: what its body does with that parameter."""

    stores: bool = False
    private: set[str] = field(default_factory=set)
    reads_private: bool = False
    calls_special: bool = False


class Policy(RestrictingNodeTransformer):
    """Checks and transforms one module. Subclassed per module with its :class:`Job` as ``job``."""

    job: Job

    def __init__(
        self,
        errors: list[str] | None = None,
        warnings: list[str] | None = None,
        used_names: dict[str, bool] | None = None,
    ) -> None:
        super().__init__(errors, warnings, used_names)
        self._visitors: dict[type[ast.AST], Callable[[ast.AST], object]] = {}
        self._class_name: str | None = None  # for name mangling
        self._in_class_body = False
        self._methods: dict[str, _Method] = {}  # checked first parameters in scope
        self._new_parameter: str | None = None  # first parameter of the enclosing __new__

    # --- walking -------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> object:
        """Dispatch with a table: the walk is most of what loading a bot costs."""
        kind = type(node)
        visitor = self._visitors.get(kind)
        if visitor is None:
            visitor = self._visitors[kind] = getattr(self, "visit_" + kind.__name__, self.generic_visit)
        return visitor(node)

    def node_contents_visit(self, node: ast.AST) -> ast.AST:
        """Visit the children, except operators and contexts, about which there is nothing to decide."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                setattr(node, name, self._each(value))
            elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
                setattr(node, name, self.visit(value))
        return node

    def _each(self, nodes: list[ast.AST]) -> list[ast.AST]:
        visited: list[ast.AST] = []
        for node in nodes:
            if not isinstance(node, ast.AST) or isinstance(node, _LEAVES):
                visited.append(node)
                continue
            result = self.visit(node)
            if isinstance(result, list):
                visited.extend(result)
            elif isinstance(result, ast.AST):
                visited.append(result)
        return visited

    def refuse(self, node: ast.AST, message: str) -> None:
        """Record a finding; the base class's list makes it refuse to compile."""
        self.errors.append(message)
        self.job.report.add(node, message)

    def error(self, node: ast.AST, info: str) -> None:
        """Take what a method of the base class objects to."""
        self.refuse(node, info)

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse syntax that nobody has reviewed yet: new Python versions bring new nodes."""
        self.refuse(node, f"this syntax ({type(node).__name__}) is not available to bots")

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self.node_contents_visit(node)

    # --- names ---------------------------------------------------------------------------------------

    def check_binding(self, node: ast.AST, name: str | None) -> None:
        """Refuse to bind a name of the policy, a special name, or ``super``."""
        if name is None:
            return
        if is_guard(name):
            self.refuse(node, f'the name "{name}" is reserved for the sandbox; choose another name')
        elif is_dunder(name) and name not in ASSIGNABLE:
            self.refuse(
                node,
                f'"{name}" may not be set: names with two underscores on both sides belong to Python; '
                "choose another name",
            )
        elif name == "super":
            # super().__init__() is allowed because the interpreter's super checks whose method it calls.
            self.refuse(node, 'the name "super" cannot be given to something else; choose another name')

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            self.check_binding(node, name)
        elif name in REFUSED_BUILTINS and name not in self.job.bound:
            self.refuse(node, f'"{name}" is not available to bots: {REFUSED_BUILTINS[name]}')
        elif is_guard(name):
            self.refuse(node, f'the name "{name}" is reserved for the sandbox; choose another name')
        elif is_dunder(name) and name not in READABLE and name not in ASSIGNABLE:
            self.refuse(
                node,
                f'"{name}" is not available to bots: names with two underscores on both sides lead into '
                "Python itself",
            )
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.check_binding(node, node.arg)
        return self.node_contents_visit(node)

    def visit_Global(self, node: ast.Global) -> ast.AST:
        for name in node.names:
            self.check_binding(node, name)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self.check_binding(node, name)
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        if node.asname is not None:
            self.check_binding(node, node.asname)
        return node

    # --- attributes ----------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = node.attr
        load = isinstance(node.ctx, ast.Load)
        if not self._allowed_attribute(node, name, load):
            return self.node_contents_visit(node)
        self._check_facade_attribute(node)
        if load and name != "__class__" and name not in GUARDED and not is_private(name):
            node.value = self.visit(node.value)  # the common case: a plain read stays a plain read
            return node
        private = mangled(name, self._class_name) if is_private(name) else None
        method = self._method_of(node.value)
        if method is not None and not (load and name in GUARDED):
            self._note_use(method, private, load)
            return node
        return self._guarded_read(node, private) if load else self._guarded_write(node, private)

    def _allowed_attribute(self, node: ast.AST, name: str, load: bool) -> bool:
        if is_dunder(name):
            if load and name in ("__name__", "__doc__", "__class__"):
                return True
            self.refuse(node, _about_dunder(name, load))
        elif name in DENIED:
            self.refuse(
                node, f'".{name}" is not available to bots: it leads out of your program into Python itself'
            )
        elif is_guard(name):
            self.refuse(node, f'the name "{name}" is reserved for the sandbox; choose another name')
        else:
            return True
        return False

    def _check_facade_attribute(self, node: ast.Attribute) -> None:
        """Say at once that a module's function is not offered, if the name surely is that module."""
        path = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            path.append(value.attr)
            value = value.value
        if isinstance(value, ast.Name) and self.job.bound[value.id] == 1:
            module = self.job.module_names.get(value.id)
            if module is not None:
                reason = self.job.imports.attribute_refusal(
                    ".".join([module, *reversed(path[1:])]), node.attr
                )
                if reason is not None:
                    self.refuse(node, reason)

    def _method_of(self, value: ast.AST) -> _Method | None:
        return self._methods.get(value.id) if isinstance(value, ast.Name) else None

    @staticmethod
    def _note_use(method: _Method, private: str | None, load: bool) -> None:
        if not load:
            method.stores = True
        if private is not None:
            method.private.add(private)
            method.reads_private |= load
        elif load:  # __class__
            method.calls_special = True

    def _guarded_read(self, node: ast.Attribute, private: str | None) -> ast.AST:
        base = self.visit(node.value)
        if private is None:
            return _placed(_call("_getattr_", base, ast.Constant(node.attr)), node)
        known = self.job.known_types.name(False, (private,))
        slow = _call("_getattr_", base, ast.Constant(private), _load(known))
        return _placed(_if_known(base.id, known, node, slow) if isinstance(base, ast.Name) else slow, node)

    def _guarded_write(self, node: ast.Attribute, private: str | None) -> ast.AST:
        names = () if private is None else (private,)
        known = self.job.known_types.name(True, names)
        base = node.value
        if isinstance(base, ast.Name):
            self.visit(base)
            slow = _call("_own_", base, _strings(names), _load(known))
            node.value = _if_known(base.id, known, base, slow)
        elif private is None:
            node.value = _call("_write_", self.visit(base))
        else:
            node.value = _call("_own_", self.visit(base), _strings(names), _load(known))
        _placed(node.value, base)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = node.target
        if isinstance(target, ast.Attribute):
            if target.attr in GUARDED:
                # It would read the attribute unguarded and hand it to the other operand.
                self.refuse(node, f'".{target.attr}" cannot be changed in place; assign a new value instead')
            method = self._method_of(target.value)
            if method is not None and is_private(target.attr):
                method.reads_private = True
        return self.node_contents_visit(node)

    # --- plain expressions and statements ------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return node

    def _as_it_is(self, node: ast.AST) -> ast.AST:
        return self.node_contents_visit(node)

    visit_Subscript = _as_it_is
    visit_AnnAssign = _as_it_is
    visit_For = _as_it_is
    visit_Match = _as_it_is
    visit_match_case = _as_it_is
    visit_MatchSingleton = _as_it_is
    visit_MatchSequence = _as_it_is
    visit_MatchOr = _as_it_is

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if node.is_async:
            self.refuse(node.target, "async is not available to bots; write an ordinary loop")
        return self.node_contents_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        special = [target for target in node.targets if _is_special_name(target)]
        if not (self._in_class_body and special):
            return self.node_contents_visit(node)
        # `__hash__ = None`, `__radd__ = __add__`: an operator of the class, spelled as an assignment. The
        # name of a special method may be read only to give the same function to other special methods:
        # under an ordinary name a bot could call it with an object that is not an instance of its class.
        if len(special) < len(node.targets):
            self.refuse(
                node, "special methods and ordinary names cannot be assigned together; write two lines"
            )
        if not _is_special_name(node.value):
            node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr == "__setattr__" and _is_name(function.value, "object"):
                # How frozen dataclasses set a computed field.
                node.func = _placed(_load("_setattr_"), function)
            elif function.attr in SPECIAL_METHODS and self._special_call(node, function):
                pass
            else:
                node.func = self.visit(function)
        else:
            node.func = self.visit(function)
        node.args = self._each(node.args)
        node.keywords = self._each(node.keywords)
        return node

    def _special_call(self, node: ast.Call, function: ast.Attribute) -> bool:
        """Allow ``super().__x__()``, ``self.__x__()``, ``Base.__x__(self)`` and their like; return whether."""
        owner = function.value
        first = node.args[0] if node.args else None
        if isinstance(owner, ast.Call) and _is_name(owner.func, "super") and not owner.keywords:
            if not owner.args:
                return True
            if len(owner.args) == 2 and isinstance(owner.args[0], ast.Name):
                method = self._method_of(owner.args[1])
                if method is not None:
                    method.calls_special = True
                    self.visit(owner.args[0])
                    return True
                return function.attr == "__new__" and self._is_new_parameter(owner.args[1])
            return False
        method = self._method_of(owner)
        if method is not None:
            method.calls_special = True
            return function.attr != "__new__"
        if function.attr == "__new__":
            if not self._is_new_parameter(first):
                return False
        else:
            method = self._method_of(first) if first is not None else None
            if method is None:
                return False
            method.calls_special = True
        function.value = _placed(_call("_base_", self.visit(owner)), owner)
        return True

    def _is_new_parameter(self, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Name) and node.id == self._new_parameter

    # --- imports -------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> ast.AST:
        self._refuse_lazy(node)
        for alias in node.names:
            reason = self.job.imports.refusal(alias.name, 0)
            if reason is not None:
                self.refuse(node, reason)
            self.check_binding(node, alias.asname or alias.name.partition(".")[0])
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        self._refuse_lazy(node)
        module = node.module or ""
        reason = self.job.imports.refusal(module, node.level)
        if reason is not None:
            self.refuse(node, reason)
            return node
        for alias in node.names:
            if alias.name != "*":
                self.check_binding(alias, alias.asname or alias.name)
                if is_guard(alias.name) or (is_dunder(alias.name) and alias.name not in ASSIGNABLE):
                    self.refuse(alias, f'"{alias.name}" cannot be imported')
                    continue
                reason = self.job.imports.name_refusal(module, node.level, alias.name)
                if reason is not None:
                    self.refuse(alias, reason)
        return node

    def _refuse_lazy(self, node: ast.Import | ast.ImportFrom) -> None:
        if getattr(node, "is_lazy", 0):
            self.refuse(node, "lazy imports are not available to bots; write an ordinary import")

    # --- functions and classes -----------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node, directly_in_class=False)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        in_class_body, self._in_class_body = self._in_class_body, False
        self.node_contents_visit(node)
        self._in_class_body = in_class_body
        return node

    def _function(self, node: ast.FunctionDef, *, directly_in_class: bool) -> ast.AST:
        self._refuse_type_parameters(node)
        if self._in_class_body and is_dunder(node.name):
            if node.name not in SPECIAL_METHODS:
                self.refuse(node, _about_method(node.name))
        else:
            self.check_binding(node, node.name)
        # Decorators, defaults and annotations belong to the scope around the function.
        node.decorator_list = self._each(node.decorator_list)
        node.args = self.visit(node.args)
        if node.returns is not None:
            node.returns = self.visit(node.returns)

        outer = self._in_class_body, self._methods, self._new_parameter
        self._in_class_body = False
        parameter = _first_parameter(node) if directly_in_class else None
        method = None
        if parameter is not None and parameter not in bound_names(node.body):
            if node.name == "__new__":
                self._new_parameter = parameter
            elif not any(_is_name(mark, "staticmethod", "classmethod") for mark in node.decorator_list):
                method = _Method()
                self._methods = {**self._methods, parameter: method}
        node.body = self._each(node.body)
        self._in_class_body, self._methods, self._new_parameter = outer

        if method is not None and parameter is not None:
            self._insert_check(node, parameter, method)
        if directly_in_class and node.name == "__exit__":
            # Library code may swallow what this method swallows, where no check follows.
            _insert_first(node, [_still_in_time(node)])
        return node

    def _insert_check(self, node: ast.FunctionDef, parameter: str, method: _Method) -> None:
        """Insert the test that ``parameter`` is an object of the bot, where the body relies on it.

        Undecorated special methods are called by the interpreter alone, with an instance of the class, so
        they may store unchecked. They are checked when they *read* private names: a subclass may have a
        second, foreign base that those names belong to.
        """
        if node.name in SPECIAL_METHODS and not node.decorator_list:
            if not method.reads_private:
                return
        elif not (method.stores or method.private or method.calls_special):
            return
        write = method.stores or not method.private
        known = self.job.known_types.name(write, method.private)
        names = _strings(tuple(sorted(method.private)))
        guard = "_own_" if write else "_reads_"
        check = ast.If(
            test=ast.Compare(
                left=_call("_type_", _load(parameter)), ops=[ast.NotIn()], comparators=[_load(known)]
            ),
            body=[ast.Expr(_call(guard, _load(parameter), names, _load(known)))],
            orelse=[],
        )
        _insert_first(node, [check])

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.check_binding(node, node.name)
        self._refuse_type_parameters(node)
        node.decorator_list = self._each(node.decorator_list)
        node.bases = self._each(node.bases)
        for keyword in node.keywords:
            if keyword.arg == "metaclass" and _names_abcmeta(keyword.value):
                node.bases.append(_placed(_load("_abc_"), keyword.value))
            else:
                self.refuse(node, _about_class_keyword(keyword))
        node.keywords = []
        outer = self._class_name, self._in_class_body, self._new_parameter
        self._class_name, self._in_class_body, self._new_parameter = node.name, True, None
        body: list[ast.AST] = []
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                body.append(self._function(statement, directly_in_class=True))
            else:
                body.extend(self._each([statement]))
        node.body = body
        self._class_name, self._in_class_body, self._new_parameter = outer
        return node

    def _refuse_type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):
            self.refuse(node, "type parameters in brackets are not available to bots; use typing.TypeVar")

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        self.refuse(node, "`type X = ...` is not available to bots; write X = ...")
        return node

    # --- async ---------------------------------------------------------------------------------------

    def _refuse_async(self, node: ast.AST) -> ast.AST:
        self.refuse(node, "async and await are not available to bots; write ordinary functions")
        return node

    visit_AsyncFunctionDef = _refuse_async
    visit_AsyncFor = _refuse_async
    visit_AsyncWith = _refuse_async
    visit_Await = _refuse_async

    # --- exceptions: nothing may swallow the interrupt at the deadline -----------------------------------

    def visit_Try(self, node: ast.Try) -> ast.AST:
        self.node_contents_visit(node)
        if node.finalbody:
            node.finalbody.insert(0, _still_in_time(node.finalbody[0]))
        return node

    def visit_TryStar(self, node: ast.AST) -> ast.AST:
        self.refuse(node, "`except*` is not available to bots; write `except`")
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.check_binding(node, node.name)
        catches_all = not (
            isinstance(node.type, ast.Name)
            and node.type.id in _PLAIN_EXCEPTIONS
            and not self.job.binds(node.type.id)
        )
        self.node_contents_visit(node)
        if catches_all:
            node.body.insert(0, _still_in_time(node.body[0]))
        return node

    def visit_With(self, node: ast.With) -> list[ast.AST]:
        self.node_contents_visit(node)
        return [node, _still_in_time(node)]

    # --- match ---------------------------------------------------------------------------------------

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        if isinstance(node.value, ast.Attribute):
            self._pattern_path(node.value)
        else:
            node.value = self.visit(node.value)
        return node

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.AST:
        self.check_binding(node, node.name)
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        self.check_binding(node, node.name)
        return self.node_contents_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        self.check_binding(node, node.rest)
        for key in node.keys:
            if isinstance(key, ast.Attribute):
                self._pattern_path(key)
            else:
                self.visit(key)
        node.patterns = self._each(node.patterns)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        self._pattern_path(node.cls)
        for name in node.kwd_attrs:
            self._pattern_attribute(node, name)
        if node.patterns and not (
            len(node.patterns) == 1
            and isinstance(node.cls, ast.Name)
            and node.cls.id in ONE_SUBPATTERN
            and not self.job.binds(node.cls.id)
        ):
            self.refuse(
                node,
                "patterns by position are not available in class patterns; write the attribute's name: "
                "`case Point(x=a, y=b)`",
            )
        node.patterns = self._each(node.patterns)
        node.kwd_patterns = self._each(node.kwd_patterns)
        return node

    def _pattern_path(self, node: ast.AST) -> None:
        """Check ``a.b.c`` inside a pattern, where no guard can be inserted."""
        while isinstance(node, ast.Attribute):
            self._pattern_attribute(node, node.attr)
            node = node.value
        self.visit(node)

    def _pattern_attribute(self, node: ast.AST, name: str) -> None:
        if not self._allowed_attribute(node, name, load=True):
            return
        if name in GUARDED or is_private(name) or is_dunder(name):
            self.refuse(node, f'".{name}" cannot be used in a pattern; read it into a variable first')


# --- pieces of syntax tree ------------------------------------------------------------------------------


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _strings(names: tuple[str, ...]) -> ast.Constant:
    return ast.Constant(names)


def _call(name: str, *arguments: ast.AST) -> ast.Call:
    return ast.Call(func=_load(name), args=list(arguments), keywords=[])


def _if_known(name: str, known: str, fast: ast.expr, slow: ast.expr) -> ast.IfExp:
    """Return ``fast if _type_(name) in known else slow``.

    Reading a variable twice is safe: between the reads runs no code that a bot could have written.
    """
    test = ast.Compare(left=_call("_type_", _load(name)), ops=[ast.In()], comparators=[_load(known)])
    return ast.IfExp(test=test, body=fast, orelse=slow)


def _placed(new: ast.AST, old: ast.AST) -> ast.AST:
    copy_locations(new, old)
    return new


def _still_in_time(near: ast.AST) -> ast.AST:
    return _placed(ast.Expr(_call("_still_")), near)


def _insert_first(node: ast.FunctionDef, statements: list[ast.stmt]) -> None:
    """Insert ``statements`` at the start of the body, behind the docstring."""
    position = 1 if ast.get_docstring(node, clean=False) is not None else 0
    for statement in statements:
        _placed(statement, node.body[min(position, len(node.body) - 1)])
    node.body[position:position] = statements


def _is_name(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_special_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in SPECIAL_METHODS and node.id != "__new__"


def _names_abcmeta(node: ast.AST) -> bool:
    return _is_name(node, "ABCMeta") or (isinstance(node, ast.Attribute) and node.attr == "ABCMeta")


def _first_parameter(node: ast.FunctionDef) -> str | None:
    positional = node.args.posonlyargs + node.args.args
    return positional[0].arg if positional else None


# --- words ----------------------------------------------------------------------------------------------

_DUNDER_ADVICE = {
    "__dict__": "keep a dict in an attribute of your own",
    "__subclasses__": "keep a list of your classes",
    "__traceback__": "the exception itself says what happened",
    "__call__": "call the object itself: x(...)",
    "__len__": "write len(x)",
    "__getitem__": "write x[key]",
    "__setitem__": "write x[key] = value",
    "__contains__": "write `key in x`",
    "__iter__": "write iter(x) or a for loop",
    "__next__": "write next(x)",
    "__str__": "write str(x)",
    "__repr__": "write repr(x)",
    "__hash__": "write hash(x)",
    "__eq__": "write x == y",
    "__lt__": "write x < y",
    "__init__": "create a new object, or write super().__init__(...) in a method",
    "__setattr__": "write setattr(x, name, value)",
    "__getattribute__": "write getattr(x, name)",
    "__getattr__": "write getattr(x, name)",
    "__delattr__": "write delattr(x, name)",
}


def _about_dunder(name: str, load: bool) -> str:
    advice = _DUNDER_ADVICE.get(name)
    if not load:
        return f'".{name}" may not be changed: names with two underscores on both sides belong to Python'
    reason = f'".{name}" is not available to bots: it leads into Python itself'
    return f"{reason}; {advice}" if advice else reason


_METHOD_ADVICE = {
    "__getattr__": "use a property or a dict",
    "__getattribute__": "use a property or a dict",
    "__setattr__": "use a property",
    "__delattr__": "use a property",
    "__del__": "use a method that you call yourself",
    "__init_subclass__": "use a class decorator",
    "__set_name__": "use a property",
    "__get__": "use a property",
    "__set__": "use a property",
    "__class_getitem__": "use typing.Generic",
}


def _about_method(name: str) -> str:
    advice = _METHOD_ADVICE.get(name)
    reason = f'a class may not define "{name}": it would change how Python itself works'
    return f"{reason}; {advice}" if advice else reason


def _about_class_keyword(keyword: ast.keyword) -> str:
    if keyword.arg is None:
        return "`**` is not available in the head of a class; write the bases out"
    if keyword.arg == "metaclass":
        return "metaclasses are not available to bots (except metaclass=ABCMeta); use a base class or a class decorator"
    return f'"{keyword.arg}=" is not available in the head of a class; set a class attribute instead'
