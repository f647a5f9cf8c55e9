"""The language policy: decides from the syntax tree what a bot may write, and inserts the few guards.

Names are checked here, statically; code is inserted only where the tree cannot decide, because a guard on every
read makes ordinary bots six to ten times slower. What is inserted are uses of the reserved names of
:data:`.names.GUARDS`, which no bot can write or bind; ``docs/language-layer.md`` has a table of them.
Source: the sandbox specification, sections 3, 4 and 9.
"""

# ruff: noqa: N802 - visitors are named after the classes of ast
from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeVar

from RestrictedPython.transformer import RestrictingNodeTransformer

from botleague_sandbox.language.compilation import policy_messages, policy_names
from botleague_sandbox.language.compilation.class_patterns import positional_names, written_names
from botleague_sandbox.language.compilation.linking import Linker
from botleague_sandbox.language.compilation.policy_names import is_dunder, may_read, may_store
from botleague_sandbox.language.compilation.syntax_pieces import (
    LEAVES,
    assigned,
    call,
    descendants,
    is_name,
    names_bound_by,
    placed,
)
from botleague_sandbox.wire.program import FindingKind

Node = TypeVar("Node", bound=ast.AST)


@dataclass
class Job:
    """One module to check.

    Attributes:
        report: where findings go.
        linker, name: what the module may import, and its own dotted name there.
        bound: how often the module binds each name, anywhere.
        libraries: how many of these bindings are imports from a library.
        modules: the variables that an import statement binds to a module, with that module's name.
    """

    report: policy_messages.Report
    tree: ast.Module
    linker: Linker
    name: str
    bound: Counter[str] = field(init=False, default_factory=Counter)
    libraries: Counter[str] = field(init=False, default_factory=Counter)
    modules: dict[str, str] = field(init=False, default_factory=dict)

    @functools.cached_property
    def positional_names(self) -> Mapping[str, Sequence[str]]:
        """Attributes that positional patterns of the module's own classes read."""
        return positional_names(self.tree)

    def __post_init__(self) -> None:
        for node in descendants(self.tree):
            self.bound.update(names_bound_by(node))
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self.modules[alias.asname or top] = module = alias.name if alias.asname else top
                    self.libraries[alias.asname or top] += self.library(module) is not None
            elif isinstance(node, ast.ImportFrom) and (
                library := self.library(node.module or "", node.level)
            ):
                taken = [alias.asname or alias.name for alias in node.names]
                if taken == ["*"]:
                    taken = vars(library)["__all__"]
                    self.bound.update(taken)
                    self.bound["*"] -= 1
                self.libraries.update(taken)

    def library(self, module: str, level: int = 0) -> ModuleType | None:
        """Return the facade that an import reaches; None for a module of the submission, or none at all."""
        return self.linker.library(self.name, module, level)

    def is_library(self, name: str) -> bool:
        """Return whether a variable is always what some library offers."""
        return 0 < self.bound[name] == self.libraries[name]

    def binds(self, name: str) -> bool:
        """Return whether the module may bind ``name`` itself; a star import of a submitted file binds anything."""
        return self.bound["*"] > 0 or name in self.bound


