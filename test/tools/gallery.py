#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of examples/NN-name and docs/start/from-*.md: runs their commands, makes their listings and tables, checks both.

usage: gallery.py PAGE... --bin TOOLS [--update] [--jobs N] [--only made|commands]

Commands. Every line of a `sh` block is executed in the page's folder, $OUT is an empty folder. A `tilec-run` line with --check runs, in the
size that the page gives, on the cpu reference and with --check on both simulated chips and as PTX of sm_90a. A line
with --device=cuda or hip only compiles here. The end of a line says what is otherwise:

    # only gfx950 sm_90a    the kernel is for these targets
    # fails: TEXT           the command must fail and say TEXT
    # beside: RIVALS        of a line that a GPU times: what gallery_rivals.py has against it, where there is no --vs; lines
                            that follow one another and name the same are timed together

Python. A block ```python run ENTRY --OPTION ...``` is executed as those of docs/language are (language_docs.py).

Parts that are made. Between `<!-- made: KIND ...` and `<!-- end made -->` stands what this program writes; without
--update a difference is a fault. What follows KIND, up to `-->`, says what is made:

    source FILE [NAME]                   a file, or the function NAME of it
    output COMMAND...                    what commands say, a line each, and the exit status where that is not 0
    asm FILE | ENTRY | TARGET | REGEX | N    N lines of the assembly from the first that matches
    machine                              a table; each line NAME | FILE | ENTRY | OPTIONS is a kernel on both chips:
                                         registers, waits of its hottest loop, the simulator's clocks. OPTIONS are
                                         dim:NAME=N, arg:NAME=VALUE (of a tensor: each element; range:N: 0 to
                                         N - 1), only:TARGET; anything else goes to tilec. Other tensors are zeros
    steps                                NAME | FILE | ENTRY with {M} and {K} in it | SIZE K: products C = A * B^T of M x M
                                         simulated at that size and at K and 2 K: clocks a K step of 64 on gfx950, as of
                                         M = 4096
    measured FILE.json                   what measure.py wrote on a GPU
    gpu FILE.json                        a table of the page's --device=cuda lines; the file of test/bench/results is what
                                         gallery_gpu.py wrote on a GPU
