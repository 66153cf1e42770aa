// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Scalars in and out of buffers.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{'tile.load' op has 1 indices for a buffer of rank 2}}
    %v = tile.load %a[%one] : !tile.buffer<[8, 4], f32, shared> -> f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{a scalar of a buffer of 'f32' is 'f32', not 'i32'}}
    %v = tile.load %a[%one, %one] : !tile.buffer<[8, 4], f32, shared> -> i32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %h = tile.alloc "h" : !tile.buffer<[8], f16, shared>
    // expected-error @+1 {{a scalar of a buffer of 'f16' is 'f32', not 'f64'}}
    %v = tile.load %h[%one] : !tile.buffer<[8], f16, shared> -> f64
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %h = tile.alloc "h" : !tile.buffer<[8], i4, shared>
    // expected-error @+1 {{a scalar of a buffer of 'i4' is 'i8', not 'i32'}}
    %v = tile.load %h[%one] : !tile.buffer<[8], i4, shared> -> i32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{'tile.store' op has 3 indices for a buffer of rank 2}}
    tile.store %x, %a[%one, %one, %one] : f32, !tile.buffer<[8, 4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{a scalar of a buffer of 'f32' is 'f32', not 'i32'}}
    tile.store %i, %a[%one, %one] : i32, !tile.buffer<[8, 4], f32, shared>
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
    // expected-error @+1 {{rounds to a float type of buffers, not 'i8'}}
    %r = tile.round_to %x to i8 : f32
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
    // expected-error @+1 {{rounds to a float type of buffers, not 'tf32'}}
    %r = tile.round_to %x to tf32 : f32
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
    // expected-error @+1 {{operand #0 must be 32-bit float or 64-bit float}}
    %r = tile.round_to %i to f16 : i32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{'tile.atomic' op has 1 indices for a buffer of rank 2}}
    %o = tile.atomic add %x, %a[%one] : f32, !tile.buffer<[8, 4], f32, shared> -> f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{a scalar of a buffer of 'f32' is 'f32', not 'i32'}}
    %o = tile.atomic add %i, %a[%one, %one] : i32, !tile.buffer<[8, 4], f32, shared> -> i32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{gives the old value in the type of the new one}}
    %o = tile.atomic add %x, %a[%one, %one] : f32, !tile.buffer<[8, 4], f32, shared> -> f64
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
    %f = tile.alloc "f" : !tile.buffer<[8], f32, fragment>
    // expected-error @+1 {{updates global and shared buffers; others belong to one thread}}
    %o = tile.atomic add %x, %f[%one] : f32, !tile.buffer<[8], f32, fragment> -> f32
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{combines the bits of 'f32'}}
    %o = tile.atomic or %x, %a[%one, %one] : f32, !tile.buffer<[8, 4], f32, shared> -> f32
  }
}
