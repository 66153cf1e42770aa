# SPDX-License-Identifier: Apache-2.0
"""Objects of the interpreter that kernels give to calls: what was read is what makes a kernel another one."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tilec
import tilec.language as T


def run(prim_func):
    """What the kernel writes into its one tensor."""
    out = np.zeros(64, np.float32)
    tilec.compile(prim_func, target="gfx950")(out)
    return out


class Weight:
    def __init__(self, value):
        self.value = value

    def times(self, other, by=1.0):
        return self.value * (other.value if isinstance(other, Weight) else other) * by


weight, other_weight = Weight(2.0), Weight(3.0)


def test_objects_that_calls_are_given_may_be_others(monkeypatch):
    def kernel():
        @T.prim_func
        def main(B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64) as bx:
                for i in T.Parallel(64):
                    B[i] = weight.times(other_weight, by=2.0)

        return main

    assert np.all(run(kernel()) == 12.0)
    monkeypatch.setitem(globals(), "other_weight", Weight(5.0))
    assert np.all(run(kernel()) == 20.0)
    monkeypatch.setitem(globals(), "weight", other_weight)
    assert np.all(run(kernel()) == 50.0), "both names are of one object now"


def test_kernels_that_give_objects_to_calls_are_kept_on_the_disk(tmp_path):
    (tmp_path / "weights.py").write_text(
        textwrap.dedent(
            """
            import sys
            sys.path.insert(0, sys.argv[1])
            import tilec, tilec.language as T, test_host_objects as t
            seen = []
            tilec.on_compile(seen.append)
            t.other_weight = t.Weight(float(sys.argv[2]))

            @T.prim_func
            def main(B: T.Tensor((64,), "float32")):
                with T.Kernel(1, threads=64) as bx:
                    for i in T.Parallel(64):
                        B[i] = t.weight.times(t.other_weight, by=0.5) + t.weight.times(other=t.other_weight)

            print(float(t.run(main)[0]), len(seen))
            """
        )
    )
    env = {**os.environ, "TILEC_CACHE_DIR": str(tmp_path / "cache")}

    def said(value):
        command = [sys.executable, tmp_path / "weights.py", os.path.dirname(__file__), value]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()

    assert [said(v) for v in "44545"] == [["12.0", "1"], ["12.0", "0"], ["15.0", "1"], ["12.0", "0"], ["15.0", "0"]]


def test_a_function_in_the_place_of_a_type_is_told_by_the_compiler():
    @T.prim_func
    def main(Rows: T.Tensor([2], T.ptr), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            B[bx] = 0.0

    with pytest.raises(tilec.CompileError, match="pass one tensor, and where its parts begin"):
        tilec.compile(main, target="gfx950")
