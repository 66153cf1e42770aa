# SPDX-License-Identifier: Apache-2.0
"""Kernels of Python on the simulators: what their names mean, caches, errors."""

import copy
import os
import subprocess
import sys
import textwrap

import kernels
import numpy as np
import pytest

import tilec
import tilec.language as T
import tilec.testing
import tilec.tilelang as tilelang

SCALE = 2.0
TARGETS = ["gfx942", "gfx950", "sm_80", "sm_90a"]
CONFIG = {"block": 32, "names": ("a", "b")}


class Settings:
    offset = 7.0

    def scale(self):
        return 4.0


settings = Settings()


def scale_all(factor_of):
    """A factory that Python runs: its kernel sees the closure."""
    factor = factor_of(1)

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(64):
                B[i] = A[i] * factor + settings.offset

    return main


def ones(n=64):
    return np.ones(n, np.float32)


def run(prim_func, *inputs, device=None):
    kernel = tilec.compile(prim_func, out_idx=[-1], target=device)
    return kernel(*inputs)


@pytest.mark.parametrize("target", TARGETS)
def test_matmul_on_every_simulator(target):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((64, 64)).astype(np.float16) for _ in range(2))
    with tilec.testing.on_simulator(target, patch_torch=False):
        kernel = kernels.matmul(64, 64, 64)
        assert kernel.target == target
        got = kernel(a, b)
    want = a.astype(np.float32) @ b.astype(np.float32)
    assert np.abs(got - want).max() < 1e-3


def test_eager_function_solves_const_sizes():
    for n in (64, 100, 192):
        x = np.arange(n, dtype=np.float32)
        assert np.array_equal(kernels.add(x, x), 2 * x)


def test_dynamic_size_is_compiled_once():
    seen = []
    with tilec.on_compile(seen.append):
        kernel = kernels.double()
        for n in (64, 10, 300):
            x = np.arange(n, dtype=np.float32)
            assert np.array_equal(kernel(x), 2 * x)
        assert len(seen) == 1


def test_closure_and_object_of_the_interpreter():
    assert np.all(run(scale_all(lambda x: x + 2.0), ones()) == 10.0)
    assert np.all(run(scale_all(lambda x: x + 4.0), ones()) == 12.0)


def test_global_that_changes_is_seen(monkeypatch):
    def kernel():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64) as bx:
                for i in T.Parallel(64):
                    B[i] = A[i] * SCALE

        return main

    assert np.all(run(kernel(), ones()) == 2.0)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert np.all(run(kernel(), ones()) == 5.0)


def test_eager_kernel_sees_a_global_that_changes(monkeypatch):
    @tilelang.jit
    def scale(A):
        A: T.Tensor[[64], T.float32]
        B = T.empty((64,), T.float32)
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(64):
                B[i] = A[i] * SCALE * settings.scale()
        return B

    assert np.all(scale(ones()) == 8.0)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert np.all(scale(ones()) == 12.0)
    monkeypatch.setattr(Settings, "scale", lambda self: 1.0)
    assert np.all(scale(ones()) == 3.0)


def test_function_and_macro_of_another_module():
    def kernel():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64) as bx:
                c = T.alloc_fragment((64,), "float32")
                kernels.clear_twice(c)
                for i in T.Parallel(64):
                    c[i] += kernels.scaled(A[i])
                T.copy(c, B)

        return main

    assert np.all(run(kernel(), ones()) == 3.0)


def test_global_of_a_helpers_module_is_read(monkeypatch):
    def kernel():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64) as bx:
                for i in T.Parallel(64):
                    B[i] = kernels.scaled(A[i])

        return main

    assert np.all(run(kernel(), ones()) == 3.0)
    monkeypatch.setattr(kernels, "FACTOR", 9.0)
    assert np.all(run(kernel(), ones()) == 9.0)


def test_functions_of_the_language_by_other_names():
    from math import sqrt

    from tilec.language import copy as move
    from tilec.tilelang.layout import make_swizzled_layout as swizzled

    functions = [T.max, T.min]
    root = [sqrt]

    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=64) as bx:
            s = T.alloc_shared((64, 64), "float32")
            T.annotate_layout({s: swizzled(s)})
            move(A, s)
            for i, j in T.Parallel(64, 64):
                s[i, j] = functions[0](s[i, j], 0.25) + root[0](16)
            move(s, B)

    x = np.random.rand(64, 64).astype(np.float32)
    assert np.allclose(run(main, x), np.maximum(x, 0.25) + 4)


