# What a round reads of tensors beside its tiles (scales of what it unpacks, or of its sum) is read a round ahead, to
# registers: no wait of the round is for it. A scale of a run of columns is one register.
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 32)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 32)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 128)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 16)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 64)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 32)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 32)" --target=gfx950 --sim-mode=strict --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked(32, 64, 64, 32, ragged=1)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "fragments(16, 64, 64)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "fragments(16, 64, 64)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "summed(128, 'float8_e4m3fnuz')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "summed(64, 'float8_e5m2')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "counted(32)" --arg more=5 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "counted(32)" --arg more=-9 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "counted(32)" --arg more=2 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "counted(32)" --arg more=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "shared_scale()" --dim k=250 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "shared_scale()" --dim k=640 --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "shared_scale()" --dim k=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "named('groups')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "named('groups')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "named('rounds')" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "named('rows')" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "named('rows')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "named('channels')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "named('shifts')" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# RUN: tilec %s --entry "unpacked(128, 128, 64, 64)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "unpacked(128, 128, 64, 32)" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "fragments(16, 64, 128)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "named('groups')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "named('rounds')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "named('rows')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "named('channels')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "named('shifts')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# COPIES: planned: copies start {{[12]}} round{{s?}} ahead
# RUN: tilec %s --entry "unpacked(128, 128, 64, 128)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "summed(128, 'float8_e4m3fnuz')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "named('groups')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "named('rounds')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "named('rows')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "named('channels')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# HELD: planned: tiles are read 1 round ahead to registers
# Bytes that are only moved are not converted there and back.
# RUN: tilec %s --entry "summed(128, 'float8_e4m3fnuz')" --target=gfx942 --emit=wave | FileCheck %s --check-prefix=BYTES
# BYTES-NOT: truncf {{.*}}xf8E4M3FNUZ>
# BYTES: wave.mma
# BYTES-NOT: truncf {{.*}}xf8E4M3FNUZ>
#
# Rounds of a number that a tensor has: those within K have a loop of their own, and its order.
# RUN: tilec %s --entry "counted(128)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=RUN-ORDER
# RUN-ORDER: planned: copies and matrix instructions in the order of a schedule
# RUN-ORDER-NEXT: sequential: its rounds are those that another loop leaves
import tilelang.language as T


