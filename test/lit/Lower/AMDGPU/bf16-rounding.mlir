// RUN: tilec-translate %s --target=gfx942 | FileCheck %s
// RUN: tilec-translate %s --target=gfx950 | FileCheck %s --check-prefix=NATIVE
//
// A NaN that comes from bf16 or from an operation has zeros in the low half of its f32: to nearest even by an addition.
// Of NaNs that come in f32, or in bytes that were written as something else, nothing is known.
// NATIVE-NOT: lshr

// CHECK-LABEL: define amdgpu_kernel void @short
// CHECK:         add <2 x i32> %{{.*}}, splat (i32 32767)
// CHECK-NOT:     fptrunc
wave.kernel @short(["X", "Y"]) access ["r", "w"] threads(64) shared(256) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c4 = arith.constant 4 : index
  %at = arith.muli %lane, %c4 : index
  %x = wave.global_read %X[%at] align 4 : index -> vector<2xbf16>
  %wide = arith.extf %x : vector<2xbf16> to vector<2xf32>
  %a = wave.extract %wide[0] : vector<2xf32> -> f32
  wave.shared_write %a, %at : f32
  wave.barrier
  %b = wave.shared_read %at : f32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.subf %b, %infinity : f32
  %pair = wave.pack %nan, %b : f32, f32 -> vector<2xf32>
  %y = arith.truncf %pair : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%at] align 4 : vector<2xbf16>, index
}

// CHECK-LABEL: define amdgpu_kernel void @loaded
// CHECK:         fptrunc <2 x float>
wave.kernel @loaded(["X", "Y"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c8 = arith.constant 8 : index
  %at = arith.muli %lane, %c8 : index
  %x = wave.global_read %X[%at] align 8 : index -> vector<2xf32>
  %y = arith.truncf %x : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%lane] align 4 : vector<2xbf16>, index
}

// CHECK-LABEL: define amdgpu_kernel void @shared
// CHECK:         fptrunc <2 x float>
wave.kernel @shared(["X", "Y"]) access ["r", "w"] threads(64) shared(512) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c8 = arith.constant 8 : index
  %at = arith.muli %lane, %c8 : index
  %x = wave.global_read %X[%at] align 8 : index -> vector<4xbf16>
  wave.shared_write %x, %at : vector<4xbf16>
  wave.barrier
  %a = wave.shared_read %at : vector<2xf32>
  %y = arith.truncf %a : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%lane] align 4 : vector<2xbf16>, index
}

// CHECK-LABEL: define amdgpu_kernel void @bits
// CHECK:         fptrunc <2 x float>
wave.kernel @bits(["X", "Y"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c8 = arith.constant 8 : index
  %at = arith.muli %lane, %c8 : index
  %x = wave.global_read %X[%at] align 8 : index -> vector<2xi32>
  %a = arith.bitcast %x : vector<2xi32> to vector<2xf32>
  %y = arith.truncf %a : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%lane] align 4 : vector<2xbf16>, index
}

// CHECK-LABEL: define amdgpu_kernel void @halves
// CHECK:         fptrunc <2 x float>
wave.kernel @halves(["X", "Y"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c4 = arith.constant 4 : index
  %at = arith.muli %lane, %c4 : index
  %x = wave.global_read %X[%at] align 4 : index -> vector<2xf16>
  %a = arith.extf %x : vector<2xf16> to vector<2xf32>
  %y = arith.truncf %a : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%at] align 4 : vector<2xbf16>, index
}

// CHECK-LABEL: define amdgpu_kernel void @constant
// CHECK:         fptrunc <2 x float>
wave.kernel @constant(["X", "Y"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c4 = arith.constant 4 : index
  %at = arith.muli %lane, %c4 : index
  %x = wave.global_read %X[%at] align 4 : index -> vector<2xbf16>
  %wide = arith.extf %x : vector<2xbf16> to vector<2xf32>
  %nan = arith.constant dense<0x7FFFFFFF> : vector<2xf32>
  %a = arith.addf %wide, %nan : vector<2xf32>
  %y = arith.truncf %a : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%at] align 4 : vector<2xbf16>, index
}

// Ties of powers, and of their shares of a sum, are what the approximation makes of them: half a unit is added. Those
// of other quotients are real.

// CHECK-LABEL: define amdgpu_kernel void @shares
// CHECK:         add <1 x i64> %{{.*}}, splat (i64 140737488388096)
// CHECK-NOT:     fptrunc
// CHECK:         add <1 x i64> %{{.*}}, splat (i64 140737488388096)
// CHECK-NOT:     140737488388096
// CHECK:         add <2 x i32> %{{.*}}, splat (i32 32767)
wave.kernel @shares(["X", "Y"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%X: !wave.global, %Y: !wave.global):
  %lane = wave.lane_id
  %c4 = arith.constant 4 : index
  %at = arith.muli %lane, %c4 : index
  %x = wave.global_read %X[%at] align 4 : index -> vector<2xbf16>
  %wide = arith.extf %x : vector<2xbf16> to vector<2xf32>
  %a = wave.extract %wide[0] : vector<2xf32> -> f32
  %b = wave.extract %wide[1] : vector<2xf32> -> f32
  %p = math.exp2 %a fastmath<afn> : f32
  %q = math.exp2 %b fastmath<afn> : f32
  %powers = wave.pack %p, %q : f32, f32 -> vector<2xf32>
  %y = arith.truncf %powers : vector<2xf32> to vector<2xbf16>
  wave.global_write %y, %Y[%at] align 4 : vector<2xbf16>, index
  %sum = arith.addf %p, %q : f32
  %part = arith.divf %p, %sum fastmath<arcp> : f32
  %rest = arith.divf %q, %sum fastmath<arcp,afn> : f32
  %shares = wave.pack %part, %rest : f32, f32 -> vector<2xf32>
  %z = arith.truncf %shares : vector<2xf32> to vector<2xbf16>
  wave.global_write %z, %Y[%at] align 4 : vector<2xbf16>, index
  %half = arith.divf %a, %b fastmath<arcp> : f32
  %pair = wave.pack %half, %part : f32, f32 -> vector<2xf32>
  %w = arith.truncf %pair : vector<2xf32> to vector<2xbf16>
  wave.global_write %w, %Y[%at] align 4 : vector<2xbf16>, index
}
