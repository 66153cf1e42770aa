// RUN: tilec-translate %s --target=gfx942 | FileCheck %s
// RUN: tilec-translate %s --target=gfx950 | FileCheck %s --check-prefix=NATIVE
//
// gfx942 has no instruction from f32 to bf16. An approximate power of two has no sign, so that a minimum keeps NaN a
// NaN, and needs no tie to go to the even number. Other numbers do.

// CHECK-LABEL: define amdgpu_kernel void @powers
// CHECK-COUNT-2: insertelement
// CHECK:       bitcast <2 x float> %{{.*}} to <2 x i32>
// CHECK-NEXT:  call <2 x i32> @llvm.umin.v2i32(<2 x i32> %{{.*}}, <2 x i32> splat (i32 2143289344))
// CHECK-NEXT:  bitcast <2 x i32> %{{.*}} to <1 x i64>
// CHECK-NEXT:  add <1 x i64> %{{.*}}, splat (i64 140737488388096)
// CHECK-NEXT:  bitcast <1 x i64> %{{.*}} to <2 x i32>
// CHECK-NEXT:  lshr <2 x i32> %{{.*}}, splat (i32 16)
// CHECK:       fptrunc <2 x float> %{{.*}} to <2 x bfloat>
// NATIVE-LABEL:   define amdgpu_kernel void @powers
// NATIVE-COUNT-2: fptrunc <2 x float>
wave.kernel @powers(["X", "Y"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %at = arith.muli %lane, %c8 : index
  %to = arith.muli %lane, %c4 : index
  %x = wave.global_read %X[%at] align 8 : index -> vector<2xf32>
  %a = wave.extract %x[0] : vector<2xf32> -> f32
  %b = wave.extract %x[1] : vector<2xf32> -> f32
  %p = math.exp2 %a fastmath<afn> : f32
  %q = math.exp2 %b fastmath<afn> : f32
  %powers = wave.pack %p, %q : f32, f32 -> vector<2xf32>
  %near = arith.truncf %powers : vector<2xf32> to vector<2xbf16>
  wave.global_write %near, %Y[%to] align 4 : vector<2xbf16>, index
  %exact = arith.truncf %x : vector<2xf32> to vector<2xbf16>
  wave.global_write %exact, %Y[%to] align 4 : vector<2xbf16>, index
}
