// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Programs and parameters.

tile.program @p {
  %a = tile.tensor "A"[] : !tile.buffer<[4], f32, global>
  // expected-error @+1 {{is the second parameter with the name `A`}}
  %b = tile.scalar "A" f32 : f32
}

// -----

// expected-error @+1 {{lists the output `B`, which is no tensor parameter}}
tile.program @p outputs(["B"]) {
  %a = tile.tensor "A"[] : !tile.buffer<[4], f32, global>
}

// -----

// expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
"tile.program"() <{sym_name = "p"}> ({
^bb0:
  "tile.dim"() <{name = "m"}> : () -> index
^bb1:
}) : () -> ()

// -----

tile.program @p {
  // expected-error @+1 {{'tile.tensor' op is a global buffer}}
  %a = tile.tensor "A"[] : !tile.buffer<[4], f32, shared>
}

// -----

tile.program @p {
  // expected-error @+1 {{has 1 dynamic extents and 0 dims}}
  %a = tile.tensor "A"[] : !tile.buffer<[?, 4], f32, global>
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has 1 strides for rank 2}}
  %a = tile.tensor "A"[%m] strides(%m) : !tile.buffer<[?, 4], f32, global>
}

// -----

tile.program @p {
  // expected-error @+1 {{'tile.workspace' op is a global buffer}}
  %a = tile.workspace "W"[] : !tile.buffer<[4], f32, fragment>
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has 0 dynamic extents and 1 dims}}
  %a = tile.workspace "W"[%m] : !tile.buffer<[4], f32, global>
}

// -----

tile.program @p {
  // expected-error @+1 {{has the dtype 'i7', which no buffer can hold}}
  %a = tile.scalar "a" i7 : i8
}

// -----

tile.program @p {
  // expected-error @+1 {{of dtype 'f16' is a value of type 'f32', not 'f64'}}
  %a = tile.scalar "a" f16 : f64
}

// -----

tile.program @p {
  // expected-error @+1 {{of dtype 'ui8' is a value of type 'i8', not 'i32'}}
  %a = tile.scalar "a" ui8 : i32
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'tile.tensor' op expects parent op 'tile.program'}}
    %a = tile.tensor "A"[] : !tile.buffer<[4], f32, global>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'tile.scalar' op expects parent op 'tile.program'}}
    %a = tile.scalar "A" f32 : f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'tile.dim' op expects parent op 'tile.program'}}
    %a = tile.dim "m"
  }
}
