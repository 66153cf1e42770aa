# The grid is computed from parameters: what the launcher computes is what the language says, and no block is too many.
# RUN: tilec-run %s --target=gfx942 --entry "marked('shift')" --arg n=37 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "marked('and')" --arg n=37 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "marked('or')" --arg n=36 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "marked('xor')" --arg n=37 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "marked('choice')" --arg n=5 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "marked('choice')" --arg n=6 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "marked('unlike')" --arg n=9 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "marked('unlike')" --arg n=8 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "marked('ceildiv')" --arg n=37 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "marked('ceildiv')" --arg n=32 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "marked('truncdiv')" --arg n=-37 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "marked('both')" --arg n=7 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "marked('sized')" --arg n=7 --check | FileCheck %s
# CHECK: PASS
# RUN: tilec %s --target=gfx950 --entry "marked('shift')" --emit=manifest -o - | FileCheck %s --check-prefix=SHIFT
# SHIFT: "n // 8"
# RUN: tilec %s --target=gfx950 --entry "marked('ceildiv')" --emit=manifest -o - | FileCheck %s --check-prefix=CEILDIV
# CEILDIV: "ceildiv(n, 16)"
import tilelang.language as T


def marked(kind):
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), n: T.int32):
        with T.Kernel(
            {
                "shift": n >> 3,
                "and": n & 7,
                "or": n | 1,
                "xor": n ^ 3,
                "choice": T.if_then_else(n > 5, 20, 3),
                "unlike": T.if_then_else(n != 9, 4, 10),
                "ceildiv": T.ceildiv(n, 16),
                "truncdiv": 20 + T.truncdiv(n, 4),
                "both": T.if_then_else((n > 5) & (n < 8), 7, 1),
                "sized": (n << 2) - T.min(n, 3) * T.max(n % 4, 1),
            }[kind],
            threads=64,
        ) as b:
            A[b] = b + 1.0

    return main
