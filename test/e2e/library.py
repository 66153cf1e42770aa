# Functions of the language that are written in it: each result is said once more, another way.
# RUN: tilec-run %s --entry "sparse('int8', 'int32', 'int16')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sparse('float16', 'float32', 'int8')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "sparse('float16', 'float32', 'int32', flip=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sparse('float32', 'float32', 'int16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(32, 32)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(32, 64, 'float8_e8m0fnu')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(64, 32, flip=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(64, 64, 'float8_e8m0fnu')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "random()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "random()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "random()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "random()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "one_thread()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "one_thread()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reduced()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "meeting()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "meeting()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "meeting()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "meeting()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T
from tilelang import tvm


def sparse(dtype, accum, meta, flip=False, M=32, N=32, K=64):
    factor = T.get_e_factor(dtype, meta)
    group = 2 if dtype == "float32" else 4
    pairs = [0b0100, 0b1110] if group == 2 else [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110]
    per = factor // group

    @T.prim_func
    def main(A: T.Tensor((M, K // 2), dtype), B: T.Tensor((K, N), dtype),
             Choice: T.Tensor((M, K // group), "int32"), C: T.Tensor((M, N), accum)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((K // 2, M) if flip else (M, K // 2), dtype)
            b = T.alloc_shared((N, K) if flip else (K, N), dtype)
            e = T.alloc_shared((K // factor, M) if flip else (M, K // factor), meta)
            places = T.alloc_shared((M, K // group), "int32")
            c = T.alloc_fragment((M, N), accum)
            for i, g in T.Parallel(M, K // group):
                chosen = T.int32(pairs[0])
                for at, pair in enumerate(pairs):
                    chosen = T.if_then_else((Choice[i, g] + 8) % len(pairs) == at, pair, chosen)
                places[i, g] = chosen
            for i, w in T.Parallel(M, K // factor):
                word = T.int32(0)
                for n in range(per):
                    word = word | (places[i, w * per + n] << (4 * n))
                if flip:
                    e[w, i] = T.cast(word, meta)
                else:
                    e[i, w] = T.cast(word, meta)
            if flip:
                T.transpose(A, a)
                T.transpose(B, b)
            else:
                T.copy(A, a)
                T.copy(B, b)
            T.clear(c)
            T.gemm_sp(a, e, b, c, transpose_A=flip, transpose_E=flip, transpose_B=flip)
            T.copy(c, C)
            for i, j in T.Parallel(M, N):
                total = T.cast(0, accum)
                for g in range(K // group):
                    first, second = places[i, g] & 3, places[i, g] >> 2
                    if group == 4:
                        total += T.cast(A[i, 2 * g], accum) * T.cast(B[4 * g + first, j], accum)
                        total += T.cast(A[i, 2 * g + 1], accum) * T.cast(B[4 * g + second, j], accum)
                    else:
                        total += A[i, g] * B[2 * g + first // 2, j]
                T.device_assert(T.abs(C[i, j] - total) <= T.cast(1e-4 if accum == "float32" else 0, accum))
    return main


def power(exponent, dtype):
    if dtype == "float32":
        return T.exp2(T.cast(exponent, "float32"))
    return T.reinterpret(T.cast(127 + exponent, "uint8"), dtype)


def scaled(a_step, b_step, scale="float32", flip=False, M=32, N=32, K=128):
    @T.prim_func
    def main(A: T.Tensor((K, M) if flip else (M, K), "float8_e4m3fn"), B: T.Tensor((K, N) if flip else (N, K), "float8_e4m3fn"),
             SA: T.Tensor((M, K // a_step), "int32"), SB: T.Tensor((N, K // b_step), "int32"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared(A.shape, "float8_e4m3fn")
            b = T.alloc_shared(B.shape, "float8_e4m3fn")
            sa = T.alloc_shared((M, K // a_step), scale)
            sb = T.alloc_shared((N, K // b_step), scale)
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i, k in T.Parallel(M, K // a_step):
                sa[i, k] = power(SA[i, k], scale)
            for i, k in T.Parallel(N, K // b_step):
                sb[i, k] = power(SB[i, k], scale)
            T.fill(c, 1.0)
            T.gemm_blockscaled(a, b, c, sa, sb, transpose_A=flip, transpose_B=not flip,
                               sf_a_granularity_k=a_step, sf_b_granularity_k=b_step)
            T.copy(c, C)
            for i, j in T.Parallel(M, N):
                total = T.float32(1)
                size = T.float32(1)
                for k in range(K):
                    x = T.cast(A[k, i] if flip else A[i, k], "float32")
                    y = T.cast(B[k, j] if flip else B[j, k], "float32")
                    s = T.exp2(T.cast(SA[i, k // a_step] + SB[j, k // b_step], "float32"))
                    total += x * y * s
                    size += T.abs(x * y * s)
                T.device_assert(T.abs(C[i, j] - total) <= 2.0**-14 * size)  # 2 x 128 sums
    return main


def random():
    # The first words of seed 0: the known-answer vector of Philox4x32-10 for a counter and key of zero.
    known = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]

    @T.prim_func
    def main(W: T.Tensor((96, 6), "uint32"), F: T.Tensor((96, 4), "float32")):
        with T.Kernel(1, threads=96) as bx:
            tx = T.get_thread_binding()
            T.rng_init(0)
            for i in range(6):
                W[tx, i] = T.rng_rand()
            if tx < 50:  # the generator outlives the branch
                T.rng_init(0, tx + 96, 2)
            W[tx, 5] = T.rng_rand()
            T.rng_init(0, T.if_then_else(tx < 50, tx + 96, tx), T.if_then_else(tx < 50, 2, 6))
            T.device_assert(T.rng_rand() == W[tx, 5])
            T.rng_init(0)
            for i in range(6):
                W[tx, i] = T.rng_rand()
            if tx == 0:
                for i, word in enumerate(known):
                    T.device_assert(W[0, i] == T.uint32(word))
            else:
                T.device_assert(W[tx, 0] != T.uint32(known[0]))
            T.rng_init(0, tx, 5)  # the word at place 5 of the same sequence
            T.device_assert(T.rng_rand() == W[tx, 5])
            T.rng_init(0, tx)
            u = T.rng_rand_float()
            T.device_assert(u > 0.0 and u <= 1.0 and u == T.cast(W[tx, 0], "float32") * 2.0**-32 + 2.0**-33)
            F[tx, 0] = u
            T.rng_init(0, tx)
            x = T.rng_rand_float(32, "normal")
            y = T.rng_rand_float(dist="normal")
            z = T.rng_rand_float(dist="normal")
            T.device_assert(T.abs(x * x + y * y + 2.0 * T.log(u)) <= 1e-4)
            F[tx, 1] = x
            F[tx, 2] = y
            F[tx, 3] = z
    return main


def one_thread(n=48):
    @T.prim_func
    def main(W: T.Tensor((2, n), "uint32")):
        with T.Kernel(2, threads=1) as bx:
            T.rng_init(7, 0, bx * n)
            for i, j in T.Parallel(1, n):  # one thread: in order
                if j < n - 3:
                    W[bx, j] = T.rng_rand()
            for j in range(3):
                W[bx, n - 3 + j] = T.rng_rand()
            for first in [8, 11]:  # where a block begins, and inside of one
                T.rng_init(7, 0, bx * n + first)
                for j in T.Parallel(9):
                    T.device_assert(W[bx, first + j] == T.rng_rand())
    return main


def reduced():
    tvm.target.Target.current()  # of host code: no value, and none is needed
    quarter = tvm.tirx.const(0.25, "float32")

    @T.prim_func
    def main(X: T.Tensor((4, 16), "int32"), S: T.Tensor((4, 16), "int32"), P: T.Tensor((4, 16), "float32"),
             All: T.Tensor((4, 16), "int32")):
        with T.Kernel(1, threads=(16, 4)):
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            value = T.alloc_local((1,), "int32")
            result = T.alloc_local((2,), "int32")
            product = T.alloc_local((1,), "float32")
            value[0] = X[ty, tx]
            with T.attr(T.comm_reducer(lambda x, y: x + y, [T.cast(0, "int32")]), "reduce_scope",
                        T.reinterpret(T.uint64(0), dtype="handle")):
                T.evaluate(T.tvm_thread_allreduce(T.uint32(1), value[0], True, result[0], tx, dtype="handle"))
                T.tvm_thread_allreduce(T.uint32(1), value[0], tx != 3, result[1], tx, ty, dtype="handle")
            with T.attr(T.comm_reducer(lambda x, y: x * y, [T.float32(1)]), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), T.cast(value[0], "float32") * quarter, True, product[0], ty)
            S[ty, tx] = result[0]
            All[ty, tx] = result[1]
            P[ty, tx] = product[0]
            row = T.alloc_var("int32", init=0)
            some = T.alloc_var("int32", init=0)
            column = T.alloc_var("float32", init=1)
            for i in range(16):
                row += X[ty, i]
                for j in range(4):
                    some += T.if_then_else(i != 3, X[j, i], 0)
            for j in range(4):
                column *= T.cast(X[j, tx], "float32") * 0.25
            T.device_assert(result[0] == row and result[1] == some and product[0] == column)
    return main


def meeting(blocks=5):
    # Each phase reads what other blocks wrote in the one before.
    @T.prim_func
    def main(A: T.Tensor((blocks, 64), "int32"), P: T.Tensor((blocks,), "int32"), Q: T.Tensor((blocks,), "int32"),
             C: T.Tensor((blocks,), "int32")):
        with T.Kernel(blocks, threads=64) as bx:
            row = T.alloc_fragment((64,), "int32")
            total = T.alloc_fragment((1,), "int32")
            other = (bx + 1) % blocks
            count = T.alloc_var("int32")
            T.copy(A[bx, 0:64], row)
            T.reduce_sum(row, total)
            P[bx] = total[0]
            T.sync_grid()
            Q[bx] = P[other] - P[bx]
            T.sync_grid()
            every = T.alloc_fragment((blocks,), "int32")
            T.copy(Q, every)
            T.reduce_sum(every, total)
            count = Q[other]
            for i in range(3):
                count += Q[(other + i) % blocks]
            T.device_assert(total[0] == 0)
            C[bx] = count
    return main
