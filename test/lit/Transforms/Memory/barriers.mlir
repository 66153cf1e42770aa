// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-place-barriers))' | FileCheck %s
//
// Write, read, overwrite: a barrier between each, none between two reads. Around a loop the end of an
// iteration meets the beginning of the next.

// CHECK-LABEL: tile.program @straight
// CHECK:       tile.store
// CHECK:       tile.barrier
// CHECK-COUNT-2: tile.load
// CHECK-NOT:   tile.barrier
// CHECK:       }
// CHECK:       tile.barrier
// CHECK:       tile.store
tile.program @straight {
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "straight" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64], f32, shared>
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c64) {
      tile.store %zero, %S[%i] : f32, !tile.buffer<[64], f32, shared>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %S[%i] : !tile.buffer<[64], f32, shared> -> f32
      %y = tile.load %S[%i] : !tile.buffer<[64], f32, shared> -> f32
      %s = arith.addf %x, %y : f32
      tile.store %s, %B[%i] : f32, !tile.buffer<[64], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      tile.store %zero, %S[%i] : f32, !tile.buffer<[64], f32, shared>
    }
  }
}

// CHECK-LABEL: tile.program @around
// CHECK:       tile.for
// CHECK:         tile.barrier
// CHECK:         tile.store
// CHECK:         tile.barrier
// CHECK:         tile.load
tile.program @around {
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "around" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64], f32, shared>
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.for %k = %c0 to %c4 step %one {
      tile.parallel (%i) in (%c64) {
        tile.store %zero, %S[%i] : f32, !tile.buffer<[64], f32, shared>
      }
      tile.parallel (%i) in (%c64) {
        %x = tile.load %S[%i] : !tile.buffer<[64], f32, shared> -> f32
        tile.store %x, %B[%i] : f32, !tile.buffer<[64], f32, global>
      }
    }
  }
}

// A tensor that is read after it has been written: the barrier orders device memory.
// CHECK-LABEL: tile.program @through_global
// CHECK:       tile.store
// CHECK:       tile.barrier global
// CHECK:       tile.load
// CHECK-NOT:   tile.barrier
// CHECK:       }
tile.program @through_global {
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %C = tile.tensor "C"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "through_global" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c64) {
      tile.store %zero, %B[%i] : f32, !tile.buffer<[64], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      %at = arith.subi %c63, %i : index
      %x = tile.load %B[%at] : !tile.buffer<[64], f32, global> -> f32
      tile.store %x, %C[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}

// Tensors that are only written: two writes of one element are in order, others need none. Of one
// statement a thread writes its elements in each round, unless they move.
// CHECK-LABEL: tile.program @only_written
// CHECK:       tile.store
// CHECK-NOT:   tile.barrier
// CHECK:       tile.store
// CHECK-NOT:   tile.barrier
// CHECK:       }
// CHECK:       tile.barrier global
// CHECK:       tile.store
// CHECK:       tile.for
// CHECK-NOT:   tile.barrier
// CHECK:         tile.store
// CHECK-NOT:   tile.barrier
// CHECK:         tile.store
// CHECK:       tile.for
// CHECK:         tile.barrier global
// CHECK:         tile.store
tile.program @only_written {
  %C = tile.tensor "C"[] : !tile.buffer<[512], f32, global>
  %D = tile.tensor "D"[] : !tile.buffer<[512], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "only_written" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c64) {
      tile.store %zero, %C[%i] : f32, !tile.buffer<[512], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      %at = arith.addi %i, %c64 : index
      tile.store %zero, %C[%at] : f32, !tile.buffer<[512], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      %at = arith.addi %i, %c3 : index
      tile.store %zero, %C[%at] : f32, !tile.buffer<[512], f32, global>
    }
    tile.for %k = %c2 to %c3 step %c1 {
      tile.parallel (%i) in (%c64) {
        %first = arith.muli %k, %c64 : index
        %at = arith.addi %first, %i : index
        tile.store %zero, %C[%at] : f32, !tile.buffer<[512], f32, global>
      }
      tile.parallel (%i) in (%c64) {
        tile.store %zero, %D[%i] : f32, !tile.buffer<[512], f32, global>
      }
    }
    tile.for %k = %c2 to %c3 step %c1 {
      tile.parallel (%i) in (%c64) {
        %at = arith.addi %k, %i : index
        tile.store %zero, %D[%at] : f32, !tile.buffer<[512], f32, global>
      }
    }
  }
}

// The condition of a while meets the body's end.
// CHECK-LABEL: tile.program @repeated
// CHECK:       tile.while {
// CHECK:         tile.barrier
// CHECK:         tile.load
// CHECK:       } do {
// CHECK:         tile.barrier
// CHECK:         tile.store
tile.program @repeated {
  %c1 = arith.constant 1 : index
  tile.kernel "repeated" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64], f32, shared>
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    tile.store %zero, %S[%c0] : f32, !tile.buffer<[64], f32, shared>
    tile.while {
      %x = tile.load %S[%c0] : !tile.buffer<[64], f32, shared> -> f32
      %more = arith.cmpf olt, %x, %zero : f32
      tile.condition %more
    } do {
      tile.store %zero, %S[%c0] : f32, !tile.buffer<[64], f32, shared>
    }
  }
}

// A product in flight reads P until it is waited for: a barrier in between, here for T, does not end the reads of other
// warp groups.

// CHECK-LABEL: tile.program @in_flight
// CHECK:       tile.gemm %P
// CHECK:       tile.barrier
// CHECK-NEXT:  tile.parallel
// CHECK:         tile.load %T
// CHECK:       tile.gemm_wait
// CHECK-NEXT:  tile.barrier
// CHECK-NEXT:  tile.parallel
// CHECK:         tile.store %{{.*}}, %P
tile.program @in_flight {
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "in_flight" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
    %V = tile.alloc "V" : !tile.buffer<[64, 64], f16, shared>
    %T = tile.alloc "T" : !tile.buffer<[64], f32, shared>
    %O = tile.alloc "O" : !tile.buffer<[64, 64], f32, fragment>
    tile.gemm %P, %V, %O {in_flight, warp_group} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.parallel (%i) in (%c64) {
      tile.store %zero, %T[%i] : f32, !tile.buffer<[64], f32, shared>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %T[%i] : !tile.buffer<[64], f32, shared> -> f32
      tile.store %x, %B[%i] : f32, !tile.buffer<[64], f32, global>
    }
    tile.gemm_wait %O pending 0 : !tile.buffer<[64, 64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      tile.store %zero, %P[%i, %j] : f32, !tile.buffer<[64, 64], f16, shared>
    }
  }
}
