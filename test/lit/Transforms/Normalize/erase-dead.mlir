// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-erase-dead))' | FileCheck %s
//
// Views, arithmetic, loads and buffers without a use go, with all that only they used; parameters stay, which the launch
// knows, and so does what has an effect.

// CHECK-LABEL: tile.program @dead
// CHECK:         tile.tensor "unused"
// CHECK:         tile.scalar "n"
// CHECK-LABEL: tile.kernel "dead"
// CHECK-NOT:     arith.addi
// CHECK-NOT:     tile.subview
// CHECK-NOT:     tile.alloc "nobody's"
// CHECK-NOT:     tile.load
// CHECK:         tile.alloc "written"
// CHECK:         tile.fill
tile.program @dead {
  %U = tile.tensor "unused"[] : !tile.buffer<[64], f32, global>
  %n = tile.scalar "n" i32 : i32
  %c1 = arith.constant 1 : index
  tile.kernel "dead" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %at = arith.addi %bx, %c1 : index
    %zero = arith.constant 0.0 : f32
    %nobody = tile.alloc "nobody's" : !tile.buffer<[64], f32, shared>
    %view = tile.subview %U[%at] : !tile.buffer<[64], f32, global> to !tile.buffer<[8], f32, global>
    %x = tile.load %U[%bx] : !tile.buffer<[64], f32, global> -> f32
    %y = arith.addf %x, %x : f32
    %written = tile.alloc "written" : !tile.buffer<[64], f32, shared>
    tile.fill %zero, %written : f32, !tile.buffer<[64], f32, shared>
  }
}
