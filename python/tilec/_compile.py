# SPDX-License-Identifier: Apache-2.0
"""From a Python function to an image, through caches.

A compiled kernel is kept with all that the compiler has asked the interpreter for. It is used again
where the text, the options and every answer are the same, in this process and, by the disk cache, in
others.
"""

import hashlib
import json
import os
import sys
import threading
import time

from . import _env, _source, _targets
from .errors import CompileError, NoCompilerError, NotCompiled

_lock = threading.Lock()
_compiler = None
_memory = {}
listeners = []


def compiler():
    global _compiler
    if _compiler is None:
        with _lock:
            if _compiler is None:
                from . import _compiler as extension

                if not extension.abi_matches():
                    raise ImportError("tilec's extension was built for another libtilec.so")
                _targets.find_assembler()
                _compiler = extension.Compiler(cache_folder())
    return _compiler


def cache_folder():
    """Where compiled kernels are kept between processes; "" for nowhere."""
    from .tilelang.env import Environment, env

    if not env.is_cache_enabled():
        return ""
    # What a program assigns to tilelang.env comes before what its environment says.
    return vars(Environment)["TILELANG_CACHE_DIR"]._forced_value or os.environ.get("TILEC_CACHE_DIR") or env.TILELANG_CACHE_DIR


def default_folder():
    """cache_folder where nobody has named one."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("TILEC_CACHE_DIR") or os.path.join(base, "tilec")


class Request:
    """What is compiled: a text, an entry into it, and where its names come from."""

    __slots__ = ("name", "text", "entry", "scope", "target", "options")

    def __init__(self, name, text, entry, scope, target, options):
        self.name = name
        self.text = text
        self.entry = entry
        self.scope = scope
        self.target = target
        self.options = options

    def key(self):
        return (self.name, self.text, self.entry, self.target, tuple(sorted(self.options.items())))


class Compiled:
    """An image with its manifest, and what is needed to make its stages again."""

    def __init__(self, request, image, kind, manifest, reads, log="", remarks=()):
        self.request = request
        self.image = image
        self.kind = kind
        self.manifest_text = manifest
        self.manifest = json.loads(manifest)
        self.reads = reads
        self.log = log
        self.remarks = list(remarks)
        self.binary = None
        self._others = {}

    def stage(self, word):
        """What `tilec --emit=WORD` prints."""
        if self.binary is None:
            self.binary, _ = run(self.request)
        data = self.binary.stage(word)
        return data if word in ("object", "binary") else data.decode("utf-8", "replace")

    def simulation(self):
        """The same kernel in the form that a simulator takes: PTX of NVIDIA's targets."""
        if self.kind != "cubin":
            return self
        found = self._others.get("ptx")
        if found is None:
            request = self.request
            options = dict(request.options, ptx_assembler="none")
            found = compile_request(
                Request(request.name, request.text, request.entry, request.scope, request.target, options)
            )
            self._others["ptx"] = found
        return found


def run(request):
    """Compiles; (binary, session). CompileError where the kernel is wrong."""
    session = _env.Session(request.scope)
    started = time.perf_counter()
    binary = compiler().compile(
        name=request.name,
        text=request.text,
        target=request.target,
        entry=request.entry,
        env=session,
        **request.options,
    )
    ms = (time.perf_counter() - started) * 1e3
    for listener in list(listeners):
        listener({"name": request.name, "entry": request.entry, "target": request.target,
                  "milliseconds": ms, "ok": binary.ok})  # fmt: skip
    if not binary.ok:
        error = CompileError(message_of(binary), binary.diagnostics)
        raise error from session.failure
    if binary.log and os.environ.get("TILEC_QUIET") != "1":
        print(binary.log, file=sys.stderr)
    return binary, session


def message_of(binary):
    log = binary.log.strip()
    if binary.internal:
        log += "\nThis is a fault of tilec, not of the kernel."
    return "\n" + log if log else "the kernel does not compile"


def compile_request(request):
    key = request.key()
    for found in _memory.get(key, ()):
        if _env.Session(request.scope).answers_again(found.reads):
            return found
    found = _from_disk(request, key)
    if found is None:
        if is_capturing():
            raise NotCompiled(
                f"`{request.entry}` would have to be compiled while a graph is being captured; "
                "launch the kernel once before (or use tilec.warmup)"
            )
        binary, session = run(request)
        remarks = [d for d in binary.diagnostics if d[0] == "remark"]
        found = Compiled(request, binary.image, binary.kind, binary.manifest, session.reads, binary.log, remarks)
        found.binary = binary
        _to_disk(found, key)
    _memory.setdefault(key, []).append(found)
    return found


def is_capturing():
    torch = sys.modules.get("torch")
    if torch is None or _targets.simulated():
        return False
    cuda = getattr(torch, "cuda", None)
    try:
        return bool(cuda and cuda.is_initialized() and cuda.is_current_stream_capturing())
    except (AttributeError, RuntimeError):
        return False


