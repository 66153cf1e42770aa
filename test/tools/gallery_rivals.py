#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the gallery's kernels in turns with what PyTorch and Triton have for the same work, all in one process.

usage: gallery_rivals.py FOLDER [NUMBER...]     rows of FOLDER/rows.json (gallery_gpu.py pack), a line of JSON for each contest

A page's line names its rivals behind `# beside:`. Lines of a page that name the same are one contest: their kernels
run behind one another against one rival. Each rival's result is compared with ours; all take turns on the same data,
copies of which are at least twice the L2 cache (test/bench/hopper/timing.py). A `copy` is of as many bytes as the
kernels read and write.
"""
import functools
import json
import statistics
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

import driver
from timing import Timer, ratios

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "int32": torch.int32,
          "float8_e4m3fn": torch.float8_e4m3fn, "float8_e8m0fnu": torch.float8_e8m0fnu}
ROUNDS = 31
LOG2E = 1.44269504


@dataclass
class Rival:
    """What competes: `runs` are (configuration, function); a function queues the work and returns {output: its values},
    or nothing where there is nothing to compare. Elements that are NaN there are not compared."""
    name: str
    runs: list


def once(name, run):
    return Rival(name, [("", run)])


def triton_kernels():
    import gallery_triton
    return gallery_triton


# --- what the data are, where they are not normal random numbers ---------------------------------


def softmax_data(t):
    """Lse of the scores, in powers of two, and O: the gradient's kernels and their rivals take the same."""
    q, k, v = (t[name].transpose(1, 2).float() for name in "QKV")
    for head in range(q.shape[1]):
        scores = q[:, head] @ k[:, head].transpose(1, 2) * q.shape[3]**-0.5
        t["Lse"][:, head] = torch.logsumexp(scores, 2) * LOG2E
        t["O"][:, :, head] = (torch.softmax(scores, 2) @ v[:, head]).to(t["O"].dtype)
    t["Delta"].zero_()


def block_scales(t):
    for name in ("SA", "SB"):
        t[name].uniform_(0.5, 2)


def powers(t):
    for name in ("SA", "SB"):
        t[name].view(torch.uint8).random_(124, 131)


def rope_data(t):
    tokens, positions, places = t["Q"].shape[0], t["Cos"].shape[0], t["KCache"].shape[0] * t["KCache"].shape[1]
    angle = torch.outer(torch.arange(positions), 10000.0**(-torch.arange(t["Cos"].shape[1]) / t["Cos"].shape[1]))
    t["Cos"].copy_(angle.cos())
    t["Sin"].copy_(angle.sin())
    t["Position"].random_(0, positions)
    t["Slot"].copy_(torch.randperm(places)[:tokens])


def uniform_data(t):
    t["U"].uniform_(0, 1)
    t["Logits"].mul_(3)


def experts_of(t):
    """(experts, tiles, rows of a tile) of the tensors that moe.py's `plan` makes."""
    tiles = t["Expert"].numel()
    block = t["Rows"].numel() // tiles
    return tiles - t["Chosen"].numel() // block, tiles, block


def choose(t):
    """Which experts the tokens' two assignments go to: some are liked more than others."""
    experts, top_k = experts_of(t)[0], 2
    tokens = t["Chosen"].numel() // top_k
    logits = torch.randn(tokens, experts, device="cuda") + torch.linspace(0, 1, experts, device="cuda")
    t["Chosen"].view(tokens, top_k).copy_(torch.topk(logits, top_k)[1])


