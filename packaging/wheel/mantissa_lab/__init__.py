# SPDX-License-Identifier: Apache-2.0
"""Mantissa, a desktop precision lab, as a Python package.

`run` trains an experiment and `open` reads a recording; both return arrays. They call the program `mantissa` of this package and need NumPy.
The programs themselves are `mantissa` (command line) and `mantissa-lab` (window).
"""

from .results import MantissaError, Results, Run, open, run  # noqa: A004  `mantissa_lab.open` is meant to be read with its package's name
from .version import VERSION as __version__

__all__ = ["MantissaError", "Results", "Run", "open", "run", "__version__"]
