# Products of bytes: wgmma takes them with K contiguous, through TMA, without spills. An operand with K as the slower
# dimension is transposed in shared memory, 4 x 4 bytes a lane at a time. Without wgmma fp8 is converted to f16 (exactly).
# RUN: tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'float8_e4m3', 'float32', 'bfloat16')" --emit=asm | FileCheck %s --check-prefix=E4M3
# RUN: tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1000, 'float8_e5m2', 'float32', 'float16')" --emit=asm | FileCheck %s --check-prefix=E5M2
# RUN: tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'int8', 'int32', 'int32')" --emit=asm | FileCheck %s --check-prefix=INT8
# RUN: tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'float8_e4m3', 'float32', 'bfloat16', False)" --remarks --emit=tile-pipelined 2>&1 | FileCheck %s --check-prefix=TILE --implicit-check-not=remark
# RUN: tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'int8', 'int32', 'int32', False)" --emit=wave | FileCheck %s --check-prefix=WAVE
# RUN: tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'int8', 'int32', 'int32', False)" --emit=asm | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=sm_90 --entry "gemm(1024, 1024, 1024, 'float8_e4m3', 'float32', 'bfloat16')" --remarks --emit=asm -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: FileCheck %s --check-prefix=CONVERTED < %t.ptx
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'float8_e4m3', 'float32', 'bfloat16')" --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "gemm(1024, 1024, 1024, 'int8', 'int32', 'int32')" --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "gemm(4096, 4096, 4096, 'int8', 'int32', 'int32')" --schedule=cluster_m --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "gemm(4096, 4096, 4096, 'int8', 'int32', 'int32', False)" --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --target=sm_90a --entry "gemm(4096, 4096, 4096, 'float8_e5m2', 'float32', 'float16', False, 128, 128)" --strict -o %t.cubin %}
#
# E4M3: cp.async.bulk.tensor.2d.shared
# E4M3-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3
# E5M2: cp.async
# E5M2-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e5m2
# INT8: cp.async.bulk.tensor.2d.shared
# INT8-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8

# TILE:      tile.producer
# TILE:      tile.pipe_wait
# TILE:      tile.transpose_bytes (%[[I:.*]], %[[J:.*]]) in (%c256, %c128)
# TILE-NEXT:   [[BYTE:%[0-9]+]] = tile.load %B_shared{{.*}}, %[[J]], %[[I]]]
# TILE-NEXT:   tile.store [[BYTE]], %B_shared_transposed[%[[I]], %[[J]]]
# TILE:      tile.barrier
# TILE:      tile.gemm {{.*}}, %B_shared_transposed, %C_local {{.*}}transpose_b, warp_group

# WAVE:         wave.mbarrier_wait
# WAVE:         wave.shared_read {{.*}} vector<4xi8>
# WAVE-NOT:     wave.shared_write
# WAVE-COUNT-3: wave.shared_read {{.*}} vector<4xi8>
# WAVE-COUNT-4: wave.shared_write {{.*}} vector<4xi8>
# WAVE:         wave.barrier
# WAVE:         wave.group_mma
# PTX:          ld.shared.b32
# PTX:          prmt
# PTX:          st.shared.b32
# PTX-NOT:      st.shared.b8
# PTX:          wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8

# REMARK: has no matrix instruction for float8_e4m3fn x float8_e4m3fn; the operands are converted to float16
# CONVERTED: mma.sync.aligned{{.*}}f32.f16.f16
import tilelang.language as T


def gemm(M, N, K, dtype, accumulator, out, nt=True, block_M=128, block_N=256, block_K=128):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K) if nt else (K, N), dtype), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K) if nt else (block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accumulator)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                if nt:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=nt)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