def planned(chosen, experts, tiles, block):
    """(Place, Rows, Expert) as moe.py's `plan` has them, by a stable sort."""
    count = chosen.numel()
    counts = torch.zeros(experts, dtype=torch.int64, device="cuda")
    counts.scatter_add_(0, chosen.long(), torch.ones_like(chosen.long()))
    order = torch.sort(chosen, stable=True)[1]
    ends = torch.cumsum((counts + block - 1) // block, 0)
    base = (ends - (counts + block - 1) // block) * block
    expert = chosen[order].long()
    rank = torch.arange(count, device="cuda") - (torch.cumsum(counts, 0) - counts)[expert]
    place = torch.empty(count, dtype=torch.int32, device="cuda")
    place[order] = (base[expert] + rank).int()
    rows = torch.full((tiles * block,), -1, dtype=torch.int32, device="cuda")
    rows[place.long()] = torch.arange(count, dtype=torch.int32, device="cuda")
    mine = torch.searchsorted(ends, torch.arange(tiles, device="cuda"), right=True)
    return place, rows, torch.where(mine < experts, mine, -1).int()


def experts_data(t):
    """Rows and Expert of a plan, and what the rival keeps instead: which rows hold something, and where experts end."""
    top_k = 2
    t["Chosen"] = torch.empty(t["X"].shape[0] * top_k, dtype=torch.int32, device="cuda")
    choose(t)
    experts, tiles, block = experts_of(t)
    _, rows, expert = planned(t["Chosen"], experts, tiles, block)
    t["Rows"].copy_(rows)
    t["Expert"].copy_(expert)
    t["held"] = torch.nonzero(rows >= 0)[:, 0]
    t["tokens"] = rows[t["held"]].long() // top_k
    t["ends"] = torch.cumsum(torch.bincount(t["Chosen"], minlength=experts), 0).int()


def places_data(t):
    tokens, top_k = t["Place"].shape
    t["Place"].view(-1).copy_(torch.randperm(t["Y"].shape[0])[:tokens * top_k])
    t["Weights"].copy_(torch.softmax(t["Weights"], 1))


# --- the rivals: each takes the tensors of one copy ----------------------------------------------


def add(t):
    return [once("torch.add", lambda: {"C": torch.add(t["A"], t["B"], out=t["C"])})]


def attention_backward(t):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def rival(name, backend):
        q, k, v = (t[x].clone().requires_grad_() for x in "QKV")  # their version stays as it is
        with sdpa_kernel([backend]):
            out = F.scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v)))
        given = t["dO"].transpose(1, 2)

        def run():
            return dict(zip(("dQ", "dK", "dV"), torch.autograd.grad(out, (q, k, v), given, retain_graph=True)))

        return once(name, run)

    return [lambda: rival("cuDNN, by PyTorch", SDPBackend.CUDNN_ATTENTION),
            lambda: rival("FlashAttention 2 of PyTorch", SDPBackend.FLASH_ATTENTION)]


