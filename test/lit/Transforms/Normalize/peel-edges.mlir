// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-peel-edges{target=gfx942}))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-peel-edges{target=sm_90a}))' | FileCheck %s --check-prefix=OTHER

// Of a K that is no multiple of the tile the whole rounds are a loop, and the last one stands behind it, with tiles of its own.
// CHECK-LABEL: tile.program @ragged
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %[[WHOLE:c8[_0-9]*]] step
// CHECK: tile.gemm %A, %B
// CHECK: tile.alloc
// CHECK: tile.alloc
// CHECK-NOT: tile.for
// CHECK: tile.subview %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK: tile.gemm
// OTHER-LABEL: tile.program @ragged
// OTHER: tile.for %{{.*}} = %c0{{.*}} to %c9
// OTHER-COUNT-1: tile.gemm
// OTHER-NOT: tile.gemm
// OTHER-LABEL: tile.program @open
tile.program @ragged {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 264], f16, global>
  %y = tile.tensor "y"[] : !tile.buffer<[64, 264], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "ragged" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    tile.for %k = %c0 to %c9 step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %k, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 264], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      %b = tile.subview %y[%c0, %at] : !tile.buffer<[64, 264], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %b to %B : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// A K that only the run knows: a branch asks whether a round is left.
// CHECK-LABEL: tile.program @open
// CHECK: %[[K:.*]] = tile.dim "k"
// CHECK: %[[WHOLE:.*]] = arith.divui %[[K]], %c32
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %[[WHOLE]] step %{{.*}} kind(pipelined) stages(3)
// CHECK: arith.cmpi slt, %[[WHOLE]]
// CHECK: scf.if
// CHECK: tile.gemm
// CHECK-LABEL: tile.program @used
tile.program @open {
  %k = tile.dim "k"
  %n = tile.dim "n"
  %x = tile.tensor "x"[%k] : !tile.buffer<[64, ?], f16, global>
  %y = tile.tensor "y"[%k, %n] : !tile.buffer<[?, ?], f16, global>
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %more = arith.addi %n, %c63 : index
  %blocks = arith.divui %more, %c64 : index
  tile.kernel "open" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[32, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %up = arith.addi %k, %c31 : index
    %rounds = arith.divui %up, %c32 : index
    tile.for %i = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %i, %c32 : index
      %column = arith.muli %bx, %c64 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, ?], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      %b = tile.subview %y[%at, %column] : !tile.buffer<[?, ?], f16, global> to !tile.buffer<[32, 64], f16, global>
      tile.copy %b to %B : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, shared>
      tile.gemm %A, %B, %C : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// A tile that is read behind the loop stays the loop's.
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %c9
// CHECK-COUNT-1: tile.gemm
// CHECK-NOT: tile.gemm
tile.program @used {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 264], f16, global>
  %z = tile.tensor "z"[] : !tile.buffer<[64, 32], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "used" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    tile.for %k = %c0 to %c9 step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %k, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 264], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %A, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
    tile.copy %A to %z : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, global>
  }
}

// Of a number of rounds that a tensor has, those within K are the loop, and those beyond one that copies nothing ahead.
// CHECK-LABEL: tile.program @counted
// CHECK: %[[ROUNDS:.*]] = arith.index_cast
// CHECK: %[[WHOLE:.*]] = arith.minsi %[[ROUNDS]], %c11
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %[[WHOLE]] step %{{.*}} kind(pipelined) stages(3)
// CHECK: tile.gemm %A, %A
// CHECK: %[[OWN:.*]] = tile.alloc "A"
// CHECK: tile.for %{{.*}} = %c11{{.*}} to %[[ROUNDS]] step %{{[^ ]*}} {
// CHECK: tile.gemm %[[OWN]], %[[OWN]]
tile.program @counted {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 352], f16, global>
  %n = tile.tensor "n"[] : !tile.buffer<[4], i32, global>
  %one = arith.constant 1 : index
  tile.kernel "counted" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %count = tile.load %n[%bx] : !tile.buffer<[4], i32, global> -> i32
    %rounds = arith.index_cast %count : i32 to index
    tile.for %k = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %k, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 352], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %A, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// Of a K and a number of rounds that only the run knows, those within K are a loop, and those from there on another one.
