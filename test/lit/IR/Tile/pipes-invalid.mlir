// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Pipes between a producer warp and its consumers.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has 0 slots of 16 bytes}}
    %p = tile.pipe stages(0) bytes(16)
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has 2 slots of -1 bytes}}
    %p = tile.pipe stages(2) bytes(-1)
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    tile.parallel (%i) in (%one) {
      // expected-error @+1 {{is a statement of a kernel's body}}
      tile.producer {
        tile.barrier
      }
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    tile.producer {
      tile.barrier
    }
    // expected-error @+1 {{is the second one of its kernel}}
    tile.producer {
      tile.barrier
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    // expected-error @+1 {{'tile.pipe_acquire' op is outside of tile.producer}}
    %q = tile.pipe_acquire %p
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{'tile.pipe_wait' op is inside tile.producer}}
      %q = tile.pipe_wait %p
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{'tile.pipe_release' op is inside tile.producer}}
      tile.pipe_release %p, %one
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{'tile.pipe_drain' op is inside tile.producer}}
      tile.pipe_drain %p
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    // expected-error @+1 {{'tile.tma_copy' op is outside of tile.producer}}
    tile.tma_copy %A to %s pipe(%p, %one) {transfers = #tile.transfers<[8] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 0>} : !tile.buffer<[8], f16, global>, !tile.buffer<[8], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{copies from global to shared memory}}
      tile.tma_copy %s to %s pipe(%p, %one) {transfers = #tile.transfers<[8] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 0>} : !tile.buffer<[8], f16, shared>, !tile.buffer<[8], f16, shared>
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{does not convert elements}}
      tile.tma_copy %A to %s pipe(%p, %one) {transfers = #tile.transfers<[8] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 0>} : !tile.buffer<[8], f32, global>, !tile.buffer<[8], f16, shared>
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[4], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{copies '!tile.buffer<[4], f16, global>' to '!tile.buffer<[8], f16, shared>': the extents differ}}
      tile.tma_copy %A to %s pipe(%p, %one) {transfers = #tile.transfers<[8] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 0>} : !tile.buffer<[4], f16, global>, !tile.buffer<[8], f16, shared>
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{'tile.pipe_skip' op is inside tile.producer}}
      tile.pipe_skip %p by %one
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {cluster = 2} {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8], f16, shared>
    %p = tile.pipe stages(2) bytes(16)
    tile.producer {
      // expected-error @+1 {{is cut into 4 parts, the cluster has 2 blocks}}
      tile.tma_copy %A to %s pipe(%p, %one) {parts = 4, transfers = #tile.transfers<[8] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 0>} : !tile.buffer<[8], f16, global>, !tile.buffer<[8], f16, shared>
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  // expected-error @+1 {{has clusters of 32 blocks and 1 teams; 1 to 16 and 1 to 7 are possible}}
  tile.kernel "k" grid(%one) threads(64) attributes {cluster = 32} {
  ^bb0(%bx: index):
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{has transfers and does not copy from global to shared memory}}
    tile.copy %s to %s {transfers = #tile.transfers<[8, 16] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[8, 16], f16, shared>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f32, shared>
    // expected-error @+1 {{has transfers, which do not convert elements}}
    tile.copy %A to %s {transfers = #tile.transfers<[8, 16] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f32, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{has transfers of 3 dimensions from a tensor of 2}}
    tile.copy %A to %s {transfers = #tile.transfers<[1, 8, 16] swizzle = 0 panels = 1 chunks = 1 row_dim = 1 col_dim = 2>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{has transfers of a vector to '!tile.buffer<[8, 16], f16, shared>'}}
    tile.copy %A to %s {transfers = #tile.transfers<[1, 16] swizzle = 0 panels = 1 chunks = 1 row_dim = -1 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{brings 1 panels of 8 columns to 16}}
    tile.copy %A to %s {transfers = #tile.transfers<[8, 8] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{brings 2 panels of 16 columns to 16}}
    tile.copy %A to %s {transfers = #tile.transfers<[8, 16] swizzle = 0 panels = 2 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{brings 16 rows to 8}}
    tile.copy %A to %s {transfers = #tile.transfers<[8, 16] swizzle = 0 panels = 1 chunks = 2 row_dim = 0 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{counts at least one of everything}}
    tile.copy %A to %s {transfers = #tile.transfers<[8, 16] swizzle = 0 panels = 0 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 16], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[8, 16], f16, shared>
    // expected-error @+1 {{has no rows in dimension 1 and columns in 1 of 2}}
    tile.copy %A to %s {transfers = #tile.transfers<[8, 16] swizzle = 0 panels = 1 chunks = 1 row_dim = 1 col_dim = 1>} : !tile.buffer<[8, 16], f16, global>, !tile.buffer<[8, 16], f16, shared>
  }
}
