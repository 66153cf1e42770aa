// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Kernels, identity, registers and vectors.

// CHECK-LABEL: wave.kernel @all(["A", "n"]) access ["rw", ""] threads(256) shared(1024)
// CHECK-SAME: attributes {keep_order, min_blocks = 2 : i64}
// CHECK-NEXT: ^bb0(%A: !wave.global, %n: i32):
wave.kernel @all(["A", "n"]) access ["rw", ""] threads(256) shared(1024) attributes {keep_order, min_blocks = 2 : i64} {
^bb0(%A: !wave.global, %n: i32):
  // CHECK: %[[LANE:.*]] = wave.lane_id
  %lane = wave.lane_id
  // CHECK: %[[WAVE:.*]] = wave.wave_id
  %wave = wave.wave_id
  // CHECK: wave.thread_id
  %thread = wave.thread_id
  // CHECK: wave.block_id 2
  %block = wave.block_id 2
  // CHECK: wave.uniform %[[WAVE]] : index
  %u = wave.uniform %wave : index
  // CHECK: wave.opaque %[[WAVE]]
  %hidden = wave.opaque %wave
  // CHECK: %[[R:.*]] = wave.alloc_regs "acc" : !wave.regs<4 x vector<4xf32>>
  %r = wave.alloc_regs "acc" : !wave.regs<4 x vector<4xf32>>
  // CHECK: wave.alloc_regs : !wave.regs<1 x i32>
  %s = wave.alloc_regs : !wave.regs<1 x i32>
  // CHECK: %[[V:.*]] = wave.get %[[R]][3] : !wave.regs<4 x vector<4xf32>> -> vector<4xf32>
  %v = wave.get %r[3] : !wave.regs<4 x vector<4xf32>> -> vector<4xf32>
  // CHECK: wave.set %[[V]], %[[R]][0] : vector<4xf32>, !wave.regs<4 x vector<4xf32>>
  wave.set %v, %r[0] : vector<4xf32>, !wave.regs<4 x vector<4xf32>>
  // CHECK: %[[E:.*]] = wave.extract %[[V]][1] : vector<4xf32> -> f32
  %e = wave.extract %v[1] : vector<4xf32> -> f32
  // CHECK: %[[H:.*]] = wave.extract %[[V]][2] : vector<4xf32> -> vector<2xf32>
  %h = wave.extract %v[2] : vector<4xf32> -> vector<2xf32>
  // CHECK: %[[P:.*]] = wave.pack %[[E]], %[[H]] : f32, vector<2xf32> -> vector<3xf32>
  %p = wave.pack %e, %h : f32, vector<2xf32> -> vector<3xf32>
  // CHECK: wave.bitcast %[[H]] : vector<2xf32> -> i64
  %b = wave.bitcast %h : vector<2xf32> -> i64
}
