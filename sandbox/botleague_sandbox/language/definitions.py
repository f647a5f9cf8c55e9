"""The policy on functions and classes, and the check that lets methods store on ``self`` freely.

Leaving the guard out for everything called ``self`` would be a hole: ``C.method(some_library_object)`` runs
the bot's unguarded store on a foreign object. So a method whose body relies on its first parameter starts
with one cheap test of that parameter, and relies on it only if the name is never bound again.
"""

# ruff: noqa: N802, N815 - visitors are named after the classes of ast
from __future__ import annotations

import ast
from collections import Counter
from typing import Any

from botleague_sandbox.language.attributes import AttributePolicy
from botleague_sandbox.language.binding import bound_names, descendants, local_names, stored_on
from botleague_sandbox.language.job import Method
from botleague_sandbox.language.names import SPECIAL_METHODS, is_dunder
from botleague_sandbox.language.syntax import (
    call,
    first_parameter,
    insert_first,
    is_name,
    load,
    placed,
    still_in_time,
    unless_known,
)
from botleague_sandbox.language.wording import ASYNC, about_class_keyword, about_method

__all__ = ["DefinitionPolicy"]


class DefinitionPolicy(AttributePolicy):
    """Checks definitions and inserts the test of a method's first parameter."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node, of_class=None)

    def _function(self, node: ast.FunctionDef, of_class: ast.ClassDef | None) -> ast.FunctionDef:
        self._refuse_type_parameters(node)
        special = self.scope.class_body and is_dunder(node.name)
        if not special:
            self.check_binding(node, node.name)
        elif node.name not in SPECIAL_METHODS:
            self.refuse(node, about_method(node.name))
        # Decorators, defaults and annotations belong to the scope around the function.
        node.decorator_list = self.each(node.decorator_list)
        self.visit(node.args)
        node.returns = self._annotation(node.returns)

        parameter, method = self._checked_parameter(node) if of_class else (None, None)
        changes: dict[str, Any] = {
            "class_body": False,
            "may_name": True,
            "tracked": _worth_tracking(node),
        }
        if parameter is not None and method is not None:
            changes["methods"] = {**self.scope.methods, parameter: method}
        elif parameter is not None and node.name == "__new__":
            changes["new_parameter"] = parameter
        with self.inside(**changes):
            node.body = self.each(node.body)

        if parameter is not None and method is not None and of_class is not None:
            self._insert_check(node, of_class, parameter, method)
        if of_class is not None and node.name == "__exit__":
            # Library code may swallow what this method swallows, where no check follows.
            insert_first(node, still_in_time(node))
        if special and node.name == "__new__":
            node.decorator_list.insert(0, placed(load("_makes_"), node))
        elif special and node.name == "__deepcopy__":
            self._hide_memo(node)
        return node

    def _hide_memo(self, node: ast.FunctionDef) -> None:
        """Have ``__deepcopy__`` work with a stand-in for the memo, which holds what others' objects are made of."""
        arguments = node.args
        positional = arguments.posonlyargs + arguments.args
        if node.decorator_list or len(positional) != 2 or arguments.vararg or arguments.kwarg:
            self.refuse(node, 'write it as "def __deepcopy__(self, memo):", without a decorator')
            return
        owner, memo = (one.arg for one in positional)
        stand_in = call("_memo_", load(memo), load(owner))
        insert_first(node, ast.Assign([ast.Name(memo, ast.Store())], stand_in))

    def _checked_parameter(self, node: ast.FunctionDef) -> tuple[str | None, Method | None]:
        """Return the first parameter if it is never bound again, and a record of its use if it is an object."""
        parameter = first_parameter(node)
        if parameter is None or parameter in bound_names(node.body):
            return None, None
        on_class = any(is_name(mark, "staticmethod", "classmethod") for mark in node.decorator_list)
        return parameter, None if on_class or node.name == "__new__" else Method()

    def _insert_check(
        self, node: ast.FunctionDef, of_class: ast.ClassDef, parameter: str, method: Method
    ) -> None:
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
        writes = method.stores or not method.private
        # The class around the method is the bot's, and without bases all private names in it are, too. It
        # does not exist yet while its body runs, where a function may be called by its bare name.
        try_class = node.name not in self.job.read and not (method.private and of_class.bases)
        known = self.job.known_types.name(writes, method.private)
        names = tuple(sorted(method.private))
        guard = "_own_" if writes else "_reads_"
        insert_first(node, unless_known(parameter, known, guard, names, try_class=try_class))

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.visit(node.args)
        with self.inside(class_body=False, may_name=not self.scope.no_names, tracked=frozenset()):
            node.body = self.visit(node.body)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.check_binding(node, node.arg)
        node.annotation = self._annotation(node.annotation)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        annotation = self._annotation(node.annotation)
        assert annotation is not None
        node.annotation = annotation
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        if node is None:
            return None
        with self.inside(may_name=False, no_names=True):  # Python allows no assignment expression there
            return self.visit(node)  # type: ignore[no-any-return]  # expressions stay expressions

    def _comprehension(self, node: Any) -> Any:
        with self.inside(may_name=False, no_names=True):  # nor in the iterable of a comprehension
            return getattr(super(), f"visit_{type(node).__name__}")(node)

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        if node.is_async:
            self.refuse(node.target, ASYNC)
        return self.node_contents_visit(node)

    # --- classes -------------------------------------------------------------------------------------

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.check_binding(node, node.name)
        self._refuse_type_parameters(node)
        node.decorator_list = self.each(node.decorator_list)
        node.bases = self.each(node.bases)
        for keyword in node.keywords:
            value = keyword.value
            if keyword.arg == "metaclass" and (
                is_name(value, "ABCMeta") or (isinstance(value, ast.Attribute) and value.attr == "ABCMeta")
            ):
                node.bases.append(placed(load("_abc_"), value))
            else:
                self.refuse(value, about_class_keyword(keyword))
        node.keywords = []
        with self.inside(
            class_name=node.name, class_body=True, new_parameter=None, may_name=False, tracked=frozenset()
        ):
            body: list[ast.stmt] = []
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef):
                    body.append(self._function(statement, of_class=node))
                else:
                    body.extend(self.each([statement]))
            node.body = body
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        special = [target for target in node.targets if _is_special_name(target)]
        if not (self.scope.class_body and special):
            return self.node_contents_visit(node)
        # `__hash__ = None`, `__radd__ = __add__`: an operator of the class, spelled as an assignment. The
        # name of a special method may be read only to give the same function to other special methods:
        # under an ordinary name a bot could call it with an object that is not an instance of its class.
        if any(is_name(target, "__deepcopy__") for target in special):
            self.refuse(node, 'write it as "def __deepcopy__(self, memo):"')
        if len(special) < len(node.targets):
            self.refuse(
                node, "special methods and ordinary names cannot be assigned together; write two lines"
            )
        if not _is_special_name(node.value):
            node.value = self.visit(node.value)
        return node

    # --- refused -------------------------------------------------------------------------------------

    def _refuse_type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):
            self.refuse(node, "type parameters in brackets are not available to bots; use typing.TypeVar")

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        self.refuse(node, "`type X = ...` is not available to bots; write X = ...")
        return node

    def _async(self, node: ast.AST) -> ast.AST:
        self.refuse(node, ASYNC)
        return node

    visit_AsyncFunctionDef = _async
    visit_AsyncFor = _async
    visit_AsyncWith = _async
    visit_Await = _async


def _is_special_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in SPECIAL_METHODS and node.id != "__new__"


def _worth_tracking(node: ast.FunctionDef) -> frozenset[str]:
    """Return the local variables on whose attributes the function stores more than once."""
    stores = Counter(name for statement in descendants(node.body) for name in stored_on(statement))
    often = {name for name, count in stores.items() if count > 1}
    return frozenset(often & local_names(node)) if often else frozenset()
