// RUN: tilec-translate %s --target=sm_90 --emit=asm | FileCheck %s
//
// Lanes, atomics, traps, conversions of f8 that sm_89 and later have.

// CHECK: .visible .entry lanes(
wave.kernel @lanes(["A", "C"]) access ["r", "rw"] threads(64) shared(1024) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 8 : index -> f64
  // 64 bits are exchanged as two words.
  // CHECK-COUNT-2: shfl.sync.bfly.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, 16, 31, -1
  %s = wave.shuffle_xor %x, 16 : f64
  // CHECK-COUNT-2: shfl.sync.idx.b32
  %t = wave.shuffle %s, %o : f64
  wave.global_write %t, %C[%o] align 8 : f64, index
  %f = arith.constant 1.0 : f32
  // CHECK: atom.global.add.f32
  %0 = wave.global_atomic add %f, %C[%o] : f32, index -> f32
  %h = arith.constant 1.0 : f16
  // CHECK: atom.global.add.noftz.f16
  %1 = wave.global_atomic add %h, %C[%o] : f16, index -> f16
  %i = arith.constant 1 : i32
  // CHECK: atom{{(.cta)?}}.shared{{(.cta)?}}.min.u32
  %2 = wave.shared_atomic umin %i, %o : i32 -> i32
  // No branch: what is read before stays before.
  // CHECK: @!%p{{[0-9]+}} trap;
  %m = arith.cmpi ult, %o, %o : index
  wave.trap %m, "never"
}

// CHECK: .visible .entry f8(
wave.kernel @f8(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %c64 = arith.constant 64 : index
  %o1 = arith.addi %o, %c64 : index
  %x = wave.global_read %A[%o] align 4 : index -> vector<4xf8E4M3FN>
  // CHECK: cvt.rn.f16x2.e4m3x2
  %f = arith.extf %x : vector<4xf8E4M3FN> to vector<4xf32>
  // CHECK: cvt.rn.satfinite.e5m2x2.f32
  %n = arith.truncf %f : vector<4xf32> to vector<4xf8E5M2>
  wave.global_write %n, %C[%o] align 4 : vector<4xf8E5M2>, index
  // A format that the chip does not know is computed.
  %y = wave.bitcast %x : vector<4xf8E4M3FN> -> vector<4xf8E4M3FNUZ>
  %g = arith.extf %y : vector<4xf8E4M3FNUZ> to vector<4xf32>
  wave.global_write %g, %C[%o1] align 16 : vector<4xf32>, index
}
