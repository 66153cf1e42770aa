// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-lift-elements))' | FileCheck %s
//
// An element of a fragment that the block writes is written by the iteration that has it; one that it reads is read from
// a shared copy.

// CHECK-LABEL: tile.program @elements
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         tile.parallel (%[[I:.*]]) in
// CHECK:           %[[HIT:.*]] = arith.cmpi eq, %[[I]], %bx
// CHECK:           %[[OLD:.*]] = tile.load %f[%[[I]]]
// CHECK:           %[[NEW:.*]] = arith.select %[[HIT]], %cst, %[[OLD]]
// CHECK:           tile.store %[[NEW]], %f[%[[I]]]
// CHECK:         %[[COPY:.*]] = tile.alloc "element" : !tile.buffer<[64], f32, shared>
// CHECK:         tile.parallel
// CHECK:           tile.store %{{.*}}, %[[COPY]][
// CHECK:         %[[X:.*]] = tile.load %[[COPY]][%{{.*}}]
// CHECK-NEXT:    tile.store %[[X]], %[[A]][
tile.program @elements {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "elements" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %one = arith.constant 1.0 : f32
    %f = tile.alloc "f" : !tile.buffer<[64], f32, fragment>
    tile.store %one, %f[%bx] : f32, !tile.buffer<[64], f32, fragment>
    %e = tile.load %f[%bx] : !tile.buffer<[64], f32, fragment> -> f32
    tile.store %e, %A[%bx] : f32, !tile.buffer<[64], f32, global>
  }
}
