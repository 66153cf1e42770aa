# Butterflies on a thread's own array: bounds of inner loops come from outer variables, and all of it is written out, so
# that no place is looked for (a Hadamard transform of 32 elements a thread; then across lanes).
# RUN: tilec %s --target=sm_90a --entry "butterflies()" --emit=asm --no-cache | FileCheck %s --check-prefix=PTX
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "butterflies()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "butterflies()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "butterflies(64, 'float16')" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "edges()" --arg n=3 --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "edges()" --arg n=3 --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "pairs_by_bits(256)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "pairs_by_bits(256, 'float16')" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "pairs_by_bits(128, 'float16')" --check | FileCheck %s
# PTX-NOT: setp
# PTX: $L__BB0_1:
# CHECK: PASS
import tilelang.language as T


def butterflies(own=32, dtype="float32", threads=32, batch=3):
    n = own * threads

    @T.prim_func
    def main(X: T.Tensor((batch, n), dtype), Y: T.Tensor((batch, n), dtype)):
        with T.Kernel(batch, threads=threads) as bx:
            tx = T.get_thread_binding()
            local = T.alloc_local((own,), dtype)
            other = T.alloc_local((own,), dtype)
            for i in T.vectorized(own):
                local[i] = X[bx, tx * own + i]
            for i in T.serial(own.bit_length() - 1):
                size = 1 << (i + 1)
                for j in T.serial(own // size):
                    for k in T.serial(size // 2):
                        local[j * size + k] = local[j * size + k] + local[j * size + k + size // 2]
                        local[j * size + k + size // 2] = local[j * size + k] - 2 * local[j * size + k + size // 2]
            for i in T.serial(2):
                for j in T.serial(own):
                    other[j] = T.shfl_xor(local[j], 1 << i)
                    local[j] = T.if_then_else((tx >> i) & 1 == 0, local[j] + other[j], other[j] - local[j])
            for i in T.vectorized(own):
                Y[bx, tx * own + i] = local[i]

    return main


def pairs_by_bits(own=64, dtype="float32", threads=64):
    """Places that both loops' numbers make: of as many elements as a thread has registers, all is written out."""

    @T.prim_func
    def main(X: T.Tensor((threads, own), dtype), Y: T.Tensor((threads, own), dtype)):
        with T.Kernel(1, threads=threads):
            tx = T.get_thread_binding()
            v = T.alloc_local((own,), dtype)
            for i in T.vectorized(own):
                v[i] = X[tx, i]
            for s in T.serial(own.bit_length() - 1):
                for i in T.serial(own // 2):
                    low = (i >> s << (s + 1)) | (i & ((1 << s) - 1))
                    a = v[low] + v[low + (1 << s)]
                    b = v[low] - v[low + (1 << s)]
                    v[low] = a
                    v[low + (1 << s)] = b
            for i in T.vectorized(own):
                Y[tx, i] = v[i]

    return main


def edges():
    """Places at the ends of an array, behind conditions that rounds and launches decide."""

    @T.prim_func
    def main(X: T.Tensor((64,), "float32"), Y: T.Tensor((64, 8), "float32"), n: T.int32):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            a = T.alloc_local((2, 4), "float32")
            for i in T.serial(2):
                for j in T.serial(4):
                    a[i, j] = X[tx] * (i * 4 + j + 1)
            for i in T.serial(2):
                for j in T.serial(i, 4):
                    if j + 1 < 4:
                        a[i, j] += a[i, j + 1]
                    if i > 0:
                        a[i - 1, j] += a[i, j] * n
            for i in T.serial(2):
                for j in T.serial(4):
                    Y[tx, i * 4 + j] = a[i, j]

    return main
