// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Operations on whole tiles.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{copies '!tile.buffer<[8, 4], f16, shared>' to '!tile.buffer<[4, 16], f16, shared>': the extents differ}}
    tile.copy %a to %b : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{a scalar of a buffer of 'f16' is 'f32', not 'i32'}}
    tile.fill %i, %a : i32, !tile.buffer<[8, 4], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{takes matrices}}
    tile.gemm %a, %b, %r : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %m = tile.dim "m"
  %D = tile.tensor "D"[%m] : !tile.buffer<[?, 4], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{takes matrices of static extents}}
    tile.gemm %D, %b, %c : !tile.buffer<[?, 4], f16, global>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{A has K = 8, B has K = 4}}
    tile.gemm %a, %b, %c {transpose_a} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{A has K = 4, B has K = 16}}
    tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{C is 4 x 16, A x B is 8 x 16}}
    tile.gemm %a, %b, %b : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[4, 16], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{A and B have one element type}}
    tile.gemm %a, %e, %c : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], bf16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{reduces dimension 2 of rank 2}}
    tile.reduce sum %c to %r dim 2 : !tile.buffer<[8, 16], f32, fragment>, !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{reduces dimension -1 of rank 2}}
    tile.reduce sum %c to %r dim -1 : !tile.buffer<[8, 16], f32, fragment>, !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{reduces dimension 0 of '!tile.buffer<[8, 16], f32, fragment>' into '!tile.buffer<[8], f32, fragment>'}}
    tile.reduce sum %c to %r dim 0 : !tile.buffer<[8, 16], f32, fragment>, !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{'tile.scan' op keeps the shape}}
    tile.scan sum %c to %r dim 0 : !tile.buffer<[8, 16], f32, fragment>, !tile.buffer<[8], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{scans dimension 2 of rank 2}}
    tile.scan sum %c to %c dim 2 : !tile.buffer<[8, 16], f32, fragment>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{scans dimension -1 of rank 2}}
    tile.scan sum %c to %c dim -1 : !tile.buffer<[8, 16], f32, fragment>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{copies from global to shared memory}}
    tile.async_copy %a to %a : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[8, 4], f16, shared>
  }
}

// -----

tile.program @p {
  %F = tile.tensor "F"[] : !tile.buffer<[8, 4], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{does not convert elements}}
    tile.async_copy %F to %a : !tile.buffer<[8, 4], f32, global>, !tile.buffer<[8, 4], f16, shared>
  }
}

// -----

tile.program @p {
  %F = tile.tensor "F"[] : !tile.buffer<[8], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[8], f32, fragment>
    %e = tile.alloc "e" : !tile.buffer<[4, 16], bf16, shared>
    // expected-error @+1 {{copies '!tile.buffer<[8], f16, global>' to '!tile.buffer<[8, 4], f16, shared>': the extents differ}}
    tile.async_copy %F to %a : !tile.buffer<[8], f16, global>, !tile.buffer<[8, 4], f16, shared>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` has an `order` that is none of its k's bits, 1, 2, 4, ...}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [8, 16, 4] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared] order = [1, 3]>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` does not multiply 8 x 16 x 4}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [8, 8, 4] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` does not multiply 8 x 16 x 4}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [8, 16, 2] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` counts at least one of everything}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [8, 16, 0] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` reads A from registers, where it is not}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [8, 16, 4] waves = [1, 1] reps = [1, 1] steps = 1 operands = [registers, shared]>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` reads 2 rows of A together, which do not lie so}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [4, 16, 4] waves = [1, 1] reps = [2, 1] steps = 1 operands = [shared, shared] rows_together = 2>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` packs operands that are not in shared memory}}
    tile.gemm %a, %b, %c {mma = #tile.mma<lanes shape = [8, 16, 2] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared] pack = 2>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` is of warp groups, the gemm is not}}
    tile.gemm %a, %b, %c {mma = #tile.mma<warp_group shape = [8, 16, 4] waves = [4, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` is not of warp groups, the gemm is}}
    tile.gemm %a, %b, %c {mma = #tile.mma<wave "m" shape = [8, 16, 4] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>, warp_group} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[8, 4], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[4, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[8, 16], f32, fragment>
    // expected-error @+1 {{`mma` has no whole warp groups along M}}
    tile.gemm %a, %b, %c {mma = #tile.mma<warp_group shape = [8, 16, 4] waves = [2, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>, warp_group} : !tile.buffer<[8, 4], f16, shared>, !tile.buffer<[4, 16], f16, shared>, !tile.buffer<[8, 16], f32, fragment>
  }
}

// -----

// expected-error @+1 {{a product is one of `wave`, `warp_group` or `lanes`}}
#mma = #tile.mma<block shape = [8, 16, 4] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, shared]>

// -----

// expected-error @+1 {{an operand is read from `shared` or `registers`}}
#mma = #tile.mma<lanes shape = [8, 16, 4] waves = [1, 1] reps = [1, 1] steps = 1 operands = [shared, memory]>
