// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Types and layouts that are none.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{only global buffers may have a dynamic extent}}
    %a = tile.alloc "a" : !tile.buffer<[?], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a buffer's extents are positive, not 0}}
    %a = tile.alloc "a" : !tile.buffer<[4, 0], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a buffer's extents are positive, not -4}}
    %a = tile.alloc "a" : !tile.buffer<[-4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a buffer has at most 2^48 elements}}
    %a = tile.alloc "a" : !tile.buffer<[16777216, 16777217], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'i7' is no element type of a buffer}}
    %a = tile.alloc "a" : !tile.buffer<[4], i7, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'si8' is no element type of a buffer}}
    %a = tile.alloc "a" : !tile.buffer<[4], si8, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'index' is no element type of a buffer}}
    %a = tile.alloc "a" : !tile.buffer<[4], index, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{unknown scope `registers`}}
    %a = tile.alloc "a" : !tile.buffer<[4], f32, registers>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{expected integer value}}
    %a = tile.alloc "a" : !tile.buffer<[x], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{bases have one entry per dimension, factors are [dim, count]}}
    %a = tile.alloc "a" layout(#tile.fragment<shape = [4] register = [[1, 1]] lane = [] reps = [] waves = []>) : !tile.buffer<[4], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{bases have one entry per dimension, factors are [dim, count]}}
    %a = tile.alloc "a" layout(#tile.fragment<shape = [4] register = [] lane = [] reps = [[1]] waves = []>) : !tile.buffer<[4], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a factor names a dimension of the shape and counts at least 1}}
    %a = tile.alloc "a" layout(#tile.fragment<shape = [4] register = [] lane = [] reps = [[1, 2]] waves = []>) : !tile.buffer<[4], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a factor names a dimension of the shape and counts at least 1}}
    %a = tile.alloc "a" layout(#tile.fragment<shape = [4] register = [] lane = [] reps = [] waves = [[0, 0]]>) : !tile.buffer<[4], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{the pitch holds a row, and phases * vec divides the pitch}}
    %a = tile.alloc "a" layout(#tile.shared<shape = [4, 32] pitch = 16 vec = 8 rows_per_phase = 1 phases = 1>) : !tile.buffer<[4, 32], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{the pitch holds a row, and phases * vec divides the pitch}}
    %a = tile.alloc "a" layout(#tile.shared<shape = [4, 32] pitch = 32 vec = 8 rows_per_phase = 1 phases = 3>) : !tile.buffer<[4, 32], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a panel is as wide as the pitch}}
    %a = tile.alloc "a" layout(#tile.shared<shape = [4, 128] pitch = 64 vec = 8 rows_per_phase = 1 phases = 1 panel = 32>) : !tile.buffer<[4, 128], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a panel is as wide as the pitch}}
    %a = tile.alloc "a" layout(#tile.shared<shape = [4, 96] pitch = 64 vec = 8 rows_per_phase = 1 phases = 1 panel = -64>) : !tile.buffer<[4, 96], f16, shared>
  }
}
