# SPDX-License-Identifier: Apache-2.0
"""usage: compare.py FILE TARGET PLUGIN MLIR_OPT TILEC_OPT | compare.py --passes HELP HELP

Runs the stages that the driver runs, one after another, in both programs and compares what they print;
or compares which of our passes two help texts list.
"""
import re
import subprocess
import sys


def stages(target):
    t = "{target=" + target + "}"
    amd = target.startswith("gfx")
    stores = "" if amd else f"tile-stage-stores{t},"
    return [
        f"builtin.module(tile.program(tile-check,tile-normalize,tile-lay-out{t}))",
        f"builtin.module(tile.program(tile-choose-schedules{t},tile-delay-sums,"
        f"tile-rewrite-gates,tile-shorten-angles{t},tile-fuse-squares,tile-fuse-affine,tile-relax-exponentials{t},"
        f"tile-relax-logarithms,tile-relax-tangents,tile-relax-quotients{t},tile-fuse-exact-products,tile-allow-fast-math,"
        f"tile-run-serial-ahead{t},tile-hoist-reads{t},"
        f"tile-hoist-tiles,tile-find-producers{t},tile-clear-products{t},"
        f"tile-choose-rounds{t},tile-forward-stores{t},tile-find-dead-rounds,tile-guard-masks{t},"
        f"tile-share-out-tiles{t},tile-take-turns{t},tile-fit-slots{t},"
        f"tile-store-tiles{t},tile-add-slots{t},tile-fill-once{t},"
        f"tile-clear-first-rounds{t},tile-delay-waits{t},tile-expand-producers{t},tile-read-images,tile-separate-tiles,"
        f"tile-expand-pipelines{t},canonicalize,cse,{stores}"
        f"tile-place-shared{t},tile-place-barriers))",
        f"builtin.module(tile-to-wave{t},canonicalize,cse)",
        f"builtin.module(wave.kernel(wave-schedule{t}),canonicalize,cse)" if amd else
        f"builtin.module(wave.kernel(wave-carry-rounds{t}),canonicalize,cse)",
    ]


def passes(path):
    return set(re.findall(r"^ +--((?:tile|wave)-[\w-]+)", open(path).read(), re.M))


def main(*args):
    if args[0] == "--passes":
        ours, theirs = passes(args[1]), passes(args[2])
        if not ours or ours - theirs:
            sys.exit(f"missing: {sorted(ours - theirs)}")
        print(f"{len(ours)} passes")
        return
    file, target, plugin, mlir_opt, tilec_opt = args
    text = open(file).read()
    for number, pipeline in enumerate(stages(target)):
        results = []
        for tool in ([mlir_opt, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"],
                     [tilec_opt]):
            done = subprocess.run([*tool, f"--pass-pipeline={pipeline}", "-"], input=text, text=True,
                                  capture_output=True)
            if done.returncode:
                sys.exit(f"{tool[0]}: {done.stderr}")
            results.append(done.stdout)
        if results[0] != results[1]:
            sys.exit(f"stage {number} differs")
        text = results[0]
    print(f"{len(stages(target))} stages are the same")


main(*sys.argv[1:])
