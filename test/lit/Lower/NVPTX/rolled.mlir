// RUN: tilec-translate %s --target=sm_80 --emit=llvm | FileCheck %s
//
// A loop with wave.rolled in it is one that LLVM and the assemblers behind it leave rolled; the one
// beside it they may unroll.

// CHECK-LABEL: @loops(
// CHECK:       br i1 %{{.*}}, label %[[ROLLED:.*]], label %{{.*}}, !llvm.loop ![[LOOP:.*]]
// CHECK-NOT:   !llvm.loop
// CHECK:       ret void
// CHECK-NOT:   !llvm.loop
// CHECK:       ![[LOOP]] = distinct !{![[LOOP]], ![[NO:.*]]}
// CHECK:       ![[NO]] = !{!"llvm.loop.unroll.disable"}
wave.kernel @loops(["C"]) access ["w"] threads(64) shared(0) {
^bb0(%C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    wave.rolled
    %at = arith.muli %i, %c4 : index
    wave.global_write %one, %C[%at] align 4 : f32, index
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %at = arith.muli %i, %c4 : index
    wave.global_write %one, %C[%at] align 4 : f32, index
  }
}
