#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times compiled kernels against the vendor's libraries and Triton, all in one process on one GPU.

usage: bench.py FOLDER [--cases NAME,NAME,...] [--rounds N] [--sample-ms T] [--against cublas,cublaslt,cudnn,triton,copy]

FOLDER is one that tables.py packed. With --wait the process imports what it needs, says `{"ready": true}` and starts
when it gets a line. A case is one line of JSON: times, ratios, whether results agree, and all samples. Inputs are random
and the same for all contenders; copies of them, together at least twice the L2 cache, take turns.
"""

import argparse
import functools
import json
import pathlib
import statistics
import sys
import time
import traceback

import torch

import driver
import libraries
from timing import Timer, ratios

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32,
          "float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2}
TRITON_SCRATCH = 64 << 20
SAMPLED = 48           # rows and columns of a product, rows of attention, that are computed in float64
NEAR = 1.05            # cublasLt's algorithms that take so many times as long as its fastest at most, in a quick pass
MOST_NEAR = 6          # beforehand, take part in the rounds: which one is best depends on the clock that all share
WORST_ERROR = 2.0**-5  # of the sampled elements, in parts of the root mean square of their row


class Bench:
    def __init__(self, options):
        self.options, self.against = options, options.against.split(",")
        self.timer = Timer()
        self.stream = self.timer.stream.cuda_stream
        self.generator = torch.Generator("cuda")
        self.cache_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        self.gemm_ex = self.lt = self.triton = None
        if "cublas" in self.against:
            self.gemm_ex = libraries.GemmEx(self.stream)
        if "cublaslt" in self.against:
            self.lt = libraries.Lt(self.stream)
        if "triton" in self.against:
            import triton
            import triton_rivals
            self.triton = triton_rivals
            scratch = torch.empty(TRITON_SCRATCH, dtype=torch.uint8, device="cuda")
            triton.set_allocator(lambda size, alignment, stream: scratch)

    def random(self, shape, dtype):
        values = torch.randn(shape, device="cuda", dtype=torch.float16 if min(shape) > 1 else torch.float32,
                             generator=self.generator)
        return values.to(DTYPES[dtype])

    def sets(self, program, inputs):
        """Copies of all tensors of a program, {name: tensor}; outputs are NaN. `inputs`: those that are not normal."""
        params = {p["name"]: p for p in program.launch["params"] if p["kind"] == "tensor"}
        shapes = {name: [driver.evaluate(e, {}) for e in p["shape"]] for name, p in params.items()}
        one = sum(torch.Size(shapes[name]).numel() * DTYPES[p["dtype"]].itemsize for name, p in params.items())
        sets = []
        for _ in range(max(1, min(24, 2 * self.cache_bytes // one + 1))):
            tensors = {}
            for name, p in params.items():
                if name in inputs:
                    tensors[name] = inputs[name]
                elif p["access"] == "w":
                    tensors[name] = torch.full(shapes[name], float("nan"), device="cuda", dtype=DTYPES[p["dtype"]])
                else:
                    tensors[name] = self.random(shapes[name], p["dtype"])
            sets.append(tensors)
        return sets

    def ours(self, program, sets, early=False):
        return rotating([program.bind({name: t.data_ptr() for name, t in tensors.items()}, self.stream, early=early)
                         for tensors in sets])

    def best_of_triton(self, launches, output, agrees):
        """The fastest configuration whose result agrees. `launches`: a list of configurations for each copy."""
        by_label = {}
        for copy in launches:
            for launch in copy:
                by_label.setdefault(launch.label, []).append(launch)
        candidates, wrong = [], {}
        for label, copies in by_label.items():
            output.fill_(float("nan"))
            try:
                copies[0]()
                torch.cuda.synchronize()
            except Exception as error:  # whatever Triton's compiler thinks of it
                if "CUDA error" in str(error):
                    raise
                wrong[label] = (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
                continue
            if not agrees():
                wrong[label] = "wrong result"
                continue
            candidates.append((label, rotating(copies)))
        if not candidates:
            raise RuntimeError(f"no configuration works: {wrong}")
        label, run, log = self.timer.fastest(candidates)
        return label, run, {**log, **wrong}

    def gemm(self, case, program):
        m, n, k = case["shape"]
        nt, fp8 = case["form"] == "nt", case["dtype"] == "float8_e4m3fn"
        scales = tuple(torch.tensor([x], device="cuda") for x in (0.37, 1.9)) if fp8 else None
        sets = self.sets(program, {"SA": scales[0], "SB": scales[1]} if fp8 else {})
        a, b, c = (sets[0][name] for name in "ABC")
        contenders = {"ours": self.ours(program, sets)}
        if program.launch.get("early") and m <= 4096:
            contenders["ours, early"] = self.ours(program, sets, early=True)
        contenders["ours"](0)
        torch.cuda.synchronize()
        mine, result = c.clone(), {"agrees": {}, "chosen": {}}
        result["exact_error"] = product_error(a, b, mine, nt, scales)
        result["agrees"]["ours"] = result["exact_error"] < (2**-3 if fp8 else WORST_ERROR)

        def agrees():
            return differing(c, mine, 2.0**-6 if fp8 else 2.0**-9) == 0

        def compared(name, run):
            c.fill_(float("nan"))
            run(0)
            torch.cuda.synchronize()
            result["agrees"][name] = agrees()
            contenders[name] = run

        for name, run in self.libraries_of_product(sets, nt, scales, result["chosen"]).items():
            compared(name, run)
        if self.triton:
            launches = [list(self.triton.gemm(s["A"], s["B"], s["C"], nt, scales)) for s in sets]
            label, run, log = self.best_of_triton(launches, c, agrees)
            result["chosen"]["Triton"] = {"best": label, "of": log}
            compared("Triton", run)
        return result, contenders, 2 * m * n * k

    def libraries_of_product(self, sets, nt, scales, chosen=None):
        """{name: run}: cublasGemmEx, and `cublasLt N` for each of its proposals that is near the fastest."""
        found, fp8 = {}, scales is not None
        if self.gemm_ex and not fp8:
            found["cublasGemmEx"] = rotating([self.gemm_ex.product(s["A"], s["B"], s["C"], nt) for s in sets])
        if self.lt:
            description = self.lt.describe(*(sets[0][name] for name in "ABC"), nt, scales)
            candidates = [(f"{number}", rotating([self.lt.product(s["A"], s["B"], s["C"], description, heuristic)
                                                  for s in sets]))
                          for number, heuristic in enumerate(self.lt.proposals(description))]
            _, _, log = self.timer.fastest(candidates)
            times = {label: us for label, us in log.items() if not isinstance(us, str)}
            near = [label for label in sorted(times, key=times.get) if times[label] < NEAR * min(times.values())]
            found.update({f"cublasLt {label}": dict(candidates)[label] for label in near[:MOST_NEAR]})
            if chosen is not None:
                chosen["cublasLt"] = {"best": "", "of": log}
        return found

    def attention(self, case, program):
        batch, length, heads, size = case["shape"]
        sets = self.sets(program, {})
        inputs, output = sets[0], next(name for name in sets[0] if name not in ("Q", "K", "V"))
        contenders = {"ours": self.ours(program, sets)}
        contenders["ours"](0)
        torch.cuda.synchronize()
        mine, result = inputs[output].clone(), {"agrees": {}, "chosen": {}}
        result["exact_error"] = attention_error(*[inputs[name] for name in "QKV"], mine, case["causal"], self.generator)
        result["agrees"]["ours"] = result["exact_error"] < WORST_ERROR
        if "cudnn" in self.against:
            calls = [libraries.cudnn_attention(*[s[name] for name in "QKV"], case["causal"]) for s in sets]
            theirs = calls[0]().transpose(1, 2)
            torch.cuda.synchronize()
            result["agrees"]["cuDNN"] = differing(theirs.reshape(-1, size), mine.view(-1, size), 2.0**-6) == 0
            contenders["cuDNN"] = rotating(calls)
            del theirs
        launches = []
        if self.triton:
            launches = [list(self.triton.attention(*[s[name].view(batch * length, heads * size)
                                                     for name in ("Q", "K", "V", output)], case["shape"], case["causal"]))
                        for s in sets]
        if any(launches):  # it has no configuration of some head dims
            label, run, log = self.best_of_triton(
                launches, inputs[output],
                lambda: differing(inputs[output].view(-1, size), mine.view(-1, size), 2.0**-6) == 0)
            result["chosen"]["Triton"] = {"best": label, "of": log}
            result["agrees"]["Triton"] = True  # or it would not have been chosen
            contenders["Triton"] = run
        return result, contenders, 4 * batch * heads * length * length * size / (2 if case["causal"] else 1)

    def rows(self, case, program):
        sets = self.sets(program, {})
        first = sets[0]
        contenders = {"ours": self.ours(program, sets)}
        contenders["ours"](0)
        torch.cuda.synchronize()
        mine, result = first["Y"].clone(), {"agrees": {}, "chosen": {}}
        exact = exact_rows(case["kernel"], first)
        result["agrees"]["ours"] = differing(mine, exact, 2.0**-9) == 0
        if "copy" in self.against:
            contenders["copy"] = rotating([functools.partial(s["Y"].copy_, s["X"]) for s in sets])
            result["agrees"]["copy"] = True
        if self.triton:
            names = [name for name in ("X", "W", "B", "Y") if name in first]
            launches = [list(self.triton.rows(case["kernel"], [s[name] for name in names])) for s in sets]
        if self.triton and launches[0]:
            label, run, log = self.best_of_triton(launches, first["Y"],
                                                   lambda: differing(first["Y"], exact, 2.0**-9) == 0)
            result["chosen"]["Triton"] = {"best": label, "of": log}
            result["agrees"]["Triton"] = True
            contenders["Triton"] = run
        return result, contenders, 0

    def case(self, case, path):
        self.generator.manual_seed(1)
        started = time.monotonic()
        program = driver.Program(str(path))
        measure = {"Attention": self.attention, "Memory-bound": self.rows}.get(case["table"], self.gemm)
        result, contenders, flops = measure(case, program)
        prepared = time.monotonic()
        samples, runs = self.timer.rounds(contenders, self.options.rounds, self.options.sample_ms)
        result["seconds"] = [round(prepared - started, 2), round(time.monotonic() - prepared, 2)]
        result["rounds"], result["runs_per_sample"] = self.options.rounds, runs
        lt = [name for name in samples if name.startswith("cublasLt ")]
        if lt:
            best = min(lt, key=lambda name: statistics.median(samples[name]))
            result["chosen"]["cublasLt"]["best"] = best.split()[1]
            samples["cublasLt"] = samples[best]
            result["agrees"]["cublasLt"] = result["agrees"][best]
        result["samples"] = samples
        mine = [name for name in samples if name.startswith("ours")]
        result["rows"] = [row_of(name, samples, [r for r in samples if r not in mine + lt], flops, case) for name in mine]
        return result


def rotating(calls):
    """A contender whose i-th run is on the i-th copy of the data."""
    return lambda i: calls[i % len(calls)]()


def row_of(name, samples, rivals, flops, case):
    us = statistics.median(samples[name])
    row = {"launch": "early" if name.endswith("early") else "plain", "us": us,
           "rivals": {rival: {"us": statistics.median(samples[rival]), **ratios(samples[name], samples[rival])}
                      for rival in rivals}}
    if flops:
        row["tflops"] = flops / us * 1e-6
    else:
        row["gbps"] = 2 * 2 * case["shape"][0] * case["shape"][1] / us * 1e-3
    return row


def differing(ours, theirs, parts):
    """Elements of two matrices that are further apart than two units of rounding and `parts` of their row's size."""
    count, unit = 0, torch.finfo(theirs.dtype).eps
    for at in range(0, ours.shape[0], 2048):
        x, y = ours[at:at + 2048].float(), theirs[at:at + 2048].float()
        bound = 2 * unit * y.abs() + parts * y.pow(2).mean(dim=-1, keepdim=True).sqrt()
        count += int((~((x - y).abs() <= bound)).sum())  # a NaN differs
    return count


