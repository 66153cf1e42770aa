// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-lower-breaks))' | FileCheck %s
//
// A loop that a break leaves becomes a tile.while over a counter and a flag; what follows the break
// runs under the flag.

// CHECK-LABEL: tile.program @leave
// CHECK:       %[[GOES:.*]] = tile.alloc "goes" : !tile.buffer<[], i1, local>
// CHECK:       tile.store %{{.*}}, %[[GOES]][]
// CHECK:       %[[AT:.*]] = tile.alloc "at" : !tile.buffer<[], i32, local>
// CHECK:       tile.while {
// CHECK:         tile.load %[[AT]][]
// CHECK:         arith.cmpi slt
// CHECK:         tile.load %[[GOES]][]
// CHECK:         tile.condition
// CHECK:       } do {
// CHECK:         scf.if
// CHECK-NEXT:      %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:      tile.store %[[FALSE]], %[[GOES]][]
// CHECK:         %[[ON:.*]] = tile.load %[[GOES]][]
// CHECK-NEXT:    scf.if %[[ON]] {
// CHECK:           tile.store
// CHECK:         }
// CHECK:         tile.store %{{.*}}, %[[AT]][]
// CHECK-NOT:   tile.break
tile.program @leave {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "leave" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.for %i = %c0 to %c64 step %c1 {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %stop = arith.cmpf ogt, %x, %zero : f32
      scf.if %stop {
        tile.break
      }
      tile.store %zero, %A[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
