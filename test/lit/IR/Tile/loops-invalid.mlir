// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Loops and statements.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{has a step of 0}}
    tile.for %k = %c0 to %one step %c0 {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{has at least 1 stage}}
    tile.for %k = %c0 to %one step %one stages(0) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{has at least 1 stage}}
    tile.for %k = %c0 to %one step %one stages(-3) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{unknown loop kind `software`}}
    tile.for %k = %c0 to %one step %one kind(software) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one induction variable of type index}}
    "tile.for"(%one, %one, %one) ({
    ^bb0(%k: i32):
    }) : (index, index, index) -> ()
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one induction variable of type index}}
    "tile.for"(%one, %one, %one) ({
    ^bb0:
      %c = arith.constant 0 : index
    }) : (index, index, index) -> ()
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one index per extent, and at least one}}
    tile.parallel () in () {
      %c = arith.constant 0 : index
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one index per extent, and at least one}}
    tile.parallel (%i) in (%one, %one) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{ends its condition region with tile.condition}}
    tile.while {
      %t = arith.constant true
    } do {
      tile.break
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has no block arguments}}
    tile.while {
      %t = arith.constant true
      tile.condition %t
    } do {
    ^bb0(%x: index):
      tile.break
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{'tile.condition' op expects parent op 'tile.while'}}
    tile.condition %t
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'tile.break' op is in no tile.for or tile.while}}
    tile.break
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    tile.for %k = %one to %one step %one {
      tile.parallel (%i) in (%one) {
        // expected-error @+1 {{leaves a tile.parallel; only tile.for and tile.while can be left}}
        tile.break
      }
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %v = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{prints a scalar or a buffer, not 'vector<4xf32>'}}
    tile.print %v, "v" : vector<4xf32>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{rotates over 1 slots; 2 are the fewest}}
    tile.for %k = %one to %one step %one attributes {rotate = 1 : i64} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{is shared out among clusters of 0 blocks}}
    tile.for %k = %one to %one step %one attributes {persistent = 0 : i64} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has `buffers` of `bytes`, one at least}}
    tile.store_tile (%i) in (%one) attributes {buffers = 0 : i64, bytes = 64 : i64, rows = array<i64>, row_bytes = array<i64>} {
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %n = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{`rows` and `row_bytes` have one number for each tensor that it writes}}
    tile.store_tile (%i, %j) in (%n, %n) attributes {buffers = 2 : i64, bytes = 8192 : i64, rows = array<i64>, row_bytes = array<i64>} {
      tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[128, 64], f16, global>
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %n = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{has rows along dimension 1 of a tensor of rank 2}}
    tile.store_tile (%i, %j) in (%n, %n) attributes {buffers = 2 : i64, bytes = 8192 : i64, rows = array<i64: 1>, row_bytes = array<i64: 128>} {
      tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[128, 64], f16, global>
    }
  }
}

// -----

tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %n = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{has a body without branches but a guard}}
    tile.store_tile (%i, %j) in (%n, %n) attributes {buffers = 2 : i64, bytes = 8192 : i64, rows = array<i64: 0>, row_bytes = array<i64: 128>} {
      tile.for %k = %one to %n step %one {
        tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[128, 64], f16, global>
      }
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64, 64], i8, shared>
    %U = tile.alloc "U" : !tile.buffer<[64, 64], i8, shared>
    %n = arith.constant 64 : index
    // expected-error @+1 {{has two extents that 4 divides, and a body that moves one byte from shared memory to shared memory}}
    tile.transpose_bytes (%i, %j) in (%n, %n) {
      %x = tile.load %S[%j, %i] : !tile.buffer<[64, 64], i8, shared> -> i8
      tile.store %x, %S[%i, %j] : i8, !tile.buffer<[64, 64], i8, shared>
      tile.store %x, %U[%i, %j] : i8, !tile.buffer<[64, 64], i8, shared>
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64], f32, shared>
    %U = tile.alloc "U" : !tile.buffer<[64], f32, shared>
    %n = arith.constant 64 : index
    // expected-error @+1 {{moves elements: its body loads one, converts it or not, and stores it}}
    tile.move (%i) in (%n) {
      %x = tile.load %S[%i] : !tile.buffer<[64], f32, shared> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %U[%i] : f32, !tile.buffer<[64], f32, shared>
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{is planned by a strategy without a name}}
    tile.for %k = %one to %one step %one attributes {planned = ""} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %n = arith.constant 64 : index
    // expected-error @+1 {{`layout` is one of its iterations}}
    tile.parallel (%i) in (%n) attributes {layout = #tile.fragment<shape = [32] register = [] lane = [[1], [2], [4], [8], [16], [0]] reps = [] waves = [[-1, 1]]>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{a round is `plain`, `beside`, `in_flight` or `overlapped`}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<twice slots = 2>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a producer and is not pipelined}}
    tile.for %k = %one to %one step %one attributes {served = #tile.served<plain slots = 2>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has 0 slots}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<plain slots = 0>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{overlaps two gemms and has 0}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<overlapped slots = 2>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{says when statements run and does not overlap gemms}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<plain [head] slots = 2>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[16, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[16, 16], f32, fragment>
    // expected-error @+1 {{says when 3 statements run and has 2}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<overlapped [first, early, second] slots = 2>} {
      tile.gemm %a, %a, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
      tile.gemm %a, %a, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[16, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[16, 16], f32, fragment>
    // expected-error @+1 {{has other gemms than a first and a second one}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<overlapped [second, first] slots = 2>} {
      tile.gemm %a, %a, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
      tile.gemm %a, %a, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{no part of a round is `middle`}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<overlapped [middle] slots = 2>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{leaves one gemm in flight and has 0}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<in_flight slots = 2>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has turns and does not overlap gemms}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<beside slots = 2 turns>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{is ordered for one slot of overlapped gemms, which it has not}}
    tile.for %k = %one to %one step %one kind(pipelined) attributes {served = #tile.served<beside slots = 1 first_ahead>} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has rounds that are dead for a warp group, and no producer that goes on}}
    tile.for %k = %one to %one step %one dead_from(%one) kind(pipelined) {
    }
  }
}
