# RUN: tilec %s --target=sm_90a --entry "rows()" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "rows()" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "rows()" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "rows('into')" --emit=tile-pipelined | FileCheck %s
# RUN: tilec %s --target=sm_90a --entry "rows('one')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows('read')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows('offset')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows('factor')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows('square')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows('view')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "rows('largest')" --emit=tile-pipelined | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=sm_90a --entry "columns()" --emit=tile-pipelined | FileCheck %s --check-prefix=COLUMNS
# RUN: tilec-run %s --device=sim --target=gfx950 --entry "columns()" --check
# RUN: tilec-run %s --device=ptx --target=sm_90a --entry "columns()" --check
# RUN: tilec-run %s --device=sim --target=gfx942 --entry "rows()" --check
# RUN: tilec-run %s --device=sim --target=gfx950 --entry "rows('into')" --check
# RUN: tilec-run %s --device=ptx --target=sm_90a --entry "rows()" --check
# RUN: tilec-run %s --device=ptx --target=sm_80 --entry "rows('into')" --check
#
# A sum of rows that the loop carries is combined over lanes (and waves) once, behind the loop.

# CHECK:      tile.for
# CHECK:        tile.reduce sum %tile to %{{row|total}} dim 1 {{.*}}step = #tile<reduce_step parts>
# CHECK:      tile.reduce sum %tile to %total dim 1 {step = #tile<reduce_step combine>}

# Exchanges in the loop are those of the maximum only: of eight rows a lane, each in 16 lanes.
# WAVE:       scf.for
# WAVE-COUNT-32: wave.shuffle_xor
# WAVE-NOT:     wave.shuffle_xor
# WAVE:       {{^  }}}
# WAVE-COUNT-32: wave.shuffle_xor
# WAVE-NOT:     wave.shuffle_xor

# Not where the sum starts at something else, is read in the loop (through a view, too), is more than scaled, is scaled by what may be infinite or by
# itself, nor of a maximum.
# KEPT-NOT:   reduce_step
# KEPT:       tile.reduce sum
# KEPT-NOT:   reduce_step

# Of columns, of what is held in fewer bits than the sum; it starts at a 0.0 that is converted.
# COLUMNS:      tile.for
# COLUMNS:        tile.reduce sum %tile to %total dim 0 {{.*}}step = #tile<reduce_step parts>
# COLUMNS:      tile.reduce sum %tile to %total dim 0 {{.*}}step = #tile<reduce_step combine>}
import tilelang.language as T


def columns(M=64, N=128, rounds=3):
    @T.prim_func
    def main(X: T.Tensor((M * rounds, N), "float8_e4m3fn"), Out: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128) as _:
            tile = T.alloc_fragment((M, N), "float8_e4m3fn")
            total = T.alloc_fragment((N,), "float32")
            T.fill(total, 0.0)
            for k in T.serial(rounds):
                T.copy(X[k * M, 0], tile)
                T.reduce_sum(tile, total, dim=0, clear=False)
            T.copy(total, Out)

    return main


def rows(form="sum", M=64, N=64, rounds=3):
    @T.prim_func
    def main(X: T.Tensor((M, N * rounds), "float32"), Out: T.Tensor((M,), "float32"), Trace: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=128) as _:
            tile = T.alloc_fragment((M, N), "float32")
            top = T.alloc_fragment((M,), "float32")
            before = T.alloc_fragment((M,), "float32")
            scale = T.alloc_fragment((M,), "float32")
            row = T.alloc_fragment((M,), "float32")
            total = T.alloc_fragment((M,), "float32")
            T.fill(total, 1 if form == "one" else 0)
            T.fill(top, -T.infinity("float32"))
            for k in T.serial(rounds):
                T.copy(X[0, k * N], tile)
                T.copy(top, before)
                T.reduce_max(tile, top, dim=1, clear=False)
                for i in T.Parallel(M):
                    scale[i] = top[i] if form == "factor" else T.exp2(before[i] - top[i])
                for i, j in T.Parallel(M, N):
                    tile[i, j] = T.exp2(tile[i, j] - top[i])
                if form == "into":
                    for i in T.Parallel(M):
                        total[i] *= scale[i]
                    T.reduce_sum(tile, total, dim=1, clear=False)
                else:
                    T.reduce_sum(tile, row, dim=1)
                    for i in T.Parallel(M):
                        if form == "offset":
                            total[i] = total[i] * scale[i] + row[i] + 1
                        elif form == "square":
                            total[i] = total[i] * row[i] + row[i]
                        elif form == "largest":
                            total[i] = T.max(total[i] * scale[i], row[i])
                        else:
                            total[i] = total[i] * scale[i] + row[i]
                if form == "view":
                    pairs = T.view(total, (M // 2, 2))
                    for i, j in T.Parallel(M // 2, 2):
                        Trace[i * 2 + j] = pairs[i, j]
                if form == "read":
                    T.copy(total, Trace)
            T.copy(total, Out)

    return main
