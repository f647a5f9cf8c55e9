"""The policy on names and attributes: what may be read, bound and stored, and where a guard is needed."""

# ruff: noqa: N802 - visitors are named after the classes of ast
from __future__ import annotations

import ast
from typing import Any

from botleague_sandbox.language.job import Method
from botleague_sandbox.language.names import (
    ASSIGNABLE,
    DENIED,
    FREE_ON_OWN,
    GUARDED,
    READABLE,
    REFUSED_BUILTINS,
    SPECIAL_METHODS,
    TEMPORARY,
    is_dunder,
    is_guard,
    is_private,
    mangled,
)
from botleague_sandbox.language.syntax import call, if_known, is_name, load, placed, strings
from botleague_sandbox.language.walker import Walker
from botleague_sandbox.language.wording import (
    about_denied,
    about_dunder_attribute,
    about_dunder_variable,
    reserved,
)

__all__ = ["AttributePolicy"]


class AttributePolicy(Walker):
    """Checks names; compiles plain attribute reads to plain reads and guards the few that need it."""

    # --- variables -----------------------------------------------------------------------------------

    def check_binding(self, node: ast.AST, name: str | None) -> None:
        """Refuse to bind a name of the policy, a special name, or ``super``."""
        if name is None:
            return
        if is_guard(name):
            self.refuse(node, reserved(name))
        elif is_dunder(name) and name not in ASSIGNABLE:
            self.refuse(node, about_dunder_variable(name, load=False))
        elif name == "super":
            # super().__init__() is allowed because the interpreter's super checks whose method it calls.
            self.refuse(node, 'the name "super" cannot be given to something else; choose another name')

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            self.check_binding(node, name)
        elif name in REFUSED_BUILTINS and name not in self.job.bound:
            self.refuse(node, f'"{name}" is not available to bots: {REFUSED_BUILTINS[name]}')
        elif name[0] == "_":
            if is_guard(name):
                self.refuse(node, reserved(name))
            elif is_dunder(name) and name not in READABLE and name not in ASSIGNABLE:
                self.refuse(node, about_dunder_variable(name, load=True))
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        for name in node.names:
            self.check_binding(node, name)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self.check_binding(node, name)
        return node

    # --- attributes ----------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        name = node.attr
        loads = isinstance(node.ctx, ast.Load)
        if not self.allowed_attribute(node, name, loads):
            return self.node_contents_visit(node)
        self._check_facade_attribute(node)
        if loads and name != "__class__" and name not in GUARDED and not is_private(name):
            node.value = self.visit(node.value)  # the common case: a plain read stays a plain read
            return node
        private = mangled(name, self.scope.class_name) if is_private(name) else None
        method = self.method_of(node.value)
        if method is not None and not (loads and name in GUARDED - FREE_ON_OWN):
            _note_use(method, private, loads)
            return node
        return self._guarded_read(node, private) if loads else self._guarded_write(node, private)

    def allowed_attribute(self, node: ast.AST, name: str, loads: bool) -> bool:
        """Return whether any object may have its attribute ``name`` read or stored; report if not."""
        if name[0] == "_":
            if is_dunder(name):
                if loads and name in ("__name__", "__doc__", "__class__"):
                    return True
                self.refuse(node, about_dunder_attribute(name, load=loads))
                return False
            if is_guard(name):
                self.refuse(node, reserved(name))
                return False
        elif name in DENIED:
            self.refuse(node, about_denied(name))
            return False
        return True

    def _check_facade_attribute(self, node: ast.Attribute) -> None:
        """Say at once that a module's function is not offered, if the variable surely is that module."""
        path: list[str] = []
        value = node.value
        while isinstance(value, ast.Attribute):
            path.insert(0, value.attr)
            value = value.value
        if isinstance(value, ast.Name) and self.job.bound[value.id] == 1:
            module = self.job.module_names.get(value.id)
            if module is not None:
                reason = self.job.imports.attribute_refusal(".".join([module, *path]), node.attr)
                if reason is not None:
                    self.refuse(node, reason)

    def method_of(self, value: ast.AST | None) -> Method | None:
        """Return the method whose checked first parameter the expression ``value`` is."""
        return self.scope.methods.get(value.id) if isinstance(value, ast.Name) else None

    def _guarded_read(self, node: ast.Attribute, private: str | None) -> ast.expr:
        base = self.visit(node.value)
        if private is None and node.attr not in FREE_ON_OWN:
            return placed(call("_getattr_", base, ast.Constant(node.attr)), node)
        name = private or node.attr
        known = self.job.known_types.name(False, (name,))
        first, again = self._twice(base)
        slow = call("_getattr_", again or first, ast.Constant(name), load(known))
        if again is None:
            return placed(slow, node)
        node.value = again
        return placed(if_known(first, known, node, slow), node)

    def _guarded_write(self, node: ast.Attribute, private: str | None) -> ast.expr:
        base = node.value
        if private is None and isinstance(base, ast.Name) and base.id in self.safe:
            return node
        names = () if private is None else (private,)
        known = self.job.known_types.name(True, names)
        first, again = self._twice(self.visit(base))
        slow = call("_own_", again or first, strings(names), load(known))
        if again is not None:
            node.value = if_known(first, known, again, slow)
        elif private is None:
            node.value = call("_write_", first)
        else:
            node.value = slow
        placed(node.value, base)
        return node

    def _twice(self, value: ast.expr) -> tuple[ast.expr, ast.expr | None]:
        """Return an expression for ``value``, and another for the same object afterwards if there can be one.

        A variable can simply be read again. Anything else is kept in a temporary variable where that is a
        local one: a module, a class or an enum would show it.
        """
        if isinstance(value, ast.Name):
            return value, load(value.id)
        if not self.scope.may_name:
            return value, None
        return ast.NamedExpr(ast.Name(TEMPORARY, ast.Store()), value), load(TEMPORARY)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        if isinstance(target, ast.Attribute):
            method = self.method_of(target.value)
            if target.attr in (GUARDED if method is None else GUARDED - FREE_ON_OWN):
                # It would read the attribute unguarded and hand it to the other operand.
                self.refuse(node, f'".{target.attr}" cannot be changed in place; assign a new value instead')
            if method is not None and is_private(target.attr):
                method.reads_private = True
        return self.node_contents_visit(node)

    # --- calls of special methods --------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if not isinstance(function, ast.Attribute):
            node.func = self.visit(function)
        elif function.attr == "__setattr__" and is_name(function.value, "object"):
            # How a frozen dataclass sets a computed field.
            node.func = placed(load("_setattr_"), function)
        elif not (function.attr in SPECIAL_METHODS and self._special_call(node, function)):
            node.func = self.visit(function)
        node.args = self.each(node.args)
        node.keywords = self.each(node.keywords)
        return node

    def _special_call(self, node: ast.Call, function: ast.Attribute) -> bool:
        """Allow a call of a special method if the object it works on is surely the bot's; return whether.

        ``super().__x__(...)``, ``super(C, self).__x__(...)``, ``self.__x__(...)``, ``Base.__x__(self, ...)`` and,
        inside ``__new__``, ``Base.__new__(cls, ...)``. A special method stores on its ``self`` unchecked, so
        no bot may call one with an object of its choice.
        """
        owner = function.value
        makes = function.attr == "__new__"
        if isinstance(owner, ast.Call) and is_name(owner.func, "super") and not owner.keywords:
            if len(owner.args) == 2 and isinstance(owner.args[0], ast.Name):
                return self._surely_own(owner.args[1], makes) and self.visit(owner.args[0]) is not None
            return not owner.args
        if not makes and self._surely_own(owner, makes):
            return True
        if node.args and self._surely_own(node.args[0], makes):
            function.value = placed(call("_base_", self.visit(owner)), owner)
            return True
        return False

    def _surely_own(self, value: ast.expr, makes: bool) -> bool:
        if makes:
            return is_name(value, self.scope.new_parameter or "")
        method = self.method_of(value)
        if method is not None:
            method.calls_special = True
        return method is not None


def _note_use(method: Method, private: str | None, loads: bool) -> None:
    if not loads:
        method.stores = True
    if private is not None:
        method.private.add(private)
        method.reads_private |= loads
    elif loads:  # __class__, evaluate
        method.calls_special = True
