# SPDX-License-Identifier: Apache-2.0
"""Kernels as objects: `T.prim_func`, `T.macro`, `tilelang.jit`, `tilelang.compile`."""

import ast
import copy
import functools
import inspect
import types

from . import _binding, _compile, _consts, _dtypes, _env, _source, _targets
from .errors import ArgumentError


class _Text:
    """A function that the compiler reads and Python does not run."""

    def __init__(self, function, frame):
        functools.update_wrapper(self, function)
        self.function = function
        self.__tilec_scope__ = _env.Scope(function, frame)

    def __repr__(self):
        return f"<{type(self).__name__} {self.function.__qualname__}>"


class Macro(_Text):
    """`@T.macro`: a function that kernels call; it is expanded in them."""

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"`{self.function.__name__}` is a macro of kernels; here is Python that runs on the host")


class PrimFunc(_Text):
    """`@T.prim_func`: one kernel function with everything that its names mean."""

    def __init__(self, function, frame):
        super().__init__(function, frame)
        self.attrs = {}

    @property
    def params(self):
        return list(self.function.__code__.co_varnames[: self.function.__code__.co_argcount])

    def with_attr(self, key, value=None):
        other = PrimFunc(self.function, self.__tilec_scope__.frame)
        other.attrs = {**self.attrs, **(key if isinstance(key, dict) else {key: value})}
        return other

    def script(self, *_, **__):
        """The kernel as Tile IR."""
        return compile(self).stage("tile")

    def get_kernel_source(self, **options):
        return compile(self, **options).get_kernel_source()

    def show(self, *_, **__):
        print(self.script())

    def __str__(self):
        text = _source.text_of(self.function)
        return inspect.cleandoc("\n" + text.text())

    def __call__(self, *args):
        return compile(self)(*args)


def macro(function=None, **_):
    if function is None:
        return macro
    if isinstance(function, Macro):
        return function
    return Macro(_plain(function, "T.macro"), _env.frame_locals(1))


def prim_func(function=None, **_):
    if function is None:
        return lambda f: PrimFunc(_plain(f, "T.prim_func"), _env.frame_locals(1))
    if isinstance(function, PrimFunc):
        return function
    return PrimFunc(_plain(function, "T.prim_func"), _env.frame_locals(1))


def _plain(function, who):
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"{who} takes a function, not {type(function).__name__}")
    return function


class Options:
    """What `jit` and `compile` were told."""

    __slots__ = ("out_idx", "target", "pass_configs", "compile", "verbose")

    def __init__(self, out_idx=None, target=None, pass_configs=None, verbose=False, schedule=None,
                 strict=None, check_bounds=None, math=None, ptx_assembler=None):  # fmt: skip
        if isinstance(out_idx, int):
            out_idx = [out_idx]
        self.out_idx = None if out_idx is None else list(out_idx)
        self.target = target
        self.pass_configs = {str(k): v for k, v in (pass_configs or {}).items()}
        self.verbose = verbose
        given = {"schedule": schedule, "strict": strict, "check_bounds": check_bounds, "math": math,
                 "ptx_assembler": ptx_assembler}  # fmt: skip
        self.compile = {k: v for k, v in given.items() if v is not None}

    def resolved(self):
        target = _targets.resolve(self.target)
        options = dict(self.compile)
        if _targets.simulated() and not _targets.is_amd(target):
            options.setdefault("ptx_assembler", "none")
        return target, options


# What TileLang has beside, and tilec has no use for.
_IGNORED = {"target_host", "execution_backend", "compile_flags", "debug_root_path", "instruments",
            "mode", "verbose"}  # fmt: skip


def _options(given):
    return Options(**{k: v for k, v in given.items() if k not in _IGNORED})


def compile(func, out_idx=None, target=None, **options):
    """Compiles a kernel: a PrimFunc, or a function that needs no arguments to make one."""
    from ._kernel import JITKernel

    if isinstance(func, JITKernel):
        return func
    chosen = _options({"out_idx": out_idx, "target": target, **options})
    if isinstance(func, JITImpl):
        return func.compile()
    if isinstance(func, types.FunctionType):
        func = func()
    if not isinstance(func, PrimFunc):
        raise TypeError(f"tilec.compile takes a kernel (@T.prim_func), not {type(func).__name__}")
    return _compile_prim_func(func, chosen)


