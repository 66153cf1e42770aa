// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// A loop that writes one tensor and reads others: all of a lane's four pieces are read before the first is written, and
// converted where they are used. What two pieces have in common is read once. In a branch reads get its condition for
// a mask. Elements of the tensor that is written are read early by the iteration that writes them only.

// CHECK-LABEL: wave.kernel @reads
// CHECK:         wave.global_read %R
// CHECK-NOT:     arith.extf
// CHECK:         wave.global_read %W
// CHECK-NOT:     {{arith.extf|%W}}
// CHECK-COUNT-3: wave.global_read %R
// CHECK-NOT:     wave.global_read
// CHECK:         arith.extf
// CHECK-COUNT-4: wave.global_write {{.*}}, %C
// CHECK-NOT:     {{_read|_write}}
tile.program @reads {
  %R = tile.tensor "R"[] : !tile.buffer<[64, 64], f16, global>
  %W = tile.tensor "W"[] : !tile.buffer<[64], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[64, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "reads" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %R[%i, %j] : !tile.buffer<[64, 64], f16, global> -> f32
      %w = tile.load %W[%j] : !tile.buffer<[64], f16, global> -> f32
      %y = arith.mulf %x, %w : f32
      tile.store %y, %C[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
  }
}

// CHECK-LABEL: wave.kernel @guarded
// CHECK-COUNT-4: wave.global_read %R{{.*}} mask(
// CHECK:         wave.sched_fence
// CHECK-NOT:     wave.global_read
// CHECK-COUNT-4: wave.global_write {{.*}}, %C
tile.program @guarded {
  %R = tile.tensor "R"[] : !tile.buffer<[64, 64], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[64, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "guarded" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %c50 = arith.constant 50 : index
    tile.parallel (%i, %j) in (%c64, %c64) {
      %inside = arith.cmpi slt, %i, %c50 : index
      scf.if %inside {
        %x = tile.load %R[%i, %j] : !tile.buffer<[64, 64], f16, global> -> f32
        %y = arith.addf %x, %x : f32
        tile.store %y, %C[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
      }
    }
  }
}

// CHECK-LABEL: wave.kernel @own
// CHECK-COUNT-4: wave.global_read %C
// CHECK:         wave.sched_fence
// CHECK-NOT:     wave.global_read
// CHECK-COUNT-4: wave.global_write {{.*}}, %C
tile.program @own {
  %C = tile.tensor "C"[] : !tile.buffer<[64, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "own" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %C[%i, %j] : !tile.buffer<[64, 64], f16, global> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %C[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
  }
}

// CHECK-LABEL: wave.kernel @others
// CHECK:         wave.global_read %C
// CHECK:         wave.global_write {{.*}}, %C
// CHECK:         wave.global_read %C
tile.program @others {
  %C = tile.tensor "C"[] : !tile.buffer<[128, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "others" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i, %j) in (%c64, %c64) {
      %below = arith.addi %i, %c64 : index
      %x = tile.load %C[%below, %j] : !tile.buffer<[128, 64], f16, global> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %C[%i, %j] : f32, !tile.buffer<[128, 64], f16, global>
    }
  }
}

// More repetitions than are written out: those of a round read first, and so do those left over.
// CHECK-LABEL: wave.kernel @many
// CHECK:         scf.for
// CHECK-COUNT-12: wave.global_read %R
// CHECK-NOT:     wave.global_read
// CHECK-COUNT-12: wave.global_write {{.*}}, %C
// CHECK:         }
// CHECK-COUNT-11: wave.global_read %R
// CHECK-NOT:     wave.global_read
// CHECK-COUNT-11: wave.global_write {{.*}}, %C
// CHECK-NOT:     {{_read|_write}}
tile.program @many {
  %R = tile.tensor "R"[] : !tile.buffer<[560, 64], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[560, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "many" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %c560 = arith.constant 560 : index
    %c64 = arith.constant 64 : index
    tile.parallel (%i, %j) in (%c560, %c64) {
      %x = tile.load %R[%i, %j] : !tile.buffer<[560, 64], f16, global> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %C[%i, %j] : f32, !tile.buffer<[560, 64], f16, global>
    }
  }
}
