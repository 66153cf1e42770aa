// RUN: tilec-opt %s --split-input-file --verify-diagnostics

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %yes = arith.constant true
    // expected-error @+1 {{is thread-level code: it belongs into a lockstep kernel, outside of tile.parallel}}
    %a = tile.vote any %yes
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep} {
  ^bb0(%bx: index):
    %yes = arith.constant true
    // expected-error @+1 {{asks about a warp in a kernel without `warp_lanes`}}
    %a = tile.ballot %yes : i64
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %yes = arith.constant true
    tile.parallel (%i) in (%one) {
      // expected-error @+1 {{is thread-level code}}
      %a = tile.block_vote any %yes
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %x = arith.constant 1.0 : f32
    // expected-error @+1 {{cuts a warp of 32 lanes into segments of 64; a power of two up to 32 is possible}}
    %a = tile.shuffle xor %x, %one width(64) : f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %yes = arith.constant true
    // expected-error @+1 {{gives 'i64' for a warp of 32 lanes}}
    %a = tile.ballot %yes : i64
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %yes = arith.constant true
    // expected-error @+1 {{asks `any` or `all`}}
    %a = tile.vote count %yes
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %x = arith.constant 1.0 : f32
    // expected-error @+1 {{combines the bits of integers}}
    %a = tile.warp_reduce bitand %x : f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %x = arith.constant 1.0 : f32
    // expected-error @+1 {{has one of sum, max, min, bitand, bitor, bitxor}}
    %a = tile.warp_reduce prod %x : f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  // expected-error @+1 {{has warps of 16 lanes; there are 32 and 64}}
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 16} {
  ^bb0(%bx: index):
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  %counter = tile.workspace "counter"[] : !tile.buffer<[2], i32, global>
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %step = arith.constant 1 : i32
    // expected-error @+1 {{counts in one int32 of global memory, found '!tile.buffer<[2], i32, global>'}}
    tile.grid_sync %step, %counter : !tile.buffer<[2], i32, global>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    // expected-error @+1 {{names waves up to 2 of a block of 128 threads, waves of 64}}
    %a = tile.on_waves 1 count 2
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %yes = arith.constant true
    // expected-error @+1 {{is the condition of branches that give no values and have one side}}
    %a = tile.on_waves 1 count 1
    %b = arith.andi %a, %yes : i1
  }
}