def test_names_of_annotations_only():
    def factory(m, dtype, config=CONFIG):
        shape = (m, config["block"])

        @T.prim_func
        def main(A: T.Tensor(shape, dtype), B: T.Tensor(shape, dtype)):
            with T.Kernel(1, threads=64) as bx:
                T.copy(A, B)

        return main

    x = np.random.rand(16, 32).astype(np.float32)
    assert np.array_equal(run(factory(16, "float32"), x), x)


def test_the_same_kernel_is_the_same_object():
    assert kernels.matmul(64, 64, 64) is kernels.matmul(64, 64, 64)
    assert kernels.matmul(64, 64, 64) is not kernels.matmul(64, 64, 32)


def test_disk_cache_of_another_process(tmp_path):
    program = textwrap.dedent(
        """
        import sys, numpy as np, tilec
        sys.path.insert(0, sys.argv[1])
        import kernels
        seen = []
        tilec.on_compile(seen.append)
        x = np.arange(64, dtype=np.float32)
        assert np.array_equal(kernels.add(x, x), 2 * x)
        print(len(seen))
        """
    )
    env = {**os.environ, "TILEC_CACHE_DIR": str(tmp_path)}
    counts = [
        subprocess.run([sys.executable, "-c", program, os.path.dirname(__file__)], env=env, check=True,
                       capture_output=True, text=True).stdout.strip()
        for _ in range(2)
    ]  # fmt: skip
    assert counts == ["1", "0"]
    # A cache that is damaged is none.
    for folder, _, files in os.walk(tmp_path):
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "r+b") as file:
                file.truncate(max(1, os.path.getsize(path) // 2))
    again = subprocess.run([sys.executable, "-c", program, os.path.dirname(__file__)], env=env, check=True,
                           capture_output=True, text=True).stdout.strip()  # fmt: skip
    assert again == "1"


def test_error_has_place_and_caret():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            A[0] = nothing_of_this_name  # noqa: F821

    with pytest.raises(tilec.CompileError) as found:
        tilec.compile(main)
    text = str(found.value)
    line = main.function.__code__.co_firstlineno + 3
    assert f"{os.path.basename(__file__)}:{line}:20: error: " in text
    assert "            A[0] = nothing_of_this_name" in text
    assert text.splitlines()[-1].strip().startswith("^") or "^" in text
    assert found.value.diagnostics[0][1] == "UndefinedName"


def test_error_of_a_property_is_the_cause():
    class Bad:
        @property
        def size(self):
            raise KeyError("no such size")

    bad = Bad()

    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            A[0] = bad.size

    with pytest.raises(tilec.CompileError) as found:
        tilec.compile(main)
    assert isinstance(found.value.__cause__, KeyError)


def test_kernel_without_source():
    space = {"T": T}
    exec("@T.prim_func\ndef main(A: T.Tensor((64,), 'float32')):\n    pass\n", space)
    with pytest.raises(tilec.SourceError, match="source of `main`"):
        tilec.compile(space["main"])


def test_eager_kernel_without_source():
    space = {"T": T, "tilelang": tilelang}
    exec("@tilelang.jit\ndef main(A):\n    with T.Kernel(1, threads=64):\n        A[0] = 1.0\n", space)
    with pytest.raises(tilec.SourceError, match="source of `main`"):
        space["main"](ones())


def test_files_that_are_no_kernels(tmp_path):
    image = tmp_path / "k.hsaco"
    image.write_bytes(b"no image")
    for manifest in ("", "[]", "{}", '{"target": 3, "launches": [1]}', '{"target": "gfx950", "launches": []}'):
        (tmp_path / "k.hsaco.json").write_text(manifest)
        with pytest.raises(tilec.Error, match="k.hsaco.json: this is no manifest"):
            tilec.load(image)


def test_notebook_cell():
    import linecache

    text = (
        "import tilec.language as T\n"
        "@T.prim_func\n"
        "def cell(A: T.Tensor((64,), 'float32'), B: T.Tensor((64,), 'float32')):\n"
        "    with T.Kernel(1, threads=64) as bx:\n"
        "        for i in T.Parallel(64):\n"
        "            B[i] = A[i] + 1\n"
    )
    name = "<ipython-input-1-abcdef>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    assert np.all(run(space["cell"], ones()) == 2.0)


def test_bad_arguments_are_named():
    kernel = kernels.matmul(64, 64, 64)
    a = np.zeros((64, 64), np.float16)
    with pytest.raises(tilec.ArgumentError, match="takes 2 arguments"):
        kernel(a)
    with pytest.raises(tilec.ArgumentError, match="argument `B`.*float32.*float16"):
        kernel(a, a.astype(np.float32))
    with pytest.raises(tilec.ArgumentError, match="argument `A`.*3 dimensions"):
        kernel(a[None], a)
    with pytest.raises(tilec.ArgumentError, match="`B`"):
        kernel(a, np.zeros((64, 32), np.float16))
    with pytest.raises(tilec.ArgumentError, match="argument `A`.*tensor is wanted"):
        kernel("a", a)
    frozen = np.zeros((64, 64), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(tilec.ArgumentError, match="`C`.*read-only"):
        kernel(a, a, frozen)


def test_strides_are_checked():
    """As on a GPU: a kernel for dense tensors takes no others."""
    kernel = kernels.matmul(64, 64, 64)
    a = np.ones((64, 64), np.float16)
    with pytest.raises(tilec.ArgumentError, match="`A`: a stride of 64 in dimension 0 is wanted, not 1"):
        kernel(a.T, a)
    with pytest.raises(tilec.ArgumentError, match="`C`: a stride of 64 in dimension 0 is wanted, not 128"):
        kernel(a, a, np.zeros((64, 128), np.float32)[:, ::2])
    with pytest.raises(tilec.ArgumentError, match="`B`: a stride of 64 in dimension 0 is wanted, not -64"):
        kernel(a, a[::-1])


def test_bytes_in_the_other_order():
    with pytest.raises(tilec.ArgumentError, match="`A`: its elements are >f2, float16 is wanted"):
        kernels.matmul(64, 64, 64)(np.ones((64, 64), ">f2"), np.ones((64, 64), np.float16))


def test_tensors_that_have_dlpack_only():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **_):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * 2

    made = np.asarray(run(main, Tensor(ones(100))))
    assert made.shape == (100,) and np.all(made == 2.0)
    with pytest.raises(tilec.ArgumentError, match="argument `A`: its elements are float64, float32 is wanted"):
        run(main, Tensor(np.ones(100)))
    with pytest.raises(tilec.ArgumentError, match="argument `A`: it has 2 dimensions"):
        run(main, Tensor(np.ones((10, 10), np.float32)))


def test_copies_of_a_kernel_are_the_kernel():
    kernel = kernels.add.compile(N=64)
    assert copy.copy(kernel) is kernel and copy.deepcopy({"layer": [kernel]})["layer"][0] is kernel


def test_hazard_is_reported():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            B[0] = A[bx]

    out = np.zeros(1, np.float32)
    with pytest.raises(tilec.LaunchError, match="another block writes"):
        tilec.simulate(main, np.arange(64, dtype=np.float32), out, device="sm_80")


def test_stages_save_and_load(tmp_path):
    kernel = kernels.add.compile(N=128)
    assert "tile.kernel" in kernel.stage("tile") or "tile." in kernel.stage("tile")
    assert "s_endpgm" in kernel.get_kernel_source()
    assert 0 < kernel.n_regs <= 512 and kernel.n_spills == 0
    report = kernel.stage("report")
    assert f"registers {kernel.n_regs} vector, 0 accumulator" in report
    assert f"shared memory {kernel.resource_usage['shared_bytes']} bytes" in report
    with pytest.raises(ValueError, match="nonsense"):
        kernel.stage("nonsense")
    loaded = tilec.load(kernel.save(tmp_path / "add.hsaco"))
    x = np.arange(128, dtype=np.float32)
    assert np.array_equal(loaded(x, x), 2 * x)


def test_check_against_the_reference():
    kernel = kernels.matmul(64, 64, 64)
    assert "PASS" in kernel.check().upper()
    a = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float16)
    assert "PASS" in kernel.check(a, a).upper()
    with pytest.raises(tilec.ArgumentError, match="2 arguments"):
        kernel.check(a)


def test_host_calls_of_the_language():
    assert T.ceildiv(10, 4) == 3
    n = T.dynamic("n")
    assert repr(T.ceildiv(n * 2, 4)) == "T.ceildiv((T.dynamic('n', 'int32') * 2), 4)"
    assert T.float16 == "float16" and T.float16.bits == 16 and T.dtype("float") == "float32"
    with pytest.raises(RuntimeError, match="statement of a kernel"):
        T.copy(1, 2)
    with pytest.raises(TypeError, match="known when the kernel runs"):
        bool(n > 3)
    with pytest.raises(tilec.RefusedError, match="Blackwell"):
        T.alloc_tmem(1)
    with pytest.raises(AttributeError, match="nonsense"):
        T.nonsense


def test_threads_compile_at_once():
    from concurrent.futures import ThreadPoolExecutor

    def one(i):
        x = np.arange(64, dtype=np.float32)
        return np.array_equal(run(scale_all(lambda x: x + float(i)), x), x * (1.0 + i) + 7.0)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(one, range(8)))


