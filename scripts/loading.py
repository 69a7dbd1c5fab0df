"""Imports scripts of this folder as modules. Their names have no suffix, so an import statement does not find them."""
import os
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader


def script(name):
    """The functions of a script of this folder."""
    sys.dont_write_bytecode = True
    loader = SourceFileLoader(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
