// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-forward-tiles))' | FileCheck %s
//
// A shared tile that only brings elements, converted, to a fragment is left out. One that brings them as they are can be
// filled by an asynchronous copy, and stays.

// CHECK-LABEL: tile.program @converted
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK-NOT:     tile.copy %[[A]] to %s
// CHECK:         tile.copy %[[A]] to %f
// CHECK-NOT:     tile.copy
// CHECK-LABEL: tile.program @plain
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         tile.copy %[[A]] to %s
// CHECK-NEXT:    tile.copy %s to %f
tile.program @converted {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 32], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "converted" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f32, shared>
    %f = tile.alloc "f" : !tile.buffer<[32, 32], f32, fragment>
    tile.copy %A to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f32, shared>
    tile.copy %s to %f : !tile.buffer<[32, 32], f32, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

tile.program @plain {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 32], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "plain" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %f = tile.alloc "f" : !tile.buffer<[32, 32], f32, fragment>
    tile.copy %A to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    tile.copy %s to %f : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}
