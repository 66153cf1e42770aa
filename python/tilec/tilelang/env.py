# SPDX-License-Identifier: Apache-2.0
"""Environment variables, as `tilelang.env`. docs/deploy/python.md says which of them tilec follows."""

import math
import os
import sys
import types


class EnvVar:
    """One variable as an attribute: what was assigned to it, else what the environment says now, else its default."""

    def __init__(self, name, default=None):
        self.key = name
        self.default = default
        self._forced_value = None

    def get(self):
        if self._forced_value is not None:
            return self._forced_value
        found = os.environ.get(self.key)
        if found is not None:
            return found
        return self.default() if callable(self.default) else self.default

    def __get__(self, instance, owner=None):
        return self.get()

    def __set__(self, instance, value):
        self._forced_value = value


def _is_on(value):
    return str(value).strip().lower() in ("1", "true", "yes", "on")


def parse_pass_profile_threshold_ms(value, name="pass profile threshold"):
    """A threshold in milliseconds: a number that is not negative."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{name} must be a finite non-negative number, not {value!r}")
    return number


def resolve_pass_profile_threshold_ms(pass_configs, key, env_threshold_ms):
    """What the pass configurations say, where they say it; else what the environment says."""
    if key in pass_configs:
        return parse_pass_profile_threshold_ms(pass_configs[key], str(key))
    return env_threshold_ms()


def _default_cache():
    from .. import _compile

    return _compile.default_folder()


class Environment(types.ModuleType):
    """`tilelang.env`: what TileLang calls its environment. The module is its one instance, so that the names of the
    module and the attributes of `tilelang.env` are the same things however they were imported."""

    TILELANG_CACHE_DIR = EnvVar("TILELANG_CACHE_DIR", _default_cache)
    TILELANG_TMP_DIR = EnvVar("TILELANG_TMP_DIR", lambda: os.path.join(env.TILELANG_CACHE_DIR, "tmp"))
    TILELANG_DISABLE_CACHE = EnvVar("TILELANG_DISABLE_CACHE", "0")
    TILELANG_PRINT_ON_COMPILATION = EnvVar("TILELANG_PRINT_ON_COMPILATION", "1")
    TILELANG_PASS_PROFILE = EnvVar("TILELANG_PASS_PROFILE", "0")
    TILELANG_PASS_PROFILE_THRESHOLD_MS = EnvVar("TILELANG_PASS_PROFILE_THRESHOLD_MS", "0")
    TILELANG_AUTO_TUNING_CPU_UTILITIES = EnvVar("TILELANG_AUTO_TUNING_CPU_UTILITIES", "0.9")
    TILELANG_AUTO_TUNING_CPU_COUNTS = EnvVar("TILELANG_AUTO_TUNING_CPU_COUNTS", "-1")
    TILELANG_AUTO_TUNING_MAX_CPU_COUNT = EnvVar("TILELANG_AUTO_TUNING_MAX_CPU_COUNT", "-1")

    _enabled = None

    def is_cache_enabled(self):
        if self._enabled is not None:
            return self._enabled
        return not (_is_on(self.TILELANG_DISABLE_CACHE) or _is_on(os.environ.get("TILEC_DISABLE_CACHE", "")))

    def enable_cache(self):
        self._enabled = True

    def disable_cache(self):
        self._enabled = False

    def is_print_on_compilation_enabled(self):
        return _is_on(self.TILELANG_PRINT_ON_COMPILATION)

    def is_pass_profile_enabled(self):
        return _is_on(self.TILELANG_PASS_PROFILE)

    def get_pass_profile_threshold_ms(self):
        value = str(self.TILELANG_PASS_PROFILE_THRESHOLD_MS).strip()
        return parse_pass_profile_threshold_ms(value, "TILELANG_PASS_PROFILE_THRESHOLD_MS") if value else 0.0

    def tuning_workers(self):
        """How many threads compile the candidates of a search."""
        count = int(self.TILELANG_AUTO_TUNING_CPU_COUNTS)
        if count <= 0:
            count = int((os.cpu_count() or 1) * float(self.TILELANG_AUTO_TUNING_CPU_UTILITIES))
        most = int(self.TILELANG_AUTO_TUNING_MAX_CPU_COUNT)
        return max(1, min(count, most) if most > 0 else count)

    def is_auto_clear_cache_enabled(self):
        return False


env = sys.modules[__name__]
env.__class__ = Environment
is_cache_enabled = env.is_cache_enabled
enable_cache = env.enable_cache
disable_cache = env.disable_cache
