// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// What lanes find out together.

wave.kernel @lanes([]) access [] threads(64) shared(0) {
^bb0:
  %yes = arith.constant true
  %i = arith.constant 1 : i32
  // CHECK: wave.ballot %{{.*}} : i64
  %a = wave.ballot %yes : i64
  // CHECK: wave.vote %{{.*}}
  %b = wave.vote %yes
  // CHECK: wave.vote all %{{.*}}
  %c = wave.vote all %yes
  // CHECK: wave.match %{{.*}} : i32 -> i64
  %d = wave.match %i : i32 -> i64
  // CHECK: wave.reduce umax %{{.*}}
  %e = wave.reduce umax %i
  // CHECK: wave.barrier_count %{{.*}}
  %f = wave.barrier_count %yes
  // CHECK: wave.dot4 %{{.*}}, %{{.*}}, %{{.*}} {is_unsigned}
  %g = wave.dot4 %i, %i, %i {is_unsigned}
  // CHECK: wave.scan_partner %{{.*}}, %{{.*}} step 2 width 64 : i32
  %h = wave.scan_partner %i, %i step 2 width 64 : i32
  // CHECK: wave.scan_partner reverse %{{.*}}, %{{.*}} step 0 width 8 : i32
  %j = wave.scan_partner reverse %i, %i step 0 width 8 : i32
  // CHECK: wave.byte_permute %{{.*}}, %{{.*}} [0, 1, 4, 5]
  %k = wave.byte_permute %i, %i [0, 1, 4, 5]
  // CHECK: wave.barrier global
  wave.barrier global
  // CHECK: wave.wave_fence
  wave.wave_fence
  // CHECK: wave.sched_fence {mask = 8 : i64}
  wave.sched_fence {mask = 8}
}