"""
import argparse
import array
import concurrent.futures
import difflib
import json
import math
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import language_docs

REPO = Path(__file__).resolve().parents[2]
CHIPS = ("gfx950", "gfx942")
DEVICES = ("cpu", *CHIPS, "sm_90a")
MADE = re.compile(r"<!-- made: (\w+)(.*?)-->\n(.*?)<!-- end made -->", re.S)
TIMEOUT_S = 120
BITS = {"bool": 8, "float64": 64, "int64": 64, "uint64": 64, "float32": 32, "int32": 32, "uint32": 32, "float16": 16,
        "bfloat16": 16, "int16": 16, "uint16": 16, "int8": 8, "uint8": 8, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}


class Fault(Exception):
    pass


def bits(dtype):
    return BITS.get(dtype, 8)  # the others are the formats of 8 bits


def evaluate(expression, names):
    """A size of a launch manifest."""
    if isinstance(expression, int):
        return expression
    functions = {"ceildiv": lambda a, b: -(-a // b), "min": min, "max": max, "__builtins__": {}}
    return eval(expression, functions, dict(names))  # manifests are ours


class Tools:
    def __init__(self, folder, scratch, here, page):
        self.bin, self.scratch, self.here, self.count = Path(folder).resolve(), Path(scratch), here, 0
        self.page = page
        self.environment = {**os.environ, "TILEC_CACHE_DIR": str(self.scratch / "cache"), "NO_COLOR": "1",
                            "PATH": f"{self.bin}:{os.environ['PATH']}", "OUT": str(self.scratch)}

    def run(self, command, shell=False):
        try:
            done = subprocess.run(command, cwd=self.here, env=self.environment, shell=shell, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return 124, f"no end after {TIMEOUT_S} s"
        # A slow machine is told about: that is no part of what comes out.
        return done.returncode, re.sub(r"^tilec[\w-]*: compiling for .*\n", "", done.stdout, flags=re.M)

    def must(self, command):
        code, output = self.run([str(c) for c in command])
        if code:
            raise Fault(f"{shlex.join(map(str, command))}\n{output}")
        return output

    def file(self, ending):
        self.count += 1
        return self.scratch / f"{os.getpid()}-{self.count}-{os.urandom(3).hex()}{ending}"


# Commands --------------------------------------------------------------------------------------


def commands_of(page):
    """(command, what its comment says) of the sh blocks; a backslash continues a line."""
    for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            command, _, note = line.partition("  #")
            if command.strip() and not command.startswith("#"):
                yield command.strip(), note.strip()


def without(words, *names):
    """The words of a command line without options and their values."""
    return [w for w in words if w not in names and not any(w.startswith(n + "=") for n in names)]


def expanded(command, note):
    """(command, text that it must say or None, exit status) of what a line of a page stands for."""
    words = shlex.split(command)
    fails = re.match(r"fails: (.*)", note)
    only = note.split()[1:] if note.startswith("only ") else DEVICES
    if fails:
        return [(command, fails[1], True)]
    if words[0] != "tilec-run":
        return [(command, None, False)]
    if "--device=cuda" in words or "--device=hip" in words:
        kept = without(words[1:], "--device", "--check", "--bench", "--vs")
        for option in ("--dim", "--arg"):
            while option in kept:
                del kept[kept.index(option):kept.index(option) + 2]
        none = [] if any(w.startswith("--target=gfx") for w in kept) else ["--ptx-assembler=none"]
        return [(shlex.join(["tilec", *kept, *none, "-o", "/dev/null", "--emit=binary"]), None, False)]
    if "--check" not in words:
        return [(command, None, False)]
    kept, out = without(words, "--device", "--target"), []
    for device in only:
        kind = "cpu" if device == "cpu" else "ptx" if device.startswith("sm") else "sim"
        where = [f"--device={kind}"] + ([] if device == "cpu" else [f"--target={device}"])
        line = without(kept, "--check") if device == "cpu" else kept
        out.append((shlex.join([*line, *where]), None if device == "cpu" else "PASS", False))
    return out


def check_command(tools, command, wanted, fails):
    code, output = tools.run(command, shell=True)
    if (code != 0) != fails:
        return f"$ {command}\nexit status {code}\n{output}"
    if wanted and wanted not in output:
        return f"$ {command}\ndoes not say `{wanted}`\n{output}"
    return ""


def check_blocks(tools, pool, page, name):
    """Faults of the Python blocks of a page."""
    try:
        examples = [language_docs.example_of(b, {}) for b in language_docs.blocks_of(name, page)
                    if b.language == "python" and b.tags]
    except language_docs.BadTag as fault:
        return [f"{name}: {fault}"]
    runner = language_docs.Runner(tools.bin, tools.scratch)
    return [f for f in pool.map(runner.check, range(len(examples)), examples) if f]


# Parts that are made ---------------------------------------------------------------------------


def source(tools, argument):
    file, *name = argument.split()
    lines = (tools.here / file).read_text().splitlines()
    if name:
        at = next((i for i, l in enumerate(lines) if re.match(rf"\s*(?:def|[\w:]+(?: \w+)?) {name[0]}\(", l)), None)
        if at is None:
            raise Fault(f"{file} has no {name[0]}")
        start = at
        while start and lines[start - 1].lstrip().startswith("@"):
            start -= 1
        closing, indent = file.endswith(".cpp"), len(lines[at]) - len(lines[at].lstrip())
        end = at + 1
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
            end += 1
        lines = lines[start:end + closing]
        while not lines[-1].strip():
            lines.pop()
    language = {".py": "python", ".cpp": "cpp", ".s": "asm"}.get(Path(file).suffix, "")
    return f"```{language}\n" + "\n".join(lines) + "\n```\n"


def output(tools, argument):
    lines = argument.strip().splitlines()
    code, text = tools.run("set -e\n" + argument.strip(), shell=True)
    text = text.replace(str(REPO) + "/", "").replace(str(tools.scratch), "$OUT")
    text = re.sub(r"(compile time +)[\d.]+ ms", r"\1...", text)
    text = re.sub(r" in [\d.]+ s\b|, [\d.]+ s, [\d.]+ M instructions/s", "", text)
    shown = "\n".join(("" if at and lines[at - 1].endswith("\\") else "$ ") + line for at, line in enumerate(lines))
    status = f"exit status {code}\n" if code else ""
    return f"```\n{shown}\n{text.rstrip()}\n{status}```\n"


def asm(tools, argument):
    file, entry, target, start, count = (w.strip() for w in argument.split("|"))
    text = tools.must(["tilec", tools.here / file, "--entry", entry, f"--target={target}", "--emit=asm", "-o", "-"])
    lines = [l.split(";")[0].rstrip() for l in text.splitlines()]
    lines = [l.expandtabs(4) for l in lines if l.strip() and not re.match(r"\s+\.(loc|cfi|file)|\.L(tmp|func)", l)]
    at = next((i for i, l in enumerate(lines) if re.search(start, l)), None)
    if at is None:
        raise Fault(f"the assembly of {entry} has no {start}")
    return "```asm\n" + "\n".join(lines[at:at + int(count)]) + "\n```\n"


class Row:
    """A line of `machine` or `steps`: NAME | FILE | ENTRY | OPTIONS"""

    def __init__(self, line):
        parts = [p.strip() for p in line.split("|")] + [""]
        if len(parts) < 4:
            raise Fault(f"`{line}` is not NAME | FILE | ENTRY | OPTIONS")
        self.name, self.file, self.entry = parts[:3]
        words = shlex.split(parts[3])
        self.only = [w[5:] for w in words if w.startswith("only:")] or CHIPS
        self.sizes = {n: int(v) for n, v in (w[4:].split("=") for w in words if w.startswith("dim:"))}
        self.values = dict(w[4:].split("=", 1) for w in words if w.startswith("arg:"))
        self.options = [w for w in words if not w.startswith(("only:", "dim:", "arg:"))]


def data(tools, value, dtype, count):
    """A tensor of one number (`7`), or of 0 to N - 1 in rising order (`range:N`), as an argument of tilec-sim."""
    head, _, top = value.partition(":")
    values = [i * int(top) // count for i in range(count)] if head == "range" else [float(value)] * count
    code, short = {"int32": ("i", "<i4"), "float32": ("f", "<f4")}[dtype]
    text = repr({"descr": short, "fortran_order": False, "shape": (count,)}).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    file = tools.file(".npy")
    body = array.array(code, map(int, values) if code == "i" else values).tobytes()
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body)
    return str(file)


def argument_of(tools, parameter, row):
    name, kind, dtype = parameter["name"], parameter["kind"], parameter.get("dtype")
    if kind == "workspace":
        return f"zeros:{evaluate(parameter['bytes'], row.sizes)}"
    if kind == "tensor":
        count = math.prod(evaluate(e, row.sizes) for e in parameter["shape"])
        if name in row.values:
            return data(tools, row.values[name], dtype, count)
        return f"zeros:{max(1, count * bits(dtype) // 8)}"
    short = re.sub(r"^[a-z]+", lambda m: {"float": "f", "int": "i", "uint": "u"}[m[0]], dtype)
    return f"{short}:{row.sizes[name] if kind == 'dim' else row.values.get(name, 1)}"


def simulate(tools, image, manifest, row):
    """(clocks, microseconds) of a run, all launches."""
    clocks = time = 0
    for launch in manifest["launches"]:
        out = tools.file(".json")
        grid = ",".join(str(evaluate(e, row.sizes)) for e in launch["grid"])
        arguments = [f"--arg={argument_of(tools, p, row)}" for p in launch["params"]]
        tools.must(["tilec-sim", image, "--kernel", launch["symbol"], "--grid", grid, "--block",
                    ",".join(map(str, launch["block"])), "--timing", "--checks=none", "--quiet", "--timing-json", out, *arguments])
        run = json.loads(out.read_text())
        clocks, time = clocks + run["kernel_clk"], time + run["kernel_us"]
    return round(clocks), time


def compiled(tools, row, target, entry=None):
    image = tools.file(".hsaco")
    common = [tools.here / row.file, "--entry", entry or row.entry, f"--target={target}", *row.options]
    tools.must(["tilec", *common, "-o", image])
    report = json.loads(tools.must(["tilec", *common, "--emit=report", "--json"]))
    return image, json.loads(Path(f"{image}.json").read_text()), report["kernels"]


def work(manifest, sizes):
    """(operations, bytes) of a run: the tensors each once, twice where it is changed in place."""
    tensors = {p["name"]: p for launch in manifest["launches"] for p in launch["params"] if p["kind"] == "tensor"}
    size = sum(math.prod(evaluate(e, sizes) for e in p["shape"]) * bits(p["dtype"]) // 8 *
               (2 if p["access"] == "rw" else 1) for p in tensors.values())
    return evaluate(manifest.get("flops", 0), sizes), size


def rate(operations, size, time):
    return f"{operations / time * 1e-6:.0f} TFLOP/s" if operations > 50 * size else f"{size / time * 1e-3:.0f} GB/s"


def waits(kernel):
    if kernel.get("hot_loop") is None or kernel["hot_loop"] < 0 or not kernel["loops"]:
        return "no loop"
    kinds = kernel["loops"][kernel["hot_loop"]]["waits"]
    if len(kinds) > 3:
        return f"{sum(w['times'] for w in kinds)}, of them {sum(w['times'] for w in kinds if w.get('vmcnt') == 0)} x vmcnt(0)"
    return ", ".join(f"{w['times']} x {w['text']}" for w in kinds) or "none"


def machine_row(tools, row, chip):
    image, manifest, kernels = compiled(tools, row, chip)
    most = max(kernels, key=lambda k: k["vgprs"])
    clocks, time = simulate(tools, image, manifest, row)
    lds = max(k["shared_bytes"] for k in kernels)
    cells = [row.name, chip, f"{most['vgprs']} / {most['agprs']} / {most['sgprs']}", f"{lds}", f"{most['blocks_per_unit']}",
             waits(most), f"{clocks}", f"{time:.1f}", rate(*work(manifest, row.sizes), time)]
    return "| " + " | ".join(cells) + " |"


def machine(tools, argument):
    rows = [Row(l) for l in argument.splitlines() if l.strip()]
    lines = ["| kernel | chip | VGPR / AGPR / SGPR | LDS, bytes | blocks a CU | waits a round of the hot loop | clocks | us "
             "| that is |", "|---|---|---|---|---|---|---|---|---|"]
    return "\n".join(lines + [machine_row(tools, r, c) for r in rows for c in CHIPS if c in r.only]) + "\n"


def steps(tools, argument):
    lines = ["| step | VGPR | LDS, bytes | waits a round of the hot loop | clocks a K step of 64 | matrix pipes busy |",
             "|---|---|---|---|---|---|"]
    for row in (Row(l) for l in argument.splitlines() if l.strip()):
        (size, depth), row.options, clocks = map(int, row.options), [], []
        for k in (depth, 2 * depth):
            entry = row.entry.replace("{M}", str(size)).replace("{K}", str(k))
            image, manifest, kernels = compiled(tools, row, "gfx950", entry)
            clocks.append(simulate(tools, image, manifest, row)[0])
        step = (clocks[1] - clocks[0]) / (depth / 64) * (4096 / size)**2
        ideal = 2 * 4096 * 4096 * 64 / (256 * 4096)  # 4096 operations of 16 bits a clock and compute unit, of which are 256
        lines.append(f"| {row.name} | {kernels[0]['vgprs']} | {kernels[0]['shared_bytes']} | {waits(kernels[0])} | {step:.0f} | "
                     f"{100 * ideal / step:.1f} % |")
    return "\n".join(lines) + "\n"


def measured(tools, argument):
    file = tools.here / argument.strip()
    if not file.exists():
        return "Not measured yet.\n"
    run = json.loads(file.read_text())
    lines = [f"{run['gpu']}, {run['date']}, tree of {run['tree']}; all of it is in [{file.name}]({file.name}).",
             f"`{run['command']}`", "",
             "| step | us | TFLOP/s | the library, us | times its speed |", "|---|---|---|---|---|"]
    for row in run["rows"]:
        rival = row["report"]["rivals"][0]
        lines.append(f"| {row['name']} | {row['us']:.2f} | {row['flops'] / row['us'] * 1e-6:.1f} | {rival['median_us']:.2f} | "
                     f"{rival['ratio']:.3f} [{rival['ratio_low']:.3f} {rival['ratio_high']:.3f}] |")
    return "\n".join(lines) + "\n"


def is_measured(command):
    return command.startswith("tilec-run ") and "--device=cuda" in shlex.split(command)


def beside(note):
    """The rivals that a line's comment names."""
    return note[len("beside:"):].strip() if note.startswith("beside:") else ""


