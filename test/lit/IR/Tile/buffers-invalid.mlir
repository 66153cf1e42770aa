// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Buffers and their parts.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{makes shared, fragment and local buffers; global memory is a parameter}}
    %a = tile.alloc "a" : !tile.buffer<[4], f32, global>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a fragment layout of another shape or scope}}
    %a = tile.alloc "a" layout(#tile.fragment<shape = [4] register = [] lane = [] reps = [] waves = []>) : !tile.buffer<[4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a fragment layout of another shape or scope}}
    %a = tile.alloc "a" layout(#tile.fragment<shape = [4] register = [] lane = [] reps = [] waves = []>) : !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a shared layout of another shape or scope}}
    %a = tile.alloc "a" layout(#tile.shared<shape = [8] pitch = 8 vec = 8 rows_per_phase = 1 phases = 1>) : !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a shared layout of another shape or scope}}
    %a = tile.alloc "a" layout(#tile.shared<shape = [8] pitch = 8 vec = 8 rows_per_phase = 1 phases = 1>) : !tile.buffer<[16], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a layout that is neither #tile.fragment nor #tile.shared}}
    %a = tile.alloc "a" layout("swizzled") : !tile.buffer<[4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{has 1 indices for a buffer of rank 2}}
    %v = tile.subview %a[%one] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{lists dropped dimensions in ascending order}}
    %v = tile.subview %a[%one, %one] dropped [1, 0] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{lists dropped dimensions in ascending order}}
    %v = tile.subview %a[%one, %one] dropped [2] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{lists dropped dimensions in ascending order}}
    %v = tile.subview %a[%one, %one] dropped [-1] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{drops 1 of 2 dimensions and leaves 2}}
    %v = tile.subview %a[%one, %one] dropped [0] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[4, 4], f32, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{keeps element type and scope}}
    %v = tile.subview %a[%one, %one] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[4, 4], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{keeps element type and scope}}
    %v = tile.subview %a[%one, %one] : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[4, 4], f32, fragment>
  }
}

// -----

tile.program @p {
  %G = tile.tensor "G"[] : !tile.buffer<[8, 4], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{leaves the extent of dimension 1 open, which the source knows}}
    %v = tile.subview %G[%one, %one] : !tile.buffer<[8, 4], f32, global> to !tile.buffer<[4, ?], f32, global>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{'tile.reshape' op keeps the scope}}
    %v = tile.reshape %a : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[32], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %f = tile.alloc "f" : !tile.buffer<[8], f32, fragment>
    // expected-error @+1 {{keeps the element type of a fragment}}
    %v = tile.reshape %f : !tile.buffer<[8], f32, fragment> to !tile.buffer<[8], i32, fragment>
  }
}

// -----

tile.program @p {
  %G = tile.tensor "G"[] : !tile.buffer<[8, 4], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has more than one `?` in its result}}
    %v = tile.reshape %G : !tile.buffer<[8, 4], f32, global> to !tile.buffer<[?, ?], f32, global>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f32, shared>
    // expected-error @+1 {{turns 1024 bits into 512}}
    %v = tile.reshape %a : !tile.buffer<[8, 4], f32, shared> to !tile.buffer<[32], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has place 0; shared buffers have one, from byte 0 on}}
    %a = tile.alloc "a" {shared_place = 0 : i64} : !tile.buffer<[4], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has place -4; shared buffers have one, from byte 0 on}}
    %a = tile.alloc "a" {shared_place = -4 : i64} : !tile.buffer<[4], f32, shared>
  }
}

// -----

tile.program @p {
  %I = tile.tensor "I"[] : !tile.buffer<[2, 9, 8, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{gives a matrix of 40 x 576 elements}}
    %p = tile.im2col %I kernel(3) stride(2) dilation(1) pad(1) : !tile.buffer<[2, 9, 8, 64], f16, global> to !tile.buffer<[40, 64], f16, global>
  }
}

// -----

tile.program @p {
  %I = tile.tensor "I"[] : !tile.buffer<[9, 8, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{takes an image of four constant extents}}
    %p = tile.im2col %I kernel(1) stride(1) dilation(1) pad(0) : !tile.buffer<[9, 8, 64], f16, global> to !tile.buffer<[72, 64], f16, global>
  }
}

// -----

tile.program @p {
  %I = tile.tensor "I"[] : !tile.buffer<[2, 9, 8, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has a kernel, a stride and a dilation of 1 and more, and a padding of 0 and more}}
    %p = tile.im2col %I kernel(3) stride(0) dilation(1) pad(1) : !tile.buffer<[2, 9, 8, 64], f16, global> to !tile.buffer<[40, 576], f16, global>
  }
}

// -----

tile.program @p {
  %I = tile.tensor "I"[] : !tile.buffer<[2, 9, 8, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{keeps element type and scope}}
    %p = tile.im2col %I kernel(3) stride(2) dilation(1) pad(1) : !tile.buffer<[2, 9, 8, 64], f16, global> to !tile.buffer<[40, 576], bf16, global>
  }
}
