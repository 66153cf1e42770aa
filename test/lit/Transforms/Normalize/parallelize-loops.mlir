// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-parallelize-loops))' | FileCheck %s
//
// Serial loops of which no iteration touches what another one writes are a parallel, as many of a nest as are so. A sum
// over rounds stays serial, and so do pipelined loops and those of single threads. Parallels inside take part.

// CHECK-LABEL: tile.kernel "nest"
// CHECK:         tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK:           tile.store %{{.*}}, %S[%[[I]], %[[J]]]
// CHECK:         tile.for
// CHECK:           arith.addf
// CHECK:         tile.for {{.*}} kind(pipelined)
tile.program @nest {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 8], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "nest" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %S = tile.alloc "S" : !tile.buffer<[16, 8], f32, shared>
    %T = tile.alloc "T" : !tile.buffer<[16], f32, shared>
    tile.for %i = %c0 to %c16 step %c1 {
      tile.for %j = %c0 to %c8 step %c1 {
        %x = tile.load %A[%i, %j] : !tile.buffer<[16, 8], f32, global> -> f32
        tile.store %x, %S[%i, %j] : f32, !tile.buffer<[16, 8], f32, shared>
      }
    }
    tile.for %j = %c0 to %c8 step %c1 {
      %x = tile.load %A[%c0, %j] : !tile.buffer<[16, 8], f32, global> -> f32
      %old = tile.load %T[%c0] : !tile.buffer<[16], f32, shared> -> f32
      %sum = arith.addf %old, %x : f32
      tile.store %sum, %T[%c0] : f32, !tile.buffer<[16], f32, shared>
    }
    tile.for %i = %c0 to %c16 step %c1 kind(pipelined) {
      %x = tile.load %A[%i, %c0] : !tile.buffer<[16, 8], f32, global> -> f32
      tile.store %x, %T[%i] : f32, !tile.buffer<[16], f32, shared>
    }
  }
}

// CHECK-LABEL: tile.kernel "inside"
// CHECK-NOT:     tile.for
// CHECK:         tile.parallel (%[[I:.*]]) in
// CHECK:           tile.parallel (%[[J:.*]]) in
// CHECK:             tile.store %{{.*}}, %S[%[[I]], %[[J]]]
// CHECK:         tile.for
// CHECK:           tile.parallel
// CHECK:             arith.addf
tile.program @inside {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 8], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "inside" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %S = tile.alloc "S" : !tile.buffer<[16, 8], f32, shared>
    %T = tile.alloc "T" : !tile.buffer<[8], f32, shared>
    tile.for %i = %c0 to %c16 step %c1 {
      tile.parallel (%j) in (%c8) {
        %x = tile.load %A[%i, %j] : !tile.buffer<[16, 8], f32, global> -> f32
        tile.store %x, %S[%i, %j] : f32, !tile.buffer<[16, 8], f32, shared>
      }
    }
    tile.for %i = %c0 to %c16 step %c1 {
      tile.parallel (%j) in (%c8) {
        %x = tile.load %A[%i, %j] : !tile.buffer<[16, 8], f32, global> -> f32
        %old = tile.load %T[%j] : !tile.buffer<[8], f32, shared> -> f32
        %sum = arith.addf %old, %x : f32
        tile.store %sum, %T[%j] : f32, !tile.buffer<[8], f32, shared>
      }
    }
  }
}

// CHECK-LABEL: tile.kernel "thread"
// CHECK-NOT:     tile.parallel
// CHECK:         tile.for
tile.program @thread {
  %c1 = arith.constant 1 : index
  tile.kernel "thread" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %T = tile.alloc "T" : !tile.buffer<[16], f32, shared>
    tile.for %i = %c0 to %c16 step %c1 {
      tile.store %zero, %T[%i] : f32, !tile.buffer<[16], f32, shared>
    }
  }
}
