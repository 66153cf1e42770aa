#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs TileLang's own files, unmodified, on tilec: examples as `python FILE`, tests under pytest.

usage: python_corpus.py run  --upstream DIR --out FILE.jsonl [--kind examples|tests] [--simulator TARGET]
                             [--jobs N] [--gpus N] [--timeout S] [--budget S] [--only REGEX] [--theirs]
                             [--arguments FILE.json] [--must-run]
       python_corpus.py table FILE.jsonl [--compare THEIRS.jsonl]

DIR is a checkout of tile-ai/tilelang. One JSON line a file is appended to --out; files that are there
already are skipped, so that a run can be stopped and gone on with. `--theirs` leaves the path alone: the
`tilelang` that is installed runs, for comparing. `--arguments` names files with the arguments that they have on the
simulator: only these run; `--must-run`: status 1 where one does not. `--budget` ends the run after so many seconds, for hosts
that are lent for a while. A file counts as run when it ends with status 0 within its time; a file that
needs a package that is not there, or does not end in time, does not.
"""

import argparse
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import time

KERNEL = re.compile(r"T\.prim_func|tilelang\.jit|tl\.jit|^@jit\b|T\.Kernel\(", re.M)
# Tests of TVM's or TileLang's own insides, or of the text of CUDA C.
INSIDES = re.compile(
    r"^\s*(?:from|import)\s+(?:tvm\b|tilelang\.(?:backend|cuda|rocm|ir|_ffi_api|engine|transform|tileop|tools|utils\.pass|jit\.|cache\.|contrib"
    r"|carver|analysis|instrumentation|language\.(?:eager|tir|ast)))|from tilelang import (?:.*\btvm\b|_ffi_api|carver)", re.M)
CUDA_TEXT = re.compile(r"get_kernel_source\(\)|kernel_source|\.script\(\)")


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
        why = ""
        if m := INSIDES.search(text):
            why = f"imports insides: {m[0].strip()}"
        elif m := CUDA_TEXT.search(text):
            why = f"looks at text: {m[0]}"
        yield path.relative_to(root), why


def reason(output, status):
    """Why a file did not run, in a line."""
    lines = [line for line in output.strip().splitlines() if line.strip()]
    if m := re.search(r"ModuleNotFoundError: No module named '([^']+)'", output):
        return f"needs the package {m[1]}"
    for line in reversed(lines):
        if re.search(r"error: |Error|Exception|assert", line) and "Traceback" not in line:
            return line.strip()[:240]
    return (lines[-1].strip()[:240] if lines else "") or f"status {status}"


def command(args, path):
    if args.kind == "tests":
        return [sys.executable, "-m", "pytest", "-q", "-x" if args.fail_fast else "-q", "-p", "no:cacheprovider",
                "--tb=line", "-rfEs", str(path)]  # fmt: skip
    arguments = ARGUMENTS.get(str(path), "").split() if args.simulator else []
    if args.simulator:
        return [sys.executable, "-m", "tilec.on_simulator", args.simulator, str(path), *arguments]
    return [sys.executable, str(path)]


ARGUMENTS = {}


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
    full = pathlib.Path(args.upstream).resolve() / path
    started = time.monotonic()
    process = subprocess.Popen(
        [c if c != str(path) else str(full) for c in command(args, path)], cwd=full.parent, env=env,
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
    row = {"file": str(path), "status": status, "seconds": round(time.monotonic() - started, 1)}
    row["ok"] = status == 0
    if args.kind == "tests":
        counts = {k: int(n) for n, k in re.findall(r"(\d+) (passed|failed|skipped|error)", output[-4000:])}
        row["counts"] = counts
        row["ok"] = status == 0 and counts.get("passed", 0) > 0
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
    good = [r for r in ran if r["ok"]]
    print(f"{len(good)} of {len(ran)} files run; {len(ours) - len(ran)} are left out.\n")
    if theirs:
        both = [f for f, r in theirs.items() if r.get("ok") and "left_out" not in ours.get(f, {"left_out": 1})]
        mine = sum(ours[f]["ok"] for f in both)
        print(f"Of the {len(both)} that TileLang's own package runs on the same host, {mine} run on tilec.\n")
        tests = lambda rows: sum(rows[f].get("counts", {}).get("passed", 0) for f in both)  # noqa: E731
        if any("counts" in r for r in ran):
            print(f"Tests in them: {tests(theirs)} pass with TileLang, {tests(ours)} with tilec.\n")
    print("| file | result | s | why |\n|---|---|---|---|")
    for name, r in sorted(ours.items()):
        why = str(r.get("left_out") or r.get("why", "")).replace("|", "\\|")
        state = "left out" if "left_out" in r else "runs" if r["ok"] else "no"
        print(f"| {name} | {state} | {r.get('seconds', '')} | {why} |")


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
    args = parser.parse_args()
    if args.verb == "table":
        return table(args)
    if args.arguments:
        ARGUMENTS.update(json.loads(pathlib.Path(args.arguments).read_text()))
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
