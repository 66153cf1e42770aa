# SPDX-License-Identifier: Apache-2.0
"""What host code asks of TileLang's modules: the environment, layouts, types, searches."""

import kernels
import numpy as np
import pytest

import tilec
import tilec.language as T
import tilec.tilelang as tilelang
from tilec.tilelang import env as environment
from tilec.tilelang.layout import Layout


def test_environment_is_read_when_it_is_asked(monkeypatch, tmp_path):
    variable = vars(type(tilelang.env))["TILELANG_CACHE_DIR"]
    monkeypatch.setattr(variable, "_forced_value", None)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "a"))
    assert tilelang.env.TILELANG_CACHE_DIR == str(tmp_path / "a")
    assert tilelang.env.TILELANG_TMP_DIR == str(tmp_path / "a" / "tmp")
    tilelang.env.TILELANG_CACHE_DIR = str(tmp_path / "b")
    assert environment.TILELANG_CACHE_DIR == str(tmp_path / "b")
    kernels.double(block=32, dtype="float16")
    assert any((tmp_path / "b").rglob("*")), "what a program assigns is where kernels are kept"
    assert not (tmp_path / "a").exists()


def test_environment_refuses_what_is_no_threshold(monkeypatch):
    for bad in ("-1", "nan", "soon"):
        monkeypatch.setenv("TILELANG_PASS_PROFILE_THRESHOLD_MS", bad)
        with pytest.raises(ValueError, match="finite non-negative"):
            tilelang.env.get_pass_profile_threshold_ms()


def test_tuning_workers_follow_the_environment(monkeypatch):
    monkeypatch.setenv("TILELANG_AUTO_TUNING_CPU_COUNTS", "3")
    assert tilelang.env.tuning_workers() == 3
    monkeypatch.setenv("TILELANG_AUTO_TUNING_MAX_CPU_COUNT", "2")
    assert tilelang.env.tuning_workers() == 2
    monkeypatch.setenv("TILELANG_AUTO_TUNING_CPU_COUNTS", "-1")
    assert tilelang.env.tuning_workers() >= 1


def test_layouts_of_host_code_can_be_asked():
    base = Layout([4, 8], lambda i, j: i * 8 + (j ^ i))
    assert base.get_output_shape() == [32]
    more = base.expand([3])
    assert more.get_input_shape() == [3, 4, 8] and more.get_output_shape() == [3, 32]
    assert more.is_equal(Layout([3, 4, 8], lambda b, i, j: [b, i * 8 + (j ^ i)]))
    assert not more.is_equal(Layout([3, 4, 8], lambda b, i, j: [b, i * 8 + j]))
    assert base.expand([]) is base
    for bad, error in ((0, ValueError), ([2, -1], ValueError), ("4", TypeError)):
        with pytest.raises(error):
            base.expand(bad)


def test_storage_types():
    torch = pytest.importorskip("torch", reason="what is tested are torch's tensors")
    assert T.int4.as_torch() is torch.int8
    assert T.dtypes.resolve_torch_storage_dtype(T.int4) == T.int8
    assert T.dtypes.resolve_torch_storage_dtype("float16") == T.float16
    if hasattr(torch, "float4_e2m1fn_x2"):
        assert T.dtypes.resolve_torch_storage_dtype(T.float4_e2m1fn) == T.float4_e2m1fnx2
    assert (T.float32x2.lanes, T.float32x2.bits, T.float4_e2m1fnx2.bytes) == (2, 64, 1)
    assert not hasattr(T, "float32x") and not hasattr(T, "nothingx2")


def test_values_without_a_number_are_expressions():
    assert "T.int32()" in repr(T.int32() & 0x7FFFFFFF)


@pytest.mark.parametrize("names, count", [((), 2), (("n",), 1)])
def test_searches_are_kept_by_what_they_depend_on(names, count):
    pytest.importorskip("torch", reason="a search times kernels on torch's tensors")

    @tilelang.autotune(configs=[{"threads": 64}, {"threads": 128}], do_not_specialize=names, warmup=1, rep=1)
    @tilelang.jit(out_idx=[-1])
    def twice(n, threads=64):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, 64), threads=threads) as bx:
                for i in T.Parallel(64):
                    B[bx * 64 + i] = A[bx * 64 + i] * 2.0

        return main

    with tilec.testing.on_simulator("gfx942", patch_torch=False):
        for n in (64, 256):
            with tilelang.set_autotune_inputs(np.ones(n, np.float32)):
                kernel = twice(n)
            # The choice is that of another size, the kernel is not.
            assert np.array_equal(kernel(np.ones(n, np.float32)), np.full(n, 2, np.float32))
    assert len(twice._tuner_cache) == count


