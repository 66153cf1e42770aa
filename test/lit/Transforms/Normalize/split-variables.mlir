// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-split-variables))' | FileCheck %s
//
// What groups of elements update has a loop for the groups and one for the elements of a group; not where the last group is shorter,
// and where nothing is updated.
// CHECK-LABEL: tile.kernel "all"
// CHECK:       tile.parallel (%[[I:[^ ,]*]], %[[G:[^ ,]*]], %[[E:[^ ,]*]]) in (%{{.*}}, %c2{{[^ ,]*}}, %c32{{[^ ,]*}})
// CHECK:       tile.load %s[%[[I]],
// CHECK:       tile.store %{{.*}}, %m[%[[I]], %[[G]]]
// CHECK:       tile.parallel (%{{[^ ,]*}}, %{{[^ ,]*}}) in
// CHECK:       tile.parallel (%{{[^ ,]*}}, %{{[^ ,]*}}) in
tile.program @groups {
  %c1 = arith.constant 1 : index
  tile.kernel "all" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %m = tile.alloc "m" : !tile.buffer<[64, 2], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %s[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      %g = arith.floordivsi %j, %c32 : index
      %y = tile.load %m[%i, %g] : !tile.buffer<[64, 2], f32, fragment> -> f32
      %z = arith.maximumf %x, %y : f32
      tile.store %z, %m[%i, %g] : f32, !tile.buffer<[64, 2], f32, fragment>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %s[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      %g = arith.floordivsi %j, %c48 : index
      %y = tile.load %m[%i, %g] : !tile.buffer<[64, 2], f32, fragment> -> f32
      %z = arith.maximumf %x, %y : f32
      tile.store %z, %m[%i, %g] : f32, !tile.buffer<[64, 2], f32, fragment>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %g = arith.floordivsi %j, %c32 : index
      %y = tile.load %m[%i, %g] : !tile.buffer<[64, 2], f32, fragment> -> f32
      tile.store %y, %s[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