def _compile_prim_func(func, chosen):
    from ._kernel import JITKernel

    resolved, extra = chosen.resolved()
    scope = func.__tilec_scope__
    request = _compile.request_for_prim_func(
        func.function, scope, chosen.out_idx, chosen.pass_configs, resolved, extra
    )
    annotations = func.function.__annotations__
    declared = {name: annotations.get(name) for name in func.params}
    return JITKernel.of(_compile.compile_request(request), func, chosen, declared)


def par_compile(funcs, out_idx=None, target=None, num_workers=None, ignore_error=False, **options):
    """Compiles several kernels at once; None stands for those that fail where errors are ignored."""
    calls = [functools.partial(compile, f, out_idx=out_idx, target=target, **options) for f in funcs]
    return _run_all(calls, num_workers, ignore_error)


def lower(func, target=None, **options):
    """The kernel with `rt_mod`, `params` and `kernel_source`, as older scripts want it."""
    from ._kernel import Artifact

    return Artifact(compile(func, target=target, **options))


def jit(func=None, *, out_idx=None, target=None, **options):
    """`@tilelang.jit`: a function that makes a kernel (lazy), or is one (eager)."""
    chosen = _options({"out_idx": out_idx, "target": target, **options})
    if func is None:
        return lambda f: JITImpl(f, chosen, _env.frame_locals(1))
    if isinstance(func, PrimFunc):
        return _compile_prim_func(func, chosen)
    return JITImpl(func, chosen, _env.frame_locals(1))


def _is_eager(function):
    """Whether the function's text is the kernel: it has `with T.Kernel` in its own body, or declares its tensors."""
    try:
        node = _source.text_of(function).node
    except _source.SourceError:
        return False
    if not isinstance(node, ast.FunctionDef):
        return False

    def calls(e, names):
        if not isinstance(e, ast.Call):
            return False
        callee = e.func
        name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", None)
        return name in names

    def is_tensor_type(e):
        base = e.value if isinstance(e, ast.Subscript) else e.func if isinstance(e, ast.Call) else None
        return isinstance(base, ast.Attribute) and base.attr in ("Tensor", "StridedTensor")

    parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = {p.arg for p in parameters}
    # What its parameters are, the kernel itself says; its launch may stand in a macro.
    if any(is_tensor_type(p.annotation) for p in parameters) or any(
        isinstance(s, ast.AnnAssign) and s.value is None and is_tensor_type(s.annotation)
        and isinstance(s.target, ast.Name) and s.target.id in names
        for s in node.body
    ):
        return True

    def inside(body):
        for s in body:
            if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                continue
            if isinstance(s, ast.With) and any(calls(i.context_expr, {"Kernel"}) for i in s.items):
                return True
            if isinstance(s, ast.Assign) and calls(s.value, {"const", "empty"}):
                return True
            for field in ("body", "orelse", "finalbody"):
                if inside(getattr(s, field, [])):
                    return True
        return False

    return inside(node.body)


