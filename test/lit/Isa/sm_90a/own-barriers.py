# Threads whose script turns upstream's own barriers off have those of the author alone: one in a round here, where the
# compiler places others between the stores of a round and of the next.
# RUN: tilec %s --target=sm_90a --entry "pick(64)" --emit=tile | FileCheck %s --check-prefix=TILE
# TILE: tile.kernel {{.*}}lockstep, own_barriers
# RUN: tilec %s --target=sm_90a --entry "pick(64)" --emit=tile-pipelined | FileCheck %s --check-prefix=OWN
# OWN: tile.for
# OWN-COUNT-1: tile.sync_threads
# OWN-NOT: tile.sync_threads
# OWN: tile.atomic
# OWN-NOT: tile.sync_threads
# OWN: tile.store %{{.*}}, %chosen
# RUN: tilec %s --target=sm_90a --entry "other(64)" --emit=tile-pipelined | FileCheck %s --check-prefix=PLACED
# PLACED: tile.kernel {{.*}}lockstep
# PLACED-NOT: own_barriers
# PLACED: tile.for
# PLACED-COUNT-2: tile.sync_threads
import tilelang
import tilelang.language as T

configs = {tilelang.PassConfigKey.TL_DISABLE_THREAD_STORAGE_SYNC: True}


def body(rounds):
    @T.prim_func
    def main(A: T.Tensor((rounds * 256,), "int32"), C: T.Tensor((256,), "int32")):
        with T.Kernel(1, threads=256):
            tx = T.get_thread_binding()
            count = T.alloc_shared((1,), "int32")
            chosen = T.alloc_shared((256,), "int32")
            T.fill(count, 0)
            T.fill(chosen, 0)
            T.sync_threads()
            for r in T.serial(rounds):
                T.sync_threads()
                if A[r * 256 + tx] > 1 << 30:
                    at = T.atomic_add(count[0], 1, return_prev=True)
                    if at < 256:
                        chosen[at] = r * 256 + tx
            T.sync_threads()
            C[tx] = chosen[tx]

    return main


@tilelang.jit(pass_configs=configs)
def pick(rounds):
    return body(rounds)


@tilelang.jit
def other(rounds):
    return body(rounds)
