# RUN: tilec %s --target=gfx950 --entry "prefix(16, 4096)" --emit=asm | FileCheck %s --check-prefix=AMD
# RUN: tilec %s --target=gfx942 --entry "prefix(16, 4096)" --emit=asm | FileCheck %s --check-prefix=AMD
# RUN: tilec %s --target=sm_90a --entry "prefix(16, 4096)" --emit=ptx | FileCheck %s --check-prefix=NV
#
# A scan by all lanes: 16 bytes of memory each, DPP moves or shuffles for its steps, shared memory for the waves' totals alone.

# AMD:          [[LOOP:\.LBB0_[0-9]+]]:
# AMD:          {{buffer|global}}_load_dwordx4
# AMD-NOT:      ds_bpermute
# AMD-COUNT-1:  row_shr:1
# AMD:          row_shr:2
# AMD:          row_shr:4
# AMD:          row_shr:8
# AMD:          row_bcast:15
# AMD:          row_bcast:31
# AMD:          ds_write_b32
# AMD:          s_barrier
# AMD-NOT:      ds_bpermute
# AMD:          {{buffer|global}}_store_dwordx4
# NV:           ld.global.{{.*}}v4
# NV-COUNT-4:   shfl.sync.up.b32
# NV:           shfl.sync.idx.b32
# NV:           st.global.{{.*}}v4
import tilelang.language as T


def prefix(M, N, chunk=1024):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=256) as row:
            s = T.alloc_fragment((chunk,), "float32")
            carry = T.alloc_var("float32", 0.0)
            for c in range(T.ceildiv(N, chunk)):
                T.copy(X[row, c * chunk:(c + 1) * chunk], s)
                T.cumsum(s, dim=0)
                for i in T.Parallel(chunk):
                    Y[row, c * chunk + i] = s[i] + carry
                carry = carry + s[chunk - 1]

    return main