class JITImpl:
    """What `@tilelang.jit` makes of a function."""

    def __init__(self, function, options, frame):
        if isinstance(function, JITImpl):
            function = function.function
        self.function = _plain(function, "tilelang.jit")
        functools.update_wrapper(self, function)
        self.options = options
        self.scope = _env.Scope(function, frame)
        self.is_eager = _is_eager(function)
        self.signature = inspect.signature(function)
        self._names = list(self.signature.parameters)
        self._runtime = None
        self._func = None
        self._kernels = {}
        self._reads_shapes = None
        self._asks_strides = None

    def __repr__(self):
        return f"<tilelang.jit {self.function.__qualname__}>"

    def with_pass_configs(self, more):
        """The same function under these pass configurations, too."""
        other = JITImpl(self.function, copy.copy(self.options), self.scope.frame)
        other.options.pass_configs = {**self.options.pass_configs, **{str(k): v for k, v in more.items()}}
        return other

    @property
    def func(self):
        """The function itself, with how its arguments are taken."""
        if self._func is None:
            self._func = _binding.Binding(self.function, self.signature, lambda: self.runtime_scalars)
        return self._func

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    # A factory's call gives a kernel; an eager function's call runs it.
    def __call__(self, *args, **kwargs):
        tune = kwargs.pop("__tune_params", None)
        if tune:
            kwargs.update(tune)
        if kwargs.pop("__return_kernel", False):
            return self._eager_kernel(args, kwargs)[0] if self.is_eager else self.compile(*args, **kwargs)
        if not self.is_eager:
            return self.compile(*args, **kwargs)
        kernel, tensors = self._eager_kernel(args, kwargs)
        return kernel(*tensors)

    def _without_text(self):
        """Why the function's text is not known: it may be a kernel itself, which Python cannot run."""
        try:
            _source.text_of(self.function)
        except _source.SourceError as error:
            return error
        return None

    def get_tir(self, *args, **kwargs):
        """The PrimFunc that a factory makes; of an eager function the kernel itself."""
        if self.is_eager:
            return self.compile(*args, **kwargs)
        try:
            made = self.function(*args, **kwargs)
        except _source.SourceError as error:
            raise self._without_text() or error from None
        if not isinstance(made, PrimFunc):
            raise TypeError(
                f"`{self.function.__name__}` has given {type(made).__name__}; under @tilelang.jit a function "
                "returns a kernel (@T.prim_func) or has `with T.Kernel(...)` in its own body"
            )
        return made

    def compile(self, *args, **kwargs):
        if not self.is_eager:
            return _compile_prim_func(self.get_tir(*args, **kwargs), self.options)
        consts = {k: v for k, v in kwargs.items() if k not in self._names}
        own = {k: v for k, v in kwargs.items() if k in self._names}
        bound = self.signature.bind_partial(*args, **own)
        bound.apply_defaults()
        given = {**bound.arguments, **consts}
        for name, value in given.items():
            described = _env.describe(value) if not isinstance(value, _consts.TensorType) else value.described()
            if described is not None:
                given[name] = TensorFacts(*described, self._strides_of(value, described))
        return self._compile_eager(given)

    def par_compile(self, configs, num_workers=None, ignore_error=False):
        funcs = []
        for config in configs:
            args, kwargs = ((), config) if isinstance(config, dict) else (config, {})
            funcs.append(functools.partial(self.compile, *args, **kwargs))
        return _run_all(funcs, num_workers, ignore_error)

    def get_kernel_source(self, *args, **kwargs):
        return self.compile(*args, **kwargs).get_kernel_source()

    @property
    def runtime_scalars(self):
        """Parameters that are values of the run: `alpha: T.float32`."""
        if self._runtime is None:
            found = set()
            for name, p in self.signature.parameters.items():
                annotation = p.annotation
                if isinstance(annotation, str):
                    try:
                        annotation = eval(annotation, self.function.__globals__)
                    except Exception:
                        continue
                if isinstance(annotation, _dtypes.dtype):
                    found.add(name)
            self._runtime = found
        return self._runtime

    def _bind(self, args, kwargs):
        if not kwargs and len(args) == len(self._names):
            return dict(zip(self._names, args))
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"`{self.function.__name__}`: {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def _eager_kernel(self, args, kwargs):
        given = self._bind(args, kwargs)
        compile_time, run_time, key = {}, [], []
        for name, value in given.items():
            if name in self.runtime_scalars:
                run_time.append((name, value))
                continue
            described = _env.describe(value)
            if described is not None:
                run_time.append((name, value))
                key.append((name, described))
                # Not the tensor: kernels are kept for long.
                strides = self._strides_of(value, described)
                if strides is not None:
                    key.append((name, "strides", strides))
                compile_time[name] = TensorFacts(*described, strides)
            else:
                compile_time[name] = value
                try:
                    hash(value)
                    key.append((name, type(value), value))
                except TypeError:
                    key.append((name, repr(value)))
        key = (_targets.simulated(), tuple(key))
        kernel = self._known(key) or self._of_other_sizes(key, compile_time)
        if kernel is None:
            kernel = self._compile_eager(compile_time)
            self._kernels[key] = (kernel, _guards(kernel))
        run_time = dict(run_time)
        return kernel, [run_time[n] for n in kernel.input_names if n in run_time]

    def _strides_of(self, value, described):
        """The strides of a tensor, where the function asks for strides: `T.StridedTensor`."""
        if self._asks_strides is None:
            node = _source.text_of(self.function).node
            self._asks_strides = any(isinstance(n, ast.Attribute) and n.attr == "StridedTensor" for n in ast.walk(node))
        return _env.strides_of(value, described[0]) if self._asks_strides else None

    def _known(self, key):
        found = self._kernels.get(key)
        if found is None:
            return None
        kernel, guards = found
        if guards is not None and all(scope.find(name) is value for scope, name, value in guards):
            return kernel
        scope = kernel.compiled.request.scope
        if _env.Session(scope).answers_again(kernel.compiled.reads):
            return kernel
        return None

    def _of_other_sizes(self, key, given):
        """A kernel that was compiled for tensors of other sizes and leaves these open (T.dynamic)."""
        if self._reads_shapes is None:
            node = _source.text_of(self.function).node
            names = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
            self._reads_shapes = bool(names & {"shape", "size", "numel", "stride", "strides"})
        if self._reads_shapes:
            return None
        for other in list(self._kernels):
            if not _differ_in_sizes(key, other):
                continue
            kernel = self._known(other)
            if kernel is not None and kernel.takes({n: v.shape for n, v in given.items() if type(v) is TensorFacts}):
                self._kernels[key] = self._kernels[other]
                return kernel
        return None

    def _compile_eager(self, given):
        from ._kernel import JITKernel

        # A pointer's tensor is declared in the kernel.
        pointers = {n for n, p in self.signature.parameters.items() if _is_pointer(p.annotation)}
        own = {k: v for k, v in given.items() if k not in self.runtime_scalars and k not in pointers}
        sizes, annotations = _consts.solve(self.function, self.scope, own)
        own.update({k: v for k, v in sizes.items() if k not in own})
        target, options = self.options.resolved()
        request = _compile.request_for_eager(
            self.function, self.scope, own, self.options.out_idx, self.options.pass_configs, target, options
        )
        is_given = lambda name: name in self.runtime_scalars or name in pointers or isinstance(  # noqa: E731
            annotations.get(name), _consts.TensorType
        )
        declared = {name: annotations.get(name) for name in self._names if is_given(name)}
        return JITKernel.of(_compile.compile_request(request), self, self.options, declared)


