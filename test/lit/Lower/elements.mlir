// RUN: tilec-translate %s --target=sm_80 | FileCheck %s --check-prefixes=CHECK,NVIDIA
// RUN: tilec-translate %s --target=gfx950 | FileCheck %s --check-prefixes=CHECK,AMD
//
// An element of what was put together is the part itself, and a word is no vector.

wave.kernel @k(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: load <2 x float>
  %v = wave.global_read %A[%o] align 8 : index -> vector<2xf32>
  // CHECK-NEXT: %[[B:.*]] = extractelement <2 x float> %{{.*}}, i64 1
  %b = wave.extract %v[1] : vector<2xf32> -> f32
  %p = wave.pack %b, %zero : f32, f32 -> vector<2xf32>
  // CHECK-NOT: extractelement
  %again = wave.extract %p[0] : vector<2xf32> -> f32
  // CHECK: %[[W:.*]] = bitcast float %[[B]] to i32
  // CHECK-NOT: extractelement
  // NVIDIA: call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %[[W]],
  // AMD: call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %[[W]],
  %s = wave.scan_partner %again, %zero step 0 width 16 : f32
  // CHECK-NOT: insertelement
  // CHECK: store float
  wave.global_write %s, %C[%o] align 4 : f32, index
}
