// RUN: tilec %s --target=sm_90a --schedule=ping_pong --emit=tile-pipelined | FileCheck %s --check-prefix=TILE
// RUN: tilec %s --target=sm_90a --schedule=ping_pong --emit=wave | FileCheck %s --check-prefix=WAVE
// RUN: tilec %s --target=sm_90a --schedule=ping_pong --emit=asm | FileCheck %s --check-prefix=PTX
//
// Two teams of one warp group each take tiles in turn: one stores while the other multiplies. Each
// skips the slots of the other's tiles; who multiplies next is told through mbarriers.

// TILE:      tile.kernel "gemm" grid(%c15) threads(128) attributes {shared_bytes = {{[0-9]+}} : i64, shared_place = {{[0-9]+}} : i64, teams = 2 : i64}
// TILE:      tile.producer {
// TILE:        tile.for %{{.*}} = %bx to %c30 step %c15
// TILE:      [[TEAM:%[0-9]+]] = tile.team
// TILE:      [[SKIP:%[0-9]+]] = arith.muli [[TEAM]], %c4
// TILE:      tile.pipe_skip [[PIPE:%[0-9]+]] by [[SKIP]]
// TILE:      tile.for %{{.*}} to %c30 step %c30
// TILE:        tile.turn_wait
// TILE-NEXT:   tile.for
// TILE:          tile.pipe_wait [[PIPE]]
// TILE:        tile.turn_pass
// TILE-NEXT:   tile.gemm_wait {{.*}} pending 0
// TILE:        tile.store
// TILE:        tile.pipe_skip [[PIPE]] by %c4

// The block: two teams of 4 waves and the producer's 4. A slot is released by one team.
// WAVE:      wave.kernel @gemm{{.*}} threads(384)
// WAVE-DAG:  [[WAVES:%[0-9]+]] = wave.wave_id
// WAVE-DAG:  arith.divui [[WAVES]], %c4
// WAVE:      wave.mbarrier_init %{{.*}} count 1
// WAVE-NEXT: wave.mbarrier_init %{{.*}} count 1
// WAVE:      arith.cmpi sge, [[WAVES]], %c8
// WAVE:      wave.set_max_regs 40
// WAVE:      wave.set_max_regs 232 more
// Each team's warp group has a barrier of its own.
// WAVE:      wave.named_barrier %{{[0-9]+}} threads(128)

// PTX:       .reqntid 384
// PTX:       bar.sync %r{{[0-9]+}}, 128

tile.program @gemm {
  %A = tile.tensor "A"[] : !tile.buffer<[600, 216], bf16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[520, 216], bf16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[600, 520], bf16, global>
  %gx = arith.constant 3 : index
  %gy = arith.constant 10 : index
  tile.kernel "gemm" grid(%gx, %gy) threads(128) {
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], bf16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[256, 64], bf16, shared>
    %Cl = tile.alloc "C_local" : !tile.buffer<[64, 256], f32, fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %Cl : f32, !tile.buffer<[64, 256], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %steps = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %bm = arith.constant 64 : index
    %bn = arith.constant 256 : index
    %row = arith.muli %by, %bm : index
    %col = arith.muli %bx, %bn : index
    tile.for %k = %c0 to %steps step %c1 kind(pipelined) stages(3) {
      %ko = arith.muli %k, %c64 : index
      %At = tile.subview %A[%row, %ko] : !tile.buffer<[600, 216], bf16, global> to !tile.buffer<[64, 64], bf16, global>
      tile.copy %At to %As : !tile.buffer<[64, 64], bf16, global>, !tile.buffer<[64, 64], bf16, shared>
      %Bt = tile.subview %B[%col, %ko] : !tile.buffer<[520, 216], bf16, global> to !tile.buffer<[256, 64], bf16, global>
      tile.copy %Bt to %Bs : !tile.buffer<[256, 64], bf16, global>, !tile.buffer<[256, 64], bf16, shared>
      tile.gemm %As, %Bs, %Cl {transpose_b} : !tile.buffer<[64, 64], bf16, shared>, !tile.buffer<[256, 64], bf16, shared>, !tile.buffer<[64, 256], f32, fragment>
    }
    %Ct = tile.subview %C[%row, %col] : !tile.buffer<[600, 520], bf16, global> to !tile.buffer<[64, 256], bf16, global>
    tile.copy %Cl to %Ct : !tile.buffer<[64, 256], f32, fragment>, !tile.buffer<[64, 256], bf16, global>
  }
}
