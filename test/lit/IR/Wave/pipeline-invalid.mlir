// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Steps of matrix loops that are none, and where they do not stand in one.

wave.kernel @k([]) access [] threads(64) shared(64) {
  %o = wave.lane_id
  // expected-error @+1 {{is a step, and stands in no wave.pipeline}}
  %v = wave.shared_read %o {step = #wave.step<read_A, i = 0, slot_bytes = 64, cover = 1>} : f32
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{cannot be a step of kind `mma`}}
    %v = wave.shared_read %o {step = #wave.step<mma, i = 0>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    %c = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{cannot be a step of kind `read_A`}}
    %d = wave.mma "v_mfma_f32_16x16x4_f32" %c, %c, %c {step = #wave.step<read_A, i = 0, slot_bytes = 64, cover = 1>} : vector<4xf32>, vector<4xf32>, vector<4xf32>
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `read_A` has the number -1; they begin with 0}}
    %v = wave.shared_read %o {step = #wave.step<read_A, i = -1, slot_bytes = 64, cover = 1>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `read_A` has no `j`}}
    %v = wave.shared_read %o {step = #wave.step<read_A, i = 0, j = 1, slot_bytes = 64, cover = 1>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `copy_B` has no `k`}}
    %v = wave.shared_read %o {step = #wave.step<copy_B, i = 0, k = 1, slot_bytes = 64>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `read_A` moves 0 bytes further per slot}}
    %v = wave.shared_read %o {step = #wave.step<read_A, i = 0, cover = 1>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `mma` moves 64 bytes further per slot}}
    %v = wave.shared_read %o {step = #wave.step<mma, i = 0, slot_bytes = 64>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `read_A` is filled by no copy}}
    %v = wave.shared_read %o {step = #wave.step<read_A, i = 0, slot_bytes = 64>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `mma` is filled by copies}}
    %v = wave.shared_read %o {step = #wave.step<mma, i = 0, cover = 1>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `mma` stands together with 2 of its kind}}
    %v = wave.shared_read %o {step = #wave.step<mma, i = 0, together = 2>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  %n = arith.constant 8 : index
  %o = wave.lane_id
  wave.pipeline count(%n) slots(2) {
    // expected-error @+1 {{a step of kind `read_A` moves 8 bytes further per iteration}}
    %v = wave.shared_read %o {step = #wave.step<read_A, i = 0, slot_bytes = 64, advance = 8, cover = 1>} : f32
  }
}

// -----

wave.kernel @k([]) access [] threads(64) shared(64) {
  // expected-error @+1 {{stands in no scf.for}}
  wave.rolled
}