// CHECK-LABEL: tile.program @both
// CHECK: %[[K:.*]] = tile.dim "k"
// CHECK: %[[ROUNDS:.*]] = arith.index_cast
// CHECK: %[[IN:.*]] = arith.divui %[[K]], %c32
// CHECK: %[[WHOLE:.*]] = arith.minsi %[[ROUNDS]], %[[IN]]
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %[[WHOLE]] step %{{.*}} kind(pipelined) stages(3)
// CHECK: tile.for %{{.*}} = %[[IN]] to %[[ROUNDS]] step %{{[^ ]*}} {
tile.program @both {
  %k = tile.dim "k"
  %x = tile.tensor "x"[%k] : !tile.buffer<[64, ?], f16, global>
  %n = tile.tensor "n"[] : !tile.buffer<[4], i32, global>
  %one = arith.constant 1 : index
  tile.kernel "both" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %count = tile.load %n[%bx] : !tile.buffer<[4], i32, global> -> i32
    %rounds = arith.index_cast %count : i32 to index
    tile.for %i = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %i, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, ?], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %A, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// Four whole rounds are a loop where a block has a unit to itself, and two of rows that are no whole accesses.
// CHECK-LABEL: tile.program @alone
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %c4
// CHECK: tile.gemm
// CHECK: tile.gemm
tile.program @alone {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 136], f16, global>
  %y = tile.tensor "y"[] : !tile.buffer<[64, 136], f16, global>
  %blocks = arith.constant 1 : index
  tile.kernel "alone" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 5 : index
    tile.for %i = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %i, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 136], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      %b = tile.subview %y[%c0, %at] : !tile.buffer<[64, 136], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %b to %B : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// CHECK-LABEL: tile.program @uneven
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %c2
// CHECK: tile.gemm
// CHECK: tile.gemm
tile.program @uneven {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 68], f16, global>
  %y = tile.tensor "y"[] : !tile.buffer<[64, 68], f16, global>
  %blocks = arith.constant 1 : index
  tile.kernel "uneven" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    tile.for %i = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %i, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 68], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      %b = tile.subview %y[%c0, %at] : !tile.buffer<[64, 68], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %b to %B : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// Other blocks hide what a round behind the loop waits for.
// CHECK-LABEL: tile.program @crowd
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %c5
// CHECK: tile.gemm
// CHECK-NOT: tile.gemm
tile.program @crowd {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 136], f16, global>
  %y = tile.tensor "y"[] : !tile.buffer<[64, 136], f16, global>
  %blocks = arith.constant 4096 : index
  tile.kernel "crowd" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 5 : index
    tile.for %i = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %i, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 136], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      %b = tile.subview %y[%c0, %at] : !tile.buffer<[64, 136], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %b to %B : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}

// Rows that are no whole words no copy brings: whole rounds are read without masks.
// CHECK-LABEL: tile.program @halves
// CHECK: tile.for %{{.*}} = %c0{{.*}} to %c2
// CHECK: tile.gemm
// CHECK: tile.gemm
tile.program @halves {
  %x = tile.tensor "x"[] : !tile.buffer<[64, 71], f16, global>
  %y = tile.tensor "y"[] : !tile.buffer<[64, 71], f16, global>
  %blocks = arith.constant 4096 : index
  tile.kernel "halves" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    tile.for %i = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %c32 = arith.constant 32 : index
      %at = arith.muli %i, %c32 : index
      %a = tile.subview %x[%c0, %at] : !tile.buffer<[64, 71], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %a to %A : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      %b = tile.subview %y[%c0, %at] : !tile.buffer<[64, 71], f16, global> to !tile.buffer<[64, 32], f16, global>
      tile.copy %b to %B : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
