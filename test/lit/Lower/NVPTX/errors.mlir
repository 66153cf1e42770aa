// RUN: split-file %s %t
// RUN: not tilec-translate %t/wait.mlir --target=sm_80 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not tilec-translate %t/prio.mlir --target=sm_90a 2>&1 | FileCheck %s --check-prefix=PRIO
// RUN: not tilec-translate %t/desc.mlir --target=sm_80 2>&1 | FileCheck %s --check-prefix=DESC
// RUN: not tilec-translate %t/tr.mlir --target=sm_90 2>&1 | FileCheck %s --check-prefix=TR
// RUN: not tilec-translate %t/mask.mlir --target=sm_80 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: not tilec-translate %t/cp.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=CP
// RUN: not tilec-translate %t/commit.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=COMMIT
// RUN: not tilec-translate %t/shared.mlir --target=sm_80 2>&1 | FileCheck %s --check-prefix=SHARED
//
// What one vendor has and the other has not is an error at the op.

//--- wait.mlir
wave.kernel @k([]) access [] threads(64) shared(0) {
  // WAIT: error: {{.*}}wait.mlir:3:3: `wave.wait` has no counterpart on sm_80
  wave.wait memory(0)
}
//--- prio.mlir
wave.kernel @k([]) access [] threads(64) shared(0) {
  // PRIO: `wave.setprio` has no counterpart on sm_90a
  wave.setprio 1
}
//--- desc.mlir
wave.kernel @k(["A"]) access ["r"] threads(64) shared(0) {
^bb0(%A: !wave.global):
  %n = arith.constant 64 : i64
  // DESC: `wave.buffer_desc` has no counterpart on sm_80
  %d = wave.buffer_desc %A, %n
}
//--- tr.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // TR: `wave.shared_read_tr` has no counterpart on sm_90
  %v = wave.shared_read_tr %o : vector<4xf16>
}
//--- mask.mlir
wave.kernel @k([]) access [] threads(64) shared(0) {
  %f = arith.constant 1.0 : f32
  // MASK: `wave.shuffle_xor` exchanges lanes by mask 32 in a wave of 32 lanes
  %s = wave.shuffle_xor %f, 32 : f32
}
//--- cp.mlir
wave.kernel @k(["A"]) access ["r"] threads(64) shared(64) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  // CP: `wave.cp_async` has no counterpart on gfx950
  wave.cp_async %A[%o] to %o bytes 16 : index
}
//--- commit.mlir
wave.kernel @k([]) access [] threads(64) shared(0) {
  // COMMIT: `wave.cp_async_commit` has no counterpart on gfx950
  wave.cp_async_commit
}
//--- shared.mlir
// SHARED: `wave.kernel` needs 200000 bytes of shared memory; a block of sm_80 has 166912
wave.kernel @k([]) access [] threads(64) shared(200000) {
}
