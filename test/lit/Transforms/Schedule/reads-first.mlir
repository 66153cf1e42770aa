// RUN: tilec-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-reads-first{target=gfx950}))' | FileCheck %s
//
// What a round reads to registers stands in the middle of the copies that it starts, with the arithmetic of its place; not
// what scalar registers read, what depends on a read, nor what the kernel writes.

// CHECK-LABEL: wave.kernel @scales
// CHECK:         wave.wait memory(0) groups
// CHECK-NEXT:    wave.barrier
// CHECK-NEXT:    wave.load_to_shared
// CHECK-NEXT:    %[[PLACE:.*]] = arith.muli
// CHECK-NEXT:    wave.global_read %S[%[[PLACE]]] align 4 : index -> f32
// CHECK-NEXT:    wave.sched_fence {groups, mask = 911 : i64}
// CHECK-NEXT:    wave.load_to_shared
// CHECK-NEXT:    wave.global_read %S{{.*}} {scalar}
// CHECK-NEXT:    arith.index_cast
// CHECK-NEXT:    wave.global_read %S
// CHECK-NEXT:    wave.global_read %O
wave.kernel @scales(["G", "S", "O"]) access ["r", "r", "rw"] threads(64) shared(4096) {
^bb0(%G: !wave.global, %S: !wave.global, %O: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 4096 : i64
  %desc = wave.buffer_desc %G, %bytes
  scf.for %k = %c0 to %c8 step %c1 {
    wave.wait memory(0) groups
    wave.barrier
    wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    %place = arith.muli %k, %c8 : index
    %0 = wave.global_read %S[%place] align 4 : index -> f32
    %1 = wave.global_read %S[%k] align 4 {scalar} : index -> i32
    %2 = arith.index_cast %1 : i32 to index
    %3 = wave.global_read %S[%2] align 4 : index -> f32
    %4 = wave.global_read %O[%k] align 4 : index -> f32
    wave.global_write %0, %O[%k] align 4 : f32, index
    wave.global_write %3, %O[%k] align 4 : f32, index
    wave.global_write %4, %O[%k] align 4 : f32, index
  }
}

// Tensors may overlap, as the program says: nothing that another access writes or makes seen is crossed.
// CHECK-LABEL: wave.kernel @behind_write
// CHECK:         wave.load_to_shared
// CHECK-NEXT:    wave.global_write
// CHECK-NEXT:    wave.global_read
// CHECK-LABEL: wave.kernel @behind_barrier
// CHECK:         wave.load_to_shared
// CHECK-NEXT:    wave.barrier global
// CHECK-NEXT:    wave.global_read
wave.kernel @behind_write(["G", "S", "O"]) access ["r", "r", "rw"] threads(64) shared(4096) {
^bb0(%G: !wave.global, %S: !wave.global, %O: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %bytes = arith.constant 4096 : i64
  %desc = wave.buffer_desc %G, %bytes
  scf.for %k = %c0 to %c8 step %c1 {
    wave.wait memory(0) groups
    wave.barrier
    wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    wave.global_write %one, %O[%k] align 4 : f32, index
    %0 = wave.global_read %S[%k] align 4 : index -> f32
    wave.global_write %0, %O[%k] align 4 : f32, index
  }
}
wave.kernel @behind_barrier(["G", "S", "O"]) access ["r", "r", "rw"] threads(64) shared(4096) {
^bb0(%G: !wave.global, %S: !wave.global, %O: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 4096 : i64
  %desc = wave.buffer_desc %G, %bytes
  scf.for %k = %c0 to %c8 step %c1 {
    wave.wait memory(0) groups
    wave.barrier
    wave.load_to_shared %desc, %c0, %c0 to %c0 bytes 4
    wave.barrier global
    %0 = wave.global_read %S[%k] align 4 : index -> f32
    wave.global_write %0, %O[%k] align 4 : f32, index
  }
}
