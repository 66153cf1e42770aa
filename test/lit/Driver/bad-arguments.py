# What --arg, --dim and options that take whole numbers cannot mean is an error that names the option and its text: numbers
# that no type holds, words, and a name that is given twice.
# SPDX-License-Identifier: Apache-2.0

# DEFINE: %{run} = tilec-run %s --target=gfx950 --device=cpu
# RUN: not %{run} --arg n=1 --arg x=1e400 2>&1 | FileCheck %s --check-prefix=HUGE
# HUGE: tilec-run: error: --arg x: `1e400` does not fit in float32 [RunArgument]
# RUN: not %{run} --arg n=1 --arg x=1 --arg A=-1e400 --dim m=4 2>&1 | FileCheck %s --check-prefix=TENSOR
# TENSOR: tilec-run: error: --arg A: `-1e400` does not fit in float16 [RunArgument]
# RUN: not %{run} --arg n=4294967296 --arg x=1 2>&1 | FileCheck %s --check-prefix=WIDE
# WIDE: tilec-run: error: --arg n: `4294967296` does not fit in int32 [RunArgument]
# RUN: not %{run} --arg n=1 --arg x=1x 2>&1 | FileCheck %s --check-prefix=WORD
# WORD: tilec-run: error: --arg: `x=1x`: `1x` is neither randn, uniform, zeros, a .npy file nor a number [RunArgument]
# RUN: not %{run} --arg n=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=SCALAR
# SCALAR: tilec-run: error: --arg x=zeros: `x` is a scalar, which takes a number (float32) [RunArgument]
# RUN: not %{run} --arg n=1 --arg x=1 --arg x=2 2>&1 | FileCheck %s --check-prefix=TWICE
# TWICE: tilec-run: error: --arg x=2: `x` is given twice, before as `1` [RunArgument]
# RUN: not %{run} --arg n=1 --arg x=1 --dim m=1 --dim m=2 2>&1 | FileCheck %s --check-prefix=DIM
# DIM: tilec-run: error: --dim m=2: `m` is given twice, before as `1` [RunArgument]

# RUN: %{run} --arg n=1 --arg x=inf --arg A=65519 --dim m=4 --seed=4294967295 | FileCheck %s --check-prefix=FITS
# RUN: tilec-run %s --target=gfx950 --device=sim --arg n=1 --arg x=1 --dim m=4 --sim-interleave=18446744073709551615 | FileCheck %s --check-prefix=FITS
# FITS: kernel {{.*}} k

# RUN: not %{run} --seed=abc 2>&1 | FileCheck %s --check-prefix=NUMBER
# NUMBER: tilec-run: error: --seed: `abc` is not a whole number; --help lists the options [CommandLine]
# RUN: not %{run} --seed=4294967296 2>&1 | FileCheck %s --check-prefix=SEED
# SEED: tilec-run: error: Could not convert: --seed = 4294967296; --help lists the options [CommandLine]
# RUN: not %{run} --seed=-1 2>&1 | FileCheck %s --check-prefix=SIGN
# SIGN: tilec-run: error: --seed: `-1` is less than 0; --help lists the options [CommandLine]
# RUN: not %{run} --sim-interleave=99999999999999999999999 2>&1 | FileCheck %s --check-prefix=SHUFFLE
# SHUFFLE: tilec-run: error: --sim-interleave: `99999999999999999999999` is too large; --help lists the options [CommandLine]
# RUN: not %{run} --sim-interleave=-1 2>&1 | FileCheck %s --check-prefix=SHUFFLES
# SHUFFLES: tilec-run: error: --sim-interleave: `-1` is less than 0; --help lists the options [CommandLine]
import tilelang.language as T

m = T.dynamic("m")


@T.prim_func
def k(A: T.Tensor((m,), "float16"), x: T.float32, n: T.int32):
    with T.Kernel(1, threads=64):
        for i in T.serial(m):
            A[i] = A[i] + x + n
