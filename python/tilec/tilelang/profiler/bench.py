# SPDX-License-Identifier: Apache-2.0
"""do_bench: how long something takes on the GPU."""

import time

_RETURNS = ("min", "max", "mean", "median")
_BACKENDS = ("event", "cupti", "cudagraph", "wall")


def do_bench(fn, warmup=25, rep=100, _n_warmup=0, _n_repeat=0, quantiles=None, fast_flush=True,
             backend="event", return_mode="mean", grad_to_none=None, **_):  # fmt: skip
    """Milliseconds of a call of `fn`.

    `event` times each call by events of the device with a cold L2; `cudagraph` replays a captured
    graph; `wall` is the clock of the host; `cupti` is taken for `event`. `warmup` and `rep` are
    milliseconds. On memory of the cpu (the simulators) the clock of the host is the only one.
    """
    if return_mode not in _RETURNS:
        raise ValueError(f"return_mode is one of {', '.join(_RETURNS)}, not {return_mode!r}")
    if backend not in _BACKENDS:
        raise ValueError(f"backend is one of {', '.join(_BACKENDS)}, not {backend!r}")
    import torch

    from ... import _targets

    if _targets.simulated() or not torch.cuda.is_available() or backend == "wall":
        times = _host_times(fn, _n_repeat or (1 if backend != "wall" else 10))
    elif backend == "cudagraph":
        times = _graph_times(torch, fn, rep)
    else:
        times = _event_times(torch, fn, warmup, rep, _n_warmup, _n_repeat, grad_to_none)
    times = torch.tensor(times, dtype=torch.float64)
    if quantiles is not None:
        found = torch.quantile(times, torch.tensor(list(quantiles), dtype=torch.float64)).tolist()
        return found[0] if len(found) == 1 else found
    return getattr(torch, return_mode)(times).item()


def _host_times(fn, count):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        fn()
        times.append((time.perf_counter() - started) * 1e3)
    return times


def _event_times(torch, fn, warmup, rep, n_warmup, n_repeat, grad_to_none):
    fn()
    torch.cuda.synchronize()
    # What is cold in use is cold here.
    flush = torch.empty(256 * 1024 * 1024 // 4, dtype=torch.int32, device="cuda")
    event = lambda: torch.cuda.Event(enable_timing=True)  # noqa: E731
    start, end = event(), event()
    start.record()
    for _ in range(5):
        flush.zero_()
        fn()
    end.record()
    torch.cuda.synchronize()
    estimate = max(start.elapsed_time(end) / 5, 1e-3)
    for _ in range(n_warmup or max(1, int(warmup / estimate))):
        fn()
    count = n_repeat or max(1, int(rep / estimate))
    pairs = [(event(), event()) for _ in range(count)]
    for begin, finish in pairs:
        for tensor in grad_to_none or ():
            tensor.grad = None
        flush.zero_()
        begin.record()
        fn()
        finish.record()
    torch.cuda.synchronize()
    return [begin.elapsed_time(finish) for begin, finish in pairs]


def _graph_times(torch, fn, rep):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        fn()
        stream.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(5):
            fn()
        end.record()
        stream.synchronize()
        inner = max(1, min(1000, int(rep / 10 / max(start.elapsed_time(end) / 5, 1e-3))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(inner):
                fn()
        graph.replay()
        stream.synchronize()
        times = []
        for _ in range(10):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            stream.synchronize()
            times.append(start.elapsed_time(end) / inner)
    return times
