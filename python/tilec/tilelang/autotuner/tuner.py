# SPDX-License-Identifier: Apache-2.0
"""autotune and AutoTuner: all candidates are compiled, those that are right are timed in turns."""

import dataclasses
import functools
import inspect
import time
from concurrent.futures import ThreadPoolExecutor

from ... import _jit, _targets
from ...errors import Error
from ..env import env
from . import shards


@dataclasses.dataclass
class AutotuneResult:
    latency: float = None
    config: dict = None
    ref_latency: float = None
    libcode: str = None
    func: object = None
    kernel: object = None
    #: (config, milliseconds or the reason why there is no time) of every candidate
    trials: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class _Settings:
    warmup: int = 25
    rep: int = 100
    timeout: float = 100
    supply_type: object = None
    ref_prog: object = None
    supply_prog: object = None
    rtol: float = 1e-2
    atol: float = 1e-2
    max_mismatched_ratio: float = 0.01
    skip_check: bool = False
    manual_check_prog: object = None
    cache_input_tensors: bool = True
    do_not_specialize: object = None
    early_stop: bool = False
    early_stop_factor: float = 2.0
    backend: str = "event"
    #: Many processes share the search (docs/tune/tuning.md): which one this is, and the folder that all see.
    #: A folder without a shard: what the shards have found.
    shard: object = None
    folder: object = None
    finalists: int = 8


_FIELDS = {f.name for f in dataclasses.fields(_Settings)}


def _as_dicts(configs, names, args=(), kwargs=None):
    """Configurations as dicts; they may be a function of the kernel's arguments."""
    if callable(configs):
        wanted = inspect.signature(configs).parameters
        if not wanted:
            configs = configs()
        else:
            given = dict(zip(names, args)) | (kwargs or {})
            is_open = any(p.kind is p.VAR_POSITIONAL for p in wanted.values())
            configs = configs(*args, **(kwargs or {})) if is_open else configs(
                **{k: v for k, v in given.items() if k in wanted}
            )
    return [c if isinstance(c, dict) else dict(zip(names, c)) for c in configs]


def tune(make, configs, settings, inputs=None, what=""):
    """The best of `configs`, of which `make(config)` gives a kernel. `what` tells searches apart."""
    if not configs:
        raise ValueError("autotune has no configurations")
    if settings.shard is not None and settings.folder is None:
        raise ValueError("autotune: a shard needs a folder that all shards see (folder=)")
    if settings.folder is not None:
        return _tune_shared(make, configs, settings, inputs, what)
    workers = env.tuning_workers()

    def compiled(config):
        try:
            return make(config)
        except Exception as error:  # a candidate that does not compile is no candidate
            return error

    with ThreadPoolExecutor(workers) as pool:
        kernels = list(pool.map(_targets.as_here(compiled), configs))
    result = AutotuneResult()
    runs = []
    shared = None
    _require_inputs(next((k for k in kernels if not isinstance(k, Exception)), None), settings, inputs)
    for config, kernel in zip(configs, kernels):
        if isinstance(kernel, Exception):
            result.trials.append((config, str(kernel)))
            continue
        try:
            profiler = kernel.get_profiler(settings.supply_type)
            if shared is None or not settings.cache_input_tensors:
                shared = _inputs(profiler, settings, inputs)
            _check(profiler, shared, settings)
            quick = profiler.do_bench(warmup=1, _n_repeat=1, n_warmup=1, n_repeat=2, input_tensors=shared)
        except Exception as error:
            result.trials.append((config, str(error)))
            continue
        runs.append([config, kernel, profiler, shared, quick])
    if not runs:
        reasons = "\n".join(f"  {c}: {(str(why).strip().splitlines() or ['no reason is given'])[0]}" for c, why in result.trials[:8])
        raise Error(f"none of the {len(configs)} configurations works:\n{reasons}")
    _rounds(runs, settings)
    best = min(runs, key=lambda r: r[4])
    result.trials += [(r[0], r[4]) for r in runs]
    result.config, result.kernel, result.latency = best[0], best[1], best[4]
    result.func = getattr(best[1], "prim_func", None)
    if settings.ref_prog is not None:
        try:
            result.ref_latency = best[2].do_bench(settings.ref_prog, warmup=settings.warmup, rep=settings.rep,
                                                  input_tensors=best[3])  # fmt: skip
        except Exception:
            result.ref_latency = None
    for name in ("latency", "config", "ref_latency"):
        setattr(best[1], name, getattr(result, name))
    return result


