# Code of single threads that counts rows and columns of a running number, as dequantising loops do: no barrier
# between the elements, which are no other thread's, and neighbours go in one access.
# SPDX-License-Identifier: Apache-2.0
# RUN: tilec %s --target=sm_90a --entry "unpack(64)" --emit=asm | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "unpack(64)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "unpack(64)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --device=sim --entry "unpack(64)" --sim-mode=strict --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "unpack(96)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "unpack(96)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec %s --target=sm_90a --entry "copies(128)" --emit=asm | FileCheck %s --check-prefix=WHOLE
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "copies(128)" --dim M=80 --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "copies(128)" --dim M=80 --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --device=sim --entry "copies(128)" --dim M=75 --check | FileCheck %s --check-prefix=RIGHT
import tilelang.language as T


def unpack(columns):
    @T.prim_func
    def main(B: T.Tensor((128, columns // 2), "uint8"), C: T.Tensor((128, columns), "float16")):
        with T.Kernel(1, threads=128):
            packed = T.alloc_shared((128, columns // 2), "uint8")
            wide = T.alloc_shared((128, columns), "float16")
            bytes = T.alloc_local([4], "uint8")
            halves = T.alloc_local([8], "float16")
            tx = T.get_thread_binding()
            T.copy(B, packed)
            for i in T.serial(columns // 8):
                for v in T.vectorized(4):
                    index = i * 512 + tx * 4 + v
                    bytes[v] = packed[index // (columns // 2), index % (columns // 2)]
                for v in T.serial(8):
                    halves[v] = T.cast((bytes[v // 2] >> (v % 2 * 4)) & 15, "float16")
                for v in T.vectorized(8):
                    index = i * 1024 + tx * 8 + v
                    wide[index // columns, index % columns] = halves[v]
            T.copy(wide, C)

    return main


# Rows counted by the whole pieces of a dimension that only the run knows are inside of it: no bound is asked for, and
# each thread's 32 bytes come in two accesses.
def copies(columns):
    M = T.dynamic("M")

    @T.prim_func
    def main(A: T.Tensor((M, columns), "float16"), C: T.Tensor((M, columns), "float16")):
        with T.Kernel(M // 16, threads=(16, columns // 16)) as bx:
            row = T.get_thread_binding(0)
            column = T.get_thread_binding(1)
            own = T.alloc_local([16], "float16")
            T.copy(A[bx * 16 + row, column * 16 : column * 16 + 16], own)
            for i in T.serial(16):
                own[i] = own[i] + 1.0
            T.copy(own, C[bx * 16 + row, column * 16 : column * 16 + 16])

    return main


# WHOLE-NOT: setp
# WHOLE-COUNT-2: ld.global.v4.b32
# WHOLE: st.global.v4.b32
# CHECK:     bar.sync
# CHECK-NOT: bar.sync
# CHECK:     ld.shared.b32
# CHECK-NOT: bar.sync
# CHECK:     st.shared.v4.b32
# CHECK-NOT: st.shared.b16
# RIGHT: result {{ *}}PASS
