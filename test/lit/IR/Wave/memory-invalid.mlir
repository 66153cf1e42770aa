// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Memory accesses and asynchronous copies.

wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // expected-error @+1 {{moves 256 bits; whole bytes, at most 16, are possible}}
  %v = wave.shared_read %o : vector<8xf32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  %t = arith.constant true
  // expected-error @+1 {{moves 1 bits; whole bytes, at most 16, are possible}}
  wave.shared_write %t, %o : i1
}

// -----

wave.kernel @k(["A"]) access ["r"] threads(64) shared(0) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  // expected-error @+1 {{is aligned to 3 bytes, which is no power of two}}
  %v = wave.global_read %A[%o] align 3 : index -> f32
}

// -----

wave.kernel @k(["A"]) access ["w"] threads(64) shared(0) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %v = arith.constant dense<0.0> : vector<8xf32>
  // expected-error @+1 {{moves 256 bits; whole bytes, at most 16, are possible}}
  wave.global_write %v, %A[%o] align 4 : vector<8xf32>, index
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{`xor` updates integers, not 'f32'}}
  %v = wave.shared_atomic xor %f, %o : f32 -> f32
}

// -----

wave.kernel @k(["A"]) access ["rw"] threads(64) shared(0) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %v = arith.constant dense<0.0> : vector<8xf32>
  // expected-error @+1 {{updates 256 bits; 8, 16, 32 and 64 are possible, and 128 of added floats}}
  %x = wave.global_atomic add %v, %A[%o] : vector<8xf32>, index -> vector<8xf32>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // expected-error @+1 {{gives a lane 96 bits; 1, 2 or 4 matrices give 32, 64 or 128}}
  %v = wave.ldmatrix %o : vector<6xf16>
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // expected-error @+1 {{gives a lane 8 bytes of 16, 8 or 4-bit elements, not 'vector<2xf32>'}}
  %v = wave.shared_read_tr %o : vector<2xf32>
}

// -----

wave.kernel @k(["A"]) access ["r"] threads(64) shared(64) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %n = arith.constant 64 : i64
  %d = wave.buffer_desc %A, %n
  // expected-error @+1 {{moves 8 bytes a lane; 1, 2, 4, 12 and 16 are possible}}
  wave.load_to_shared %d, %o, %o to %o bytes 8
}

// -----

wave.kernel @k(["A"]) access ["r"] threads(64) shared(64) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %n = arith.constant 64 : i64
  %d = wave.buffer_desc %A, %n
  // expected-error @+1 {{adds 4096 bytes; the instruction has 0 to 4095}}
  wave.load_to_shared %d, %o, %o to %o imm(4096) bytes 16
}

// -----

wave.kernel @k(["A"]) access ["r"] threads(64) shared(64) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  // expected-error @+1 {{moves 12 bytes a lane; 4, 8 and 16 are possible}}
  wave.cp_async %A[%o] to %o bytes 12 : index
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  // expected-error @+1 {{attribute 'pending' failed to satisfy constraint}}
  wave.cp_async_wait -1
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  // expected-error @+1 {{attribute 'memory' failed to satisfy constraint}}
  wave.wait memory(-1)
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  // expected-error @+1 {{attribute 'level' failed to satisfy constraint}}
  wave.setprio 4
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{attribute 'mask' failed to satisfy constraint}}
  %s = wave.shuffle_xor %f, 64 : f32
}
