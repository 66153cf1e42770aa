// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-expand-threads,tile-separate-threads,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// Sums along rows of 64, four elements a lane: the lane's own first, then log2 of 16 lanes steps, and
// what stands before is added to each.

// CHECK-LABEL: wave.kernel @scan(
// CHECK:       wave.global_read %A[{{%[0-9]+}}] align 16 : index -> vector<4xf32>
// CHECK-COUNT-3: arith.addf
// CHECK-NEXT:  wave.scan_partner {{%[0-9]+}}, {{%[a-z0-9_]+}} step 0 width 16
// CHECK:       wave.scan_partner {{.*}} step 1 width 16
// CHECK:       wave.scan_partner {{.*}} step 2 width 16
// CHECK:       wave.scan_partner {{.*}} step 3 width 16
// CHECK-NOT:   wave.scan_partner
// CHECK:       wave.pack
// CHECK:       wave.global_write
tile.program @scan {
  %A = tile.tensor "A"[] : !tile.buffer<[4, 64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "scan" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[4, 64], f32, fragment>
    tile.copy %A to %F : !tile.buffer<[4, 64], f32, global>, !tile.buffer<[4, 64], f32, fragment>
    tile.scan sum %F to %F dim 1 : !tile.buffer<[4, 64], f32, fragment>, !tile.buffer<[4, 64], f32, fragment>
    tile.copy %F to %A : !tile.buffer<[4, 64], f32, fragment>, !tile.buffer<[4, 64], f32, global>
  }
}