def test_import_is_quick():
    program = "import time; t = time.process_time(); import tilec, tilec.language as T, tilec.tilelang; print(time.process_time() - t)"
    best = min(
        float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)
        for _ in range(5)
    )
    assert best < 0.06


def test_factors_of_sparse_metadata_are_numbers_on_the_host():
    from tilec.tilelang.cuda.intrinsics.sparse_layout import get_e_factor, get_e_replicate_factor

    assert [get_e_factor(T.float16, T.int16), get_e_factor("float32", "int16"), get_e_factor("int8", "int32")] == [16, 8, 32]
    assert [get_e_replicate_factor(T.int8), get_e_replicate_factor(T.float16)] == [1, 2]


@tilelang.jit
def add_after_copy(A, B, C, unused, factor: T.float32, times: int = 2):
    n = T.const("n")
    A: T.Tensor((n,), "float32")
    B: T.Tensor((n,), "float32")
    C: T.Tensor((n,), "float32")
    unused: T.Tensor((n,), "int32")
    D = T.empty((n,), "float32")
    with T.Kernel(1, threads=64) as bx:
        T.copy(C, B)
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(n):
            B[i] = B[i] + A[i] * factor * times
            D[i] = B[i]
    return D


@pytest.mark.parametrize("target", TARGETS)
def test_arguments_stand_in_the_functions_order(target):
    """Whichever launch touches them first, and whether any does."""
    a, c, unused = np.arange(64, dtype=np.float32), ones(), np.zeros(64, np.int32)
    with tilec.testing.on_simulator(target, patch_torch=False):
        for call in (add_after_copy, add_after_copy.compile(n=64)):
            b = np.zeros(64, np.float32)
            assert np.array_equal(call(a, b, c, unused, 0.5), a + 1) and np.array_equal(b, a + 1)
        kernel = add_after_copy.compile(n=64)
        assert [p.name for p in kernel.params] == ["A", "B", "C", "unused", "factor", "D"]
        with pytest.raises(tilec.ArgumentError, match="argument `C`"):
            kernel(a, b, c.astype(np.float64), unused, 0.5)


