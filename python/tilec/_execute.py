# SPDX-License-Identifier: Apache-2.0
"""Running kernels: on a GPU through its driver, on memory of the cpu through the simulators."""

import sys
import threading

from . import _dtypes, _env, _targets
from .errors import ArgumentError, DeviceError, LaunchError

_CPU = 1  # of DLPack
_lock = threading.RLock()


def _runtime():
    from . import _runtime as extension

    return extension


def _device_index(tensor):
    """-1 for memory of the cpu; None for what is no tensor."""
    get = getattr(tensor, "get_device", None)
    if get is not None:
        return get()
    if getattr(tensor, "__cuda_array_interface__", None) is not None:
        found = _runtime().describe(tensor)
        return max(0, found[2])
    if hasattr(tensor, "__dlpack_device__"):
        kind, index = tensor.__dlpack_device__()
        return -1 if kind == _CPU else index
    if hasattr(tensor, "__array_interface__"):
        return -1
    return None


class Runner:
    """The launches of one kernel: it is loaded on a device when it is first launched there."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.params = kernel.params
        self.outs = kernel._outs
        self.inputs = len(self.params) - len(self.outs)
        self.modules = {}
        self.has_sizes = any(
            p.is_tensor and not all(isinstance(e, int) for e in p.shape) for p in self.params
        )
        self.plain = not self.outs
        self.shortcut = None
        self.order = kernel.launch_order

    def run(self, args, stream=None):
        if len(args) != self.inputs:
            if len(args) == len(self.params):
                return self._launch(tuple(args), stream, None)
            names = ", ".join(self.kernel.input_names)
            raise ArgumentError(f"the kernel takes {self.inputs} arguments ({names}), {len(args)} are given")
        if self.plain:
            return self._launch(args, stream, None)
        if self.shortcut is not None:
            return self.shortcut(args, stream)
        result = self._slowly(args, stream)
        self._keep_shortcut(args)
        return result

    def _keep_shortcut(self, args):
        """The same in fewer steps, for outputs of fixed sizes that torch makes on a GPU."""
        index = self._place(args, _inputs(self))
        torch = sys.modules.get("torch")
        if torch is None or self.has_sizes or self.order is not None or not isinstance(index, int) or index < 0:
            return
        first = next((i for i, p in enumerate(_inputs(self)) if p.is_tensor), None)
        if first is None or not isinstance(args[first], torch.Tensor):
            return
        launch, empty = self.modules[index].launch, torch.empty
        makers = {}
        for i in self.outs:
            p = self.params[i]
            like = empty_like(args[first], p, p.extents(None), self.kernel.target)
            makers[i] = (tuple(like.shape), like.dtype)
        order = [makers.get(i) for i in range(len(self.params))]
        out_idx = self.kernel.out_idx

        def run(args, stream):
            like = args[first]
            if not isinstance(like, torch.Tensor):
                return self._slowly(args, stream)
            device, rest, full = like.device, iter(args), []
            for maker in order:
                full.append(next(rest) if maker is None else empty(maker[0], dtype=maker[1], device=device))
            if not launch(tuple(full), stream):
                return self._slowly(args, stream)
            return full[out_idx[0]] if len(out_idx) == 1 else tuple(full[i] for i in out_idx)

        self.shortcut = run

    def _slowly(self, args, stream):
        full, made = self._with_outputs(args)
        return self._launch(full, stream, made)

    def _launch(self, args, stream, made):
        index = self._place(args)
        if index is None or index < 0:
            self._refuse_cpu(args)
            simulate(self.kernel, args, _targets.simulated() or self.kernel.target)
        else:
            module = self.modules.get(index) or self._load(index)
            full = args if self.order is None else tuple(args[i] for i in self.order)
            if not module.launch(full, stream):
                raise ArgumentError("the tensors are on different devices")
            if made is None and self.order is None and not self.outs:
                self.kernel.launch_with(module)
        if made is None:
            return None
        return made[0] if len(made) == 1 else tuple(made)

    def _refuse_cpu(self, args):
        """Where the kernel's GPU is there, memory of the cpu is a mistake."""
        if _targets.simulated():
            return
        found = _targets.device_target()
        if found is None or _targets.is_amd(found) != _targets.is_amd(self.kernel.target):
            return
        first, arg = next(((p.name, a) for p, a in zip(self.params, args) if p.is_tensor), ("", None))
        place = getattr(getattr(arg, "device", None), "type", "cpu")
        raise ArgumentError(
            f"argument `{first}`: it is {'in memory of the cpu' if place == 'cpu' else 'on ' + place}; the kernel runs on the GPU "
            "(tilec.simulate and tilec.testing.on_simulator run it on the cpu)"
        )

    def _place(self, args, params=None):
        """The index of the GPU on which the first tensor is."""
        for p, arg in zip(params or self.params, args):
            if p.is_tensor and (p.is_used or arg is not None):
                index = _device_index(arg)
                if index is None:
                    raise ArgumentError(f"argument `{p.name}`: a tensor is wanted, not {type(arg).__name__}")
                return index
        return 0 if not _targets.simulated() and _targets.device_target() else None

    def bind(self, args, stream=None):
        if len(args) != len(self.params):
            raise ArgumentError(f"bind takes all {len(self.params)} arguments, outputs included; {len(args)} are given")
        index = self._place(args)
        if index is None or index < 0:
            return lambda: self._launch(args, stream, None)
        module = self.modules.get(index) or self._load(index)
        if self.order is not None:
            args = tuple(args[i] for i in self.order)
        module.launch(args, stream)
        return module.bind(args, stream)

    def _load(self, index):
        with _lock:
            module = self.modules.get(index)
            if module is None:
                device = open_device(index, self.kernel.target)
                compiled = self.kernel.compiled
                module = self.modules[index] = _runtime().Module(
                    device, compiled.image, compiled.manifest_text, index, _stream_of(index)
                )
            return module

    def _with_outputs(self, args):
        """Arguments with tensors made for the outputs: where and of the kind of the inputs."""
        dims = self._dims(args) if self.has_sizes else None
        like = None
        for p, arg in zip(_inputs(self), args):
            if p.is_tensor:
                _wanted_tensor(p, arg)
                like = arg if like is None else like
        full, made, rest = [], {}, iter(args)
        for i, p in enumerate(self.params):
            if i not in self.outs:
                full.append(next(rest))
                continue
            made[i] = empty_like(like, p, p.extents(dims), self.kernel.target)
            full.append(made[i])
        return tuple(full), [made[i] for i in self.kernel.out_idx]

    def _dims(self, args):
        dims = {}
        for p, arg in zip(_inputs(self), args):
            if not p.is_tensor:
                if isinstance(arg, int):
                    dims[p.name] = arg
                continue
            shape = getattr(arg, "shape", None)
            if shape is None and hasattr(arg, "__dlpack__"):
                shape = _runtime().describe(arg)[4]
            if shape is None:
                raise ArgumentError(f"argument `{p.name}`: a tensor is wanted, not {type(arg).__name__}")
            if len(shape) != len(p.shape):
                raise ArgumentError(
                    f"argument `{p.name}`: it has {len(shape)} dimensions, {len(p.shape)} are wanted"
                )
            for extent, n in zip(p.shape, shape):
                if isinstance(extent, str) and extent.isidentifier():
                    dims.setdefault(extent, n)
        return dims


