# What a barrier under a condition that all threads share is worth: it counts on this way alone, also where only some
# threads get to the condition.
# RUN: tilec-run %s --entry "guarded()" --target=gfx942 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=gfx950 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_80 --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "guarded()" --target=sm_90a --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=gfx942 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=gfx950 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=sm_80 --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=sm_90a --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "exchanged()" --target=gfx942 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "exchanged()" --target=gfx950 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "exchanged()" --target=sm_80 --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "exchanged()" --target=sm_90a --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "sides()" --target=gfx942 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "sides()" --target=gfx950 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "sides()" --target=sm_80 --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "sides()" --target=sm_90a --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx942 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx950 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_80 --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_90a --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=gfx942 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=gfx950 --device=sim --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=sm_80 --device=ptx --check --seed 437 | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=sm_90a --device=ptx --check --seed 437 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def guarded():

    @T.prim_func
    def main(X: T.Tensor((256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((256,), "int32")
            if tx < 200:
                s[tx] = tx
                if X[0] > 1000:
                    T.sync_threads()
                C[tx] = s[199 - tx]

    return main


def beside():

    @T.prim_func
    def main(X: T.Tensor((256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((256,), "int32")
            s[tx] = tx
            if X[tx] > 1000:
                if X[0] > 1000:
                    T.sync_threads()
            C[tx] = s[255 - tx]

    return main


def exchanged():

    @T.prim_func
    def main(X: T.Tensor((256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((256,), "int32")
            r = T.alloc_shared((256,), "int32")
            r[tx] = tx
            if tx < 200:
                s[tx] = tx
                if X[0] > 1000:
                    r[tx] = r[199 - tx]
                C[tx] = s[199 - tx] + r[tx]

    return main


def sides():

    @T.prim_func
    def main(X: T.Tensor((256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((256,), "int32")
            if tx < 200:
                if X[0] < 1000:
                    s[tx] = 0
                else:
                    s[tx // 2] = 1
                s[199 - tx] = 1
            C[tx] = T.if_then_else(tx < 200, s[tx], 0)

    return main


def rounds():

    @T.prim_func
    def main(X: T.Tensor((256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            s = T.alloc_shared((256,), "int32")
            r = T.alloc_shared((256,), "int32")
            v = T.alloc_var("int32", 0)
            T.fill(s, 2)
            T.fill(r, 2)
            for k in T.serial(tx % 3):
                if k > 1:
                    r[tx] = 1
                    r[115] = 3
                s[(tx + k) % 256] = tx
                v = v + s[9]
            C[tx] = v * 0 + s[tx] * 0

    return main


def updates():

    @T.prim_func
    def main(I: T.Tensor((16,), "int32"), C: T.Tensor((255,), "int32")):
        with T.Kernel(1, threads=255):
            tx = T.get_thread_binding()
            s1 = T.alloc_shared((255,), "int32")
            s2 = T.alloc_shared((16,), "int32")
            T.fill(s2, 2)
            T.fill(s1, 1)
            for k in T.serial(tx % 3):
                if I[1] > 0:
                    s1[tx] = s1[1] + 1
                T.atomic_add(s2[1], s2[1])
            C[tx] = s2[tx % 16]

    return main