class Policy(RestrictingNodeTransformer):
    """Visits every node of one module and reports what is not allowed.

    Nodes without a ``visit_`` method stay refused (by the base class): syntax of new Python versions waits
    for a review.
    """

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self._lenient = job.linker.program.imports == "lenient"
        self._class_body = False  # directly in the body of a class
        self._in_try = False  # in a `try` that has handlers
        self._visitors: dict[type[ast.AST], Callable[[ast.AST], object]] = {}

    # --- the walk ------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        """Dispatch with a table: the walk is most of what loading a bot costs."""
        kind = type(node)
        visitor = self._visitors.get(kind)
        if visitor is None:
            visitor = self._visitors[kind] = getattr(self, "visit_" + kind.__name__, self.generic_visit)
        return visitor(node)

    def node_contents_visit(self, node: Node) -> Node:
        """Visit the children, except operators and contexts, about which there is nothing to decide."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                setattr(node, name, self._each(value))
            elif isinstance(value, ast.AST) and not isinstance(value, LEAVES):
                setattr(node, name, self.visit(value))
        return node

    def _each(self, nodes: Sequence[object]) -> list[Any]:
        """Visit ``nodes`` and return what takes their place."""
        visited: list[object] = []
        for node in nodes:
            result = self.visit(node) if isinstance(node, ast.AST) and not isinstance(node, LEAVES) else node
            visited += result if isinstance(result, list) else [result]
        return visited

    @contextmanager
    def _inside(self, *, class_body: bool = False, in_try: bool = False) -> Iterator[None]:
        outer = self._class_body, self._in_try
        self._class_body, self._in_try = class_body, in_try
        yield
        self._class_body, self._in_try = outer

    def refuse(self, node: ast.AST, message: str, kind: FindingKind = "language") -> None:
        """Record a finding.

        Raises:
            Enough: no further one would be reported.
        """
        self.job.report.add(node, message, kind)
        if len(self.job.report.findings) >= policy_messages.MAX_FINDINGS:
            raise policy_messages.Enough

    def error(self, node: ast.AST, info: str) -> None:
        """Take what a method of the base class objects to."""
        self.refuse(node, info)

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse syntax that has not been reviewed."""
        self.refuse(node, f"this syntax ({type(node).__name__}) is not available to bots")

    # --- variables -----------------------------------------------------------------------------------

    def _check_binding(self, node: ast.AST, name: str | None) -> None:
        """Refuse to bind a name of the policy or of Python."""
        if name is not None and (
            name in policy_names.GUARDS or (is_dunder(name) and name not in policy_names.ASSIGNABLE)
        ):
            message = policy_messages.about_variable(name, stores=True, guard=name in policy_names.GUARDS)
            self.refuse(node, message, "name")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        loads = isinstance(node.ctx, ast.Load)
        if self._is_special_of_class(name):
            return node  # `__hash__ = None`, `__radd__ = __add__`
        if not loads:
            self._check_binding(node, name)
        elif name in policy_names.REFUSED_BUILTINS and not self.job.binds(name):
            if not (self._lenient and name in policy_names.LENIENT_BUILTINS):
                message = f'"{name}" is not available to bots: {policy_names.REFUSED_BUILTINS[name]}'
                self.refuse(node, message, "name")
        elif name in policy_names.GUARDS or (
            is_dunder(name) and name not in policy_names.READABLE and name not in policy_names.ASSIGNABLE
        ):
            message = policy_messages.about_variable(name, stores=False, guard=name in policy_names.GUARDS)
            self.refuse(node, message, "name")
        return node

    def _is_special_of_class(self, name: str) -> bool:
        """Return whether this is directly in the body of a class, which may take a special method from elsewhere."""
        return self._class_body and name in policy_names.SPECIAL_METHODS and name != policy_names.EXIT

    def _names(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self._check_binding(node, name)
        return node

    visit_Global = visit_Nonlocal = _names  # noqa: N815

    # --- attributes ----------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        stores = not isinstance(node.ctx, ast.Load)
        if not stores and self._is_special_of_class(node.attr):
            pass  # `__hash__ = Base.__hash__`, which a class needs that defines `__eq__`
        elif self._allows_attribute(node, node.attr, stores):
            if stores:
                self._check_store(node)
            else:
                self._check_offered(node)
        node.value = self.visit(node.value)
        if not stores and node.attr in policy_names.GUARDED:
            return placed(call("_getattr_", node.value, ast.Constant(node.attr)), node)
        return node  # the common case: a plain read stays a plain read

    def _allows_attribute(self, node: ast.AST, name: str, stores: bool) -> bool:
        """Return whether any object may have its attribute ``name`` read or stored; report if not."""
        if may_store(name) if stores else may_read(name):
            return True
        if name in policy_names.GUARDS:
            message = policy_messages.about_variable(name, stores=stores, guard=True)
        else:
            exception, dunder = name in policy_names.EXCEPTIONS, is_dunder(name)
            message = policy_messages.about_attribute(name, stores=stores, dunder=dunder, exception=exception)
        self.refuse(node, message, "name")
        return False

    def _check_store(self, node: ast.Attribute) -> None:
        owner = node.value
        if self._facade(owner) or (isinstance(owner, ast.Name) and self.job.is_library(owner.id)):
            self.refuse(node, policy_messages.about_library(ast.unparse(owner)), "name")

    def _check_offered(self, node: ast.Attribute) -> None:
        """Say at once that a module's function is not offered, if the expression surely is that module."""
        facade = self._facade(node.value)
        if facade is None or self._lenient or node.attr in vars(facade):
            return
        if node.attr in vars(facade).get("__withheld__", ()):
            message = policy_messages.about_name_of(facade.__name__, node.attr, vars(facade))
            self.refuse(node, message, "import")

    def _facade(self, node: ast.expr) -> ModuleType | None:
        """Return the facade that an expression like ``np.random`` surely is."""
        if isinstance(node, ast.Attribute):
            outer = self._facade(node.value)
            inner = vars(outer).get(node.attr) if outer is not None else None
            return inner if isinstance(inner, ModuleType) else None
        if isinstance(node, ast.Name) and self.job.is_library(node.id) and node.id in self.job.modules:
            return self.job.library(self.job.modules[node.id])
        return None

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        names = written_names(node) if self._class_body else None
        if names is None:
            return self.node_contents_visit(node)
        for name in names:
            self._pattern_attribute(node, name)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.target, ast.Attribute) and node.target.attr in policy_names.GUARDED:
            # It would read the attribute unguarded and hand it to the other operand.
            message = f'".{node.target.attr}" cannot be changed in place; assign a new value instead'
            self.refuse(node, message, "name")
        return self.node_contents_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in policy_names.SPECIAL_METHODS:
            function.value = self.visit(function.value)
        elif (
            isinstance(function, ast.Attribute)
            and function.attr == "__setattr__"
            and is_name(function.value, "object")
        ):
            # How a frozen dataclass sets a computed field.
            node.func = placed(ast.Name("_setattr_", ast.Load()), function)
        else:
            node.func = self.visit(function)
        node.args = self._each(node.args)
        node.keywords = self._each(node.keywords)
        return node

    # --- functions and classes -----------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._refuse_type_parameters(node)
        special = self._class_body and is_dunder(node.name)
        if special and self._lenient and node.name == policy_names.FINALIZER:
            # Removed: an interrupt that hits a finalizer is printed and lost, and the turn would continue.
            return placed(ast.Pass(), node)
        if not special:
            self._check_binding(node, node.name)
        elif node.name not in policy_names.SPECIAL_METHODS:
            self.refuse(node, policy_messages.about_method(node.name), "name")
        elif node.name == policy_names.EXIT and node.decorator_list:
            self.refuse(node, policy_messages.EXIT_BY_DEF)
        # Decorators, defaults and annotations belong to the scope around the function.
        node.decorator_list = self._each(node.decorator_list)
        self.visit(node.args)
        if node.returns is not None:
            node.returns = self.visit(node.returns)
        with self._inside():
            node.body = self._each(node.body)
        if special and node.name == policy_names.EXIT:
            # What it raises takes the place of the interrupt, and an ordinary handler could catch that.
            position = 1 if ast.get_docstring(node, clean=False) is not None else 0
            node.body.insert(position, _still_in_time(node.body[0]))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.visit(node.args)
        with self._inside():
            node.body = self.visit(node.body)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self._check_binding(node, node.arg)
        return self.node_contents_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if node.is_async:
            self.refuse(node.target, policy_messages.ASYNC)
        return self.node_contents_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._check_binding(node, node.name)
        self._refuse_type_parameters(node)
        node.decorator_list = self._each(node.decorator_list)
        node.bases = self._each(node.bases)
        for keyword in node.keywords:
            value = keyword.value
            if keyword.arg == "metaclass" and (
                is_name(value, "ABCMeta") or (isinstance(value, ast.Attribute) and value.attr == "ABCMeta")
            ):
                if not any(is_name(base, "ABC") for base in node.bases):
                    node.bases.append(placed(ast.Name("_abc_", ast.Load()), value))
            else:
                self.refuse(value, policy_messages.about_class_keyword(keyword))
        node.keywords = []
        with self._inside(class_body=True):
            node.body = self._each(node.body)
        return node

    def _refuse_type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):
            self.refuse(node, "type parameters in brackets are not available to bots; use typing.TypeVar")

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        self.refuse(node, "`type X = ...` is not available to bots; write X = ...")
        return node

    def _async(self, node: ast.AST) -> ast.AST:
        self.refuse(node, policy_messages.ASYNC)
        return node

    visit_AsyncFunctionDef = visit_AsyncFor = visit_AsyncWith = visit_Await = _async  # noqa: N815

    # --- imports: what is not available is refused, or with lenient imports replaced by a stand-in ------

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        self._refuse_lazy(node)
        aliases: list[ast.alias] = []
        missing: list[ast.stmt] = []
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._check_binding(alias, name)
            if self._keeps(alias, self._why_not(alias.name, 0)):
                aliases.append(alias)
            else:
                missing.append(_stand_in(alias.name, name, node))
        node.names = aliases
        return [*([node] if aliases else ()), *missing]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        self._refuse_lazy(node)
        module = node.module or ""
        reason = self._why_not(module, node.level)
        if node.names[0].name == "*" or (reason is not None and not self._lenient):
            return node if self._keeps(node, reason) else placed(ast.Pass(), node)
        library = self.job.library(module, node.level)
        aliases: list[ast.alias] = []
        missing: list[ast.stmt] = []
        for alias in node.names:
            self._check_binding(alias, alias.asname or alias.name)
            why_not = reason
            if alias.name in policy_names.GUARDS or (
                is_dunder(alias.name) and alias.name not in policy_names.ASSIGNABLE
            ):
                self.refuse(alias, f'"{alias.name}" cannot be imported', "import")
            elif library is not None and alias.name not in vars(library):
                why_not = policy_messages.about_name_of(module, alias.name, vars(library))
            if self._keeps(alias, why_not):
                aliases.append(alias)
            else:
                missing.append(_stand_in(f"{module}.{alias.name}", alias.asname or alias.name, node))
        node.names = aliases
        return [*([node] if aliases else ()), *missing]

    def _why_not(self, module: str, level: int) -> str | None:
        """Return why ``module`` cannot be imported, or None."""
        if self.job.linker.resolve(self.job.name, module, level) is not None:
            return None
        if level:
            return f'there is no file for "{"." * level}{module}" in this submission'
        return policy_messages.about_import(module, self.job.linker.importable())

    def _keeps(self, node: ast.AST, reason: str | None) -> bool:
        """Return whether an import stays as it is: in a ``try`` the one that fails must raise at once."""
        if reason is not None and not self._lenient:
            self.refuse(node, reason, "import")
        return reason is None or not self._lenient or self._in_try

    def _refuse_lazy(self, node: ast.Import | ast.ImportFrom) -> None:
        if getattr(node, "is_lazy", 0):
            self.refuse(node, "lazy imports are not available to bots; write an ordinary import")

    def visit_If(self, node: ast.If) -> ast.AST:
        if "TYPE_CHECKING" in (getattr(node.test, "id", None), getattr(node.test, "attr", None)):
            # Never executed; what is imported there for type checkers need not exist here.
            node.body = [placed(ast.Pass(), node)]
        return self.node_contents_visit(node)

    # --- exceptions: nothing may keep the interrupt at the deadline ------------------------------------

    def visit_Try(self, node: ast.Try) -> ast.AST:
        with self._inside(class_body=self._class_body, in_try=self._in_try or bool(node.handlers)):
            node.body = self._each(node.body)
        node.handlers = self._each(node.handlers)
        node.orelse = self._each(node.orelse)
        node.finalbody = self._each(node.finalbody)
        if node.finalbody:
            node.finalbody.insert(0, _still_in_time(node.finalbody[0]))
        return node

    def visit_TryStar(self, node: ast.AST) -> ast.AST:
        self.refuse(
            node,
            "`except*` is not available to bots: in some Pythons it confuses types (CVE-2025-22153), which "
            "gets around all other checks; write `except`",
        )
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self._check_binding(node, node.name)
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        harmless = all(
            isinstance(one, ast.Name)
            and one.id in policy_names.PLAIN_EXCEPTIONS
            and not self.job.binds(one.id)
            for one in caught
        )
        self.node_contents_visit(node)
        if node.type is None:
            node.body.insert(0, _still_in_time(node.body[0]))
        elif not harmless:
            # Before the expression, not in the body: what it raises would take the place of the interrupt.
            node.type = placed(ast.BoolOp(ast.Or(), [call("_still_"), node.type]), node.type)
        return node

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        self.node_contents_visit(node)
        return [node, _still_in_time(node)]

    # --- match: patterns read attributes, and nothing can be inserted into them --------------------------

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        self._pattern_value(node.value)
        return node

    def _capture(self, node: ast.MatchStar | ast.MatchAs) -> ast.AST:
        self._check_binding(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchAs = _capture  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        self._check_binding(node, node.rest)
        for key in node.keys:
            self._pattern_value(key)
        node.patterns = self._each(node.patterns)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        self._pattern_value(node.cls)
        if node.patterns:
            self._name_positions(node)
        for name in node.kwd_attrs:
            self._pattern_attribute(node, name)
        takes_one = (
            len(node.patterns) == 1
            and is_name(node.cls, *policy_names.ONE_SUBPATTERN)
            and not self.job.binds(node.cls.id)  # type: ignore[attr-defined]  # a Name
        )
        if node.patterns and not takes_one:
            self.refuse(
                node,
                "a pattern by position reads attributes that the source does not show, so they cannot be checked: only "
                "classes of this file with plain fields or a literal `__match_args__` allow it; write the names: "
                "`case Point(x=a, y=b)`",
            )
        node.patterns = self._each(node.patterns)
        node.kwd_patterns = self._each(node.kwd_patterns)
        return node

    def _name_positions(self, node: ast.MatchClass) -> None:
        """Turn patterns by position into patterns by name, for a class whose names the module's source shows."""
        if not isinstance(node.cls, ast.Name) or self.job.bound[node.cls.id] != 1 or self.job.bound["*"]:
            return
        names = self.job.positional_names.get(node.cls.id, ())
        if len(node.patterns) <= len(names):
            node.kwd_attrs = [*names[: len(node.patterns)], *node.kwd_attrs]
            node.kwd_patterns = [*node.patterns, *node.kwd_patterns]
            node.patterns = []

    def _pattern_value(self, node: ast.AST) -> None:
        while isinstance(node, ast.Attribute):
            self._pattern_attribute(node, node.attr)
            node = node.value
        self.visit(node)

    def _pattern_attribute(self, node: ast.AST, name: str) -> None:
        if self._allows_attribute(node, name, stores=False) and name in policy_names.GUARDED:
            message = f'".{name}" cannot be used in a pattern; read it into a variable first'
            self.refuse(node, message, "name")


def _still_in_time(near: ast.AST) -> ast.stmt:
    """Return the statement that raises again once the turn was interrupted."""
    return placed(ast.Expr(call("_still_")), near)


def _stand_in(module: str, name: str, near: ast.AST) -> ast.stmt:
    return placed(assigned(name, call("_absent_", ast.Constant(module))), near)


_NOTHING = "Module Constant Subscript For AnnAssign Match match_case MatchSingleton MatchSequence MatchOr"
for _kind in _NOTHING.split():  # to decide; the base class transforms or refuses them
    setattr(Policy, f"visit_{_kind}", Policy.node_contents_visit)
