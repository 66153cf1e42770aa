# SPDX-License-Identifier: Apache-2.0
"""With torch, where it is installed."""

import kernels
import pytest

import tilec
import tilec.language as T
import tilec.testing
import tilec.tilelang as tilelang

torch = pytest.importorskip("torch", reason="these tests are of operators of torch")


def test_tensors_of_torch():
    a, b = (torch.randn(64, 64, dtype=torch.float16) for _ in range(2))
    c = kernels.matmul(64, 64, 64)(a, b)
    assert c.dtype == torch.float32
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-3, atol=1e-3)


def test_bfloat16_and_fp8():
    def kernel(dtype):
        @T.prim_func
        def main(A: T.Tensor((32, 32), dtype), B: T.Tensor((32, 32), "float32")):
            with T.Kernel(1, threads=64) as bx:
                for i, j in T.Parallel(32, 32):
                    B[i, j] = T.cast(A[i, j], "float32")

        return tilelang.compile(main, out_idx=[-1])

    for dtype in (torch.bfloat16, torch.float8_e4m3fn):
        a = torch.randn(32, 32).to(dtype)
        name = str(dtype).removeprefix("torch.")
        assert torch.equal(kernel(name)(a), a.float())
        assert torch.equal(kernel(dtype)(a.T.contiguous()), a.float().T)


def test_wrong_dtype_names_the_argument():
    kernel = kernels.matmul(64, 64, 64)
    a = torch.zeros(64, 64, dtype=torch.float16)
    with pytest.raises(ValueError, match="argument `B`.*float32.*float16 is wanted"):
        kernel(a, a.float())
    with pytest.raises(TypeError, match="argument `A`"):
        kernel([1], a)


def test_tensors_without_memory_of_their_own():
    kernel = kernels.matmul(64, 64, 64)
    a = torch.zeros(64, 64, dtype=torch.float16)
    freed = a.clone()
    freed.untyped_storage().resize_(0)
    for bad, said in (
        (freed, "`B`: it has no memory"),
        (a.to_sparse(), "`B`: a dense tensor is wanted, not one of layout torch.sparse_coo"),
        (a.to("meta"), "`B`: it is on meta"),
        (a[:1].expand(64, 64), "`B`: a stride of 64 in dimension 0 is wanted, not 0"),
    ):
        with pytest.raises(tilec.ArgumentError, match=said):
            kernel(a, bad)


def test_custom_op_under_compile():
    kernel = kernels.double()
    op = kernel.as_custom_op("tilec_test::double")

    def f(x):
        return op(x) + 1

    x = torch.arange(70, dtype=torch.float32)
    torch.testing.assert_close(f(x), 2 * x + 1)
    compiled = torch.compile(f, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x), 2 * x + 1)


def test_custom_op_is_differentiable():
    kernel = kernels.double()
    op = kernel.as_custom_op("tilec_test::double_grad", backward=lambda ctx, g: 2 * g)
    x = torch.arange(64, dtype=torch.float32, requires_grad=True)
    op(x).sum().backward()
    assert torch.all(x.grad == 2)


def test_custom_op_with_gradient_under_compile():
    op = kernels.double().as_custom_op("tilec_test::double_all", backward=lambda ctx, g: 2 * g)
    events = []
    with tilec.on_compile(events.append):
        for dynamic in (False, True):
            compiled = torch.compile(lambda x: op(x) * 3 + 1, fullgraph=True, backend="aot_eager", dynamic=dynamic)
            for n in (70, 33):
                x = torch.arange(n, dtype=torch.float32, requires_grad=True)
                y = compiled(x)
                y.sum().backward()
                assert torch.equal(y, 6 * x + 1) and torch.all(x.grad == 6)
    assert not events  # nothing is compiled while torch traces
    torch.library.opcheck(torch.ops.tilec_test.double_all.default, (torch.ones(64, requires_grad=True),))


def test_profilers():
    kernel = kernels.matmul(64, 64, 64)
    profiler = kernel.get_profiler()
    profiler.assert_allclose(lambda a, b: a.float() @ b.float(), rtol=1e-2, atol=1e-2)
    profiler.assert_consistent(repeat=2)
    assert profiler.do_bench() > 0
    with pytest.raises(AssertionError, match="elements differ"):
        profiler.assert_allclose(lambda a, b: a.float() @ b.float() + 1)
    with pytest.raises(ValueError, match="backend is one of .*, not 'stopwatch'"):
        profiler.do_bench(backend="stopwatch")
    old = tilelang.Profiler(kernel, kernel.params, result_idx=[2])
    a, b = (torch.randn(64, 64, dtype=torch.float16) for _ in range(2))
    torch.testing.assert_close(old(a, b), a.float() @ b.float(), rtol=1e-2, atol=1e-2)