def unpacked(M, N, K, G, ragged=0):
    """Nibbles with a scale for G columns of a row. K is of a round, of which there are 6."""
    k = 6 * K
    m = 2 * M - ragged

    @T.prim_func
    def kernel(
        A: T.Tensor((m, k), "float16"),
        B: T.Tensor((2 * N, k // 2), "uint8"),
        scales: T.Tensor((2 * N, T.ceildiv(k, G)), "float16"),
        C: T.Tensor((m, 2 * N), "float32"),
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            a = T.alloc_shared((M, K), "float16")
            packed = T.alloc_shared((N, K // 2), "uint8")
            b = T.alloc_shared((N, K), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for ko in T.Pipelined(6, num_stages=3):
                T.copy(A[by * M, ko * K], a)
                T.copy(B[bx * N, ko * K // 2], packed)
                for i, j in T.Parallel(N, K):
                    nibble = (packed[i, j // 2] >> (4 * (j % 2))) & 15
                    b[i, j] = (T.cast(nibble, "float16") - T.float16(8)) * scales[bx * N + i, (ko * K + j) // G]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * M, bx * N])

    return kernel


def fragments(M, N, K):
    """The scales of a round are a tile of one narrow column."""

    @T.prim_func
    def kernel(
        A: T.Tensor((M, 6 * K), "float16"),
        B: T.Tensor((2 * N, 3 * K), "uint8"),
        scales: T.Tensor((2 * N, 6), "float16"),
        C: T.Tensor((2 * N, M), "float32"),
    ):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((M, K), "float16")
            packed = T.alloc_shared((N, K // 2), "uint8")
            scale = T.alloc_shared((N, 1), "float16")
            b = T.alloc_fragment((N, K), "float16")
            c = T.alloc_fragment((N, M), "float32")
            T.clear(c)
            for ko in T.Pipelined(6, num_stages=3):
                T.copy(A[0, ko * K], a)
                T.copy(B[bx * N, ko * K // 2], packed)
                T.copy(scales[bx * N, ko], scale)
                for i, j in T.Parallel(N, K):
                    b[i, j] = (T.cast((packed[i, j // 2] >> (4 * (j % 2))) & 15, "float16") - T.float16(8)) * scale[i, 0]
                T.gemm(b, a, c, transpose_B=True)
            T.copy(c, C[bx * N, 0])

    return kernel


def summed(K, dtype):
    """The sum of a round is scaled by a factor of its rows and one of its columns."""

    @T.prim_func
    def kernel(
        A: T.Tensor((128, 5 * K), dtype),
        B: T.Tensor((256, 5 * K), dtype),
        of_rows: T.Tensor((128, 5), "float32"),
        of_tiles: T.Tensor((2, 5), "float32"),
        C: T.Tensor((128, 256), "bfloat16"),
    ):
        with T.Kernel(2, threads=256) as bx:
            a = T.alloc_shared((128, K), dtype)
            b = T.alloc_shared((128, K), dtype)
            scale = T.alloc_shared((128,), "float32")
            part = T.alloc_fragment((128, 128), "float32")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for ko in T.Pipelined(5, num_stages=2):
                T.copy(A[0, ko * K], a)
                T.copy(B[bx * 128, ko * K], b)
                of_tile = of_tiles[bx, ko]
                for i in T.Parallel(128):
                    scale[i] = of_rows[i, ko] * of_tile
                T.gemm(a, b, part, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(128, 128):
                    c[i, j] += part[i, j] * scale[i]
            T.copy(c, C[0, bx * 128])

    return kernel


def counted(M):
    """As many rounds as a tensor says, of which the last ones may lie behind K."""

    @T.prim_func
    def kernel(
        A: T.Tensor((M, 704), "bfloat16"),
        B: T.Tensor((2 * M, 704), "bfloat16"),
        more: T.Tensor((2,), "int32"),
        C: T.Tensor((M, 2 * M), "float32"),
    ):
        with T.Kernel(2, threads=256) as bx:
            a = T.alloc_shared((M, 64), "bfloat16")
            b = T.alloc_shared((M, 64), "bfloat16")
            c = T.alloc_fragment((M, M), "float32")
            T.clear(c)
            for ko in T.Pipelined(10 + more[bx], num_stages=2):
                T.copy(A[0, ko * 64], a)
                T.copy(B[bx * M, ko * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[0, bx * M])

    return kernel


def shared_scale():
    """Of a K that only the run knows, a scale for the columns of two rounds: all of a round's columns name one."""
    k = T.dynamic("k")

    @T.prim_func
    def kernel(
        A: T.Tensor((33, k), "float16"),
        B: T.Tensor((64, k), "int8"),
        scales: T.Tensor((64, T.ceildiv(k, 128)), "float16"),
        C: T.Tensor((33, 64), "float32"),
    ):
        with T.Kernel(2, threads=128) as by:
            a = T.alloc_shared((32, 64), "float16")
            packed = T.alloc_shared((64, 64), "int8")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.clear(c)
            for ko in T.Pipelined(T.ceildiv(k, 64), num_stages=3):
                T.copy(A[by * 32, ko * 64], a)
                T.copy(B[0, ko * 64], packed)
                for i, j in T.Parallel(64, 64):
                    b[i, j] = T.cast(packed[i, j], "float16") * scales[i, (ko * 64 + j) // 128]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 32, 0])

    return kernel


def named(what):
    """Scales that a tensor of numbers names, by group, by round or by row; one for all rounds of a row; and shifts."""

    @T.prim_func
    def kernel(
        A: T.Tensor((32, 384), "float16"),
        B: T.Tensor((64, 384), "int8"),
        scales: T.Tensor((64, 12), "float16"),
        names: T.Tensor((64,), "int32"),
        C: T.Tensor((32, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float16")
            packed = T.alloc_shared((64, 64), "int8")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((32, 64), "float32")
            T.clear(c)
            for ko in T.Pipelined(6, num_stages=3):
                T.copy(A[0, ko << 6], a)
                T.copy(B[0, ko << 6], packed)
                for i, j in T.Parallel(64, 64):
                    v = T.cast(packed[i, j], "float16")
                    if what == "groups":
                        b[i, j] = v * scales[i, names[(ko * 64 + j) // 32] % 12]
                    elif what == "rounds":
                        b[i, j] = v * scales[i, names[ko] % 12]
                    elif what == "rows":
                        b[i, j] = v * scales[names[i] % 64, (ko * 64 + j) // 32]
                    elif what == "channels":
                        b[i, j] = v * scales[i, 0] * scales[i, ko]
                    else:
                        b[i, j] = v * scales[i, ((ko << 6) + j) >> 5]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)

    return kernel