@pytest.mark.parametrize("target", ["gfx942", "sm_90a"])
def test_sizes_follow_from_expressions_of_extents(target):
    n, m = T.dynamic("n"), T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((n * 4 + 2, m - n), "float32"), B: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=32):
            B[0] = n
            B[1] = m + T.cast(A[0, 0], "int32")

    kernel = tilec.compile(main, target=target)
    out = np.zeros(2, np.int32)
    kernel(np.zeros((14, 5), np.float32), out)
    assert out.tolist() == [3, 8]
    with pytest.raises(tilec.errors.ArgumentError, match="`n` .* follows from no tensor's shape"):
        kernel(np.zeros((15, 5), np.float32), out)


def test_calls_are_bound_as_python_binds_them():
    @tilelang.jit
    def factory(m: int, n: int, options=[1, 2], fast=False):  # noqa: B006
        raise AssertionError("nothing is made")

    parse = factory.func.parse_args
    assert parse(1, 2) == parse(n=2, m=1, fast=False, options=[1, 2])
    assert parse(1, 2, M=3)[0][0][-1] == (("M", 3),)
    assert parse(1, 2, [1, 3]) != parse(1, 2)
    with pytest.raises(TypeError, match="missing a required argument"):
        parse(1)
    with pytest.raises(TypeError, match="unhashable"):
        parse(1, 2, options=np.zeros(2).tolist() + [bytearray()])
    x = np.zeros((2, 3), np.float32)
    key, tensors, fixed = kernels.add.func._parse_phase1_key(x, x, block=32)
    assert key == (32,) and fixed == {"block": 32} and tensors["A"] is x


@T.macro
def copy_all(A, B):
    M, N = A.shape
    with T.Kernel(T.ceildiv(M, 32), threads=64) as bx:
        for i, j in T.Parallel(32, N):
            B[bx * 32 + i, j] = A[bx * 32 + i, j] + 1.0


@tilelang.jit
def copy_declared(A: T.Tensor[[64, 8], T.float32], B: T.Tensor[[64, 8], T.float32]):
    copy_all(A, B)


@tilelang.jit
def copy_redeclared(A, B):
    A: T.Tensor[[64, 8], T.float32]
    B: T.Tensor[[64, 8], T.float32]
    copy_all(A, B)


@tilelang.jit
def copy_strided(A, B):
    M, N, S, R = T.const("M, N, S, R")
    A: T.StridedTensor[[M, N], [S, R], T.float32]
    B: T.StridedTensor[[M, N], [S, R], T.float32]
    copy_all(A, B)


@tilelang.jit
def copy_pointers(A: T.ptr, B: T.ptr, n: int, dtype: T.dtype):
    A = T.make_tensor(A, (n, 8), dtype)
    B = T.make_tensor(B, (n, 8), dtype)
    copy_all(A, B)
    with T.Kernel(1, threads=32):
        B[0, 0] = 7.0


@pytest.mark.parametrize("target", ["gfx950", "sm_90a"])
def test_functions_that_declare_their_tensors_are_kernels(target):
    with tilec.testing.on_simulator(target, patch_torch=False):
        rng = np.random.default_rng(0)
        for function in (copy_declared, copy_redeclared):
            a, b = rng.standard_normal((64, 8)).astype(np.float32), np.zeros((64, 8), np.float32)
            function(a, b)
            assert np.array_equal(b, a + 1)
        copy_pointers(a, b, 64, "float32")
        assert b[0, 0] == 7 and np.array_equal(b[1:], a[1:] + 1)
        compiled = copy_declared.get_tir(T.Tensor((64, 8)), T.Tensor((64, 8)))
        compiled(a, b)
        assert np.array_equal(b, a + 1)


@pytest.mark.parametrize("target", ["gfx950", "sm_90a"])
def test_strides_of_const_sizes_follow_from_tensors(target):
    with tilec.testing.on_simulator(target, patch_torch=False):
        for gap in (1, 2, 3):
            a = np.arange(64 * 8 * gap * gap, dtype=np.float32).reshape(64, gap, 8, gap)
            b = np.full_like(a, -5)
            copy_strided(a[:, 0, :, 0], b[:, 0, :, 0])
            assert np.array_equal(b[:, 0, :, 0], a[:, 0, :, 0] + 1)
            rest = np.ones(a.shape, bool)
            rest[:, 0, :, 0] = False
            assert (b[rest] == -5).all()


@pytest.mark.parametrize("target", ["gfx942", "sm_90a"])
def test_strides_may_be_known_when_the_kernel_runs(target):
    n, s, r = T.dynamic("n"), T.dynamic("s"), T.dynamic("r")

    @T.prim_func
    def main(A: T.StridedTensor((n, 4), (s, r), "float32"), B: T.Tensor((n, 4), "float32")):
        with T.Kernel(n, threads=32) as bx:
            for j in T.Parallel(4):
                B[bx, j] = A[bx, j]

    kernel = tilec.compile(main, target=target)
    a, b = np.arange(8 * 5 * 4 * 3, dtype=np.float32).reshape(8, 5, 4, 3), np.zeros((8, 4), np.float32)
    for part in (a[:, 1, :, 2], np.ascontiguousarray(a[:, 2, :, 0]), a[:1, 1, :, 2]):
        kernel(part, b[: len(part)])
        assert np.array_equal(b[: len(part)], part)


