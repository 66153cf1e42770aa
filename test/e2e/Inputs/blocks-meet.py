# Blocks of one launch that use the same elements of a tensor (block-conflicts.test).
import tilelang
import tilelang.language as T


# The last block adds up what the others wrote, and only a counter says that they have.
@tilelang.jit
def last_block():

    @T.prim_func
    def main(A: T.Tensor((8, 64), "int32"), P: T.Tensor((8,), "int32"), N: T.Tensor((1,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(8, threads=64) as bx:
            s = T.alloc_fragment((64,), "int32")
            r = T.alloc_fragment((1,), "int32")
            T.copy(A[bx, 0:64], s)
            T.reduce_sum(s, r, dim=0)
            P[bx] = r[0]
            for i in T.Parallel(1):
                old = T.atomic_add(N[0], 1, return_prev=True)
                if old == 7:
                    t = T.int32(0)
                    for k in range(8):
                        t += P[k]
                    C[0] = t

    return main


# Each block reads one element beyond its own part of a tensor that is changed in place.
@tilelang.jit
def halo():

    @T.prim_func
    def main(A: T.Tensor((256,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            t = T.alloc_shared((65,), "float32")
            T.copy(A[bx * 64], t)
            for i in T.Parallel(64):
                A[bx * 64 + i] = t[i] + t[i + 1]

    return main


# All blocks write one element: each its own value, or all the same.
@tilelang.jit
def one_element(same=0):

    @T.prim_func
    def main(A: T.Tensor((256,), "float16"), C: T.Tensor((2,), "float16")):
        with T.Kernel(4, threads=64) as bx:
            t = T.alloc_shared((64,), "float16")
            T.copy(A[bx * 64], t)
            if same:
                C[1] = T.float16(3)
            else:
                C[1] = t[0] + T.float16(bx)
            if bx == 0:
                C[0] = t[1]

    return main


# Neighbours in a word, atomics, and a tile that is written and read by its own block.
@tilelang.jit
def fine():

    @T.prim_func
    def main(A: T.Tensor((4, 63), "float16"), C: T.Tensor((4, 63), "float16"), N: T.Tensor((1,), "int32")):
        with T.Kernel(4, threads=64) as bx:
            t = T.alloc_shared((63,), "float16")
            T.copy(A[bx, 0], t)
            T.copy(t, C[bx, 0])
            for i in T.Parallel(63):
                C[bx, i] = C[bx, i] + T.float16(1)
            T.atomic_add(N[0], 1)

    return main


# A counter that is read beside others' updates, by blocks and by the waves of one block.
@tilelang.jit
def counter(blocks=8, threads=64, waits=0):

    @T.prim_func
    def main(N: T.Tensor((1,), "int32"), C: T.Tensor((blocks, threads), "int32")):
        with T.Kernel(blocks, threads=threads) as bx:
            tx = T.get_thread_binding()
            T.atomic_add(N[0], 1)
            if waits:
                T.sync_threads()
            C[bx, tx] = N[0]

    return main