def _tune_shared(make, configs, settings, inputs, what):
    """This process's share; then, or where there is no shard, the best that is known."""
    log = shards.Log(settings.folder, what, configs)
    kept = []

    def candidate(config):
        kernel = make(config)
        profiler = kernel.get_profiler(settings.supply_type)
        _require_inputs(kernel, settings, inputs)
        if not kept:
            kept.append(_inputs(profiler, settings, inputs))
        _check(profiler, kept[0], settings)
        return lambda: profiler.do_bench(warmup=settings.warmup / 3, rep=settings.rep / 3, input_tensors=kept[0],
                                         backend=settings.backend, return_mode="median")  # fmt: skip

    if settings.shard is not None:
        shards.measure_share(log, configs, settings, candidate)
        best = shards.finalists(log, configs, 1, whole=False)
    else:
        best = shards.finalists(log, configs, settings.finalists)
    alone = dataclasses.replace(settings, shard=None, folder=None)
    result = tune(make, [configs[i] for i in best], alone, inputs)
    result.trials = [(configs[i], r.get("ms", r.get("message"))) for i, r in sorted(log.read().items())]
    return result


def _rounds(runs, settings):
    """Times candidates in turns, so that the clock of the GPU drifts for all alike; far slower ones
    leave after the first round."""
    if _targets.simulated():
        return  # the clock of the host says nothing about the GPU: one run was enough
    rounds = 3
    started = time.monotonic()
    for number in range(rounds):
        least = min(r[4] for r in runs)
        for run in runs:
            if number and run[4] > least * (settings.early_stop_factor if settings.early_stop else 2.0):
                continue
            if time.monotonic() - started > settings.timeout * len(runs):
                return
            took = run[2].do_bench(warmup=settings.warmup / rounds, rep=settings.rep / rounds, input_tensors=run[3],
                                   backend=settings.backend, return_mode="median")  # fmt: skip
            run[4] = took if number == 0 else min(run[4], took)


def _inputs(profiler, settings, inputs):
    if inputs is not None:
        return inputs
    if settings.supply_prog is not None:
        return list(settings.supply_prog(profiler._get_params(with_output=False)))
    from . import get_autotune_inputs

    return get_autotune_inputs() or profiler._get_inputs()


def _require_inputs(kernel, settings, inputs):
    """Tensors can be made for a search; what a number means for the kernel's work only its user knows."""
    from . import get_autotune_inputs

    if kernel is None or inputs is not None or settings.supply_prog is not None or get_autotune_inputs():
        return
    number = next((p for p in kernel.params if not p.is_tensor), None)
    if number is not None:
        raise ValueError(
            f"autotune: parameter `{number.name}` of `{kernel.name}` is a number; give the arguments of the search by "
            "`with set_autotune_inputs(...)` or by supply_prog"
        )


def _check(profiler, inputs, settings):
    if settings.skip_check or settings.ref_prog is None:
        return
    if settings.manual_check_prog is not None:
        profiler.manual_assert_close(settings.ref_prog, inputs, settings.manual_check_prog)
        return
    profiler.assert_allclose(settings.ref_prog, input_tensors=inputs, rtol=settings.rtol, atol=settings.atol,
                             max_mismatched_ratio=settings.max_mismatched_ratio)  # fmt: skip


def _split(config):
    """(parameters, pass configurations) of a configuration."""
    rest = dict(config)
    return rest, rest.pop("pass_configs", None)


