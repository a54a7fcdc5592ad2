"""The typed stubs say what the Rust side has."""

import ast
import inspect

import srezero
from srezero import _native


def stubs():
    path = inspect.getfile(srezero).replace("__init__.py", "_native.pyi")
    with open(path) as file:
        return ast.parse(file.read())


def test_the_stubs_name_what_there_is():
    classes = {node.name: node for node in stubs().body if isinstance(node, ast.ClassDef)}
    assert set(classes) == {name for name, thing in vars(_native).items() if isinstance(thing, type)}
    for name, node in classes.items():
        declared = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        there = {item for item in vars(getattr(_native, name)) if not item.startswith("__") or item in declared}
        assert declared == there, name


def test_the_package_is_typed():
    assert inspect.getfile(srezero).replace("__init__.py", "py.typed")