def test_old_profiler_of_a_lowered_kernel():
    artifact = tilelang.lower(kernels.matmul.get_tir(64, 64, 64))
    profiler = tilelang.Profiler(artifact.rt_mod, artifact.params, result_idx=[2])
    a, b = (torch.randn(64, 64, dtype=torch.float16) for _ in range(2))
    torch.testing.assert_close(profiler(a, b), a.float() @ b.float(), rtol=1e-2, atol=1e-2)
    assert "s_endpgm" in artifact.kernel_source


def test_unused_parameters_are_given():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), X: T.Tensor((8,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as bx:
            T.copy(A, B)

    kernel = tilelang.compile(main, out_idx=[2])
    a = torch.randn(64)
    assert torch.equal(kernel(a, torch.zeros(8)), a)


def test_autotune():
    @tilelang.autotune(configs=[{"block": 16}, {"block": 32}, {"block": 7}])
    @tilelang.jit(out_idx=[-1])
    def tuned(n, block=32):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
                T.copy(A[bx * block], B[bx * block])

        return main

    kernel = tuned(64)
    assert kernel.config["block"] in (16, 32, 7) and kernel.latency > 0
    assert tuned(64, block=16).latency is None or tuned(64, block=16).config == {"block": 16}


def test_code_for_cuda_on_the_simulator():
    with tilec.testing.on_simulator("sm_90a"):
        assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
        a = torch.randn(128, device="cuda")
        assert a.is_cuda and a.cuda() is a
        torch.testing.assert_close(kernels.add(a, torch.ones(128).cuda()), a + a.new_ones(128))
        torch.cuda.synchronize()
    assert not a.is_cuda


def test_autotune_with_pass_configs():
    passes = [{tilelang.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED: on} for on in (True, False)]
    configs = [{"block": b, "pass_configs": p} for b in (16, 32) for p in passes]

    def factory(block=16):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(T.ceildiv(64, block), threads=64) as bx:
                T.copy(A[bx * block : (bx + 1) * block], B[bx * block : (bx + 1) * block])

        return main

    @tilelang.autotune(configs=configs)
    @tilelang.jit
    def eager(A, block=16):
        A: T.Tensor((64,), "float32")
        B = T.empty((64,), "float32")
        with T.Kernel(T.ceildiv(64, block), threads=64) as bx:
            T.copy(A[bx * block : (bx + 1) * block], B[bx * block : (bx + 1) * block])
        return B

    found = tilelang.AutoTuner.from_kernel(kernel=factory, configs=configs).set_compile_args(out_idx=[-1]).run()
    assert len(found.trials) == 4 and found.config in configs
    a = torch.randn(64)
    assert torch.equal(tilelang.autotune(configs=configs)(tilelang.jit(out_idx=[-1])(factory))()(a), a)
    assert torch.equal(eager(a), a)


def test_generator_of_the_simulated_gpu():
    with tilec.testing.on_simulator("sm_90a"):
        generator = torch.Generator(device="cuda")
        assert isinstance(generator, torch.Generator)
        assert torch.rand(4, device="cuda", generator=generator.manual_seed(1)).shape == (4,)


def test_kernel_without_tensors_on_the_simulated_gpu():
    @T.prim_func
    def main():
        with T.Kernel(1, threads=64) as bx:
            T.evaluate(0)

    with tilec.testing.on_simulator("sm_90a"):
        tilelang.compile(main)()


def test_autotune_gives_the_kernel():
    @tilelang.autotune(configs=[{"block": 16}, {"block": 32}])
    @tilelang.jit(out_idx=[-1])
    def tuned(n, block=32):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
                for i in T.Parallel(block):
                    B[bx * block + i] = A[bx * block + i]

        return main

    assert tuned(64, __return_kernel=True) is tuned(64)


def test_profiler_names_the_size_that_it_was_not_given():
    profiler = kernels.double().get_profiler()
    with pytest.raises(ValueError, match="size n"):
        profiler.do_bench(dynamic_symbolic_constraints={"m": 3})
    assert profiler.do_bench(dynamic_symbolic_constraints={"n": 64}) > 0
