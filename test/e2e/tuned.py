# What a script's tuner would choose: the first configuration stands for it.
# RUN: tilec-run %s --entry "scaled()" --target=gfx942 --check --remarks 2>&1 | FileCheck %s --check-prefixes=TAKEN,CHECK
# RUN: tilec-run %s --entry "scaled(block=32)" --target=gfx950 --check --remarks 2>&1 | FileCheck %s --check-prefixes=REST,CHECK
# RUN: tilec-run %s --entry "scaled(512, 32, 64)" --target=sm_80 --device=ptx --check --remarks 2>&1 | FileCheck %s --check-prefixes=GIVEN,CHECK
# RUN: tilec-run %s --entry "by_tuner(256)" --target=sm_90a --device=ptx --check 2>&1 | FileCheck %s
# RUN: tilec-run %s --entry "each()" --target=gfx950 --check 2>&1 | FileCheck %s
# RUN: not tilec %s --entry "wants()" --target=gfx950 -o %t 2>&1 | FileCheck %s --check-prefix=WANTS
# TAKEN: remark: `scaled` takes what the call leaves out from the first of its configurations: block=64, threads=128;
# REST: first of its configurations: threads=128;
# GIVEN-NOT: FirstConfig
# CHECK: PASS
# WANTS: `wants` is called without its argument `N`
import tilelang
import tilelang.language as T
from tilelang.autotuner import AutoTuner, autotune


def configs():
    return [{"block": block, "threads": 2 * block} for block in (64, 128)]


@autotune(configs=configs, warmup=3, rep=20)
@tilelang.jit(out_idx=[-1])
def scaled(N=256, block=None, threads=None):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=threads) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] * 2.0
    return main


def by_tuner(N):
    def kernel(block=None, threads=None, twice=False):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(T.ceildiv(N, block), threads=threads) as bx:
                for i in T.Parallel(block):
                    B[bx * block + i] = A[bx * block + i] * (4.0 if twice else 2.0)
        return main
    tuner = AutoTuner.from_kernel(kernel=kernel, configs=configs()).set_compile_args(out_idx=[-1]).set_profile_args(skip_check=True)
    return tuner.run(warmup=3, rep=20).kernel


def each():
    return scaled.par_compile([(128, 32, 32), {"N": 64, "block": 16, "threads": 64}])[1]


@autotune(configs=[{"block": 64}])
@tilelang.jit
def wants(N, block=None):
    return scaled(N, block)
