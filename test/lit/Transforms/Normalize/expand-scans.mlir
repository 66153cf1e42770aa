// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-expand-scans))' | FileCheck %s
//
// A scan that registers hold stays; a line of more than a block's registers is scanned in pieces, of which each hands its
// last element on.

// CHECK-LABEL: tile.kernel "held"
// CHECK:         tile.scan {{ *}}sum %s to %s dim 0
// CHECK-NOT:     tile.for
tile.program @held {
  %c1 = arith.constant 1 : index
  tile.kernel "held" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[256], f32, fragment>
    tile.scan sum %s to %s dim 0 : !tile.buffer<[256], f32, fragment>, !tile.buffer<[256], f32, fragment>
  }
}

// CHECK-LABEL: tile.kernel "long"
// CHECK:         %[[CARRY:.*]] = tile.alloc "carry" : !tile.buffer<[1], f32, shared>
// CHECK:         tile.scan {{ *}}sum %piece to %piece dim 0 : !tile.buffer<[2048], f32, fragment>
// CHECK:         tile.store %{{.*}}, %[[CARRY]][
// CHECK:         tile.load %[[CARRY]][
// CHECK-COUNT-3: tile.scan
// CHECK-NOT:     tile.scan
tile.program @long {
  %c1 = arith.constant 1 : index
  tile.kernel "long" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8192], f32, shared>
    tile.scan sum %s to %s dim 0 : !tile.buffer<[8192], f32, shared>, !tile.buffer<[8192], f32, shared>
  }
}
