// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-nest-reductions))' | FileCheck %s
//
// A serial loop that folds along the rows it reads is a parallel in the parallel, or a loop of such where registers do
// not hold a row's elements; so is one of few rows. Not where a round reads what another one folds, where a sum
// rounds at each round, where iterations share what they read, as in products, and where neighbours read neighbours.
// CHECK-LABEL: tile.kernel "folds"
// CHECK:       tile.parallel (%[[I:[^ ,]*]]) in
// CHECK-NOT:   tile.for
// CHECK:       tile.parallel (%[[K:[^ ,]*]]) in
// CHECK:       tile.load %s[%[[I]], %[[K]]]
// CHECK:       tile.parallel (%{{[^ ,]*}}) in
// CHECK:       tile.for %[[P:[^ ]*]] = %{{.*}} to %{{c8[^ ]*}} step
// CHECK:       %[[FIRST:.*]] = arith.muli %[[P]], %{{c128.*}}
// CHECK:       tile.parallel (%[[R:[^ ,]*]]) in
// CHECK:       arith.addi %[[FIRST]], %[[R]]
// CHECK:       tile.parallel (%{{[^ ,]*}}) in
// CHECK-NOT:   tile.for
// CHECK:       tile.parallel (%{{[^ ,]*}}) in
// CHECK-LABEL: tile.kernel "others"
// CHECK-COUNT-4: tile.for
// CHECK-LABEL: tile.kernel "threads"
// CHECK:       tile.for
tile.program @nest {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 1024], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "folds" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, shared>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, fragment>
    tile.parallel (%i) in (%c64) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %s[%i, %k] : !tile.buffer<[64, 64], f32, shared> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, fragment>
      }
    }
    tile.parallel (%i) in (%c64) {
      tile.for %k = %c0 to %c1024 step %c1 {
        %x = tile.load %A[%i, %k] : !tile.buffer<[64, 1024], f32, global> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %z = arith.maxnumf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, fragment>
      }
    }
    tile.parallel (%i) in (%c16) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %s[%k, %i] : !tile.buffer<[64, 64], f32, shared> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, fragment>
      }
    }
  }
  tile.kernel "others" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, shared>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, fragment>
    %h = tile.alloc "h" : !tile.buffer<[64], f16, fragment>
    %p = tile.alloc "p" : !tile.buffer<[64, 64], f32, fragment>
    tile.parallel (%i) in (%c64) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %s[%i, %k] : !tile.buffer<[64, 64], f32, shared> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, fragment>
        tile.store %y, %s[%i, %k] : f32, !tile.buffer<[64, 64], f32, shared>
      }
    }
    tile.parallel (%i) in (%c64) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %s[%i, %k] : !tile.buffer<[64, 64], f32, shared> -> f32
        %y = tile.load %h[%i] : !tile.buffer<[64], f16, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %h[%i] : f32, !tile.buffer<[64], f16, fragment>
      }
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %s[%i, %k] : !tile.buffer<[64, 64], f32, shared> -> f32
        %w = tile.load %B[%j, %k] : !tile.buffer<[64, 64], f32, global> -> f32
        %y = tile.load %p[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
        %v = arith.mulf %x, %w : f32
        %z = arith.addf %v, %y : f32
        tile.store %z, %p[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
      }
    }
    tile.parallel (%i) in (%c64) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %s[%k, %i] : !tile.buffer<[64, 64], f32, shared> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, fragment>
      }
    }
  }
  tile.kernel "threads" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %r = tile.alloc "r" : !tile.buffer<[64], f32, shared>
    tile.parallel (%i) in (%c64) {
      tile.for %k = %c0 to %c64 step %c1 {
        %x = tile.load %B[%i, %k] : !tile.buffer<[64, 64], f32, global> -> f32
        %y = tile.load %r[%i] : !tile.buffer<[64], f32, shared> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %r[%i] : f32, !tile.buffer<[64], f32, shared>
      }
    }
  }
}
