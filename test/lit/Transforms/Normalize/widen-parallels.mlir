// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-widen-parallels))' | FileCheck %s
//
// A serial loop in a parallel is a further loop of it, also under a condition, and with what is read beside it; not where a round reads
// what another one writes, or where more than the loop is there.
// CHECK-LABEL: tile.kernel "all"
// CHECK:       tile.parallel (%[[I:[^ ,]*]], %[[J:[^ ,]*]], %[[V:[^ ,]*]]) in
// CHECK-NOT:   tile.for
// CHECK:       tile.parallel ({{[^ ,]*}}, {{[^ ,]*}}) in
// CHECK-NOT:   tile.for
// CHECK:       scf.if
// CHECK:       tile.parallel (%{{[^ ,]*}}) in
// CHECK:       tile.for
// CHECK:       tile.parallel (%{{[^ ,]*}}) in
// CHECK:       tile.for
tile.program @widen {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "all" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, shared>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, shared>
    tile.parallel (%i, %j) in (%c64, %c8) {
      %y = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %first = arith.muli %j, %c8 : index
      tile.for %v = %c0 to %c8 step %c1 {
        %at = arith.addi %first, %v : index
        %x = tile.load %B[%i, %at] : !tile.buffer<[64, 64], f32, global> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %s[%i, %at] : f32, !tile.buffer<[64, 64], f32, shared>
      }
    }
    tile.parallel (%i) in (%c64) {
      %isFirst = arith.cmpi slt, %i, %c8 : index
      scf.if %isFirst {
        tile.for %v = %c0 to %c64 step %c1 {
          %x = tile.load %s[%i, %v] : !tile.buffer<[64, 64], f32, shared> -> f32
          tile.store %x, %B[%i, %v] : f32, !tile.buffer<[64, 64], f32, global>
        }
      }
    }
    tile.parallel (%i) in (%c64) {
      tile.for %v = %c0 to %c64 step %c1 {
        %x = tile.load %s[%i, %v] : !tile.buffer<[64, 64], f32, shared> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, shared> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, shared>
      }
    }
    tile.parallel (%i) in (%c64) {
      %y = tile.load %r[%i] : !tile.buffer<[64], f32, shared> -> f32
      tile.for %v = %c0 to %c64 step %c1 {
        tile.store %y, %s[%i, %v] : f32, !tile.buffer<[64, 64], f32, shared>
      }
      tile.store %y, %A[%i, %c0] : f32, !tile.buffer<[64, 64], f32, global>
    }
  }
}