@pytest.mark.parametrize("target", TARGETS)
def test_outputs_that_no_statement_writes_are_returned(target):
    def factory():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), R: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"),
                 Q: T.Tensor((8, 4), "float16")):  # fmt: skip
            with T.Kernel(1, threads=64) as bx:
                for i in T.Parallel(64):
                    B[i] = A[i] + R[i]

        return main

    with tilec.testing.on_simulator(target, patch_torch=False):
        kernel = tilec.compile(factory(), out_idx=[-2, -1])
        b, q = kernel(ones(), ones())
        assert np.all(b == 2) and q.shape == (8, 4) and q.dtype == np.float16
        kernel = tilec.compile(factory(), out_idx=[1, 2])
        r, b = kernel(ones(), np.zeros((8, 4), np.float16))
        assert np.array_equal(b, r + 1, equal_nan=True)


def test_marks_of_a_tracer_are_without_effect(tmp_path):
    from tilec.tilelang.tools.cuda import iket

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx, iket.range("all"):
            iket.mark("begin", payload=iket.payload(bx, dtype="int32"))
            for i in T.Parallel(64):
                iket.mark("one", payload=iket.payload(i))
                B[i] = A[i] + 1

    with pytest.warns(UserWarning, match="without effect"), iket.session(output_dir=tmp_path):
        assert iket.output_path("x").parent == tmp_path
        assert np.all(run(main, ones()) == 2)


