// RUN: tilec-opt %s --split-input-file --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-check,tile-expand-threads,tile-separate-threads,tile-part-waves{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-part-waves{target=gfx950}))' | FileCheck %s --check-prefix=AMD
//
// Branches of whole waves, of which none writes what another one touches, stand under conditions of
// waves, between barriers of the block; none in front of the kernel's first statement or behind its
// last one. All others stay as they are.

// A branch in the other side of a branch is one more; what its condition is made of goes in front.
// CHECK-LABEL: tile.kernel "chain"
// AMD-LABEL: tile.kernel "chain"
// AMD-NOT: tile.on_waves
tile.program @chain {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %C = tile.tensor "C"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "chain" grid(%one) threads(160) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %f = arith.constant 1.0 : f32
    %c32 = arith.constant 32 : index
    %t = tile.thread_id
    %first = arith.cmpi slt, %t, %c32 : index
    // CHECK-NOT: tile.sync_threads
    // CHECK: %[[C64:.*]] = arith.constant 96
    // CHECK-NEXT: arith.cmpi
    // CHECK-NEXT: %[[W:.*]] = tile.on_waves 0 count 1
    // CHECK-NEXT: scf.if %[[W]] {
    // CHECK-NEXT: tile.sync_warp
    // CHECK-NEXT: tile.fill {{.*}}%[[A:.*]] :
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[V:.*]] = tile.on_waves 1 count 2
    // CHECK-NEXT: scf.if %[[V]] {
    // CHECK-NEXT: tile.sync_warp
    // CHECK-NEXT: tile.fill
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[U:.*]] = tile.on_waves 3 count 2
    // CHECK-NEXT: scf.if %[[U]] {
    // CHECK-NEXT: tile.sync_warp
    // CHECK-NEXT: tile.fill
    // CHECK-NEXT: }
    // CHECK-NOT: tile.sync_threads
    scf.if %first {
      tile.fill %f, %A : f32, !tile.buffer<[64], f32, global>
    } else {
      %c96 = arith.constant 96 : index
      %second = arith.cmpi slt, %t, %c96 : index
      scf.if %second {
        tile.fill %f, %B : f32, !tile.buffer<[64], f32, global>
      } else {
        tile.fill %f, %C : f32, !tile.buffer<[64], f32, global>
      }
    }
  }
}

// -----

// In a loop there are barriers on both sides.
// CHECK-LABEL: tile.kernel "rounds"
// AMD-LABEL: tile.kernel "rounds"
tile.program @rounds {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "rounds" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %f = arith.constant 1.0 : f32
    %zero = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = tile.thread_id
    %second = arith.cmpi sge, %t, %c32 : index
    // CHECK: tile.for
    // CHECK-NEXT: tile.sync_threads
    // CHECK-NEXT: tile.on_waves 1 count 1
    // CHECK: tile.on_waves 0 count 1
    // CHECK: }
    // CHECK-NEXT: tile.sync_threads
    tile.for %k = %zero to %c32 step %one {
      scf.if %second {
        tile.fill %f, %A : f32, !tile.buffer<[64], f32, global>
      } else {
        tile.fill %f, %B : f32, !tile.buffer<[64], f32, global>
      }
    }
  }
}

// -----

// One reads what the other writes.
// CHECK-LABEL: tile.kernel "dependent"
// CHECK-NOT: tile.on_waves
// AMD-LABEL: tile.kernel "dependent"
tile.program @dependent {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "dependent" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %f = arith.constant 1.0 : f32
    %c32 = arith.constant 32 : index
    %t = tile.thread_id
    %first = arith.cmpi slt, %t, %c32 : index
    scf.if %first {
      tile.fill %f, %A : f32, !tile.buffer<[64], f32, global>
    } else {
      tile.copy %A to %B : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, global>
    }
  }
}

// -----

// No whole waves; a fragment of the whole block; a branch of some threads that holds a tile
// operation; a branch that has none.
// CHECK-LABEL: tile.kernel "others"
// CHECK-NOT: tile.on_waves
// AMD-LABEL: tile.kernel "others"
tile.program @others {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "others" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %f = arith.constant 1.0 : f32
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %own = tile.alloc "own" : !tile.buffer<[64], f32, fragment>
    %t = tile.thread_id
    %first = arith.cmpi slt, %t, %c32 : index
    %more = arith.cmpi slt, %t, %c33 : index
    scf.if %more {
      tile.fill %f, %A : f32, !tile.buffer<[64], f32, global>
    } else {
      tile.fill %f, %B : f32, !tile.buffer<[64], f32, global>
    }
    tile.fill %f, %own : f32, !tile.buffer<[64], f32, fragment>
    scf.if %first {
      tile.copy %own to %A : !tile.buffer<[64], f32, fragment>, !tile.buffer<[64], f32, global>
    } else {
      tile.fill %f, %B : f32, !tile.buffer<[64], f32, global>
    }
    scf.if %first {
      tile.fill %f, %A : f32, !tile.buffer<[64], f32, global>
    } else {
      scf.if %more {
        tile.fill %f, %B : f32, !tile.buffer<[64], f32, global>
      }
    }
    scf.if %first {
      tile.fill %f, %A : f32, !tile.buffer<[64], f32, global>
    } else {
      tile.store %f, %B[%t] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
