# SPDX-License-Identifier: Apache-2.0
"""kernel.profile("gemm.html"): what is known of a kernel, on one page."""

import html

from .errors import Error

_HEAD = """<!doctype html><meta charset="utf-8"><title>{title}</title>
<style>body{{font:14px/1.4 sans-serif;margin:2em;max-width:110em}}table{{border-collapse:collapse}}
td,th{{border:1px solid #ccc;padding:.2em .6em;text-align:left}}pre{{background:#f6f6f6;padding:1em;overflow:auto}}</style>
<h1>{title}</h1>
"""


def write(kernel, path, args=()):
    """Writes the page and gives its path. With arguments the kernel is timed on them, too: by the device's events, on
    the simulator not at all."""
    rows = [("kernel", repr(kernel)), ("target", kernel.target)]
    rows += [(name.replace("_", " "), value) for name, value in kernel.resource_usage.items()]
    for launch in kernel.manifest["launches"]:
        grid = " x ".join(map(str, launch["grid"]))
        block = " x ".join(map(str, launch["block"]))
        rows.append((f"launch of {launch['symbol']}", f"{grid} blocks of {block} threads"))
    flops = kernel.manifest.get("flops")
    if flops is not None:
        rows.append(("operations", flops))
    rows += _timed(kernel, args, flops)
    table = "".join(f"<tr><th>{_text(name)}<td>{_text(value)}" for name, value in rows)
    parts = [_HEAD.format(title=_text(kernel.name)), f"<table>{table}</table>\n"]
    for remark in getattr(kernel.compiled, "remarks", ()):
        parts.append(f"<p>{_text(' '.join(map(str, remark[1:3])))}\n")
    for title, stage in (("Schedule", "schedule.svg"), ("Report", "report"), ("Machine code", "asm")):
        try:
            found = kernel.stage(stage)
        except (Error, ValueError):
            continue  # a kernel without a pipelined loop has no schedule
        body = found if stage.endswith(".svg") else f"<pre>{_text(found)}</pre>"
        parts.append(f"<h2>{title}</h2>\n{body}\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(parts))
    return path


def _text(value):
    return html.escape(str(value))


def _timed(kernel, args, flops):
    from . import _targets

    if not args or _targets.simulated():
        return []
    from .tilelang.profiler.bench import do_bench

    ms = do_bench(lambda: kernel(*args), return_mode="median")
    rows = [("time", f"{ms * 1e3:.2f} us (median, cold L2)")]
    if isinstance(flops, int) and flops:
        rows.append(("rate", f"{flops / ms / 1e9:.1f} TFLOP/s"))
    return rows
