// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-lower-copies,tile-stream-fragments,tile-erase-dead))' | FileCheck %s
//
// A fragment of 1024 registers a thread that is used element by element becomes a value of the
// iterations of one loop.

// CHECK-LABEL: tile.program @streamed
// CHECK-NOT:   fragment
// CHECK:       tile.parallel
// CHECK-NEXT:    %[[F:.*]] = tile.alloc "f" : !tile.buffer<[1], f32, local>
// CHECK:         tile.store %{{.*}}, %[[F]][%{{.*}}]
// CHECK:         tile.load %[[F]]
// CHECK:         math.exp
// CHECK:         tile.store %{{.*}}, %[[F]][%{{.*}}]
// CHECK:         tile.load %[[F]]
// CHECK:         tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : f32, !tile.buffer<[512, 512], f32, global>
// CHECK-NOT:   tile.parallel
tile.program @streamed {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 512], f32, global>
  %C = tile.tensor "C"[] : !tile.buffer<[512, 512], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "streamed" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %f = tile.alloc "f" : !tile.buffer<[512, 512], f32, fragment>
    tile.copy %A to %f : !tile.buffer<[512, 512], f32, global>, !tile.buffer<[512, 512], f32, fragment>
    %c512 = arith.constant 512 : index
    tile.parallel (%i, %j) in (%c512, %c512) {
      %x = tile.load %f[%i, %j] : !tile.buffer<[512, 512], f32, fragment> -> f32
      %y = math.exp %x : f32
      tile.store %y, %f[%i, %j] : f32, !tile.buffer<[512, 512], f32, fragment>
    }
    tile.copy %f to %C : !tile.buffer<[512, 512], f32, fragment>, !tile.buffer<[512, 512], f32, global>
  }
}

// Transposed elements are other iterations': nothing is joined.
// CHECK-LABEL: tile.program @transposed
// CHECK:       tile.alloc "f" : !tile.buffer<[512, 512], f32, fragment>
// CHECK:       tile.move
// CHECK:       tile.parallel
tile.program @transposed {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 512], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "transposed" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %f = tile.alloc "f" : !tile.buffer<[512, 512], f32, fragment>
    tile.copy %A to %f : !tile.buffer<[512, 512], f32, global>, !tile.buffer<[512, 512], f32, fragment>
    %c512 = arith.constant 512 : index
    tile.parallel (%i, %j) in (%c512, %c512) {
      %x = tile.load %f[%i, %j] : !tile.buffer<[512, 512], f32, fragment> -> f32
      tile.store %x, %A[%j, %i] : f32, !tile.buffer<[512, 512], f32, global>
    }
  }
}

// A fill is one of the loops.
// CHECK-LABEL: tile.program @filled
// CHECK-NOT:   fragment
// CHECK:       tile.parallel
// CHECK-NEXT:    %[[F:.*]] = tile.alloc "f" : !tile.buffer<[1], f32, local>
// CHECK:         tile.store %{{.*}}, %[[F]][%{{.*}}]
// CHECK:         tile.load %[[F]]
// CHECK-NOT:   tile.parallel
// CHECK-NOT:   tile.fill
tile.program @filled {
  %C = tile.tensor "C"[] : !tile.buffer<[512, 512], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "filled" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %f = tile.alloc "f" : !tile.buffer<[512, 512], f32, fragment>
    %one = arith.constant 1.0 : f32
    tile.fill %one, %f : f32, !tile.buffer<[512, 512], f32, fragment>
    tile.copy %f to %C : !tile.buffer<[512, 512], f32, fragment>, !tile.buffer<[512, 512], f32, global>
  }
}