def mla_decode(t):
    batch, heads, dim = t["Q"].shape
    keys, rope = t["KV"].shape[1], t["QRope"].shape[2]
    scale = (dim + rope)**-0.5

    def torch_run():  # all sequences are of full length here
        scores = torch.bmm(t["Q"], t["KV"].transpose(1, 2))
        scores = torch.baddbmm(scores, t["QRope"], t["KRope"].transpose(1, 2), beta=scale, alpha=scale)
        return {"O": torch.bmm(torch.softmax(scores, 2), t["KV"])}

    def triton_run():
        kernels, runs = triton_kernels(), []
        most = max(c[2] for c in kernels.DECODE)
        parts = torch.empty(batch * most * heads * dim, device="cuda")
        sums = torch.empty(batch * most * heads, device="cuda")
        for block_h, block_n, splits, warps, stages in kernels.DECODE:
            if heads % block_h:
                continue

            def run(block_h=block_h, block_n=block_n, splits=splits, warps=warps, stages=stages):
                kernels.decode_part[(batch, heads // block_h, splits)](
                    t["Q"], t["QRope"], t["KV"], t["KRope"], t["Lengths"], parts, sums, scale * LOG2E, heads, keys,
                    D=dim, R=rope, BH=block_h, BN=block_n, SPLITS=splits, num_warps=warps, num_stages=stages)
                kernels.decode_together[(batch, heads)](parts, sums, t["O"], heads, D=dim, SPLITS=splits, num_warps=4)
                return {"O": t["O"]}

            runs.append((f"{block_h} heads, {block_n} keys, {splits} splits, w{warps} s{stages}", run))
        return Rival("Triton", runs)

    return [triton_run, once("torch.bmm, softmax, bmm", torch_run)]


def scaled_blocks(t):
    m, k = t["A"].shape
    n = t["B"].shape[0]

    def library():
        from torch.nn.functional import ScalingType, scaled_mm
        by_column = t["SA"].t().contiguous().t()  # cublasLt's order; not timed
        return once("cublasLt, by torch.scaled_mm", lambda: {"C": scaled_mm(
            t["A"], t["B"].t(), by_column, ScalingType.BlockWise1x128, t["SB"].t(), ScalingType.BlockWise128x128,
            output_dtype=t["C"].dtype)})

    def ours_in_triton():
        kernels, runs = triton_kernels(), []
        for bm, bn, warps, stages in kernels.BLOCK_SCALED:
            def run(bm=bm, bn=bn, warps=warps, stages=stages):
                tiles = -(-m // bm) * -(-n // bn)
                kernels.block_scaled[(tiles,)](*(t[x] for x in ("A", "B", "SA", "SB", "C")), m, n, k, BM=bm, BN=bn, GROUP=8,
                                               num_warps=warps, num_stages=stages)
                return {"C": t["C"]}
            runs.append((f"{bm}x{bn} w{warps} s{stages}", run))
        return Rival("Triton", runs)

    return [library, ours_in_triton]


def microscaled(t):
    m, k = t["A"].shape
    n = t["B"].shape[0]

    def wide(x, scale):
        return (x.to(torch.bfloat16).view(x.shape[0], -1, 32) * scale.to(torch.bfloat16)[:, :, None]).view(x.shape)

    def by_triton():
        kernels, runs = triton_kernels(), []
        scales = [t[name].view(torch.uint8) for name in ("SA", "SB")]
        for bm, bn, bk, warps, stages in kernels.MXFP8:
            def run(bm=bm, bn=bn, bk=bk, warps=warps, stages=stages):
                kernels.mxfp8[(-(-m // bm), -(-n // bn))](t["A"], t["B"], *scales, t["C"], m, n, k, BM=bm, BN=bn, BK=bk,
                                                        num_warps=warps, num_stages=stages)
                return {"C": t["C"]}
            runs.append((f"{bm}x{bn}x{bk} w{warps} s{stages}", run))
        return Rival("Triton's dot_scaled", runs)

    return [by_triton, once("to bfloat16, torch.mm",
                            lambda: {"C": torch.mm(wide(t["A"], t["SA"]), wide(t["B"], t["SB"]).t(), out=t["C"])})]


def grouped_mm(a, b, ends):
    public = getattr(F, "grouped_mm", None)
    return public(a, b, offs=ends) if public else torch._grouped_mm(a, b, offs=ends)


def grouped(t):
    ends = torch.cumsum(t["Sizes"], 0).int()
    bounds = [0, *ends.tolist()]

    def one_by_one():
        for group, (low, high) in enumerate(zip(bounds, bounds[1:])):
            torch.mm(t["A"][low:high], t["B"][group].t(), out=t["C"][low:high])
        return {"C": t["C"]}

    return [once("torch.grouped_mm", lambda: {"C": grouped_mm(t["A"], t["B"].transpose(1, 2), ends)}),
            once("torch.mm for each group", one_by_one)]


def gate(t):
    def run():
        values, places = torch.topk(t["Logits"], t["Chosen"].shape[1])
        return {"Chosen": places, "Weights": torch.softmax(values, 1)}
    return [once("torch.topk, softmax", run)]


def plan(t):
    sizes = experts_of(t)
    return [once("torch.sort and what it takes",
                 lambda: dict(zip(("Place", "Rows", "Expert"), planned(t["Chosen"], *sizes))))]


def experts(t):
    def run():
        y = grouped_mm(t["X"][t["tokens"]], t["W"].transpose(1, 2), t["ends"])
        return {"Y": lambda: torch.full(t["Y"].shape, float("nan"), device="cuda").index_copy_(0, t["held"], y.float())}
    return [once("torch: gather, grouped_mm", run)]


def combine(t):
    def run():
        return {"Out": (t["Y"][t["Place"].long()].float() * t["Weights"][:, :, None]).sum(1).to(t["Out"].dtype)}
    return [once("torch: gather, multiply, sum", run)]


def norm_quantise(t):
    rows, columns = t["X"].shape

    def by_triton():
        kernels = triton_kernels()

        def run(warps):
            kernels.norm_quantise[(rows,)](t["X"], t["Residual"], t["Weight"], t["Q"], t["Scale"], N=columns,
                                           num_warps=warps)
            return {name: t[name] for name in ("Residual", "Q", "Scale")}

        return Rival("Triton", [(f"w{warps}", functools.partial(run, warps)) for warps in kernels.ROW_WARPS])

    return [by_triton]


def rope_append(t):
    tokens, heads, size = t["Q"].shape
    kv_heads = t["K"].shape[1]

    def by_triton():
        kernels = triton_kernels()
        powers_of_two = [1 << (x - 1).bit_length() for x in (heads, kv_heads)]

        def run(warps):
            names = ("Q", "K", "V", "Cos", "Sin", "Position", "Slot", "KCache", "VCache")
            kernels.rope_append[(tokens,)](*(t[x] for x in names), HEADS=heads, KV_HEADS=kv_heads, D=size,
                                          ALL=powers_of_two[0], ALL_KV=powers_of_two[1], num_warps=warps)
            return {name: t[name] for name in ("Q", "KCache", "VCache")}

        return Rival("Triton", [(f"w{warps}", functools.partial(run, warps)) for warps in (2, 4, 8)])

    return [by_triton]


def swiglu(t):
    rows, columns = t["Y"].shape

    def by_triton():
        kernels = triton_kernels()

        def run(block, warps):
            kernels.swiglu[(columns // block, rows)](t["X"], t["Y"], N=columns, BLOCK=block, num_warps=warps)
            return {"Y": t["Y"]}

        return Rival("Triton", [(f"{b} w{w}", functools.partial(run, b, w)) for b, w in kernels.SWIGLU
                                if columns % b == 0])

    return [by_triton, once("torch: silu, mul", lambda: {"Y": F.silu(t["X"][:, :columns]) * t["X"][:, columns:]})]


def top_p(t, temperature=0.8, p=0.9):
    """Sort, sums, and the place of U among the kept: in the order of the sort, as samplers do it, and in that of the
    tokens, whose result is ours."""
    def kept():
        weights, order = torch.sort(torch.softmax(t["Logits"] / temperature, 1), 1, descending=True)
        sums = torch.cumsum(weights, 1)
        return weights, order, sums, sums - weights < p

    def sampled():
        weights, order, sums, mask = kept()
        wanted = t["U"][:, None] * (weights * mask).sum(1, keepdim=True)
        order.gather(1, torch.searchsorted(sums, wanted, right=True).clamp(max=order.shape[1] - 1))

    def same():
        weights, order, _, mask = kept()
        sums = torch.cumsum(torch.zeros_like(weights).scatter_(1, order, weights * mask), 1)
        return {"Token": torch.searchsorted(sums, t["U"][:, None] * sums[:, -1:], right=True)[:, 0].int()}

    return [once("torch: softmax, sort, cumsum, searchsorted", sampled),
            once("the same in the order of tokens", same)]


CONTESTS = {
    "add": (add, None), "attention backward": (attention_backward, softmax_data), "MLA decode": (mla_decode, None),
    "block-scaled product": (scaled_blocks, block_scales), "MXFP8 product": (microscaled, powers),
    "grouped product": (grouped, None), "gate": (gate, None), "plan": (plan, choose),
    "experts": (experts, experts_data), "combine": (combine, places_data), "norm and quantise": (norm_quantise, None),
    "RoPE and append": (rope_append, rope_data), "SwiGLU": (swiglu, None), "top-p": (top_p, uniform_data),
}


# --- timing --------------------------------------------------------------------------------------


def values(row):
    """({--arg}, {--dim}) of a row's launch."""
    pairs = {"--arg": {}, "--dim": {}}
    words = row["launch"]
    for at, word in enumerate(words):
        if word in pairs:
            name, _, value = words[at + 1].partition("=")
            pairs[word][name] = float(value) if word == "--arg" else int(value)
    return pairs["--arg"], pairs["--dim"]


class Contest:
    def __init__(self, folder, rows, timer):
        self.timer, self.make, self.data = timer, *CONTESTS[rows[0]["beside"]]
        self.programs = [driver.Program(str(folder / row["image"])) for row in rows]
        self.given, self.dims = {}, {}
        for row in rows:
            args, dims = values(row)
            self.given.update(args)
            self.dims.update(dims)
        self.params = {}
        for program in self.programs:
            for param in program.params:
                if param["kind"] in ("tensor", "workspace"):
                    known = self.params.setdefault(param["name"], dict(param))
                    known["access"] = "".join(sorted(set(known.get("access", "") + param.get("access", ""))))

    def bytes(self):
        """Read and written: the tensors each once, twice where one is changed in place or read by a later kernel."""
        return sum(self.tensor_bytes(p) * len(p["access"]) for p in self.params.values() if p["kind"] == "tensor")

    def tensor_bytes(self, p):
        return torch.Size(driver.evaluate(e, self.dims) for e in p["shape"]).numel() * DTYPES[p["dtype"]].itemsize

    def tensors(self, seed):
        generator = torch.Generator("cuda").manual_seed(seed)
        torch.manual_seed(seed)
        made = {}
        for name, p in self.params.items():
            if p["kind"] == "workspace":
                made[name] = torch.zeros(driver.evaluate(p["bytes"], self.dims), dtype=torch.uint8, device="cuda")
                continue
            dtype = DTYPES[p["dtype"]]
            shape = [driver.evaluate(e, self.dims) for e in p["shape"]]
            if name in self.given:
                made[name] = torch.full(shape, self.given[name], device="cuda").to(dtype)
            elif dtype == torch.int32 or p["access"] == "w":
                made[name] = torch.zeros(shape, device="cuda").to(dtype)
            else:
                wide = torch.float16 if dtype.itemsize < 4 else dtype
                made[name] = torch.randn(shape, device="cuda", dtype=wide, generator=generator).to(dtype)
        if self.data:
            self.data(made)
        return made

    def ours(self, tensors, programs=None):
        addresses = {name: t.data_ptr() for name, t in tensors.items()}
        calls = [p.bind(addresses, self.timer.stream.cuda_stream, self.dims, scalars=self.given)
                 for p in programs or self.programs]

        def run():
            for call in calls:
                call()
        return run

    def sets(self):
        one = sum(self.tensor_bytes(p) for p in self.params.values() if p["kind"] == "tensor")
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        return [self.tensors(seed) for seed in range(max(1, min(24, 2 * cache // one + 1)))]

    def run(self):
        sets = self.sets()
        kept = {name: t.clone() for name, t in sets[0].items()}
        contenders = {"ours": rotating([self.ours(t) for t in sets])}
        if len(self.programs) > 1:
            contenders.update({f"ours {i}": rotating([self.ours(t, [p]) for t in sets])
                               for i, p in enumerate(self.programs)})
        contenders["ours"](0)
        torch.cuda.synchronize()
        mine = {name: sets[0][name].clone() for name, p in self.params.items() if "w" in p.get("access", "")}
        result = {"agrees": {}, "chosen": {}, "errors": {}, "bytes": self.bytes()}

        def agrees(run):
            for name, t in sets[0].items():
                t.copy_(kept[name])
            theirs = run()
            torch.cuda.synchronize()
            return None if not theirs else all(same(mine[name], value() if callable(value) else value)
                                               for name, value in theirs.items())

        makers = [self.make(t) for t in sets]
        for at in range(len(makers[0])):
            try:
                made = [m[at]() if callable(m[at]) else m[at] for m in makers]
                self.enter(made, contenders, result, agrees)
            except Exception as error:
                traceback.print_exc()
                result["errors"][str(at)] = f"{type(error).__name__}: {error}"[:400]
                torch.cuda.synchronize()
        half = self.bytes() // 2
        pairs = [[torch.zeros(half, dtype=torch.uint8, device="cuda") for _ in range(2)] for _ in sets]
        contenders["a copy of the same bytes"] = rotating([functools.partial(b.copy_, a) for a, b in pairs])
        samples, runs = self.timer.rounds(contenders, ROUNDS)
        each = [statistics.median(samples[f"ours {i}"]) for i in range(len(self.programs)) if f"ours {i}" in samples]
        result.update(samples=samples, runs_per_sample=runs, us=statistics.median(samples["ours"]), each=each, rivals=[
            {"name": name, "median_us": statistics.median(theirs), **ratios(samples["ours"], theirs),
             "configuration": result["chosen"].get(name, {}).get("best", ""), "agrees": result["agrees"].get(name)}
            for name, theirs in samples.items() if not name.startswith("ours")])
        return result

    def enter(self, made, contenders, result, agrees):
        """Takes a rival in: of configurations the fastest whose result is ours."""
        candidates, wrong = [], {}
        for at, (label, run) in enumerate(made[0].runs):
            try:
                verdict = agrees(run)
            except Exception as error:
                if len(made[0].runs) == 1 or "CUDA error" in str(error):
                    raise
                wrong[label] = str(error).strip().splitlines()[0][:120] if str(error) else type(error).__name__
                continue
            if verdict is False and len(made[0].runs) > 1:
                wrong[label] = "another result"
                continue
            result["agrees"][made[0].name] = verdict
            candidates.append((label, rotating([m.runs[at][1] for m in made])))
        if not candidates:
            raise RuntimeError(f"{made[0].name}: no configuration works: {wrong}")
        label, run, log = self.timer.fastest(candidates)
        result["chosen"][made[0].name] = {"best": label, "of": {**log, **wrong}}
        contenders[made[0].name] = run


def rotating(calls):
    return lambda i: calls[i % len(calls)]()


def same(ours, theirs):
    """Integers: as good as all equal, for a rounding may move a token. Numbers: two units of rounding and 2^-6 of the
    root mean square of the tensor; of 8 bits, one unit."""
    there = ~torch.isnan(theirs.float())
    x, y = ours.float()[there], theirs.float()[there]
    if not y.numel():
        return False
    if not theirs.dtype.is_floating_point:
        return float((x == y).float().mean()) >= 0.98
    unit = torch.finfo(ours.dtype).eps
    bound = (1 if ours.dtype.itemsize == 1 else 2) * unit * y.abs() + 2.0**-6 * y.pow(2).mean().sqrt()
    return float(((x - y).abs() <= bound).float().mean()) >= 1 - 1e-6


def main():
    folder, wanted = Path(sys.argv[1]), [int(word) for word in sys.argv[2:]]
    rows = json.loads((folder / "rows.json").read_text())["rows"]
    contests = {}
    for number, row in enumerate(rows):
        if row.get("beside") and (not wanted or number in wanted):
            contests.setdefault((row["page"], row["beside"]), []).append(number)
    torch.zeros(1, device="cuda")  # makes the context that the driver's calls use
    timer = Timer()
    for numbers in contests.values():
        print(json.dumps({"start": numbers}), flush=True)
        try:
            result = Contest(folder, [rows[n] for n in numbers], timer).run()
        except Exception as error:
            traceback.print_exc()
            result = {"error": f"{type(error).__name__}: {error}"[:400]}
        print(json.dumps({"rows": numbers, "result": result}), flush=True)
        torch.cuda.synchronize()  # after a fault of the GPU nothing works: the caller starts a new process
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
