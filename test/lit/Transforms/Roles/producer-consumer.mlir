// RUN: tilec %s --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=TILE
// RUN: tilec %s --target=sm_90a --emit=wave | FileCheck %s --check-prefix=WAVE
// RUN: tilec %s --target=sm_90a --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: tilec %s --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: tilec %s --target=sm_90 --emit=wave | FileCheck %s --check-prefix=PLAIN
//
// A pipelined product on sm_90a: one warp copies by TMA, two warp groups multiply with wgmma and
// leave one group in flight; the slot of the round before is released. 36 x 8 tiles are shared out
// among 132 blocks. sm_90 has no wgmma here: cp.async and mma.sync.

// TILE:      tile.kernel "gemm" grid(%c132) threads(256)
// TILE:      [[PIPE:%[0-9]+]] = tile.pipe stages(5) bytes(32768)
// TILE:      tile.producer {
// TILE:        tile.for
// TILE:          tile.for
// TILE:            [[SLOT:%[0-9]+]] = tile.pipe_acquire [[PIPE]]
// TILE-COUNT-2:    tile.tma_copy {{.*}} pipe([[PIPE]], [[SLOT]])
// TILE-NOT:  tile.tma_copy
// TILE:      tile.for
// TILE:        tile.for
// TILE:          [[FULL:%[0-9]+]] = tile.pipe_wait [[PIPE]]
// TILE:          tile.gemm {{.*}} {in_flight, mma = #tile.mma<warp_group {{[^>]*}}>, transpose_b, warp_group}
// TILE-NEXT:     tile.gemm_wait {{.*}} pending 1
// TILE-NEXT:     tile.pipe_release [[PIPE]], [[FULL]] {previous}
// TILE:        tile.gemm_wait {{.*}} pending 0
// TILE-NEXT:   tile.pipe_drain [[PIPE]]
// TILE-NOT:  tile.barrier

// The consumers' threads come first; the producer's warp group gives its registers to them.
// WAVE:      wave.kernel @gemm(["A", "B", "C", "A_map0", "B_map1", "C_map2"]) {{.*}} threads(384)
// WAVE:      wave.tma_prefetch %A_map0
// WAVE:      wave.barrier
// What is above may run while the launch before still does.
// WAVE-NEXT: wave.grid_release
// WAVE-NEXT: wave.grid_wait
// WAVE:      scf.if
// WAVE-NEXT:   wave.set_max_regs 40
// WAVE:        wave.elect
// WAVE-COUNT-2: wave.tma_load
// WAVE:      } else {
// WAVE-NEXT:   wave.set_max_regs 232 more
// WAVE:        wave.mbarrier_wait
// WAVE:        wave.group_mma
// WAVE-NEXT:   wave.group_mma_wait 1
// WAVE:        wave.mbarrier_arrive
// WAVE:        wave.group_mma_wait 0
// WAVE:        wave.stmatrix
// WAVE:        wave.tma_store
// WAVE:        wave.bulk_wait 0
// WAVE-NOT:  wave.global_write

// PTX:       .param .align 64 .b8 gemm_param_3[128]
// PTX:       .minnctapersm 1
// PTX:       prefetch.tensormap
// PTX:       griddepcontrol.launch_dependents
// PTX:       griddepcontrol.wait
// PTX:       setmaxnreg.dec.sync.aligned.u32 40
// PTX-COUNT-2: cp.async.bulk.tensor.2d.shared::cta.global
// PTX:       setmaxnreg.inc.sync.aligned.u32 232
// PTX:       wgmma.fence.sync.aligned
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTX:       wgmma.commit_group.sync.aligned
// PTX:       wgmma.wait_group.sync.aligned 1
// PTX:       mbarrier.arrive.shared::cta.b64
// PTX:       wgmma.wait_group.sync.aligned 0
// PTX:       stmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX:       fence.proxy.async.shared::cta
// PTX:       cp.async.bulk.tensor.2d.global.shared::cta

// MANIFEST:      "grid": [
// MANIFEST-NEXT:   132,
// MANIFEST:      "block": [
// MANIFEST-NEXT:   384,
// MANIFEST:      "early": true
// MANIFEST:      "name": "A_map0"
// MANIFEST-NEXT: "kind": "tensormap"
// MANIFEST-NEXT: "of": "A"

// PLAIN:     threads(256)
// PLAIN:     wave.cp_async
// PLAIN:     wave.mma
// PLAIN-NOT: wave.group_mma

tile.program @gemm {
  %A = tile.tensor "A"[] : !tile.buffer<[1024, 256], bf16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[4608, 256], bf16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[1024, 4608], bf16, global>
  %c36 = arith.constant 36 : index
  %c8 = arith.constant 8 : index
  tile.kernel "gemm" grid(%c36, %c8) threads(256) {
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[128, 64], bf16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[128, 64], bf16, shared>
    %Cl = tile.alloc "C_local" : !tile.buffer<[128, 128], f32, fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %Cl : f32, !tile.buffer<[128, 128], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %row = arith.muli %by, %c128 : index
    %col = arith.muli %bx, %c128 : index
    tile.for %k = %c0 to %c4 step %c1 kind(pipelined) stages(3) {
      %ko = arith.muli %k, %c64 : index
      %At = tile.subview %A[%row, %ko] : !tile.buffer<[1024, 256], bf16, global> to !tile.buffer<[128, 64], bf16, global>
      tile.copy %At to %As : !tile.buffer<[128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      %Bt = tile.subview %B[%col, %ko] : !tile.buffer<[4608, 256], bf16, global> to !tile.buffer<[128, 64], bf16, global>
      tile.copy %Bt to %Bs : !tile.buffer<[128, 64], bf16, global>, !tile.buffer<[128, 64], bf16, shared>
      tile.gemm %As, %Bs, %Cl {transpose_b} : !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[128, 64], bf16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    %Ct = tile.subview %C[%row, %col] : !tile.buffer<[1024, 4608], bf16, global> to !tile.buffer<[128, 128], bf16, global>
    tile.copy %Cl to %Ct : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], bf16, global>
  }
}
