// RUN: split-file %s %t
// RUN: not tilec-translate %t/ldmatrix.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=LDMATRIX
// RUN: not tilec-translate %t/tr.mlir --target=gfx942 2>&1 | FileCheck %s --check-prefix=TR
// RUN: not tilec-translate %t/atom.mlir --target=gfx942 2>&1 | FileCheck %s --check-prefix=ATOM
// RUN: not tilec-translate %t/bits.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not tilec-translate %t/width.mlir --target=gfx942 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not tilec-translate %t/shared.mlir --target=gfx942 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tilec-translate %t/f8.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=F8
// RUN: env TILEC_ROCM_DEVICE_LIBS=none not tilec-translate %t/f64.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=F64
// RUN: not tilec-translate %t/f6.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=F6
// RUN: not tilec-translate %t/dialect.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=DIALECT
// RUN: not tilec-translate %t/rounding.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=ROUNDING
// RUN: not tilec-translate %t/name.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tilec-translate %t/shared-name.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=SHARED-NAME
// RUN: not tilec-translate %t/pair.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tilec-translate %t/empty.mlir --target=gfx950 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tilec-translate %t/empty.mlir --target=gfx1250 2>&1 | FileCheck %s --check-prefix=TARGET
//
// What a chip does not have is an error at the op.

//--- ldmatrix.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // LDMATRIX: error: {{.*}}ldmatrix.mlir:4:8: `wave.ldmatrix` has no counterpart on gfx950
  %v = wave.ldmatrix %o : vector<8xf16>
}
//--- tr.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // TR: `wave.shared_read_tr` has no counterpart on gfx942
  %v = wave.shared_read_tr %o : vector<4xf16>
}
//--- atom.mlir
wave.kernel @k([]) access [] threads(64) shared(0) {
  %a = arith.constant dense<0.0> : vector<8xbf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // ATOM: `wave.mma` names the atom `v_mfma_f32_16x16x32_bf16`, which gfx942 does not have
  %d = wave.mma "v_mfma_f32_16x16x32_bf16" %a, %a, %c : vector<8xbf16>, vector<8xbf16>, vector<4xf32>
}
//--- bits.mlir
wave.kernel @k([]) access [] threads(64) shared(0) {
  %a = arith.constant dense<0.0> : vector<4xbf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // BITS: `wave.mma` operand a holds 64 bits; v_mfma_f32_16x16x32_bf16 takes 8 x bfloat16, 128 bits
  %d = wave.mma "v_mfma_f32_16x16x32_bf16" %a, %a, %c : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
}
//--- width.mlir
wave.kernel @k(["A"]) access ["r"] threads(64) shared(64) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %n = arith.constant 64 : i64
  %d = wave.buffer_desc %A, %n
  // WIDTH: `wave.load_to_shared` moves 16 bytes a lane, which gfx942 cannot
  wave.load_to_shared %d, %o, %o to %o bytes 16
}
//--- shared.mlir
// SHARED: `wave.kernel` needs 65540 bytes of shared memory; a block of gfx942 has 65536
wave.kernel @k([]) access [] threads(64) shared(65540) {
}
//--- f8.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  %v = wave.shared_read %o : f8E4M3FN
  // F8: `arith.addf` does not compute in 8-bit or 4-bit floats; extend the operands first
  %w = arith.addf %v, %v : f8E4M3FN
}
//--- f64.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  %v = wave.shared_read %o : f64
  // F64: `exp` of float64 is a function of ROCm's device libraries, which are not found
  %w = math.exp %v : f64
}
//--- f6.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // F6: `wave.shared_read` gives vector<4xf6E2M3FN>, which has no registers
  %v = wave.shared_read %o : vector<4xf6E2M3FN>
}
//--- dialect.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  // DIALECT: `scf.execute_region` is no operation of Wave IR
  scf.execute_region {
    scf.yield
  }
}
//--- rounding.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  %v = wave.shared_read %o : f32
  // ROUNDING: `arith.truncf` rounds in another way than to nearest even
  %w = arith.truncf %v toward_zero : f32 to f16
}
//--- name.mlir
module {
  wave.kernel @k([]) access [] threads(64) shared(0) {
  }
  // NAME: `wave.kernel` has the name @llvm.trap, which is taken
  wave.kernel @llvm.trap([]) access [] threads(64) shared(0) {
  }
}
//--- shared-name.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
}
// SHARED-NAME: `wave.kernel` has the name @k.shared, which is taken
wave.kernel @k.shared([]) access [] threads(64) shared(0) {
}
//--- pair.mlir
wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  %v = wave.shared_read %o : vector<2xi32>
  // PAIR: `wave.shared_atomic` has no atomic `add` of this type
  %w = wave.shared_atomic add %v, %o : vector<2xi32> -> vector<2xi32>
}
//--- empty.mlir
// EMPTY: error: the module holds no wave.kernel
// TARGET: error: unknown target gfx1250; known: gfx942, gfx950, sm_80, sm_89, sm_90, sm_90a, sm_120
