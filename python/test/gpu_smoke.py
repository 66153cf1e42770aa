# SPDX-License-Identifier: Apache-2.0
"""A GPU, quickly: what the tests on simulators cannot see. `python gpu_smoke.py`; ends with 0 when all is right."""

import threading
import time
import traceback

import kernels
import torch

import tilec
import tilec.tilelang as tilelang

FAILED = []


def check(function):
    started = time.perf_counter()
    try:
        function()
        said = "ok"
    except Exception:
        said = "FAILED"
        FAILED.append(function.__name__)
        traceback.print_exc()
    print(f"{said:6} {(time.perf_counter() - started) * 1e3:8.1f} ms  {function.__name__}", flush=True)


def halves(n=512):
    return torch.randn(n, n, device="cuda", dtype=torch.float16)


def close(a, b):
    torch.testing.assert_close(a.float(), b.float(), rtol=1e-2, atol=1e-1)


@check
def matmul():
    a, b = halves(), halves()
    kernel = kernels.matmul(512, 512, 512, block=64)
    close(kernel(a, b), a @ b)


@check
def matmul_from_the_cache():
    kernels.matmul(512, 512, 512, block=64)


@check
def eager():
    x = torch.arange(1000, device="cuda", dtype=torch.float32)
    assert torch.equal(kernels.add(x, x), 2 * x)


@check
def dynamic_size():
    kernel = kernels.double()
    for n in (64, 70, 5000):
        x = torch.arange(n, device="cuda", dtype=torch.float32)
        assert torch.equal(kernel(x), 2 * x)


@check
def current_stream():
    x = torch.zeros(1 << 22, device="cuda")
    kernel = kernels.double()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x += 1
        y = kernel(x)
    stream.synchronize()
    assert torch.all(y == 2)


@check
def graph_capture():
    x = torch.ones(4096, device="cuda")
    y = torch.empty_like(x)
    kernel = kernels.double()
    kernel(x, y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(x, y)
    x.fill_(5)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.all(y == 10)


@check
def compiling_in_a_capture_is_an_error():
    x = torch.ones(4096, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            y = x + 1
            try:
                kernels.double(block=48)
                raise AssertionError("it compiled")
            except tilec.NotCompiled:
                pass
            y += 1
    finally:
        torch.cuda.synchronize()


@check
def bound_launch():
    x = torch.ones(4096, device="cuda")
    y = torch.empty_like(x)
    bound = kernels.double().bind(x, y)
    y.zero_()
    bound()
    assert torch.all(y == 2)


def refused(call, said):
    try:
        call()
    except tilec.ArgumentError as error:
        if said not in str(error):
            raise AssertionError(f"{said} is not in: {error}") from None
        return
    raise AssertionError(f"nothing was said of {said}")


def freed(tensor, start=0):
    part = tensor[start:]
    tensor.untyped_storage().resize_(0)
    return part


@check
def bad_arguments():
    """The same before the first launch, and behind it, where calls go past Python's code."""
    kernel, double = kernels.matmul(512, 512, 512, block=64), kernels.double()
    a = halves()
    x = torch.ones(64, device="cuda")
    y = torch.empty_like(x)
    for _ in range(2):
        for b in (a.float(), a.cpu(), a[None], a[:256], a.T, a[:1].expand(512, 512), [1], None, "b"):
            refused(lambda b=b: kernel(a, b), "`B`")
        refused(lambda: kernel(a.cpu(), a), "`A`")
        refused(lambda: kernel(a), "takes")
        for bad in (freed(x.clone()), freed(torch.ones(128, device="cuda"), 64), x.to_sparse(), x.cpu(), x.to("meta"),
                    torch.ones(65, device="cuda")[1:]):  # fmt: skip
            refused(lambda bad=bad: double(bad, y), "`A`")
            refused(lambda bad=bad: double(x, bad), "`B`")
        kernel(a, a)
        double(x, y)
    if torch.cuda.device_count() > 1:
        refused(lambda: kernel(a, a.to("cuda:1")), "`B`")
        b = a.to("cuda:1")
        close(kernel(b, b), b @ b)


@check
def launches_do_not_wait():
    x, kernel = torch.ones(64, device="cuda"), kernels.double()
    y = kernel(x)
    torch.cuda.synchronize()
    torch.cuda._sleep(1_000_000_000)
    started = time.perf_counter()
    for _ in range(100):
        kernel(x, y)
    queued = time.perf_counter() - started
    torch.cuda.synchronize()
    assert queued < 0.2 * (time.perf_counter() - started)


@check
def array_interface():
    import cupy

    x = cupy.arange(256, dtype=cupy.float32)
    assert (kernels.double()(x) == 2 * x).all()


@check
def threads():
    kernel = kernels.double()
    bad = []

    def work(i):
        x = torch.full((1000 + i,), float(i), device="cuda")
        for _ in range(50):
            if not torch.all(kernel(x) == 2 * i):
                bad.append(i)

    pool = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in pool:
        t.start()
    for t in pool:
        t.join()
    assert not bad


@check
def profiler():
    kernel = kernels.matmul(512, 512, 512, block=64)
    p = kernel.get_profiler()
    p.assert_allclose(lambda a, b: (a @ b).float(), rtol=1e-2, atol=1e-1)
    for backend in ("event", "cudagraph", "wall"):
        print(f"    {backend}: {p.do_bench(backend=backend) * 1e3:.1f} us")


@check
def autotune():
    @tilelang.autotune(configs=[{"block": 32}, {"block": 64}])
    @tilelang.jit(out_idx=[-1])
    def tuned(M, N, K, block=32):
        return kernels.matmul.get_tir(M, N, K, block=block)

    kernel = tuned(512, 512, 512)
    print("   ", kernel.config, kernel.latency)


@check
def custom_op_under_compile():
    op = kernels.double().as_custom_op("tilec_smoke::double")
    x = torch.arange(64, device="cuda", dtype=torch.float32)
    for options in ({}, {"dynamic": True}, {"mode": "reduce-overhead"}):
        compiled = torch.compile(lambda x: op(x) + 1, fullgraph=True, **options)
        for _ in range(3):
            torch.testing.assert_close(compiled(x).clone(), 2 * x + 1)


@check
def sources():
    kernel = kernels.matmul(512, 512, 512, block=64)
    assert ".visible .entry" in kernel.get_kernel_source()
    print(f"    registers {kernel.n_regs}, spills {kernel.n_spills}")


raise SystemExit(f"failed: {', '.join(FAILED)}" if FAILED else 0)
