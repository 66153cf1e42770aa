# wgmma operands whose rows are no multiple of 128 bytes: panels of 64 or 32 bytes; operands that are a part of a
# larger tile in shared memory. Products of hopper-forms.py and attention of the benchmarks, at other sizes.
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(144, 192, 208, 'nt', 'bfloat16', 'float32', 'bfloat16', BN=96, BK=48)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(144, 200, 192, 'nn', 'bfloat16', 'float32', 'bfloat16', BN=96, BK=96)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(144, 160, 160, 'nn', 'bfloat16', 'float32', 'bfloat16', BN=80, BK=80)" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(144, 224, 224, 'tn', 'bfloat16', 'float32', 'bfloat16', BN=112, BK=112, threads=128, BM=64)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(128, 64, 128, 'nn', 'bfloat16', 'float32', 'bfloat16', BN=32)" | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(64, 32, 64, 'nn', 'bfloat16', 'float32', 'bfloat16', BM=64, BN=16, threads=128)" | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(64, 128, 128, 'tt', 'bfloat16', 'float32', 'bfloat16', BM=64, BN=64, threads=128)" | FileCheck %s
# Warp groups that have 32 columns each of one panel, and a last panel of which half is padding.
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(136, 200, 192, 'nn', 'bfloat16', 'float32', 'bfloat16', BM=64, BN=64, BK=64, threads=256)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(136, 200, 192, 'nn', 'float16', 'float32', 'float16', BM=64, BN=128, BK=64, threads=512)" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(136, 264, 192, 'nn', 'float16', 'float32', 'float16', BM=128, BN=224, BK=64)" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %S/hopper-forms.py --target=sm_90a --device=ptx --check --entry "gemm(136, 264, 320, 'nt', 'float16', 'float32', 'float16', BM=128, BN=64, BK=160)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "parts(128, 128, 64, 192)" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "parts(64, 64, 96, 160, threads=128)" | FileCheck %s
# RUN: tilec-run %repo/test/bench/hopper/fa.py --target=sm_90a --device=ptx --check --entry "fa(1, 2, 256, 80, block_N=64, dtype='float16')" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %repo/test/bench/hopper/fa.py --target=sm_90a --device=ptx --check --entry "fa(1, 2, 256, 96, block_N=64, causal=True, dtype='float16')" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %repo/test/bench/hopper/fa.py --target=sm_90a --device=ptx --check --entry "fa(1, 2, 256, 112, block_N=64, dtype='float16')" --sim-interleave=4 | FileCheck %s
# RUN: tilec %repo/test/bench/hopper/fa.py --target=sm_90a --entry "fa(1, 2, 256, 80, block_N=64, dtype='float16')" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# RUN: tilec %S/hopper-forms.py --target=sm_90a --entry "gemm(144, 160, 160, 'nn', 'bfloat16', 'float32', 'bfloat16', BN=80, BK=80)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# RUN: tilec %s --target=sm_90a --entry "parts(128, 128, 64, 192)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# RUN: tilec %S/hopper-forms.py --target=sm_90a --entry "gemm(136, 200, 192, 'nn', 'bfloat16', 'float32', 'bfloat16', BM=64, BN=64, BK=64, threads=256)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefix=WAVE --implicit-check-not="no warp groups multiply"
# RUN: tilec %S/hopper-forms.py --target=sm_90a --entry "gemm(136, 264, 192, 'nn', 'float16', 'float32', 'float16', BM=128, BN=224, BK=64)" --emit=wave --remarks 2>&1 | FileCheck %s --check-prefixes=WAVE,WIDE --implicit-check-not="no warp groups multiply"
# WIDE: box = array<i64: 64, 64>, name = "B_map
# CHECK: result {{ *}}PASS
# WAVE: wave.group_mma
import tilelang.language as T


def parts(M, N, D, K, threads=256):
    """Both operands of the first product are the first D columns of a tile, those of the second the others; the
    third takes the second half of the rows of B, with K as the slower dimension."""

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32"),
             E: T.Tensor((M, D), "float32")):
        with T.Kernel(1, threads=threads):
            A_shared = T.alloc_shared((M, K), "float16")
            B_shared = T.alloc_shared((N, K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            e = T.alloc_fragment((M, D), "float32")
            T.copy(A, A_shared)
            T.copy(B, B_shared)
            T.clear(c)
            T.clear(e)
            T.gemm(A_shared[:, :D], B_shared[:, :D], c, transpose_B=True)
            T.gemm(A_shared[:, D:], B_shared[:, D:], c, transpose_B=True)
            T.gemm(A_shared[:, :N // 2], B_shared[N // 2:, :D], e)
            T.copy(c, C)
            T.copy(e, E)

    return main
