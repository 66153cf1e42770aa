// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s
//
// Operands of 4 bits: 16 bytes a lane, beside 32 of 8 bits.

// CHECK-LABEL: {{^}}mma:
wave.kernel @mma(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %f4 = wave.global_read %A[%o] align 16 : index -> vector<32xf4E2M1FN>
  %half = wave.global_read %A[%o] align 16 : index -> vector<16xf8E5M2>
  %f8 = wave.pack %half, %half : vector<16xf8E5M2>, vector<16xf8E5M2> -> vector<32xf8E5M2>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // CHECK: v_mfma_f32_16x16x128_f8f6f4 v[{{[0-9:]+}}], v[{{[0-9:]+}}], v[{{[0-9:]+}}], 0 cbsz:4 blgp:4
  %0 = wave.mma "v_mfma_f32_16x16x128_f8f6f4 cbsz:4 blgp:4" %f4, %f4, %c : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<4xf32>
  // CHECK: v_mfma_f32_16x16x128_f8f6f4 {{.*}} cbsz:4 blgp:1
  %1 = wave.mma "v_mfma_f32_16x16x128_f8f6f4 cbsz:4 blgp:1" %f4, %f8, %0 : vector<32xf4E2M1FN>, vector<32xf8E5M2>, vector<4xf32>
  wave.global_write %1, %C[%o] align 16 : vector<4xf32>, index
}