def rivals_of(row):
    """Two cells for each rival: whose time it is, and how many times as fast ours is."""
    for rival in row["rivals"]:
        wrong = " **another result**" if rival["agrees"] is False and not rival["name"].startswith("a copy") else ""
        yield [f"{rival['name']}: {rival['median_us']:.2f}{wrong}",
               f"{rival['ratio']:.3f} [{rival['ratio_low']:.3f} {rival['ratio_high']:.3f}]"]


def gpu_rows(first, row):
    """Lines of the table of a kernel, or of several together: `first` is what stands in front of the rivals."""
    rivals = list(rivals_of(row)) or [["-", "-"]]
    return [[*(first if at == 0 else [""] * len(first)), *rival] for at, rival in enumerate(rivals)]


def gpu(tools, argument):
    file = REPO / "test/bench/results" / argument.strip()
    if not file.exists():
        return "Not measured yet.\n"
    run = json.loads(file.read_text())
    rows = {row["command"]: row for row in run["rows"] if "error" not in row}
    last = {contest["commands"][-1]: contest for contest in run.get("together", [])}
    versions = ", ".join(f"{name} {value}" for name, value in run.get("versions", {}).items())
    lines = [f"{run['gpu']}, {run['date']}, tree of {run['tree']}{versions and '; ' + versions}.", "",
             "| call | us | that is | beside it: us | times its speed |", "|---|---|---|---|---|"]
    cells = []
    for command, _ in commands_of(tools.page):
        if not is_measured(command):
            continue
        words, row = shlex.split(command), rows.get(command)
        call = f"`{words[words.index('--entry') + 1]}`"
        if not row:
            cells.append([call, "-", "-", "-", "-"])
            continue
        cells += gpu_rows([call, f"{row['us']:.2f}", rate(row["operations"], row["bytes"], row["us"])], row)
        if command in last:
            cells += gpu_rows(["all of them", f"{last[command]['us']:.2f}", ""], last[command])
    return "\n".join(lines + ["| " + " | ".join(line) + " |" for line in cells]) + "\n"