def spread_out(count):
    step = max(1, count // SAMPLED)
    return torch.arange(step // 2, count, step, device="cuda")[:SAMPLED]


def product_error(a, b, c, nt, scales):
    """Of sampled rows and columns, against float64, in parts of the root mean square."""
    rows, columns = spread_out(a.shape[0]), spread_out(c.shape[1])
    # Types of 8 bits cannot be indexed.
    left = a.view(torch.uint8)[rows].view(a.dtype) if a.dtype.itemsize == 1 else a[rows]
    right = b if b.dtype.itemsize > 1 else b.view(torch.uint8)
    right = (right[columns] if nt else right[:, columns]).view(b.dtype).float().double()
    exact = left.float().double() @ (right.T if nt else right)
    if scales:
        exact *= scales[0].double() * scales[1].double()
    return float(((c[rows][:, columns].double() - exact).abs() / exact.pow(2).mean().sqrt()).max())


def attention_error(q, k, v, out, causal, generator):
    """The same of sampled rows of attention, [B, S, H, D]."""
    worst, group = 0.0, q.shape[2] // k.shape[2]
    picks = torch.rand((SAMPLED, 3), device="cuda", generator=generator).cpu()
    for b, s, h in (picks * torch.tensor(q.shape[:3])).long().tolist():
        last = s + 1 if causal else k.shape[1]
        keys, values = (t[b, :last, h // group].double() for t in (k, v))
        exact = torch.softmax(keys @ q[b, s, h].double() / q.shape[3]**0.5, dim=0) @ values
        worst = max(worst, float(((out[b, s, h].double() - exact).abs() / exact.pow(2).mean().sqrt()).max()))
    return worst


def exact_rows(kernel, tensors):
    x = tensors["X"].double()
    if kernel == "softmax":
        y = torch.softmax(x, dim=1)
    elif kernel == "layernorm":
        y = torch.nn.functional.layer_norm(x, x.shape[1:], tensors["W"].double(), tensors["B"].double(), 1e-5)
    elif kernel == "rmsnorm":
        y = x * torch.rsqrt(x.pow(2).mean(dim=1, keepdim=True) + 1e-6) * tensors["W"].double()
    elif kernel == "prefix":
        y = torch.cumsum(x, dim=1)
    else:
        y = x * torch.sigmoid(1.5957691 * x * (1 + 0.044715 * x * x))
    return y.to(tensors["Y"].dtype)


def versions():
    found = {"gpu": torch.cuda.get_device_name(0), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}
    try:
        import triton
        found["triton"] = triton.__version__
    except ImportError:
        pass
    lt = libraries.library("libcublasLt")
    lt.cublasLtGetVersion.restype = libraries.ctypes.c_size_t
    found["cublaslt"] = lt.cublasLtGetVersion()
    version = libraries.ctypes.c_int()
    driver.cuda.cuDriverGetVersion(libraries.ctypes.byref(version))
    found["cuda driver"] = version.value
    return found


def say(value):
    print(json.dumps(value), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", default="")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--sample-ms", type=float, default=3.0)
    parser.add_argument("--against", default="cublas,cublaslt,cudnn,triton,copy")
    parser.add_argument("--wait", action="store_true")
    options = parser.parse_args()
    cases = {case["name"]: case for case in json.loads((options.folder / "cases.json").read_text())}
    names = options.cases.split(",") if options.cases else list(cases)
    torch.zeros(1, device="cuda")  # makes the context that the driver calls use
    bench = Bench(options)
    if options.wait:
        say({"ready": True, "versions": versions()})
        sys.stdin.readline()
    for name in names:
        say({"start": name})
        try:
            result = bench.case(cases[name], options.folder / f"{name}.bin")
        except Exception as error:  # a case that fails is a result
            traceback.print_exc()
            result = {"error": f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"}
        say({"case": name, "result": result})
        try:
            torch.cuda.synchronize()
        except RuntimeError:
            return 3  # a fault: nothing works any more in this process
        torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