def applied(function):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(64):
                B[i] = function(A[i])

    return main


def test_lambdas_in_calls_and_lists_have_their_text():
    three = 3.0
    pair = [(lambda x: x * 2, 1), (lambda x: x * 4, 2)]
    several = (applied(lambda x: x + three), applied(function=lambda x: T.max(
        x, 5.0)), applied(pair[0][0]), applied(pair[1][0]))  # fmt: skip
    assert [run(f, ones())[0] for f in several] == [4, 5, 2, 4]
    with pytest.raises(tilec.CompileError, match="nothing_here.*UndefinedName") as found:
        tilec.compile(applied(lambda x: x + nothing_here))  # noqa: F821
    assert isinstance(found.value, ValueError) and isinstance(found.value, RuntimeError)


def test_profile_is_a_page(tmp_path):
    kernel = tilec.compile(kernels.matmul.get_tir(512, 512, 512, block=128, step=64, threads=256), out_idx=[-1], target="gfx950")
    text = open(kernel.profile(tmp_path / "page.html")).read()
    assert text.startswith("<!doctype html>") and "<svg" in text and "s_endpgm" in text
    assert "4 x 4 x 1 blocks of 256 x 1 x 1 threads" in text and "A: float16[512, 512]" in text
    # What has no pipelined loop has no schedule.
    text = open(kernels.add.compile(N=128).profile(tmp_path / "page.html")).read()
    assert "<svg" not in text and "s_endpgm" in text


