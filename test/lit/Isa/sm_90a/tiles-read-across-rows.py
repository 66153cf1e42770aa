# A tile of another type than a product's: no instruction brings a matrix of it, its fragment's lanes read across rows,
# and rows of whole passes over the banks would all start in one. A tile that is read along its rows stays plain.
# RUN: tilec %s --entry "converted()" --target=sm_90a --emit=tile-laid-out --no-cache | FileCheck %s --check-prefix=ACROSS
# RUN: tilec %s --entry "copied()" --target=sm_90a --emit=tile-laid-out --no-cache | FileCheck %s --check-prefix=ALONG
# RUN: tilec-run %s --entry "converted()" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec %s --entry "converted()" --target=sm_90a --emit=ptx --no-cache -o - | FileCheck %s --check-prefix=PLACES
# Elements of a lane share what the swizzle makes of its place: an address for each of the eight chunks that the
# lane's is exchanged with, not one for each element.
# PLACES-COUNT-32: xor.b32
# PLACES-NOT: xor.b32
# ACROSS: "a" layout(#tile.shared<shape = [32, 256] pitch = 256 vec = 8 rows_per_phase = 1 phases = 8>)
# ALONG: "a" layout(#tile.shared<shape = [32, 256] pitch = 256 vec = 1 rows_per_phase = 1 phases = 1>)
# RIGHT: PASS
import tilelang.language as T


def converted():
    @T.prim_func
    def main(A: T.Tensor((32, 512), "bfloat16"), B: T.Tensor((32, 512), "float32"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            sums = T.alloc_fragment((32, 32), "float32")
            T.clear(sums)
            for k in T.Pipelined(2, num_stages=2):
                a = T.alloc_shared((32, 256), "bfloat16")
                b = T.alloc_shared((32, 256), "tfloat32")
                wide = T.alloc_fragment((32, 256), "tfloat32")
                T.copy(A[0, k * 256], a)
                T.copy(B[0, k * 256], b)
                T.copy(a, wide)
                T.gemm(wide, b, sums, transpose_B=True)
            T.copy(sums, C)

    return main


def copied():
    @T.prim_func
    def main(A: T.Tensor((32, 256), "bfloat16"), B: T.Tensor((32, 256), "float32")):
        with T.Kernel(1, threads=32):
            a = T.alloc_shared((32, 256), "bfloat16")
            wide = T.alloc_fragment((32, 256), "float32")
            T.copy(A, a)
            T.copy(a, wide)
            T.copy(wide, B)

    return main
