# SPDX-License-Identifier: Apache-2.0
"""Environment variables. TILELANG_CACHE_DIR and TILELANG_DISABLE_CACHE are honoured."""

import os


def _flag(name):
    return os.environ.get(name, "").lower() in ("1", "true", "yes", "on")


class Environment:
    """`tilelang.env`: what TileLang calls its environment."""

    _enabled = None

    def is_cache_enabled(self):
        if self._enabled is not None:
            return self._enabled
        return not (_flag("TILELANG_DISABLE_CACHE") or _flag("TILEC_DISABLE_CACHE"))

    def enable_cache(self):
        self._enabled = True

    def disable_cache(self):
        self._enabled = False

    @property
    def TILELANG_CACHE_DIR(self):
        from .. import _compile

        return _compile.cache_folder()

    @TILELANG_CACHE_DIR.setter
    def TILELANG_CACHE_DIR(self, path):
        os.environ["TILELANG_CACHE_DIR"] = str(path)

    def is_print_on_compilation_enabled(self):
        return _flag("TILELANG_PRINT_ON_COMPILATION")

    def is_auto_clear_cache_enabled(self):
        return False


env = Environment()
is_cache_enabled = env.is_cache_enabled
enable_cache = env.enable_cache
disable_cache = env.disable_cache


def __getattr__(name):
    if name == "TILELANG_CACHE_DIR":
        return env.TILELANG_CACHE_DIR
    raise AttributeError(name)
