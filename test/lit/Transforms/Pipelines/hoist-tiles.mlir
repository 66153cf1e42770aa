// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-hoist-tiles))' | FileCheck %s
//
// A tile that a round of a pipelined loop has for itself, and a copy fills, stands in front of the loop; one of a serial
// loop stays.

// CHECK-LABEL: tile.kernel "tiles"
// CHECK:         tile.alloc "own"
// CHECK:         tile.for {{.*}} stages(2)
// CHECK:         tile.for
// CHECK:           tile.alloc "serial"
tile.program @tiles {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "tiles" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %own = tile.alloc "own" : !tile.buffer<[64, 64], f16, shared>
      tile.copy %A to %own : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    }
    tile.for %k = %c0 to %c8 step %c1 {
      %serial = tile.alloc "serial" : !tile.buffer<[64, 64], f16, shared>
      tile.copy %A to %serial : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    }
  }
}
