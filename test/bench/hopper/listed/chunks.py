# SPDX-License-Identifier: Apache-2.0
"""Upstream's kda and gdn examples, whose main() needs the package `fla` as a reference or searches through dozens of
configurations: here without the reference, and with the first and the middle configuration of a search's list."""

import dis
import os
import sys
import types

import tilelang
import tilelang.autotuner
import torch

import upstream_example

FILES = ["gdn/example_chunk_delta_bwd.py", "gdn/example_chunk_delta_h.py", "gdn/example_chunk_o.py",
         "gdn/example_chunk_o_bwd.py", "gdn/example_chunk_scaled_dot_kkt.py", "gdn/example_cumsum.py",
         "gdn/example_wy_fast.py", "gdn/example_wy_fast_bwd_split.py", "kda/chunk_bwd_dqkwg.py", "kda/chunk_bwd_dv.py",
         "kda/chunk_bwd_gla_dA.py", "kda/chunk_bwd_intra.py", "kda/chunk_delta_bwd.py", "kda/chunk_delta_h_fwd.py",
         "kda/chunk_inter_solve_fused.py", "kda/chunk_intra_token_parallel.py", "kda/chunk_o.py", "kda/wy_fast.py",
         "kda/wy_fast_bwd.py"]
STUBS = ("fla", "FLA_KDA", "test_utils", "test_utils_kda")
PARTS = 38  # two of each
part = int(os.environ.get("PART", "0"))


def chosen(configs=None, **_):
    """Instead of `autotune`: one configuration, no search."""
    configs = configs() if callable(configs) else configs
    config = configs[len(configs) // 2 if part % 2 else 0]
    return lambda build: lambda *args, **named: build(*args, **{**config, **named})


class Reference(types.ModuleType):
    """A module whose every function gives as many times nothing as its caller takes apart."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def nothing(*args, **named):
            if name == "chunk_local_cumsum":  # an input of the kernels
                return args[0]
            frame = sys._getframe(1)
            takes = [i for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti and i.opname != "CACHE"][0]
            return (None,) * takes.argval if takes.opname == "UNPACK_SEQUENCE" else None

        return nothing


class References:
    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in STUBS else None

    def create_module(self, spec):
        return Reference(spec.name)

    def exec_module(self, module):
        module.__file__ = module.__name__


def main():
    tilelang.autotune = tilelang.autotuner.autotune = chosen
    torch.testing.assert_close = lambda *_, **__: None  # with what the reference did not give
    sys.meta_path.insert(0, References())
    upstream_example.of(FILES[part // 2])["main"]()


if __name__ == "__main__":
    main()
