#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs TileLang's own files, unmodified, on tilec: examples as `python FILE`, tests under pytest.

usage: python_corpus.py run  --upstream DIR --out FILE.jsonl [--kind examples|tests] [--simulator TARGET]
                             [--jobs N] [--gpus N] [--timeout S] [--budget S] [--only REGEX] [--theirs]
                             [--arguments FILE.json] [--must-run]
       python_corpus.py table FILE.jsonl [--compare THEIRS.jsonl] [--upstream DIR]

DIR is a checkout of tile-ai/tilelang. One JSON line a file is appended to --out; files that are there
already are skipped, so that a run can be stopped and gone on with. `--theirs` leaves the path alone: the
`tilelang` that is installed runs, for comparing. `--arguments` names files with the arguments that they have on the
simulator: only these run; `--must-run`: status 1 where one does not. `--budget` ends the run after so many seconds, for hosts
that are lent for a while. A file counts as run when it ends with status 0 within its time; a file that
needs a package that is not there, or does not end in time, does not. Of tests, the table has two shares: that
of whole files (not_public) and that of single tests (left_out).
"""

import argparse
import ast
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

KERNEL = re.compile(r"T\.prim_func|tilelang\.jit|tl\.jit|^@jit\b|T\.Kernel\(", re.M)
# Modules of TileLang that scripts import; its other modules, and TVM, are insides.
SURFACE = re.compile(
    r"tilelang(\.(language(\.(dtypes|fp8))?|testing|autotuner|profiler|layout|math|env|intrinsics(\.\w+)?|quantize|jit|transform(\.simplify)?"
    r"|utils(\.(tensor|target|language))?|tileop\.base|tools|(cuda|rocm)\.(target|language|intrinsics(\.\w+)*)|backend\.target"
    r"|metal\.target|contrib\.nvcc|carver\.arch(\.driver)?))?$")  # fmt: skip
# What a file may import and still count: what users import, not how TileLang is made. Names of a module that is listed
# count with it, whether tilec has them or not.
PUBLIC = re.compile(
    r"tilelang(\.(language(\.(dtypes|fp8))?|testing|autotuner|profiler|layout|math|env|cache|quantize|jit|transform|intrinsics"
    r"|utils(\.(tensor|target|language))?|tools(\.cuda)?|(cuda|rocm)\.(target|language|intrinsics)|backend\.target|engine\.callback"
    r"|contrib\.nvcc|carver(\.(arch|template))?))?$")  # fmt: skip
INSIDES = {"tvm", "_ffi_api", "engine", "instrumentation", "ir", "analysis"}  # of `tilelang` itself
OF_TVM = {"DataType", "testing"}
TEXT = {"get_kernel_source", "kernel_source", "get_host_source", "script", "show_source", "export_sources", "export_ptx",
        "export_sass", "stmt_functor"}  # fmt: skip


def dotted(node):
    """`a.b.c` of a name or an attribute; "" for others."""
    if isinstance(node, ast.Name):
        return node.id
    base = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{base}.{node.attr}" if base else ""


def insides_of(tree):
    """Names that a file binds to TVM, or to modules of TileLang that are no part of its surface."""
    bound = {"tilelang.tvm": "tvm"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                if a.name.split(".")[0] == "tvm" or (a.name.split(".")[0] == "tilelang" and not SURFACE.match(a.name)):
                    bound[a.asname or a.name] = a.name
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("tvm", "tilelang"):
            for a in node.names:
                is_own = not SURFACE.match(node.module) or a.name.startswith("_") or (node.module == "tilelang" and a.name in INSIDES)
                if is_own and a.name not in OF_TVM and a.name != "TensorSupplyType":
                    bound[a.asname or a.name] = f"{node.module}.{a.name}".removeprefix("tilelang.tvm").lstrip(".") or "tvm"
    return bound


def fault_of(node, insides):
    """Why a piece of a test is none of the surface, or "": it uses TVM or TileLang's insides (an import that nothing
    uses is none), or does more with the text of a kernel than print it."""
    printed = set()
    for n in ast.walk(node):
        call = n.value if isinstance(n, ast.Expr) else None
        if isinstance(call, ast.Call):
            parts = [call, *call.args] if dotted(call.func) == "print" else [call]
            printed |= {id(inner) for e in parts for inner in ast.walk(e)}
    for n in ast.walk(node):
        if not isinstance(n, (ast.Name, ast.Attribute)):
            continue
        name = dotted(n)
        for own, what in insides.items():
            rest = name[len(own) + 1 :] if name.startswith(own + ".") else None
            if rest and rest.split(".")[0] not in OF_TVM:
                return f"uses {what}.{rest}"
            if name == own and what != "tvm" and "." not in own:
                return f"uses {what}"
        if isinstance(n, ast.Attribute) and n.attr in TEXT and id(n) not in printed:
            return f"looks at text: {n.attr}"
    return ""


def left_out(text):
    """(why none of a file's tests is run or "", test -> why it is not run): a test's faults are its own and those
    of the file's functions that it calls."""
    tree = ast.parse(text)
    insides = insides_of(tree)
    functions = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            functions[node.name] = node
    faults = {name: fault_of(node, insides) for name, node in functions.items()}
    calls = {
        name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & set(functions) for name, node in functions.items()
    }

    def whole(name, seen):
        if name in seen:
            return ""
        seen.add(name)
        return faults[name] or next(filter(None, (whole(other, seen) for other in sorted(calls[name]))), "")

    tests = [name for name in functions if name.startswith(("test_", "Test"))]
    out = {name: why for name in tests if (why := whole(name, set()))}
    at_top = next(filter(None, (fault_of(n, insides) for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef)))), "")
    if at_top or (tests and len(out) == len(tests)):
        return at_top or next(iter(out.values())), {}
    return "", out


