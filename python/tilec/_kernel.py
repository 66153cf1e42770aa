# SPDX-License-Identifier: Apache-2.0
"""A compiled kernel that can be called."""

import json
import os
import re

from . import _dtypes, _runtime
from .errors import ArgumentError, Error

_MATH = {"ceildiv": lambda a, b: -(-a // b), "min": min, "max": max, "__builtins__": {}}


class Param:
    """A parameter of the kernel as its caller sees it."""

    __slots__ = ("name", "dtype", "shape", "is_tensor", "access", "is_used", "has_strides", "_extents")

    def __init__(self, row):
        self.is_used = row.get("used", True)
        self.name = row["name"]
        self.dtype = _dtypes.dtype(row["dtype"])
        self.is_tensor = row["kind"] == "tensor"
        self.shape = tuple(row.get("shape", ()))
        self.access = row.get("access", "r")
        #: Whether the kernel takes strides other than those of a dense tensor.
        self.has_strides = bool(row.get("strides"))
        self._extents = None

    def extents(self, dims):
        """The shape as numbers."""
        if self._extents is None:
            self._extents = [e if isinstance(e, int) else _builtin_compile(e) for e in self.shape]
        return tuple(e if isinstance(e, int) else eval(e, _MATH, dims) for e in self._extents)

    def torch_dtype(self):
        return _dtypes.torch_dtype(self.dtype)

    def __repr__(self):
        shape = ", ".join(map(str, self.shape))
        return f"{self.name}: {str.__str__(self.dtype)}" + (f"[{shape}]" if self.is_tensor else "")


def _builtin_compile(text):
    return compile(text, "<shape>", "eval")


def params_of(manifest):
    """Tensors and scalars, each once, in the order in which the caller gives them."""
    found = {}
    for launch in manifest["launches"]:
        for row in launch["params"]:
            if row["kind"] not in ("tensor", "scalar"):
                continue
            known = found.get(row["name"])
            if known is None:
                found[row["name"]] = Param(row)
            elif row["kind"] == "tensor" and row.get("access", "r") != known.access:
                known.access = "rw"
    return list(found.values())


def in_callers_order(params, declared, may_have_more):
    """The parameters in the order of the script, with those that the kernel makes no use of: the
    manifest has none of them. `declared` are the names, and what annotates them; an eager function
    has more, the tensors that it makes."""
    known = {p.name: p for p in params}
    if not may_have_more and not set(known) <= set(declared):
        return params
    out = []
    for name, annotation in declared.items():
        if name in known:
            out.append(known.pop(name))
            continue
        row = {"name": name, "kind": "scalar", "dtype": "int32", "used": False}
        shape = getattr(annotation, "shape", None)
        if shape is not None:
            shape = [e if isinstance(e, int) else str(getattr(e, "name", e)) for e in shape]
            dtype = _dtypes.name_of(annotation.dtype) or "float32"
            row.update(kind="tensor", shape=shape, dtype=dtype)
        out.append(Param(row))
    return out + list(known.values())


class JITKernel(_runtime.Callable):
    """A kernel for one target. Called with tensors it runs; outputs are made where it has some
    (`out_idx`, or what an eager function returns)."""

    def __init__(self, compiled, source=None, options=None, declared=None):
        super().__init__()
        self.compiled = compiled
        self.prim_func = source
        self.options = options
        self.manifest = compiled.manifest
        self.target = self.manifest["target"]
        self.name = self.manifest["kernel"]
        of_image = params_of(self.manifest)
        self.params = of_image
        if declared is not None:
            self.params = in_callers_order(of_image, declared, getattr(source, "is_eager", False))
        index = {p.name: i for i, p in enumerate(self.params)}
        self.out_idx = [index[n] for n in self.manifest.get("outputs", []) if n in index]
        #: Which arguments a launch takes, in its order; None where these are all, as they stand.
        order = [index[p.name] for p in of_image]
        self.launch_order = None if order == list(range(len(self.params))) else order
        self._outs = set(self.out_idx)
        self.input_names = [p.name for i, p in enumerate(self.params) if i not in self._outs]
        self.latency = self.config = self.ref_latency = None
        self._runner = None
        self._resources = None

    @classmethod
    def of(cls, compiled, source, options, declared):
        """The one kernel object of what was compiled: TileLang gives the same object twice, too."""
        made = compiled._others.get("kernel")
        if made is None:
            made = compiled._others["kernel"] = cls(compiled, source, options, declared)
        return made

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        """A kernel does not change: copies of a module of torch share it."""
        return self

    def __repr__(self):
        return f"<kernel {self.name}({', '.join(map(repr, self.params))}) for {self.target}>"

    # Running.

    def _call(self, *args, stream=None, skip_tensor_validation=None, **named):
        if named:
            args = self._with_names(args, named)
        if self._runner is None:
            from . import _execute

            self._runner = _execute.Runner(self)
        return self._runner.run(args, stream)

    def _launch_all(self, args):
        """Runs on all parameters, outputs included."""
        if self._runner is None:
            from . import _execute

            self._runner = _execute.Runner(self)
        return self._runner._launch(tuple(args), None, None)

    def _with_names(self, args, named):
        names = self.input_names
        rest = names[len(args) :]
        unknown = [n for n in named if n not in rest]
        if unknown:
            raise ArgumentError(f"the kernel has no argument `{unknown[0]}` that is not given; it takes {', '.join(names)}")
        missing = [n for n in rest if n not in named]
        if missing:
            raise ArgumentError(f"argument `{missing[0]}` is missing; the kernel takes {', '.join(names)}")
        return (*args, *(named[n] for n in rest))

    def bind(self, *args, stream=None):
        """The launch on these tensors as a function without arguments: nothing is checked again."""
        if self._runner is None:
            from . import _execute

            self._runner = _execute.Runner(self)
        return self._runner.bind(args, stream)

    def takes(self, shapes):
        """Whether tensors of these shapes (by name) are what the kernel was compiled for."""
        for p in self.params:
            given = shapes.get(p.name)
            if given is None:
                continue
            if len(given) != len(p.shape):
                return False
            if any(isinstance(e, int) and e != n for e, n in zip(p.shape, given)):
                return False
        return True

    # What it is.

    def stage(self, word):
        """What `tilec --emit=WORD` prints: tile, wave, wave-scheduled, llvm, asm, ptx, report ..."""
        return self.compiled.stage(word)

    def get_kernel_source(self, kernel_only=True):
        """PTX, or AMDGPU assembly."""
        return self.stage("asm")

    @property
    def kernel_source(self):
        return self.get_kernel_source()

    def get_host_source(self):
        """What a host needs to launch: the manifest."""
        return json.dumps(self.manifest, indent=2)

    def show_source(self, which="kernel"):
        print(self.get_host_source() if which == "host" else self.get_kernel_source())

    def export_sources(self, kernel_path=None, host_path=None):
        for path, text in ((kernel_path, self.get_kernel_source), (host_path, self.get_host_source)):
            if path:
                with open(path, "w") as file:
                    file.write(text())

    @property
    def image(self):
        return self.compiled.image

    def save(self, path):
        """Writes the image to `path` and its manifest to `path`.json: `tilec.load` reads both."""
        with open(path, "wb") as file:
            file.write(self.image)
        with open(f"{path}.json", "w") as file:
            file.write(self.compiled.manifest_text)
        return path

    def export_library(self, path):
        return self.save(path)

    def export_ptx(self, path=None):
        return _written(path, self.stage("ptx"))

    def export_sass(self, path=None):
        return _written(path, self.stage("sass"))

    def _resource(self):
        if self._resources is None:
            self._resources = found = resources_of(self.stage("report"))
            dynamic = max((l.get("shared_bytes", 0) for l in self.manifest["launches"]), default=0)
            found["shared_bytes"] = max(found["shared_bytes"], dynamic)
        return self._resources

    @property
    def n_regs(self):
        return self._resource().get("n_regs")

    @property
    def n_spills(self):
        return self._resource().get("n_spills", 0)

    @property
    def resource_usage(self):
        return dict(self._resource())

    @property
    def adapter(self):
        return self

    @property
    def artifact(self):
        return Artifact(self)

    @property
    def torch_function(self):
        return self.__call__

    @property
    def func(self):
        return self.__call__

    # Tools.

    def get_profiler(self, tensor_supply_type=None):
        from .tilelang.profiler import Profiler

        return Profiler(self, tensor_supply_type=tensor_supply_type)

    def check(self, *args, device=None, seed=0):
        """Runs the kernel on inputs (random ones where none are given) on the simulator, or as it
        stands on the GPU, and compares with the reference device by tilec's rule of agreement."""
        from . import _check

        return _check.check(self, args, device, seed)

    def profile(self, path, *args):
        """Writes a page (HTML) of what is known of the kernel: resources, launches, schedule, report,
        machine code; with arguments how long it takes on them."""
        from . import _profile

        return _profile.write(self, path, args)

    def as_custom_op(self, name, **options):
        """The kernel as an operator of torch: see tilec.torch_op."""
        from . import torch_op

        return torch_op.custom_op(self, name, **options)


def resources_of(report):
    """Registers of a lane (vectors and accumulators), spills and bytes of shared memory out of `--emit=report`; the most that a
    kernel of it has."""
    rows = {
        "n_regs": re.findall(r"^ *registers (\d+)(?: vector, (\d+) accumulator)?", report, re.M),
        "n_spills": re.findall(r"^ *spills (\d+) (?:vector, (\d+) scalar|bytes stored)", report, re.M),
        "shared_bytes": re.findall(r"shared memory (\d+)() bytes", report),
    }
    return {name: max((int(a) + int(b or 0) for a, b in found), default=0) for name, found in rows.items()}


def _written(path, text):
    if path:
        with open(path, "w") as file:
            file.write(text)
    return text


class Artifact:
    """What `tilelang.lower` gives: the fields that older scripts read."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.rt_mod = kernel
        self.params = kernel.params
        self.host_mod = self.device_mod = kernel

    @property
    def kernel_source(self):
        return self.kernel.get_kernel_source()


class Saved:
    """What `tilec.load` has read: enough of a Compiled to launch."""

    def __init__(self, image, manifest):
        self.image = image
        self.manifest_text = manifest
        try:
            self.manifest = json.loads(manifest)
            if not isinstance(self.manifest["target"], str) or not self.manifest["launches"]:
                raise KeyError("launches")
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"this is no manifest of a kernel ({type(error).__name__}: {error})") from None
        self.kind = "hsaco" if self.manifest["target"].startswith("gfx") else "cubin"
        if image.lstrip()[:2] == b"//" or b".version" in image[:400]:
            self.kind = "ptx"
        self._others = {}

    def stage(self, word):
        raise Error("a kernel that was loaded has no stages: compile its source")

    def simulation(self):
        if self.kind == "cubin":
            raise Error("the simulators run PTX, not cubins: compile the kernel's source")
        return self


def load(path):
    """A kernel that `save` or `tilec -o` has written. Needs no compiler."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        image = file.read()
    with open(f"{path}.json") as file:
        manifest = file.read()
    try:
        return JITKernel(Saved(image, manifest))
    except Error as error:
        raise Error(f"{path}.json: {error}") from None