def test_templates_stand_for_kernels():
    from tilec.tilelang import carver

    rng = np.random.default_rng(1)
    with tilec.testing.on_simulator("gfx942", patch_torch=False):

        def result(template, shape, *inputs):
            out = np.full(shape, -1, np.float32)
            assert 0 < len(template.recommend_hints(topk=3)) <= 3
            tilec.compile(template.equivalent_function())(*inputs, out)
            return out

        a, b = rng.standard_normal((40, 96)).astype(np.float32), rng.standard_normal((72, 96)).astype(np.float32)
        f32 = {"in_dtype": "float32", "out_dtype": "float32", "accum_dtype": "float32"}
        assert np.allclose(result(carver.MatmulTemplate(40, 72, 96, **f32), (40, 72), a, b), a @ b.T, atol=1e-4)
        assert np.allclose(result(carver.GEMVTemplate(72, 96, **f32), (72,), a[0], b), b @ a[0], atol=1e-4)
        x = rng.standard_normal((3, 5, 70)).astype(np.float32)
        assert np.array_equal(result(carver.ElementwiseTemplate([3, 5, 70], "float32"), x.shape, x), x + 1)
        for structure, axes in (("SSR", 2), ("SRS", 1), ("RSR", (0, 2))):
            want = x.sum(axis=axes)
            assert np.allclose(result(carver.GeneralReductionTemplate(structure, [3, 5, 70], "float32"), want.shape, x), want, atol=1e-4)
        with pytest.raises(ValueError, match="no S or R"):
            carver.GeneralReductionTemplate("SX", [3, 5])


def test_searches_do_not_invent_numbers():
    pytest.importorskip("torch", reason="a search times kernels on torch's tensors")

    @tilelang.autotune(configs=[{"threads": 64}, {"threads": 128}], warmup=1, rep=1)
    @tilelang.jit
    def scale(threads=64):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), s: T.float32):
            with T.Kernel(1, threads=threads):
                for i in T.Parallel(64):
                    A[i] = A[i] * s

        return main

    with tilec.testing.on_simulator("gfx942", patch_torch=False):
        with pytest.raises(ValueError, match="`s` .* is a number; .*set_autotune_inputs"):
            scale()
        with tilelang.set_autotune_inputs(np.ones(64, np.float32), 2.0):
            scale()


@pytest.mark.parametrize("target", ["gfx942", "sm_90a"])
def test_tensors_that_nothing_uses_may_be_none(target):
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m,), "float16"), B: T.Tensor((m,), "float16"), C: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(4):
                C[i] = C[i] + 1.0

    kernel = tilec.compile(main, target=target)
    c = np.zeros(4, np.float32)
    kernel(None, None, c)
    kernel(np.zeros(8, np.float16), None, c)
    assert (c == 2).all()
    with pytest.raises(tilec.errors.ArgumentError, match="`C`: a tensor is wanted, not NoneType"):
        kernel(None, None, None)


def test_rounding_modes_have_names():
    assert "ieee_add" in repr(T.ieee_add(1.0, 2.0, "rz"))
    for call in (lambda: T.ieee_add(1.0, 2.0, "xy"), lambda: T.ieee_fsqrt(4.0, rounding_mode="bad")):
        with pytest.raises(ValueError, match="Invalid rounding mode"):
            call()

    def kernel(mode):
        @T.prim_func
        def main(A: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(32):
                    A[i] = T.ieee_mul(A[i], A[i], mode)

        return tilec.compile(main, target="gfx942")

    kernel("rn")
    with pytest.raises(tilec.errors.CompileError, match="`rounding_mode` is 'near'"):
        kernel("near")


@pytest.mark.parametrize("target, size", [("gfx950", 163840), ("gfx942", 65536), ("sm_90a", 232448)])
def test_devices_are_described(target, size):
    from tilec.tilelang import tvm
    from tilec.tilelang.carver.arch import cdna, is_cdna_arch

    is_amd = target.startswith("gfx")
    with tilec.testing.on_simulator(target, patch_torch=False):
        arch = cdna.CDNA(tvm.target.Target("rocm"))
        assert arch.smem_cap == size and is_cdna_arch(arch) == is_amd
        here, elsewhere = tvm.device("rocm", 0), tvm.device("cuda", 0)
        if not is_amd:
            here, elsewhere = elsewhere, here
        assert here.exist and here.max_shared_memory_per_block == size and here.warp_size == (64 if is_amd else 32)
        assert not elsewhere.exist and elsewhere.max_shared_memory_per_block is None
    assert cdna._GFX950_LDS_SIZE == 163840
    with pytest.raises(ValueError, match="no device 'metal'"):
        tvm.device("metal")
