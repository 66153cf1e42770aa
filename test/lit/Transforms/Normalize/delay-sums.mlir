// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-delay-sums))' | FileCheck %s
//
// A running sum of rows over the rounds of a loop is each lane's own in the rounds, and one of all lanes behind them. A
// sum that each round stores is whole in each round. So with the largest element that the rounds have seen, of two
// reductions a round; one that a round reads is whole there.

// CHECK-LABEL: tile.kernel "late"
// CHECK:         tile.for
// CHECK:           tile.reduce{{ +}}sum %s {{.*}} {step = #tile<reduce_step parts>}
// CHECK:         }
// CHECK:         tile.reduce{{ +}}sum %s {{.*}} {step = #tile<reduce_step combine>}
// CHECK-LABEL: tile.kernel "stored"
// CHECK-NOT:     reduce_step
// CHECK-LABEL: tile.kernel "largest"
// CHECK:         tile.for
// CHECK-COUNT-2:   tile.reduce{{ +}}max %s {{.*}}step = #tile<reduce_step parts>}
// CHECK:           tile.reduce{{ +}}max %s to %read dim 1 {clear = false} :
// CHECK:         tile.reduce{{ +}}max %s {{.*}} {step = #tile<reduce_step combine>}
// CHECK-NOT:     tile.reduce
tile.program @late {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "late" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, fragment>
    %l = tile.alloc "l" : !tile.buffer<[64], f32, fragment>
    tile.fill %zero, %l : f32, !tile.buffer<[64], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c64 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f32, global> to !tile.buffer<[64, 64], f32, global>
      tile.copy %v to %s : !tile.buffer<[64, 64], f32, global>, !tile.buffer<[64, 64], f32, fragment>
      tile.reduce sum %s to %r dim 1 : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
      tile.parallel (%i) in (%c64) {
        %x = tile.load %l[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %l[%i] : f32, !tile.buffer<[64], f32, fragment>
      }
    }
    tile.copy %l to %R : !tile.buffer<[64], f32, fragment>, !tile.buffer<[64], f32, global>
  }
}

tile.program @stored {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[512], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "stored" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c64 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f32, global> to !tile.buffer<[64, 64], f32, global>
      tile.copy %v to %s : !tile.buffer<[64, 64], f32, global>, !tile.buffer<[64, 64], f32, fragment>
      tile.reduce sum %s to %r dim 1 : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
      %out = tile.subview %R[%at] : !tile.buffer<[512], f32, global> to !tile.buffer<[64], f32, global>
      tile.copy %r to %out : !tile.buffer<[64], f32, fragment>, !tile.buffer<[64], f32, global>
    }
  }
}

tile.program @largest {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64], f32, global>
  %S = tile.tensor "S"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "largest" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %m = tile.alloc "m" : !tile.buffer<[64], f32, fragment>
    %read = tile.alloc "read" : !tile.buffer<[64], f32, fragment>
    tile.fill %one, %m : f32, !tile.buffer<[64], f32, fragment>
    tile.fill %one, %read : f32, !tile.buffer<[64], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c64 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f32, global> to !tile.buffer<[64, 64], f32, global>
      tile.copy %v to %s : !tile.buffer<[64, 64], f32, global>, !tile.buffer<[64, 64], f32, fragment>
      tile.reduce max %s to %m dim 1 {clear = false} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
      tile.reduce max %s to %m dim 1 {clear = false} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
      tile.reduce max %s to %read dim 1 {clear = false} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
      tile.copy %read to %S : !tile.buffer<[64], f32, fragment>, !tile.buffer<[64], f32, global>
    }
    tile.copy %m to %R : !tile.buffer<[64], f32, fragment>, !tile.buffer<[64], f32, global>
  }
}
