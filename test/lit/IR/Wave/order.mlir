// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Waits, barriers, matrix instructions, lanes.

wave.kernel @order([]) access [] threads(64) shared(0) {
  // CHECK: wave.wait memory(0)
  wave.wait memory(0)
  // CHECK: wave.wait memory(3) shared(15)
  wave.wait memory(3) shared(15)
  // CHECK: wave.wait shared(0)
  wave.wait shared(0)
  // CHECK: wave.barrier{{$}}
  wave.barrier
  // CHECK: wave.barrier raw
  wave.barrier raw
  // CHECK: wave.barrier global
  wave.barrier global
  // CHECK: wave.setprio 3
  wave.setprio 3
  // CHECK: wave.sched_fence
  wave.sched_fence
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c8 {
    // CHECK: wave.rolled{{$}}
    wave.rolled
  }
  %a = arith.constant dense<0.0> : vector<8xbf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // CHECK: wave.mma "v_mfma_f32_16x16x32_bf16" %{{.*}}, %{{.*}}, %{{.*}} : vector<8xbf16>, vector<8xbf16>, vector<4xf32>
  %d = wave.mma "v_mfma_f32_16x16x32_bf16" %a, %a, %c : vector<8xbf16>, vector<8xbf16>, vector<4xf32>
  %x = arith.constant 1.0 : f32
  %l = wave.lane_id
  // CHECK: wave.shuffle_xor %{{.*}}, 16 : f32
  %s = wave.shuffle_xor %x, 16 : f32
  // CHECK: wave.shuffle %{{.*}}, %{{.*}} : f32
  %t = wave.shuffle %x, %l : f32
  %true = arith.constant true
  // CHECK: wave.trap %{{.*}}, "index out of bounds"
  wave.trap %true, "index out of bounds"
}

// CHECK-LABEL: wave.kernel @grid
wave.kernel @grid(["counter"]) access ["rw"] threads(64) shared(0) {
^bb0(%counter: !wave.global):
  %step = arith.constant 1 : i32
  // CHECK: wave.grid_sync %{{.*}}, %{{.*}}
  wave.grid_sync %counter, %step
}
