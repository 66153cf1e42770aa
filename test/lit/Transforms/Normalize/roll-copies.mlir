// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-roll-copies))' | FileCheck %s
//
// Two halves of a tile from rows that lie a constant apart are a loop; not from another tensor, nor where something else happens between.
// CHECK-LABEL: tile.kernel "all"
// CHECK:       tile.for {{.*}} kind(pipelined)
// CHECK:       tile.for %[[N:[^ ]*]] = %c0{{[^ ]*}} to %c2{{[^ ]*}} step
// CHECK:       %[[WAY:.*]] = arith.muli %[[N]], %c512
// CHECK:       arith.addi %{{.*}}, %[[WAY]]
// CHECK:       tile.copy
// CHECK-NOT:   tile.copy
// CHECK:       tile.for {{.*}} kind(pipelined)
// CHECK-NOT:   tile.for
// CHECK-COUNT-2: tile.copy
// CHECK:       tile.for {{.*}} kind(pipelined)
// CHECK-NOT:   tile.for
// CHECK:       tile.copy
// CHECK:       tile.barrier
// CHECK:       tile.copy
tile.program @parts {
  %W = tile.tensor "W"[] : !tile.buffer<[1024, 256], f16, global>
  %V = tile.tensor "V"[] : !tile.buffer<[1024, 256], f16, global>
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.kernel "all" grid(%c8) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %w = tile.alloc "w" : !tile.buffer<[128, 64], f16, shared>
    %row = arith.muli %bx, %c64 : index
    %other = arith.addi %row, %c512 : index
    tile.for %k = %c0 to %c4 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %W[%row, %at] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 64], f16, global>
      %b = tile.subview %w[%c0, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
      tile.copy %a to %b : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      %c = tile.subview %W[%other, %at] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 64], f16, global>
      %d = tile.subview %w[%c64, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
      tile.copy %c to %d : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    }
    tile.for %k = %c0 to %c4 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %W[%row, %at] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 64], f16, global>
      %b = tile.subview %w[%c0, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
      tile.copy %a to %b : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      %c = tile.subview %V[%other, %at] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 64], f16, global>
      %d = tile.subview %w[%c64, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
      tile.copy %c to %d : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    }
    tile.for %k = %c0 to %c4 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %W[%row, %at] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 64], f16, global>
      %b = tile.subview %w[%c0, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
      tile.copy %a to %b : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.barrier
      %c = tile.subview %W[%other, %at] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 64], f16, global>
      %d = tile.subview %w[%c64, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
      tile.copy %c to %d : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    }
  }
}