def forget():
    """Drops what is kept in this process."""
    _memory.clear()


# The disk: one file for each text, entry, target and options, with all compiles of it that differ in
# what was read.

_SAFE = (str, int, float, bool, type(None))


def _can_be_kept(read):
    """What calls were given may be anything; such kernels are kept in the process only."""
    if read[0] != "call":
        return True
    args, keywords = read[2]
    return all(type(a) in _SAFE or type(a) is _env.Number for a in [*args, *keywords.values()])


def _path(key):
    folder = cache_folder()
    stamp = _library_stamp()
    if not folder:
        return None
    identity = (stamp, os.environ.get("TILEC_PTXAS", ""), key)
    name = hashlib.sha256(repr(identity).encode()).hexdigest()
    return os.path.join(folder, "python", name[:2], name[2:])


_stamp = None


def _library_stamp():
    """Tells builds of the library apart. It need not be loaded for that."""
    global _stamp
    if _stamp is None:
        import importlib.util

        found = importlib.util.find_spec("tilec._compiler")
        if found is None:
            raise NoCompilerError(
                "this is tilec-runtime, which was built without LLVM and MLIR 22: it loads (tilec.load) and launches kernels, "
                "but does not compile them; install their packages (./dev setup on Debian 12) and the package `tilec`"
            )
        extension = found.origin
        library = os.path.join(os.path.dirname(extension), "_lib", "libtilec.so.0")
        files = [os.stat(p) for p in (extension, library) if os.path.exists(p)]
        _stamp = tuple((f.st_size, f.st_mtime_ns) for f in files)
    return _stamp


def _rows(path):
    """The entries of a file: JSON heads, each followed by the bytes of its image."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        if end < 0:
            return
        try:
            head = json.loads(data[at:end])
            size = head["size"]
        except (ValueError, KeyError, TypeError):
            return
        image = data[end + 1 : end + 1 + size]
        if len(image) != size or hashlib.sha256(image).hexdigest() != head.get("sha256"):
            return
        yield head, image
        at = end + 1 + size


def _to_tuple(value):
    if type(value) is dict:
        # No keyword has such a name.
        return _env.Number(value["<object>"]) if "<object>" in value else {k: _to_tuple(v) for k, v in value.items()}
    return tuple(map(_to_tuple, value)) if isinstance(value, list) else value


def _from_disk(request, key):
    path = _path(key)
    if not path:
        return None
    for head, image in _rows(path):
        reads = [tuple(map(_to_tuple, r)) for r in head["reads"]]
        if _env.Session(request.scope).answers_again(reads):
            return Compiled(request, image, head["kind"], head["manifest"], reads)
    return None


def _to_disk(found, key):
    path = _path(key)
    if not path or not all(map(_can_be_kept, found.reads)):
        return
    import tempfile

    rows = list(_rows(path))[-15:]
    reads = json.loads(json.dumps(found.reads, default=lambda number: {"<object>": number.number}))
    head = {"reads": reads, "kind": found.kind, "manifest": found.manifest_text, "size": len(found.image),
            "sha256": hashlib.sha256(found.image).hexdigest()}  # fmt: skip
    rows.append((head, found.image))
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
        with os.fdopen(handle, "wb") as file:
            for head, image in rows:
                file.write(json.dumps(head).encode() + b"\n" + image)
        os.replace(temporary, path)
    except OSError:
        pass  # a cache that cannot be written is none


def request_for_prim_func(function, scope, out_idx, pass_configs, target, options):
    found = _source.text_of(function)
    extras = {"out_idx": out_idx, "pass_configs": pass_configs}
    text = found.module(with_decorators=False, more=_env.definitions(found, scope))
    entry = f"__tilec_tl.compile(__tilec_T.prim_func({found.name}), {_options_of(extras)})"
    return Request(found.file, text, entry, _with_names(scope, {}), target, options)


def request_for_eager(function, scope, given, out_idx, pass_configs, target, options):
    found = _source.text_of(function)
    extras = {"out_idx": out_idx, "pass_configs": pass_configs}
    more = _env.definitions(found, scope)
    names, parts = {}, []
    for name, value in given.items():
        alias = f"__tilec_arg_{name}"
        if _env.needs_text(value):
            more += f"{alias} = {_env.to_text(value)}\n"
        else:
            names[alias] = value
        parts.append(f"{name}={alias}")
    text = found.module(with_decorators=False, more=more)
    entry = f"__tilec_tl.jit({_options_of(extras)})({found.name})({', '.join(parts)})"
    return Request(found.file, text, entry, _with_names(scope, names), target, options)


def _options_of(extras):
    return ", ".join(f"{k}={_env.to_text(v)}" for k, v in extras.items())


def _with_names(scope, names):
    from . import language, tilelang

    extras = {"__tilec_T": language, "__tilec_tl": tilelang, **names}
    return _env.Scope(scope.function, scope.frame, extras)
