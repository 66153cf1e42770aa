# Products of T.tfloat32 are instructions of tf32: of warp groups where both operands have K as the faster dimension, of
# warps elsewhere; plain float32 is added up by fused multiply-adds. No instruction masks low bits, which the chip ignores.
# RUN: tilec %s --target=sm_90a --entry "product(128, 64, 64)" --emit=ptx | FileCheck %s --check-prefix=GROUP --implicit-check-not=mma.sync
# RUN: tilec %s --target=sm_90a --entry "product(64, 64, 64, held='fragment')" --emit=ptx | FileCheck %s --check-prefix=GROUP --implicit-check-not=mma.sync
# RUN: tilec %s --target=sm_90a --entry "product(32, 64, 64)" --emit=ptx | FileCheck %s --check-prefixes=WARP,MATRIX --implicit-check-not=0xffffe000
# RUN: tilec %s --target=sm_80 --entry "product(128, 64, 64)" --emit=ptx | FileCheck %s --check-prefixes=WARP,MATRIX --implicit-check-not=-8192
# RUN: tilec %s --target=sm_90a --entry "product(128, 64, 64, trans=False)" --emit=ptx | FileCheck %s --check-prefix=WARP --implicit-check-not=wgmma
# RUN: tilec %s --target=sm_89 --entry "product(32, 32, 4)" --emit=ptx | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --target=sm_90a --entry "product(128, 64, 64, dtype='float32')" --emit=ptx | FileCheck %s --check-prefix=PLAIN --implicit-check-not=mma --implicit-check-not=mul.rn.f32
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(128, 64, 64)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(64, 64, 64, held='fragment')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(32, 64, 64)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(128, 64, 64, trans=False)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(32, 64, 64, held='fragment')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_120 --device=ptx --check --entry "product(48, 40, 36)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "product(64, 64, 64, out='float16')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(128, 64, 64, dtype='float32')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --device=cpu --check --entry "product(64, 64, 64)" | FileCheck %s --check-prefix=RESULT
# GROUP: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
# MATRIX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
# WARP: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
# FOUR: mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32
# PLAIN: fma.rn.f32
# RESULT: result {{ *}}PASS
import tilelang.language as T


def product(M, N, K, dtype="tfloat32", trans=True, held="shared", out="float32"):

    @T.prim_func
    def main(A: T.Tensor((M, 2 * K), dtype), B: T.Tensor((N, 2 * K) if trans else (2 * K, N), dtype),
             C: T.Tensor((M, N), out)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, K), dtype)
            b = T.alloc_shared((N, K) if trans else (K, N), dtype)
            f = T.alloc_fragment((M, K), dtype)
            c = T.alloc_fragment((M, N), out)
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * K], a)
                if trans:
                    T.copy(B[0, k * K], b)
                else:
                    T.copy(B[k * K, 0], b)
                if held == "fragment":
                    T.copy(a, f)
                    T.gemm(f, b, c, transpose_B=trans)
                else:
                    T.gemm(a, b, c, transpose_B=trans)
            T.copy(c, C)

    return main
