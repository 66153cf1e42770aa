// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Matrix instructions of a warp group.

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  // expected-error @+1 {{multiplies 1 slabs and 60 columns in 1 steps; n is a multiple of 8}}
  wave.group_mma %c, a(%o) b(%o) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 60 : i64, steps = 1 : i64,
      a_starts = array<i64: 0>, b_starts = array<i64: 0>, a_desc = 0 : i64, b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  // expected-error @+1 {{accumulates 2 slabs of 64 columns in '!wave.regs<8 x vector<4xf32>>'}}
  wave.group_mma %c, a(%o) b(%o) {a_type = bf16, b_type = bf16, slabs = 2 : i64, n = 64 : i64, steps = 1 : i64,
      a_starts = array<i64: 0, 1>, b_starts = array<i64: 0>, a_desc = 0 : i64, b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  // expected-error @+1 {{takes A from shared memory or from registers}}
  wave.group_mma %c, b(%o) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 64 : i64, steps = 1 : i64,
      a_starts = array<i64>, b_starts = array<i64: 0>, a_desc = 0 : i64, b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  // expected-error @+1 {{has 1 places of A, 2 are read}}
  wave.group_mma %c, a(%o) b(%o) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 64 : i64, steps = 2 : i64,
      a_starts = array<i64: 0>, b_starts = array<i64: 0, 32>, a_desc = 0 : i64, b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  %a = wave.alloc_regs : !wave.regs<1 x vector<8xbf16>>
  // expected-error @+1 {{takes A from registers as one slab, 16 bytes a lane and step}}
  wave.group_mma %c, a_regs(%a : !wave.regs<1 x vector<8xbf16>>) b(%o) {a_type = bf16, b_type = bf16, slabs = 1 : i64,
      n = 64 : i64, steps = 2 : i64, a_starts = array<i64>, b_starts = array<i64: 0, 32>, a_desc = 0 : i64,
      b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  // expected-error @+1 {{has 1 places of B, 2 are read}}
  wave.group_mma %c, a(%o) b(%o) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 64 : i64, steps = 2 : i64,
      a_starts = array<i64: 0, 32>, b_starts = array<i64: 0>, a_desc = 0 : i64, b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k([]) access [] threads(128) shared(0) {
  %o = wave.lane_id
  %w = arith.constant 0 : i32
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  // expected-error @+1 {{has 1 words of places; a sparse A is of 16-bit elements in shared memory, and has one for each two steps of a slab}}
  wave.group_mma %c, a(%o) b(%o) places(%w) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 64 : i64, steps = 4 : i64,
      a_starts = array<i64: 0, 32, 64, 96>, b_starts = array<i64: 0, 64, 128, 192>, a_desc = 0 : i64, b_desc = 0 : i64} : !wave.regs<8 x vector<4xf32>>
}

// -----

wave.kernel @k(["map"]) access [""] threads(128) shared(0) {
^bb0(%map: !wave.tensor_map):
  %o = wave.lane_id
  // expected-error @+1 {{has 1 offsets for 4 coordinates: two fewer are offset}}
  wave.tma_load %map[%o, %o, %o, %o] offsets(%o) to %o barrier %o
}
