# Conditions that LLVM's last peepholes would lose (lib/CodeGen/KeptConditions.h): a `break` where a number of shared
# memory says so.
# RUN: tilec-run %s --entry "broken(True)" --target=gfx942 --device=sim --check --arg A=zeros | FileCheck %s
# RUN: tilec-run %s --entry "broken(True)" --target=gfx950 --device=sim --check --arg A=zeros | FileCheck %s
# RUN: tilec-run %s --entry "broken(True)" --target=sm_90a --device=ptx --check --arg A=zeros | FileCheck %s
# RUN: tilec-run %s --entry "broken(False)" --target=gfx942 --device=sim --check --arg A=zeros | FileCheck %s
# RUN: tilec-run %s --entry "broken(False)" --target=gfx950 --device=sim --check --arg A=zeros | FileCheck %s
# RUN: tilec-run %s --entry "broken(False)" --target=gfx950 --device=sim --check --arg A=1 | FileCheck %s
#
# CHECK: PASS
import tilelang
import tilelang.language as T


@tilelang.jit
def broken(goes_on):

    @T.prim_func
    def main(A: T.Tensor((4,), "float32"), K: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((4,), "float32")
            c = T.alloc_fragment((16,), "float32")
            T.clear(c)
            n = T.alloc_var("int32", 0)
            for k in T.serial(4):
                if goes_on:
                    if k == 1:
                        continue
                    T.copy(A, s)
                    if s[0] > 0:
                        break
                    n += 1
                    for i in T.Parallel(16):
                        c[i] += s[i // 4]
                else:
                    if k != 1:
                        T.copy(A, s)
                        if s[0] > 0:
                            break
                        n += 1
                        for i in T.Parallel(16):
                            c[i] += s[i // 4]
            for i in T.Parallel(16):
                K[i] = T.cast(c[i], "int32") + n * 100

    return main
