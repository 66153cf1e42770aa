// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Kernels, registers and vectors.

// expected-error @+1 {{has 1 arguments, 2 names and 1 access modes}}
wave.kernel @k(["A", "B"]) access ["r"] threads(64) shared(0) {
^bb0(%A: !wave.global):
}

// -----

// expected-error @+1 {{has 2048 threads; 1 to 1024 are possible}}
wave.kernel @k([]) access [] threads(2048) shared(0) {
}

// -----

// expected-error @+1 {{asks for -4 bytes of shared memory and 1 blocks at once}}
wave.kernel @k([]) access [] threads(64) shared(-4) {
}

// -----

// expected-error @+1 {{has the access mode "x"; there are "r", "w", "rw" and ""}}
wave.kernel @k(["A"]) access ["x"] threads(64) shared(0) {
^bb0(%A: !wave.global):
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  // expected-error @+1 {{an array of 0 registers}}
  %r = wave.alloc_regs : !wave.regs<0 x i32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  // expected-error @+1 {{'!wave.desc' does not fit in registers}}
  %r = wave.alloc_regs : !wave.regs<1 x !wave.desc>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %r = wave.alloc_regs : !wave.regs<2 x i32>
  // expected-error @+1 {{names register 2 of 2}}
  %v = wave.get %r[2] : !wave.regs<2 x i32> -> i32
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %r = wave.alloc_regs : !wave.regs<2 x i32>
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{a register of this array holds 'i32', not 'f32'}}
  wave.set %f, %r[0] : f32, !wave.regs<2 x i32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %v = arith.constant dense<0.0> : vector<4xf32>
  // expected-error @+1 {{takes 'vector<2xf32>' from position 3 of 'vector<4xf32>'}}
  %e = wave.extract %v[3] : vector<4xf32> -> vector<2xf32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{packs elements of one type}}
  %p = wave.pack %f, %f : f32, f32 -> vector<2xi32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{packs 2 elements into 'vector<3xf32>'}}
  %p = wave.pack %f, %f : f32, f32 -> vector<3xf32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{turns 32 bits into 64}}
  %p = wave.bitcast %f : f32 -> i64
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  // expected-error @+1 {{attribute 'dim' failed to satisfy constraint}}
  %b = wave.block_id 3
}

// -----

// expected-error @+1 {{has 2 schedules and the parts of 1}}
wave.kernel @k([]) access [] threads(64) shared(0) attributes {schedules = ["a", "b"], schedule_parts = [0]} {
}
