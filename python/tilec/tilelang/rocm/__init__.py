# SPDX-License-Identifier: Apache-2.0
"""TileLang's package for one vendor: the language is the same one."""


def __getattr__(name):
    if name == "language":
        from ... import language

        return language
    raise AttributeError(f"module `tilelang.rocm` (of tilec) has no `{name}`")