KINDS = {"source": source, "output": output, "asm": asm, "machine": machine, "steps": steps, "measured": measured, "gpu": gpu}


# Pages -----------------------------------------------------------------------------------------


def made(tools, pool, page):
    """The page as it should be."""
    parts = list(MADE.finditer(page))
    texts = list(pool.map(lambda m: KINDS[m[1]](tools, m[2]), parts))
    out, at = [], 0
    for part, text in zip(parts, texts):
        out += [page[at:part.start()], f"<!-- made: {part[1]}{part[2]}-->\n", text, "<!-- end made -->"]
        at = part.end()
    return "".join(out) + page[at:]


def check_page(path, options):
    page, faults = path.read_text(), []
    name = str(path.relative_to(REPO)) if path.is_relative_to(REPO) else path.name
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tools = Tools(options.bin, scratch, path.parent, page)
        if options.only != "made":
            runs = list(dict.fromkeys(e for c in commands_of(page) for e in expanded(*c)))
            faults += [f for f in pool.map(lambda r: check_command(tools, *r), runs) if f]
            faults += check_blocks(tools, pool, page, name)
            print(f"{name}: {len(runs)} commands")
        if options.only != "commands":
            try:
                wanted = made(tools, pool, page)
            except Fault as fault:
                return faults + [str(fault)]
            if options.update:
                path.write_text(wanted)
            elif wanted != page:
                faults += ["\n".join(difflib.unified_diff(page.splitlines(), wanted.splitlines(), "the page", "as it is",
                                                         lineterm="", n=1)),
                           f"mend it with test/tools/gallery.py {name} --bin TOOLS --update"]
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=("made", "commands"))
    options = parser.parse_args()
    faults = [f for page in options.pages for f in check_page(page.resolve(), options)]
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