def _wanted_tensor(p, arg):
    if _env.describe(arg) is None and not hasattr(arg, "__dlpack__"):
        raise ArgumentError(f"argument `{p.name}`: a tensor is wanted, not {type(arg).__name__}")


def _inputs(runner):
    return [p for i, p in enumerate(runner.params) if i not in runner.outs]


def empty_like(like, param, shape, target):
    """An uninitialised tensor for an output."""
    if param.dtype.bits == 4 and shape:
        shape = (*shape[:-1], (shape[-1] + 1) // 2)
    module = type(like).__module__.split(".")[0] if like is not None else ""
    if module == "numpy":
        import numpy

        return numpy.empty(shape, _dtypes.numpy_dtype(param.dtype))
    if module == "cupy":
        import cupy

        return cupy.empty(shape, _dtypes.numpy_dtype(param.dtype))
    import importlib.util

    if module != "torch" and not importlib.util.find_spec("torch"):
        import numpy

        return numpy.empty(shape, _dtypes.numpy_dtype(param.dtype))
    import torch

    device = getattr(like, "device", None)
    if device is None:
        device = "cpu" if _targets.simulated() or not torch.cuda.is_available() else "cuda"
    return torch.empty(shape, dtype=_dtypes.torch_dtype(param.dtype), device=device)


_devices = {}


def open_device(index, target):
    with _lock:
        device = _devices.get((index, _targets.is_amd(target)))
        if device is None:
            kind = "hip" if _targets.is_amd(target) else "cuda"
            device = _runtime().Device.open(kind, index)
            _devices[index, _targets.is_amd(target)] = device
    if not device.runs(target):
        raise DeviceError(f"the kernel was compiled for {target}; GPU {index} is a {device.name} ({device.arch})")
    return device


def _stream_of(index):
    """Finds the stream on which the framework of a tensor works, where the tensor does not say."""

    def stream(tensor):
        framework = type(tensor).__module__.partition(".")[0]
        if framework == "torch":
            import torch

            return torch._C._cuda_getCurrentRawStream(index)
        if framework == "cupy":
            import cupy

            return cupy.cuda.get_current_stream().ptr
        return 0

    return stream


# Simulators.


class _Bytes:
    """Memory of a tensor on the cpu, dense and row-major."""

    def __init__(self, array, write_back):
        self.array = array
        self.write_back = write_back


def _array(arg):
    """NumPy's view of a tensor that says nothing of itself but by DLPack; others as they are."""
    if hasattr(arg, "shape") or not hasattr(arg, "__dlpack__"):
        return arg
    import numpy

    return numpy.from_dlpack(arg)


def _host_bytes(p, arg):
    """The memory of a tensor of torch or NumPy as a flat array of bytes, and what brings results back."""
    import numpy

    if isinstance(arg, numpy.ndarray):
        dense = numpy.ascontiguousarray(arg)
        flat = dense.reshape(-1).view(numpy.uint8)
        if "w" in p.access and not arg.flags.writeable:
            raise ArgumentError(f"argument `{p.name}`: the kernel writes it, but it is read-only")
        back = None if dense is arg or numpy.shares_memory(dense, arg) else lambda: numpy.copyto(arg, dense)
        return flat, back
    if hasattr(arg, "untyped_storage") or type(arg).__module__.startswith("torch"):
        import torch

        if arg.device.type != "cpu":
            raise ArgumentError(f"argument `{p.name}`: it is on {arg.device}, the simulators take memory of the cpu")
        tensor = arg.detach()
        dense = tensor.contiguous()
        flat = dense.view(-1).view(torch.uint8).numpy() if dense.numel() else numpy.empty(0, numpy.uint8)
        back = None if dense.data_ptr() == tensor.data_ptr() else lambda: tensor.copy_(dense)
        return flat, back
    if hasattr(arg, "__array__"):
        return _host_bytes(p, numpy.asarray(arg))
    raise ArgumentError(f"argument `{p.name}`: a tensor is wanted, not {type(arg).__name__}")


def _spread(p, arg, shape):
    """The strides in elements of a tensor that is not dense, where the kernel takes such; else None."""
    if not p.has_strides or 0 in shape:
        return None
    held = _env.describe(arg)[0]
    strides = _env.strides_of(arg, held)
    if strides == _env.dense_strides(held) or any(s < 0 for s in strides):
        return None
    packed = shape[-1] // held[-1]
    return [*(s * packed for s in strides[:-1]), strides[-1]]


def _spread_bytes(arg):
    """All memory that a tensor with gaps lies in, from its first element to its last, as bytes."""
    import numpy

    shape = tuple(arg.shape)
    span = 1 + sum((n - 1) * s for n, s in zip(shape, _env.strides_of(arg, shape)))
    if isinstance(arg, numpy.ndarray):
        flat = numpy.lib.stride_tricks.as_strided(arg, (span,), (arg.itemsize,), writeable=arg.flags.writeable)
        return flat.view(numpy.uint8)
    import torch

    return torch.as_strided(arg.detach(), (span,), (1,)).view(torch.uint8).numpy()


def _check_host(p, arg):
    """The shape in elements of an argument on the cpu, whose type is looked at."""
    described = _env.describe(arg)
    if described is None:
        raise ArgumentError(f"argument `{p.name}`: a tensor is wanted, not {type(arg).__name__}")
    shape, dtype = described
    index = _device_index(arg)
    if index is not None and index >= 0:
        raise ArgumentError(f"argument `{p.name}`: it is on GPU {index}, the simulators take memory of the cpu")
    # NumPy has no name for some: unsigned integers of the same width stand for them.
    stands_for = dtype in ("uint8", "uint16", "int8") and _dtypes.numpy_dtype(p.dtype).itemsize * 8 == _dtypes.bits(dtype)
    if p.dtype.bits == 4 and dtype in ("uint8", "int8") and shape:
        shape = (*shape[:-1], shape[-1] * 2)
    elif dtype != p.dtype and not (stands_for and _dtypes.canonical(str(p.dtype)) not in _NUMPY_HAS):
        raise ArgumentError(f"argument `{p.name}`: its elements are {dtype or arg.dtype}, {str(p.dtype)} is wanted")
    if len(shape) != len(p.shape):
        raise ArgumentError(f"argument `{p.name}`: it has {len(shape)} dimensions, {len(p.shape)} are wanted")
    _check_memory(p, arg, described[0])
    return list(shape)


def _check_memory(p, arg, held):
    """What a GPU would refuse too: memory that is gone, other strides than the kernel was compiled for."""
    if str(getattr(arg, "layout", "torch.strided")) != "torch.strided":
        raise ArgumentError(f"argument `{p.name}`: a dense tensor is wanted, not one of layout {arg.layout}")
    if 0 in held:
        return
    strides = _env.strides_of(arg, held)
    if hasattr(arg, "untyped_storage"):
        last = arg.storage_offset() + sum((n - 1) * s for n, s in zip(held, strides))
        if arg.untyped_storage().nbytes() < (last + 1) * arg.element_size():
            raise ArgumentError(f"argument `{p.name}`: it has no memory (has it been freed?)")
    if p.has_strides:
        return
    for axis, (n, stride, wanted) in enumerate(zip(held, strides, _env.dense_strides(held))):
        if n > 1 and stride != wanted:
            raise ArgumentError(
                f"argument `{p.name}`: a stride of {wanted} in dimension {axis} is wanted, not {stride} (`contiguous()` copies)"
            )


_NUMPY_HAS = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
              "float16", "float32", "float64"}  # fmt: skip

