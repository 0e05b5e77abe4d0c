# SPDX-License-Identifier: Apache-2.0
"""`python -m mantissa_lab` opens the window."""

from .programs import window

if __name__ == "__main__":
    window()
