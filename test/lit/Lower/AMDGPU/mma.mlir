// RUN: tilec-translate %s --target=gfx942 --emit=asm --keep-order | FileCheck %s
//
// Operands are cut into what the intrinsic takes: bf16 as i16, f8 and i8 as i64.

// CHECK-LABEL: {{^}}mma:
wave.kernel @mma(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %c64 = arith.constant 64 : index
  %p = arith.addi %o, %c64 : index
  %bf = wave.global_read %A[%o] align 8 : index -> vector<4xbf16>
  %hf = wave.global_read %A[%o] align 8 : index -> vector<4xf16>
  %f8 = wave.global_read %A[%o] align 8 : index -> vector<8xf8E4M3FNUZ>
  %b8 = wave.global_read %A[%o] align 8 : index -> vector<8xf8E5M2FNUZ>
  %i8 = wave.global_read %A[%o] align 8 : index -> vector<8xi8>
  %f1 = wave.global_read %A[%o] align 4 : index -> vector<1xf32>
  %c = arith.constant dense<0.0> : vector<4xf32>
  %i = arith.constant dense<0> : vector<4xi32>
  // CHECK: v_mfma_f32_16x16x16_bf16 {{.*}}, 0{{$}}
  %0 = wave.mma "v_mfma_f32_16x16x16_bf16" %bf, %bf, %c : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  // CHECK: v_mfma_f32_16x16x16_f16
  %1 = wave.mma "v_mfma_f32_16x16x16_f16" %hf, %hf, %0 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  // CHECK: v_mfma_f32_16x16x32_fp8_bf8
  %2 = wave.mma "v_mfma_f32_16x16x32_fp8_bf8" %f8, %b8, %1 : vector<8xf8E4M3FNUZ>, vector<8xf8E5M2FNUZ>, vector<4xf32>
  // CHECK: v_mfma_f32_16x16x4_f32
  %3 = wave.mma "v_mfma_f32_16x16x4_f32" %f1, %f1, %2 : vector<1xf32>, vector<1xf32>, vector<4xf32>
  // CHECK: v_mfma_i32_16x16x32_i8
  %4 = wave.mma "v_mfma_i32_16x16x32_i8" %i8, %i8, %i : vector<8xi8>, vector<8xi8>, vector<4xi32>
  wave.global_write %3, %C[%o] align 16 : vector<4xf32>, index
  wave.global_write %4, %C[%p] align 16 : vector<4xi32>, index
}
