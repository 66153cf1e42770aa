// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// A matrix loop before its order is planned; the plan may be written by hand.

wave.kernel @k([]) access [] threads(256) shared(65536) {
  %n = arith.constant 8 : index
  // CHECK: wave.pipeline count(%{{.*}}) slots(2) {
  wave.pipeline count(%n) slots(2) {
    // CHECK-NEXT: wave.barrier raw
    wave.barrier raw
  }
  // CHECK: wave.pipeline count(%{{.*}}) slots(2) {
  wave.pipeline count(%n) slots(2) {
    %o = wave.lane_id
    // CHECK: wave.shared_read %{{.*}} imm(64) {step = #wave.step<read_B, i = 1, k = 2, slot_bytes = 8192, cover = 5, together = 2>} : vector<8xf16>
    %a = wave.shared_read %o imm(64) {step = #wave.step<read_B, i = 1, k = 2, slot_bytes = 8192, cover = 5, together = 2>} : vector<8xf16>
    %c = arith.constant dense<0.0> : vector<4xf32>
    // CHECK: wave.mma "v_mfma_f32_16x16x32_f16" %{{.*}}, %{{.*}}, %{{.*}} {step = #wave.step<mma, i = 0, j = 1>}
    %d = wave.mma "v_mfma_f32_16x16x32_f16" %a, %a, %c {step = #wave.step<mma, i = 0, j = 1>} : vector<8xf16>, vector<8xf16>, vector<4xf32>
  }
  // CHECK: wave.pipeline count(%{{.*}}) slots(3) attributes {plan = "dma A 0", schedule = "by-hand"} {
  wave.pipeline count(%n) slots(3) attributes {plan = "dma A 0", schedule = "by-hand"} {
  }
}

