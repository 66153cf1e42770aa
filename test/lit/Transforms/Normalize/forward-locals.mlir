// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-forward-locals))' | FileCheck %s
//
// What a loop writes of an iteration's array is computed where it is read, at the place that is read, and rounded as the array holds it; an
// array that is written anew from itself, too.
// CHECK-LABEL: tile.kernel "chain"
// CHECK:       tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK-NOT:   tile.alloc
// CHECK:       tile.for %[[V:[^ ]*]] =
// CHECK-NOT:   tile.for
// CHECK:         %[[HALF:.*]] = arith.divui %[[V]]
// CHECK:         %[[X:.*]] = tile.load %{{.*}}[%[[I]], %[[HALF]]]
// CHECK:         %[[R:.*]] = tile.round_to %[[X]] to f16
// CHECK:         %[[TWICE:.*]] = arith.addf %[[R]], %[[R]]
// CHECK:         %[[S:.*]] = tile.round_to %[[TWICE]] to f16
// CHECK:         tile.store %[[S]], %{{.*}}[%[[I]], %[[V]]]
//
// Not where the values come from what is written in between, where only a part of the array is written, where an element is another one's
// that the loop has written before, or where an exponential would be computed more often.
// CHECK-LABEL: tile.kernel "kept"
// CHECK-COUNT-4: tile.alloc {{.*}}local
tile.program @forward {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 8], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 8], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "chain" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    tile.parallel (%i, %j) in (%c64, %c1) {
      %x = tile.alloc "x" : !tile.buffer<[4], f16, local>
      %y = tile.alloc "y" : !tile.buffer<[8], f16, local>
      tile.for %v = %c0 to %c4 step %c1 {
        %a = tile.load %A[%i, %v] : !tile.buffer<[64, 8], f32, global> -> f32
        tile.store %a, %x[%v] : f32, !tile.buffer<[4], f16, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %half = arith.divui %v, %c2 : index
        %a = tile.load %x[%half] : !tile.buffer<[4], f16, local> -> f32
        tile.store %a, %y[%v] : f32, !tile.buffer<[8], f16, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %y[%v] : !tile.buffer<[8], f16, local> -> f32
        %twice = arith.addf %a, %a : f32
        tile.store %twice, %y[%v] : f32, !tile.buffer<[8], f16, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %y[%v] : !tile.buffer<[8], f16, local> -> f32
        tile.store %a, %B[%i, %v] : f32, !tile.buffer<[64, 8], f32, global>
      }
    }
  }
  tile.kernel "kept" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    tile.parallel (%i) in (%c64) {
      %x = tile.alloc "between" : !tile.buffer<[8], f32, local>
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %B[%i, %v] : !tile.buffer<[64, 8], f32, global> -> f32
        tile.store %a, %x[%v] : f32, !tile.buffer<[8], f32, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %other = arith.subi %c7, %v : index
        %a = tile.load %x[%other] : !tile.buffer<[8], f32, local> -> f32
        tile.store %a, %B[%i, %v] : f32, !tile.buffer<[64, 8], f32, global>
      }
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.alloc "part" : !tile.buffer<[8], f32, local>
      tile.for %v = %c0 to %c7 step %c1 {
        %a = tile.load %A[%i, %v] : !tile.buffer<[64, 8], f32, global> -> f32
        tile.store %a, %x[%v] : f32, !tile.buffer<[8], f32, local>
      }
      %last = tile.load %A[%i, %c0] : !tile.buffer<[64, 8], f32, global> -> f32
      tile.store %last, %x[%c7] : f32, !tile.buffer<[8], f32, local>
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %x[%v] : !tile.buffer<[8], f32, local> -> f32
        tile.store %a, %B[%i, %v] : f32, !tile.buffer<[64, 8], f32, global>
      }
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.alloc "behind" : !tile.buffer<[8], f32, local>
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %A[%i, %v] : !tile.buffer<[64, 8], f32, global> -> f32
        tile.store %a, %x[%v] : f32, !tile.buffer<[8], f32, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %other = arith.subi %c7, %v : index
        %a = tile.load %x[%other] : !tile.buffer<[8], f32, local> -> f32
        tile.store %a, %x[%v] : f32, !tile.buffer<[8], f32, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %x[%v] : !tile.buffer<[8], f32, local> -> f32
        tile.store %a, %B[%i, %v] : f32, !tile.buffer<[64, 8], f32, global>
      }
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.alloc "costly" : !tile.buffer<[8], f32, local>
      tile.for %v = %c0 to %c8 step %c1 {
        %a = tile.load %A[%i, %v] : !tile.buffer<[64, 8], f32, global> -> f32
        %e = math.exp2 %a : f32
        tile.store %e, %x[%v] : f32, !tile.buffer<[8], f32, local>
      }
      tile.for %v = %c0 to %c8 step %c1 {
        %half = arith.divui %v, %c2 : index
        %a = tile.load %x[%v] : !tile.buffer<[8], f32, local> -> f32
        %b = tile.load %x[%half] : !tile.buffer<[8], f32, local> -> f32
        %sum = arith.addf %a, %b : f32
        tile.store %sum, %B[%i, %v] : f32, !tile.buffer<[64, 8], f32, global>
      }
    }
  }
}