def not_public(text):
    """Why a file as a whole is none that the share of whole files counts, or "": it imports TVM or TileLang's internals, used
    or not, or does more with the text of a kernel than print it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [(a.name, "") for a in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [(node.module, a.name) for a in node.names]
        else:
            names = [("tilelang", "tvm")] if isinstance(node, ast.Attribute) and dotted(node) == "tilelang.tvm" else []
        for module, name in names:
            whole = f"{module}.{name}" if name else module
            if re.match(r"(tilelang\.)?tvm\b", whole):
                return f"imports TVM: {whole}"
            is_own = module.split(".")[0] == "tilelang"
            if is_own and (name.startswith("_") or whole.removeprefix("tilelang.") in INSIDES):
                return f"imports internals: {whole}"
            if is_own and not PUBLIC.match(module) and not PUBLIC.match(whole):
                return f"imports internals: {whole}"
    return fault_of(tree, {})


def files_of(upstream, kind):
    """(path, why it is left out or "")."""
    root = pathlib.Path(upstream)
    if kind == "examples":
        for path in sorted(root.glob("examples/**/*.py")):
            text = path.read_text(errors="replace")
            if KERNEL.search(text) and not path.name.startswith(("test_", "regression_", "conftest")):
                yield path.relative_to(root), ""
        return
    for path in sorted(root.glob("testing/python/**/test_*.py")):
        text = path.read_text(errors="replace")
        yield path.relative_to(root), left_out(text)[0]


def reason(output, status):
    """Why a file did not run, in a line."""
    lines = [line for line in output.strip().splitlines() if line.strip()]
    if m := re.search(r"ModuleNotFoundError: No module named '([^']+)'", output):
        return f"needs the package {m[1]}"
    for line in reversed(lines):
        if re.search(r"error: |Error|Exception|assert", line) and "Traceback" not in line:
            return line.strip()[:240]
    return (lines[-1].strip()[:240] if lines else "") or f"status {status}"


def command(args, path, junit):
    if args.kind == "tests":
        full = pathlib.Path(args.upstream).resolve() / path
        words = [f"--deselect={full.name}::{name}" for name in left_out(full.read_text(errors="replace"))[1]]
        return [sys.executable, "-m", "pytest", "-q", *(["-x"] if args.fail_fast else []), "-p", "no:cacheprovider",
                f"--rootdir={full.parent}", f"--junitxml={junit}", "--tb=line", "-rfE", *words, str(path)]  # fmt: skip
    arguments = ARGUMENTS.get(str(path), "").split() if args.simulator else []
    if args.simulator:
        return [sys.executable, "-m", "tilec.on_simulator", args.simulator, str(path), *arguments]
    return [sys.executable, str(path)]


ARGUMENTS = {}


def results_of(junit):
    """Names of the tests of a run of pytest by what became of them."""
    found = {"passed": [], "failed": {}, "skipped": 0}
    try:
        cases = list(xml.etree.ElementTree.parse(junit).iter("testcase"))
        junit.unlink()
    except (OSError, xml.etree.ElementTree.ParseError):
        return found  # it was ended before it could write
    for case in cases:
        name = case.get("name")
        bad = case.find("failure") if case.find("failure") is not None else case.find("error")
        if bad is not None:
            said = [line for line in (bad.get("message") or "").splitlines() if line.strip()]
            found["failed"][name] = next((line for line in said if "error: " in line), " ".join(said[:1])).strip()[:240]
        elif case.find("skipped") is not None:
            found["skipped"] += 1
        else:
            found["passed"].append(name)
    return found


def run_one(args, path, gpu):
    env = dict(os.environ)
    if not args.theirs:
        folder = subprocess.run([sys.executable, "-m", "tilec.dropin"], capture_output=True, text=True, check=True).stdout.strip()
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, env.get("PYTHONPATH")]))
    if gpu is not None:
        env["CUDA_VISIBLE_DEVICES"] = str(gpu)
    if args.simulator and args.kind == "tests":
        env["TILEC_TEST_SIMULATOR"] = args.simulator
        env["PYTEST_PLUGINS"] = "tilec.pytest_simulator"
    if args.kind == "tests":  # some import the examples
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [env.get("PYTHONPATH"), str(pathlib.Path(args.upstream).resolve())]))
    full = pathlib.Path(args.upstream).resolve() / path
    junit = pathlib.Path(tempfile.gettempdir()) / f"tilec-corpus-{os.getpid()}-{threading.get_ident()}.xml"
    started = time.monotonic()
    process = subprocess.Popen(
        [c if c != str(path) else str(full) for c in command(args, path, junit)], cwd=full.parent, env=env,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=args.timeout)
        status, late = process.returncode, False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status, late = -9, True
    output = output.replace(f"{pathlib.Path(args.upstream).resolve()}/", "")
    row = {"file": str(path), "status": status, "seconds": round(time.monotonic() - started, 1)}
    row["ok"] = status == 0
    if args.kind == "tests":
        row.update(results_of(junit))
        row["tests_left_out"] = left_out(full.read_text(errors="replace"))[1]
        row["ok"] = status in (0, 5) and not row["failed"]
    if not row["ok"]:
        row["why"] = f"not done in {args.timeout} s" if late else reason(output, status)
        row["tail"] = output[-1500:]
    return row


def run(args):
    out = pathlib.Path(args.out)
    if args.fresh:
        out.unlink(missing_ok=True)
    done = {json.loads(line)["file"] for line in out.read_text().splitlines()} if out.exists() else set()
    work = queue.Queue()
    left_out = 0
    for path, why in files_of(args.upstream, args.kind):
        if str(path) in done or (ARGUMENTS and str(path) not in ARGUMENTS) or (args.only and not re.search(args.only, str(path))):
            continue
        if why:
            left_out += 1
            with out.open("a") as file:
                file.write(json.dumps({"file": str(path), "left_out": why}) + "\n")
            continue
        work.put(path)
    print(f"{work.qsize()} files to run, {left_out} left out, {len(done)} done before", flush=True)
    lock = threading.Lock()
    ends = time.monotonic() + args.budget if args.budget else None

    def worker(number):
        gpu = number % args.gpus if args.gpus else None
        while ends is None or time.monotonic() + args.timeout < ends:
            try:
                path = work.get_nowait()
            except queue.Empty:
                return
            row = run_one(args, path, gpu)
            with lock:
                with out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"{'ok  ' if row['ok'] else 'FAIL'} {row['seconds']:6.1f} s  {row['file']}  {row.get('why', '')}", flush=True)

    threads = [threading.Thread(target=worker, args=(i,)) for i in range(args.jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if args.must_run:
        bad = [r for r in rows_of(out).values() if not r.get("ok")]
        for r in bad:
            print(r["file"], r.get("why") or r.get("left_out"), r.get("tail", ""), sep="\n")
        return 1 if bad or not out.exists() or len(rows_of(out)) < len(ARGUMENTS) else 0
    return 0


def rows_of(path):
    return {r["file"]: r for r in map(json.loads, pathlib.Path(path).read_text().splitlines())}


def table(args):
    ours = rows_of(args.file)
    theirs = rows_of(args.compare) if args.compare else {}
    ran = [r for r in ours.values() if "left_out" not in r]
    if any("passed" in r for r in ran):
        return table_of_tests(ours, theirs, args.upstream)
    good = [r for r in ran if r["ok"]]
    print(f"{len(good)} of {len(ran)} files run; {len(ours) - len(ran)} are left out.\n")
    print("| file | result | s | why |\n|---|---|---|---|")
    for name, r in sorted(ours.items()):
        why = str(r.get("left_out") or r.get("why", "")).replace("|", "\\|")
        state = "left out" if "left_out" in r else "runs" if r["ok"] else "no"
        print(f"| {name} | {state} | {r.get('seconds', '')} | {why} |")


def share(files, ours, theirs):
    """How many tests of some files pass with the other package, and how many of these with ours."""
    # T.float8_e4m3 prints its own name there, here that of the type that it is.
    tests_of = lambda row: {re.sub(r"\bfloat8_e4m3\b", "float8_e4m3fn", t) for t in row.get("passed", ())}  # noqa: E731
    known = {name: tests_of(theirs[name]) for name in files if name in theirs}
    both = sum(len(tests & tests_of(ours[name])) for name, tests in known.items())
    every = sum(map(len, known.values()))
    return f"Of the {every} that pass with TileLang's own package on the same host, {both} pass with tilec ({both / max(1, every):.1%})."


def table_of_tests(ours, theirs, upstream):
    """Counts tests by both rules, and with the other package's run the share of what passes there."""
    root = pathlib.Path(upstream)
    ran = {name: r for name, r in ours.items() if "left_out" not in r}
    outside = {name: not_public((root / name).read_text(errors="replace")) for name in ours}
    public = [name for name in ran if not outside[name]]
    print("By whole files (those that import TVM or TileLang's internals or look at the text of kernels are left out):")
    passed, failed = (sum(len(ran[name][k]) for name in public) for k in ("passed", "failed"))
    print(f"{passed} tests of {len(public)} files pass, {failed} fail; left out are {len(ours) - len(public)} files.")
    if theirs:
        print(share(public, ran, theirs))
    print("\nBy single tests (those that themselves use TVM, internals or the text of kernels are left out, the others of their files run):")
    passed, failed = (sum(len(r[k]) for r in ran.values()) for k in ("passed", "failed"))
    alone = sum(len(r["tests_left_out"]) for r in ran.values())
    print(f"{passed} tests of {len(ran)} files pass, {failed} fail, {sum(r['skipped'] for r in ran.values())} are skipped; "
          f"left out are {len(ours) - len(ran)} files and {alone} functions of others.")  # fmt: skip
    if theirs:
        print(share(ran, ran, theirs))
    print()
    print("| file | passed | failed | skipped | theirs | s | why |\n|---|---|---|---|---|---|---|")
    for name, r in sorted(ran.items()):
        other = len(theirs[name].get("passed", ())) if name in theirs else ""
        first = next(iter(r["failed"].items()), None)
        why = f"{first[0]}: {first[1]}" if first else r.get("why", "")
        why = why.replace("|", "\\|")[:300]
        print(f"| {name} | {len(r['passed'])} | {len(r['failed'])} | {r['skipped']} | {other} | {r['seconds']} | {why} |")
    print("\n| left out | functions | of the file | why |\n|---|---|---|---|")
    for name, r in sorted(ours.items()):
        out = r.get("tests_left_out", {})
        if not outside[name] and not out and "left_out" not in r:
            continue
        functions = "all" if "left_out" in r else len(out)
        why = outside[name] or r.get("left_out") or "; ".join(sorted(set(out.values()))[:3])
        print(f"| {name} | {functions} | {'yes' if outside[name] else 'no'} | {why} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("run")
    r.add_argument("--upstream", required=True)
    r.add_argument("--out", required=True)
    r.add_argument("--kind", choices=("examples", "tests"), default="examples")
    r.add_argument("--simulator")
    r.add_argument("--jobs", type=int, default=1)
    r.add_argument("--gpus", type=int, default=0)
    r.add_argument("--timeout", type=float, default=60)
    r.add_argument("--budget", type=float, default=0)
    r.add_argument("--only")
    r.add_argument("--arguments", help="JSON: file -> the arguments that it is run with on the simulator")
    r.add_argument("--fresh", action="store_true", help="forget what FILE has")
    r.add_argument("--must-run", action="store_true")
    r.add_argument("--theirs", action="store_true")
    r.add_argument("--fail-fast", action="store_true")
    t = verbs.add_parser("table")
    t.add_argument("file")
    t.add_argument("--compare")
    t.add_argument("--upstream", default=".", help="the checkout whose tests ran")
    args = parser.parse_args()
    if args.verb == "table":
        return table(args)
    if args.arguments:
        ARGUMENTS.update(json.loads(pathlib.Path(args.arguments).read_text()))
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