class AutoTuneImpl:
    """What `@autotune(configs=...)` makes of a function of `tilelang.jit`."""

    def __init__(self, jit, configs, settings):
        functools.update_wrapper(self, jit)
        self.jit = jit if isinstance(jit, _jit.JITImpl) else _jit.jit(jit)
        self.configs = configs
        self.settings = settings
        #: What searches have found, by what they depend on.
        self._tuner_cache = {}
        self._jits = {}

    def __getattr__(self, name):
        if name.startswith("__") or name == "jit":
            raise AttributeError(name)
        return getattr(self.jit, name)

    def _tuned(self, args, kwargs, inputs=None):
        names = self.jit._names
        configs = _as_dicts(self.configs, names, args, kwargs)
        given = set(names[: len(args)]) | set(kwargs)
        tunable = {k for c in configs for k in _split(c)[0]}
        # A call that says all parameters has nothing to tune.
        if tunable and tunable <= given:
            return None
        configs = [{k: v for k, v in c.items() if k not in given} for c in configs]
        unique = [c for i, c in enumerate(configs) if c not in configs[:i]]
        return unique

    def __call__(self, *args, **kwargs):
        gives_kernel = kwargs.pop("__return_kernel", False)
        configs = self._tuned(args, kwargs)
        if configs is None:
            if not self.jit.is_eager:
                return self._only_one(args, kwargs)
            return self.jit(*args, **kwargs, **({"__return_kernel": True} if gives_kernel else {}))
        if not self.jit.is_eager or gives_kernel:
            return self._choose(args, kwargs, configs, eager=self.jit.is_eager).kernel
        chosen, passes = _split(self._choose(args, kwargs, configs, eager=True).config)
        return self._under(passes)(*args, **kwargs, **chosen)

    def _under(self, passes):
        """The function under pass configurations that belong to a configuration: one object for each."""
        if not passes:
            return self.jit
        key = tuple(sorted((str(k), repr(v)) for k, v in passes.items()))
        found = self._jits.get(key)
        if found is None:
            found = self._jits[key] = self.jit.with_pass_configs(passes)
        return found

    def compile(self, *args, **kwargs):
        configs = self._tuned(args, kwargs)
        if configs is None:
            return self._only_one(args, kwargs)
        return self._choose(args, kwargs, configs).kernel

    def _only_one(self, args, kwargs):
        """The kernel of a call that leaves nothing to choose. It is kept as what a search finds is."""
        kernel = self.jit.compile(*args, **kwargs)
        self._tuner_cache.setdefault(self._key(args, kwargs), AutotuneResult(config={}, kernel=kernel))
        return kernel

    def _key(self, args, kwargs):
        """What a search depends on: the target, and the arguments but for those of do_not_specialize."""
        from ... import _env

        def of(value):
            described = _env.describe(value)
            return described if described is not None else repr(value)

        names = self.jit._names
        given = dict(zip(names, args)) | kwargs
        free = set(self.settings.do_not_specialize or ())
        rest = tuple(map(of, args[len(names) :]))
        return (_targets.current_target(), rest, tuple((k, of(v)) for k, v in sorted(given.items()) if k not in free))

    def _choose(self, args, kwargs, configs, eager=False):
        def make(config):
            chosen, passes = _split(config)
            jit = self._under(passes)
            if eager:
                return jit._eager_kernel(args, {**kwargs, **chosen})[0]
            return jit.compile(*args, **kwargs, **chosen)

        key = self._key(args, kwargs)
        found = self._tuner_cache.get(key)
        if found is None:
            inputs = self.jit._eager_kernel(args, {**kwargs, **_split(configs[0])[0]})[1] if eager else None
            found = tune(make, configs, self.settings, inputs, f"{self.jit.function.__qualname__} {key!r}")
            self._tuner_cache[key] = found
        elif self.settings.do_not_specialize:
            # The choice holds for these arguments, the kernel is that of others.
            found = dataclasses.replace(found, kernel=make(found.config))
        return found


def autotune(func=None, *, configs=None, **settings):
    """`@autotune(configs=...)` over `@tilelang.jit`: a call that does not give the parameters tries
    all configurations and keeps the best."""
    known = _Settings(**{k: v for k, v in settings.items() if k in _FIELDS})
    if callable(func):
        return AutoTuneImpl(func, configs if configs is not None else [{}], known)
    if configs is None:
        configs = func if func is not None else [{}]
    return lambda f: AutoTuneImpl(f, configs, known)


class AutoTuner:
    """`AutoTuner.from_kernel(kernel=f, configs=...).set_compile_args(...).run()`."""

    def __init__(self, fn, configs):
        self.fn = fn
        self.configs = configs
        self.compile_args = {}
        self.settings = _Settings()

    @classmethod
    def from_kernel(cls, kernel, configs):
        return cls(kernel, configs)

    def set_compile_args(self, out_idx=None, target=None, **options):
        self.compile_args = {"out_idx": out_idx, "target": target, **options}
        return self

    def set_profile_args(self, **settings):
        self.settings = _Settings(**{k: v for k, v in settings.items() if k in _FIELDS})
        return self

    def set_kernel_parameters(self, *_, **__):
        return self

    def run(self, warmup=25, rep=100, timeout=100, shard=None, folder=None, **_):
        self.settings.warmup, self.settings.rep, self.settings.timeout = warmup, rep, timeout
        if folder is not None or shard is not None:
            self.settings.shard, self.settings.folder = shard, folder
        names = list(inspect.signature(self.fn).parameters)

        def make(config):
            chosen, passes = _split(config)
            options = dict(self.compile_args)
            if passes:
                options["pass_configs"] = {**(options.get("pass_configs") or {}), **passes}
            return _jit.compile(self.fn(**chosen), **options)

        what = f"{self.fn.__qualname__} {_jit._options(self.compile_args).resolved()[0]}"
        return tune(make, _as_dicts(self.configs, names), self.settings, what=what)

    def __call__(self):
        return self.run()
