# SPDX-License-Identifier: Apache-2.0
"""Mantissa, a desktop precision lab, as a Python package.

`run` trains an experiment and `open` reads a recording; both return arrays and need NumPy. `query` reads a recording by SQL. They call the
program `mantissa` of this package.
The programs themselves are `mantissa` (command line) and `mantissa-lab` (window).
"""

from .version import VERSION as __version__

__all__ = ["MantissaError", "Results", "Run", "open", "query", "run", "__version__"]


def __getattr__(name):
    """Imports the rest when it is asked for: the console scripts start in half the time without it."""
    if name in __all__:
        from . import results

        return getattr(results, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