def test_stubs_have_the_names_of_the_package():
    import ast
    import pathlib

    folder = pathlib.Path(tilec.__file__).parent
    named = set()
    for node in ast.parse((folder / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.ImportFrom):
            named |= {a.asname for a in node.names}
        elif isinstance(node, ast.AnnAssign):
            named.add(node.target.id)
    assert named == set(dir(tilec)) and (folder / "py.typed").exists()
    for name in named:
        getattr(tilec, name) if name != "torch_op" else None


@pytest.mark.parametrize("target", TARGETS)
def test_tuples_are_assigned_as_in_python(target):
    @T.prim_func
    def main(A: T.Tensor((64, 4), "int32"), B: T.Tensor((64, 4), "int32")):
        with T.Kernel(1, threads=64) as bx:
            t = T.get_thread_binding(0)
            x = T.alloc_local([3], "int32")
            n = T.alloc_var("int32")
            for i in T.unroll(3):
                x[i] = A[t, i]
            n = A[t, 3]
            x[0], x[1] = x[1], x[0]
            if n > 100:
                n, x[2] = x[2], n
            x[0], (x[1], x[2]) = x[2], (x[0], x[1])
            p, q = x[0], x[1]
            x[0] = q
            for i in T.unroll(3):
                B[t, i] = x[i]
            B[t, 3] = n + p

    a = np.arange(256, dtype=np.int32).reshape(64, 4)
    want = a.copy()
    for row in want:
        x, n = list(row[:3]), row[3]
        x[0], x[1] = x[1], x[0]
        if n > 100:
            n, x[2] = x[2], n
        x[0], (x[1], x[2]) = x[2], (x[0], x[1])
        p, q = x[0], x[1]
        x[0] = q
        row[:] = (*x, n + p)
    with tilec.testing.on_simulator(target, patch_torch=False):
        assert np.array_equal(run(main, a), want)


@tilelang.jit
def size_of_an_untouched_tensor(A, B):
    n, m = T.dynamic("n"), T.dynamic("m")
    A: T.Tensor((n, 16), "float32")
    B: T.Tensor((m,), "float32")
    with T.Kernel(n, threads=64) as bx:
        pass


@pytest.mark.parametrize("target", ["gfx950", "sm_90a"])
def test_sizes_of_tensors_that_nothing_touches(target):
    @T.prim_func
    def main(X: T.Tensor((n_, 4), "float32"), Y: T.Tensor((m_,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(n_, threads=64) as bx:
            for i in T.Parallel(64):
                B[i] = n_

    with tilec.testing.on_simulator(target, patch_torch=False):
        b = np.zeros(64, np.float32)
        kernel = tilec.compile(main)
        for n in (1, 3):
            kernel(np.zeros((n, 4), np.float32), ones(7), b)
            assert np.all(b == n)
        assert [d["name"] for d in kernel.manifest["dims"]] == ["n"]
        size_of_an_untouched_tensor(np.zeros((4, 16), np.float32), ones())


n_, m_ = T.dynamic("n"), T.dynamic("m")


@tilelang.jit
def names_apart_by_spaces(A):
    M, N = T.const("M N")
    A: T.Tensor((M, N), "float32")
    B = T.empty((N, M), "float32")
    with T.Kernel(1, threads=64) as bx:
        for i, j in T.Parallel(M, N):
            B[j, i] = A[i, j]
    return B


def test_names_of_sizes_may_be_apart_by_spaces():
    a = np.arange(48, dtype=np.float32).reshape(6, 8)
    assert np.array_equal(names_apart_by_spaces(a), a.T)


@pytest.mark.parametrize("k_pack", [1, 2])
@pytest.mark.parametrize("target", ["gfx942", "gfx950", "sm_80"])
def test_matrix_core_emitter_of_host_code(target, k_pack):
    from tilec.tilelang.rocm.intrinsics.mfma_macro_generator import MatrixCoreIntrinEmitter

    chunk = 32 * k_pack
    emitter = MatrixCoreIntrinEmitter(a_dtype=T.float16, b_dtype=T.float16, accum_dtype=T.float32, b_transposed=True,
                                      block_row_warps=2, block_col_warps=2, warp_row_tiles=32, warp_col_tiles=32, chunk=chunk,
                                      k_pack=k_pack, target=target)  # fmt: skip

    @T.prim_func
    def main(A: T.Tensor((64, 128), "float16"), B: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=256) as bx:
            a_shared = T.alloc_shared((64, chunk), "float16")
            b_shared = T.alloc_shared((64, chunk), "float16")
            a, b, c = T.alloc_local(2 * 4 * k_pack, "float16"), T.alloc_local(2 * 4 * k_pack, "float16"), T.alloc_local(16, "float32")
            T.clear(c)
            for ko in T.Pipelined(128 // chunk, num_stages=0):
                T.copy(A[0, ko * chunk], a_shared)
                T.copy(B[0, ko * chunk], b_shared)
                for ki in T.serial(0, chunk // (k_pack * 16)):
                    emitter.ldmatrix_a(a, a_shared, ki)
                    emitter.ldmatrix_b(b, b_shared, ki)
                    emitter.mfma(a, b, c)
            emitter.stmatrix(c, C, pid_m=0, pid_n=0)

    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((64, 128)).astype(np.float16) for _ in range(2))
    with tilec.testing.on_simulator(target, patch_torch=False):
        got = run(main, a, b)
    assert np.abs(got - a.astype(np.float32) @ b.astype(np.float32).T).max() < 1e-3


def in_tiles(x, rows, k, k_first):
    """A matrix in tiles of `rows` by `k`, one after another, as an instruction reads them."""
    height, width = (k, rows) if k_first else (rows, k)
    return np.ascontiguousarray(x.reshape(x.shape[0] // height, height, x.shape[1] // width, width).transpose(0, 2, 1, 3))


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "sm_80"])
@pytest.mark.parametrize("k_first", [False, True])
@pytest.mark.parametrize("shuffled", ["a", "b", "ab", "global b"])
@pytest.mark.parametrize("k_pack, shape", [(1, None), (2, None), (1, (32, 32, 16))])
def test_operands_that_were_shuffled_beforehand(target, k_first, shuffled, k_pack, shape):
    from tilec.tilelang.rocm.intrinsics.mfma_macro_generator import MatrixCorePreshuffleIntrinEmitter

    chunk, micro, k = 32 * k_pack, shape[0] if shape else 16, k_pack * 16
    of_a, of_b, is_global = "a" in shuffled.split()[-1], "b" in shuffled, "global" in shuffled
    emitter = MatrixCorePreshuffleIntrinEmitter(a_dtype=T.float16, b_dtype=T.float16, accum_dtype=T.float32, a_transposed=k_first,
                                                b_transposed=not k_first, block_row_warps=2, block_col_warps=2, warp_row_tiles=32,
                                                warp_col_tiles=32, chunk=chunk, k_pack=k_pack, a_preshuffle=of_a,
                                                b_preshuffle=of_b, mfma_shape=shape, target=target)  # fmt: skip

    def shape_of(rows, depth, tiled):
        if tiled:
            return (depth // k, rows // micro, k, micro) if k_first else (rows // micro, depth // k, micro, k)
        return (depth, rows) if k_first else (rows, depth)

    @T.prim_func
    def main(A: T.Tensor(shape_of(64, 128, of_a), "float16"), B: T.Tensor(shape_of(128, 128, of_b), "float16"),
             C: T.Tensor((64, 128), "float32")):  # fmt: skip
        with T.Kernel(2, threads=256) as bx:
            a_shared = T.alloc_shared(shape_of(64, chunk, of_a), "float16")
            b_shared = T.alloc_shared(shape_of(64, chunk, of_b), "float16")
            a, b, c = T.alloc_local(32 * k // 64, "float16"), T.alloc_local(32 * k // 64, "float16"), T.alloc_local(16, "float32")
            T.clear(c)
            for ko in T.serial(128 // chunk):
                if of_a:
                    for i, j, p, q in T.Parallel(*a_shared.shape):
                        a_shared[i, j, p, q] = A[i + ko * chunk // k, j, p, q] if k_first else A[i, j + ko * chunk // k, p, q]
                elif k_first:
                    T.copy(A[ko * chunk, 0], a_shared)
                else:
                    T.copy(A[0, ko * chunk], a_shared)
                if of_b:
                    for i, j, p, q in T.Parallel(*b_shared.shape):
                        if k_first:
                            b_shared[i, j, p, q] = B[i + ko * chunk // k, j + bx * 64 // micro, p, q]
                        else:
                            b_shared[i, j, p, q] = B[i + bx * 64 // micro, j + ko * chunk // k, p, q]
                elif k_first:
                    T.copy(B[ko * chunk, bx * 64], b_shared)
                else:
                    T.copy(B[bx * 64, ko * chunk], b_shared)
                for ki in T.serial(0, chunk // k):
                    emitter.ldmatrix_a(a, a_shared, ki)
                    if is_global:
                        emitter.ldmatrix_b(b, B, ki + ko * (chunk // k), pid_m=0, pid_n=bx)
                    else:
                        emitter.ldmatrix_b(b, b_shared, ki)
                    emitter.mfma(a, b, c)
            emitter.stmatrix(c, C, pid_m=0, pid_n=bx)

    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((rows, 128)).astype(np.float16) for rows in (64, 128))
    given = [(x.T if k_first else x, tiled) for x, tiled in ((a, of_a), (b, of_b))]
    given = [in_tiles(x, micro, k, k_first) if tiled else np.ascontiguousarray(x) for x, tiled in given]
    with tilec.testing.on_simulator(target, patch_torch=False):
        got = run(main, *given)
    assert np.abs(got - a.astype(np.float32) @ b.astype(np.float32).T).max() < 1e-3


def test_resources_out_of_reports():
    """The texts are those of tilec --emit=report for both vendors."""
    from tilec._kernel import resources_of

    amd = """kernel main for gfx950
  registers 22 vector, 40 accumulator, 22 scalar (named: 22, 40, 16); 8 waves a SIMD, 16 blocks a compute unit (limit: waves)
  spills 3 vector, 1 scalar; scratch 0 bytes a lane, 0 instructions; accumulator moves 0
  shared memory 8192 bytes, code 536 bytes, 88 instructions
"""
    nvidia = """kernel a
  registers 32, shared memory 8192 bytes, stack 0 bytes a thread
  spills 0 bytes stored, 0 loaded; 0 STL, 0 LDL
kernel b
  registers 168, shared memory 1024 bytes, stack 16 bytes a thread
  spills 12 bytes stored, 24 loaded; 3 STL, 6 LDL
"""
    assert resources_of(amd) == {"n_regs": 62, "n_spills": 4, "shared_bytes": 8192}
    assert resources_of(nvidia) == {"n_regs": 168, "n_spills": 12, "shared_bytes": 8192}