class TensorFacts:
    """What a kernel's compile may know of a tensor."""

    __slots__ = ("shape", "dtype", "strides")

    def __init__(self, shape, dtype, strides=None):
        self.shape = shape
        self.dtype = dtype
        self.strides = strides


def _is_pointer(annotation):
    return getattr(annotation, "__tilec_name__", None) == "tilelang.language.ptr"


def _differ_in_sizes(a, b):
    """Whether two keys of eager kernels are alike but for extents."""
    if a[0] != b[0] or len(a[1]) != len(b[1]):
        return False
    for x, y in zip(a[1], b[1]):
        is_tensor = len(x) == 2 and isinstance(x[1], tuple) and len(y) == 2 and isinstance(y[1], tuple)
        if is_tensor:
            if x[0] != y[0] or x[1][1] != y[1][1] or len(x[1][0]) != len(y[1][0]):
                return False
        elif x != y:
            return False
    return True


_FROZEN = (int, float, str, bool, bytes, type(None), types.ModuleType, type)


def _guards(kernel):
    """Names whose values, being the same objects, say that the kernel is the same; None where a
    value may change and remain the same object."""
    out = []
    scope = kernel.compiled.request.scope
    for verb, number, what, _ in kernel.compiled.reads:
        if verb != "lookup" or number != 0:
            return None
        value = scope.find(what)
        if scope.extras and what in scope.extras:
            continue
        if value is _env._MISSING or isinstance(value, _FROZEN) or _env.known_name(value):
            out.append((scope, what, value))
        else:
            return None
    return out


def _run_all(calls, num_workers, ignore_error):
    import os
    from concurrent.futures import ThreadPoolExecutor

    def one(call):
        try:
            return call()
        except Exception:
            if ignore_error:
                return None
            raise

    with ThreadPoolExecutor(num_workers or os.cpu_count() or 1) as pool:
        return list(pool.map(_targets.as_here(one), calls))
