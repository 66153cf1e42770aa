// RUN: tilec-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-places-first))' | FileCheck %s
//
// A number that one register takes from another is made a place of before the other one's next number is read; not
// where memory stands between, nor what hangs on that read itself.

// CHECK-LABEL: wave.kernel @rows
// CHECK:         scf.for
// CHECK:           %[[AHEAD:.*]] = wave.get %[[NEXT:.*]][0]
// CHECK-NEXT:      wave.set %[[AHEAD]], %[[NOW:.*]][0]
// CHECK-NEXT:      %[[FROM:.*]] = arith.muli
// CHECK-NEXT:      %[[ROW:.*]] = wave.get %[[NOW]][0]
// CHECK-NEXT:      %[[INDEX:.*]] = arith.index_cast %[[ROW]]
// CHECK-NEXT:      %[[PLACE:.*]] = arith.muli %[[INDEX]]
// CHECK-NEXT:      %[[READ:.*]] = wave.global_read %N[%[[FROM]]]
// CHECK-NEXT:      wave.set %[[READ]], %[[NEXT]][0]
// CHECK-NEXT:      arith.addi %[[ROW]], %[[READ]]
// CHECK-NEXT:      wave.global_read %A[%[[PLACE]]]
wave.kernel @rows(["N", "A", "O"]) access ["r", "r", "w"] threads(64) shared(4096) {
^bb0(%N: !wave.global, %A: !wave.global, %O: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %now = wave.alloc_regs : !wave.regs<1 x i32>
  %next = wave.alloc_regs : !wave.regs<1 x i32>
  scf.for %k = %c0 to %c8 step %c1 {
    %ahead = wave.get %next[0] : !wave.regs<1 x i32> -> i32
    wave.set %ahead, %now[0] : i32, !wave.regs<1 x i32>
    %from = arith.muli %k, %c8 : index
    %0 = wave.global_read %N[%from] align 4 : index -> i32
    wave.set %0, %next[0] : i32, !wave.regs<1 x i32>
    %row = wave.get %now[0] : !wave.regs<1 x i32> -> i32
    %sum = arith.addi %row, %0 : i32
    %index = arith.index_cast %row : i32 to index
    %place = arith.muli %index, %c8 : index
    %1 = wave.global_read %A[%place] align 4 : index -> i32
    %2 = arith.addi %1, %sum : i32
    wave.global_write %2, %O[%k] align 4 : i32, index
  }
}

// CHECK-LABEL: wave.kernel @barrier
// CHECK:         wave.set
// CHECK-NEXT:    wave.barrier
// CHECK-NEXT:    wave.global_read %N
// CHECK-NEXT:    wave.set
// CHECK-NEXT:    wave.get
wave.kernel @barrier(["N", "A", "O"]) access ["r", "r", "w"] threads(64) shared(4096) {
^bb0(%N: !wave.global, %A: !wave.global, %O: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %now = wave.alloc_regs : !wave.regs<1 x i32>
  %next = wave.alloc_regs : !wave.regs<1 x i32>
  scf.for %k = %c0 to %c8 step %c1 {
    %ahead = wave.get %next[0] : !wave.regs<1 x i32> -> i32
    wave.set %ahead, %now[0] : i32, !wave.regs<1 x i32>
    wave.barrier
    %0 = wave.global_read %N[%k] align 4 : index -> i32
    wave.set %0, %next[0] : i32, !wave.regs<1 x i32>
    %row = wave.get %now[0] : !wave.regs<1 x i32> -> i32
    %index = arith.index_cast %row : i32 to index
    %1 = wave.global_read %A[%index] align 4 : index -> i32
    wave.global_write %1, %O[%k] align 4 : i32, index
  }
}