_simulators = {}


def simulator(target):
    """The simulated GPU of this process; one for each target."""
    with _lock:
        device = _simulators.get(target)
        if device is None:
            from . import _compiler

            device = _simulators[target] = _runtime().Device.from_backend(_compiler.simulator(target))
        return device


def simulate(kernel, args, target):
    """Runs the kernel on memory of the cpu. LaunchError where the simulator finds a hazard."""
    if target != kernel.target:
        raise DeviceError(f"the kernel was compiled for {kernel.target}, the simulator is a {target}")
    device = simulator(target)
    compiled = kernel.compiled.simulation()
    module = compiled._others.get("simulated")
    if module is None:
        module = _runtime().Module(device, compiled.image, compiled.manifest_text)
        compiled._others["simulated"] = module
    if len(args) != len(kernel.params):
        raise ArgumentError(f"the kernel takes {len(kernel.params)} arguments, {len(args)} are given")
    # Everything is looked at before anything is run.
    order = range(len(args)) if kernel.launch_order is None else kernel.launch_order
    pairs = [(kernel.params[i], _array(args[i])) for i in order]
    shapes = [_check_host(p, a) if p.is_tensor else None for p, a in pairs]
    memory, views = [], []
    with _lock:
        try:
            for (p, arg), shape in zip(pairs, shapes):
                if not p.is_tensor:
                    views.append(_number(p, arg))
                    continue
                strides = _spread(p, arg, shape)
                flat, back = _host_bytes(p, arg) if strides is None else (_spread_bytes(arg), None)
                address = device.allocate(max(4, (flat.nbytes + 3) // 4 * 4))
                memory.append((address, flat, back, "w" in p.access))
                if flat.nbytes:
                    device.upload(address, flat)
                views.append((address, shape, strides))
            try:
                module.launch_views(views)
                device.wait()
            except DeviceError as error:
                raise LaunchError(str(error)) from None
            for address, flat, back, is_written in memory:
                if is_written and flat.nbytes:
                    if not flat.flags.writeable:
                        raise ArgumentError("a tensor that the kernel writes is read-only")
                    device.download(flat, address)
                    if back:
                        back()
        finally:
            for address, *_ in memory:
                device.free(address)


def _number(p, arg):
    if hasattr(arg, "item"):
        arg = arg.item()
    is_float = p.dtype.is_float()
    if isinstance(arg, bool) or not isinstance(arg, (int, float) if is_float else int):
        if not (isinstance(arg, bool) and p.dtype == "bool"):
            wanted = "a number" if is_float else "an integer"
            raise ArgumentError(f"argument `{p.name}`: {wanted} is wanted, not {type(arg).__name__}")
    return float(arg) if is_float else int(arg)
