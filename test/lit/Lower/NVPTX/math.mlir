// RUN: tilec-translate %s --target=sm_80 --emit=asm | FileCheck %s
// RUN: tilec-translate %s --target=sm_80 | FileCheck %s --check-prefix=IR
//
// Everything of math compiles without a library. `afn` asks for the hardware's approximation.

// CHECK: .visible .entry math(
// CHECK-NOT: call.uni
// IR-NOT: fast
wave.kernel @math(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 4 : index -> f32
  %i = wave.global_read %A[%o] align 4 : index -> i32
  // CHECK: ex2.approx.f32
  %1 = math.exp2 %x : f32
  // CHECK: sqrt.rn.f32
  %2 = math.sqrt %x : f32
  // CHECK: div.rn.f32
  %3 = arith.divf %1, %2 : f32
  // CHECK: fma.rn.f32
  %4 = math.fma %1, %2, %3 : f32
  // CHECK: ex2.approx.ftz.f32
  %5 = math.exp %4 fastmath<afn> : f32
  // CHECK: lg2.approx.f32
  %6 = math.log2 %5 fastmath<afn> : f32
  // CHECK: rsqrt.approx.f32
  %7 = math.rsqrt %6 : f32
  // n of 2^n * 2^r is found in [0, 1].
  // CHECK: cvt.sat.f32.f32
  // CHECK: ex2.approx.ftz.f32
  // CHECK: shl.b32 {{.*}}, 23
  %8 = math.exp %7 : f32
  %9 = math.log %8 : f32
  %10 = math.log2 %9 : f32
  %11 = math.log10 %10 : f32
  %12 = math.log1p %11 : f32
  %13 = math.expm1 %12 : f32
  %14 = math.sin %13 : f32
  %15 = math.cos %14 : f32
  %16 = math.tan %15 : f32
  %17 = math.asin %16 : f32
  %18 = math.acos %17 : f32
  %19 = math.atan %18 : f32
  %20 = math.atan2 %19, %x : f32
  %21 = math.sinh %20 : f32
  %22 = math.cosh %21 : f32
  %23 = math.tanh %22 : f32
  %24 = math.asinh %23 : f32
  %25 = math.acosh %24 : f32
  %26 = math.atanh %25 : f32
  %27 = math.erf %26 : f32
  %28 = math.erfc %27 : f32
  %29 = math.cbrt %28 : f32
  %30 = math.powf %29, %x : f32
  %31 = math.fpowi %30, %i : f32, i32
  %32 = arith.remf %31, %x : f32
  %33 = math.round %32 : f32
  %34 = math.roundeven %33 : f32
  %35 = math.floor %34 : f32
  %36 = math.ceil %35 : f32
  %37 = math.trunc %36 : f32
  %38 = math.absf %37 : f32
  %39 = math.copysign %38, %x : f32
  %40 = math.clampf %39 to [%x, %38] : f32
  %41, %42 = math.sincos %40 : f32
  %43 = arith.addf %41, %42 : f32
  %n = math.isnan %43 : f32
  %f = math.isinf %43 : f32
  %g = math.isfinite %43 : f32
  %h = math.isnormal %43 : f32
  %nf = arith.ori %n, %f : i1
  %gh = arith.ori %g, %h : i1
  %all = arith.andi %nf, %gh : i1
  %j = math.ipowi %i, %i : i32
  %k = math.ctpop %j : i32
  %l = math.ctlz %k : i32
  %m = math.cttz %l : i32
  %a = math.absi %m : i32
  %af = arith.sitofp %a : i32 to f32
  %z = arith.select %all, %43, %af : f32
  wave.global_write %z, %C[%o] align 4 : f32, index
  // Vectors and halves go element by element through f32.
  %hv = wave.global_read %A[%o] align 4 : index -> vector<2xf16>
  %he = math.exp %hv : vector<2xf16>
  wave.global_write %he, %C[%o] align 4 : vector<2xf16>, index
}
