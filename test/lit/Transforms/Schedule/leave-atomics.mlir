// RUN: tilec-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-leave-atomics{target=gfx950}))' | FileCheck %s
//
// A wait for copies leaves in flight what each wave adds behind the latest one: in the round before, for which the wait as
// it was stands in front of the loop. Not what some lanes add, nor integers, nor what stands in front of the copies.

// CHECK-LABEL: wave.kernel @before
// CHECK:       wave.wait memory(1) groups
// CHECK-NEXT:  scf.for
// CHECK-NEXT:    wave.wait memory(3) groups
// CHECK-NEXT:    wave.barrier
// CHECK-NEXT:    wave.load_to_shared
// CHECK-NEXT:    wave.sched_fence {groups, mask = 911 : i64}
// CHECK-NEXT:    wave.global_atomic
// CHECK-NEXT:    wave.global_atomic
// CHECK-NEXT:    wave.global_atomic {{.*}} mask
// CHECK-NEXT:    wave.global_atomic {{.*}} i32
wave.kernel @before(["G", "S"]) access ["r", "rw"] threads(64) shared(4096) {
^bb0(%G: !wave.global, %S: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %number = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i64
  %true = arith.constant true
  %desc = wave.buffer_desc %G, %bytes
  scf.for %k = %c0 to %c8 step %c1 {
    wave.wait memory(1) groups
    wave.barrier
    wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    %0 = wave.global_atomic add %one, %S[%c0] : f32, index -> f32
    %1 = wave.global_atomic add %one, %S[%c0] : f32, index -> f32
    %2 = wave.global_atomic add %one, %S[%c0] mask(%true) : f32, index -> f32
    %3 = wave.global_atomic add %number, %S[%c0] : i32, index -> i32
  }
}

// CHECK-LABEL: wave.kernel @same_round
// CHECK-NOT:   wave.wait
// CHECK:       scf.for
// CHECK-NEXT:    wave.global_atomic
// CHECK-NEXT:    wave.load_to_shared
// CHECK-NEXT:    wave.sched_fence {groups, mask = 911 : i64}
// CHECK-NEXT:    wave.global_atomic
// CHECK-NEXT:    wave.wait memory(1) groups
wave.kernel @same_round(["G", "S"]) access ["r", "rw"] threads(64) shared(4096) {
^bb0(%G: !wave.global, %S: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %bytes = arith.constant 4096 : i64
  %desc = wave.buffer_desc %G, %bytes
  scf.for %k = %c0 to %c8 step %c1 {
    %0 = wave.global_atomic add %one, %S[%c0] : f32, index -> f32
    wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    %1 = wave.global_atomic add %one, %S[%c0] : f32, index -> f32
    wave.wait memory(0) groups
    wave.barrier
  }
}

// CHECK-LABEL: wave.kernel @nothing_behind
// CHECK-NOT:   sched_fence
// CHECK:         wave.wait memory(0) groups
// CHECK-NOT:   sched_fence
wave.kernel @nothing_behind(["G", "S"]) access ["r", "rw"] threads(64) shared(4096) {
^bb0(%G: !wave.global, %S: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %bytes = arith.constant 4096 : i64
  %true = arith.constant true
  %desc = wave.buffer_desc %G, %bytes
  scf.for %k = %c0 to %c8 step %c1 {
    wave.wait memory(0) groups
    wave.barrier
    %0 = wave.global_atomic add %one, %S[%c0] : f32, index -> f32
    scf.if %true {
      wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    }
  }
}
