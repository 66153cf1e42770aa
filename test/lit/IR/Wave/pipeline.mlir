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
  // CHECK: wave.pipeline count(%{{.*}}) slots(3) attributes {plan = "dma A 0", schedule = "by-hand"} {
  wave.pipeline count(%n) slots(3) attributes {plan = "dma A 0", schedule = "by-hand"} {
  }
}

