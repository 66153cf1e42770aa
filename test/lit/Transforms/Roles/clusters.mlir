// RUN: tilec %s --target=sm_90a --schedule=cluster_m --emit=tile-pipelined | FileCheck %s --check-prefix=TILE
// RUN: tilec %s --target=sm_90a --schedule=cluster_m --emit=wave | FileCheck %s --check-prefix=WAVE
// RUN: tilec %s --target=sm_90a --schedule=cluster_m --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: tilec %s --target=sm_90a --schedule=cluster_m --emit=manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: tilec %s --target=sm_90a --schedule=cluster_n --emit=tile-pipelined | FileCheck %s --check-prefix=ALONGN
// RUN: tilec %s --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=AUTO
//
// Two blocks that are neighbours along M multiply with the same tile of B: each brings half of it to
// both. There are three rows of tiles: the last cluster's second block has none, and goes through the
// product for its neighbour's sake.

// TILE:      tile.kernel "gemm" grid(%c12) threads(256) attributes {cluster = 2 : i64, shared_bytes = {{[0-9]+}} : i64, shared_place = {{[0-9]+}} : i64}
// TILE:      [[PIPE:%[0-9]+]] = tile.pipe stages(3) bytes(49152) {shared}
// TILE:      tile.producer {
// TILE:        tile.tma_copy {{.*}} : !tile.buffer<[128, 64], bf16, global>
// TILE:        tile.tma_copy {{.*}} {parts = 2 : i64, transfers = #tile.transfers<{{.*}}>} : !tile.buffer<[256, 64], bf16, global>
// TILE:      [[RANK:%[0-9]+]] = tile.cluster_rank
// TILE:      [[FIRST:%[0-9]+]] = arith.divui %bx, %c2
// TILE:      tile.for %{{.*}} = [[FIRST]] to %c6 step %c6 attributes {persistent = 2 : i64}
// TILE:        [[ROW:%[0-9]+]] = arith.addi %{{.*}}, [[RANK]]
// TILE:        [[INSIDE:%[0-9]+]] = arith.cmpi slt, [[ROW]], %c3
// TILE:        tile.below [[ROW]], 4
// TILE-NOT:    tile.store
// TILE:        [[CLEAR:%[0-9]+]] = arith.cmpi eq, %{{.*}}, %c0
// TILE:        tile.gemm {{.*}} clear([[CLEAR]]) {in_flight
// TILE:        scf.if [[INSIDE]] {
// TILE:          tile.store {{.*}}<[300, 520], bf16, global>

// Slots are empty when the consumers of both blocks, two warp groups each, have released them.
// WAVE:      wave.kernel @gemm{{.*}} threads(384) {{.*}}cluster = 2
// WAVE:      wave.mbarrier_init %{{.*}} count 1
// WAVE-NEXT: wave.mbarrier_init %{{.*}} count 4
// WAVE:      wave.cluster_barrier
// WAVE:        wave.tma_load %A_map0[{{.*}}] to %{{.*}} barrier %{{[0-9]+$}}
// WAVE:        wave.tma_load %B_map1[{{.*}}] to %{{.*}} barrier %{{[0-9]+}} multicast(3)
// WAVE:        wave.mbarrier_arrive %{{.*}} mask(%{{.*}}) rank(%{{.*}})
// WAVE:      wave.wave_fence
// WAVE-NEXT: wave.cluster_barrier

// PTX:       .reqnctapercluster 2, 1, 1
// PTX:       fence.mbarrier_init.release.cluster
// PTX:       barrier.cluster.arrive.aligned
// PTX-NEXT:  barrier.cluster.wait.aligned
// PTX:       cp.async.bulk.tensor.2d.shared::cta.global
// PTX:       cp.async.bulk.tensor.2d.shared::cluster.global{{.*}}multicast::cluster
// The block's rank, which shared addresses hold, must not get into descriptors.
// PTX:       and.b32 %{{.*}}, 163{{[0-9]+}}
// PTX:       mapa.shared::cluster.u32
// PTX-NEXT:  mbarrier.arrive.shared::cluster.b64
// PTX-NOT:   release.cluster
// PTX:       bar.warp.sync
// PTX-NEXT:  barrier.cluster.arrive.aligned
// PTX-NEXT:  barrier.cluster.wait.aligned
// PTX-NEXT:  ret

// MANIFEST:      "grid": [
// MANIFEST-NEXT:   12,
// MANIFEST:      "cluster": [
// MANIFEST-NEXT:   2,
// A box of A is a tile, one of B half a tile.
// MANIFEST:      "name": "A_map0"
// MANIFEST:      "box": [
// MANIFEST-NEXT:   64,
// MANIFEST-NEXT:   128
// MANIFEST:      "name": "B_map1"
// MANIFEST:      "box": [
// MANIFEST-NEXT:   64,
// MANIFEST-NEXT:   128

// Along N, A is what both need; three columns of tiles, too.
// ALONGN:    tile.tma_copy {{.*}} {parts = 2 : i64, transfers = #tile.transfers<{{.*}}>} : !tile.buffer<[128, 64], bf16, global>
// ALONGN:    tile.tma_copy {{.*}}) {transfers = #tile.transfers<{{.*}}>} : !tile.buffer<[256, 64], bf16, global>
// ALONGN:    scf.if

// Nine tiles are no work for a persistent grid: every block takes one.
// AUTO:      grid(%c3, %c3) threads(256) attributes {shared_bytes

tile.program @gemm {
  %A = tile.tensor "A"[] : !tile.buffer<[300, 216], bf16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[520, 216], bf16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[300, 520], bf16, global>
  %gx = arith.constant 3 : index
  %gy = arith.constant 3 : index
  tile.kernel "gemm" grid(%gx, %gy) threads(256) {
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[128, 64], bf16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[256, 64], bf16, shared>
    %Cl = tile.alloc "C_local" : !tile.buffer<[128, 256], f32, fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %Cl : f32, !tile.buffer<[128, 256], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %bm = arith.constant 128 : index
    %bn = arith.constant 256 : index
    %row = arith.muli %by, %bm : index
    %col = arith.muli %bx, %bn : index
    tile.for %k = %c0 to %steps step %c1 kind(pipelined) stages(3) {
      %ko = arith.muli %k, %c64 : index
      %At = tile.subview %A[%row, %ko] : !tile.buffer<[300, 216], bf16, global> to !tile.buffer<[128, 64], bf16, global>
      tile.copy %At to %As : !tile.buffer<[128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      %Bt = tile.subview %B[%col, %ko] : !tile.buffer<[520, 216], bf16, global> to !tile.buffer<[256, 64], bf16, global>
      tile.copy %Bt to %Bs : !tile.buffer<[256, 64], bf16, global>, !tile.buffer<[256, 64], bf16, shared>
      tile.gemm %As, %Bs, %Cl {transpose_b} : !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[256, 64], bf16, shared>, !tile.buffer<[128, 256], f32, fragment>
    }
    %Ct = tile.subview %C[%row, %col] : !tile.buffer<[300, 520], bf16, global> to !tile.buffer<[128, 256], bf16, global>
    tile.copy %Cl to %Ct : !tile.buffer<[128, 256], f32, fragment>, !tile.buffer<[128, 256], bf16, global>
  }
}
