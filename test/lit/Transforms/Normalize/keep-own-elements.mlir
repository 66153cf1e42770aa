// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-keep-own-elements))' | FileCheck %s
//
// A tile of a serial loop that each round fills, changes at each iteration's own element and writes back is a fragment;
// one of which an iteration reads another one's element stays in shared memory. Where no copy can run ahead, a tile that
// is only brought or reduced is one, too.

// CHECK-LABEL: tile.kernel "own"
// CHECK:         tile.alloc "s" : !tile.buffer<[256], f32, fragment>
// CHECK-LABEL: tile.kernel "others"
// CHECK:         tile.alloc "s" : !tile.buffer<[256], f32, shared>
// CHECK-LABEL: tile.kernel "summed"
// CHECK-DAG:     tile.alloc "s" : !tile.buffer<[4, 64], f32, fragment>
// CHECK-DAG:     tile.alloc "p" : !tile.buffer<[4, 64], f32, fragment>
// CHECK:         tile.for
// CHECK-LABEL: tile.kernel "ahead"
// CHECK:         tile.alloc "s" : !tile.buffer<[4, 64], f32, shared>
tile.program @own {
  %A = tile.tensor "A"[] : !tile.buffer<[2048], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "own" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c256 : index
      %v = tile.subview %A[%at] : !tile.buffer<[2048], f32, global> to !tile.buffer<[256], f32, global>
      tile.copy %v to %s : !tile.buffer<[256], f32, global>, !tile.buffer<[256], f32, shared>
      tile.parallel (%i) in (%c256) {
        %x = tile.load %s[%i] : !tile.buffer<[256], f32, shared> -> f32
        %y = arith.addf %x, %x : f32
        tile.store %y, %s[%i] : f32, !tile.buffer<[256], f32, shared>
      }
      tile.copy %s to %v : !tile.buffer<[256], f32, shared>, !tile.buffer<[256], f32, global>
    }
  }
}

tile.program @others {
  %A = tile.tensor "A"[] : !tile.buffer<[2048], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "others" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c255 = arith.constant 255 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 {
      %start = arith.muli %k, %c256 : index
      %v = tile.subview %A[%start] : !tile.buffer<[2048], f32, global> to !tile.buffer<[256], f32, global>
      tile.copy %v to %s : !tile.buffer<[256], f32, global>, !tile.buffer<[256], f32, shared>
      tile.parallel (%i) in (%c256) {
        %m = arith.subi %c255, %i : index
        %x = tile.load %s[%m] : !tile.buffer<[256], f32, shared> -> f32
        %at = arith.addi %start, %i : index
        tile.store %x, %A[%at] : f32, !tile.buffer<[2048], f32, global>
      }
    }
  }
}

tile.program @summed {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 4, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "summed" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[4, 64], f32, shared>
    %p = tile.alloc "p" : !tile.buffer<[4, 64], f32, shared>
    %sum = tile.alloc "sum" : !tile.buffer<[4], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) {
      %v = tile.subview %A[%k, %c0, %c0] : !tile.buffer<[8, 4, 64], f32, global> to !tile.buffer<[1, 4, 64], f32, global>
      tile.copy %v to %s : !tile.buffer<[1, 4, 64], f32, global>, !tile.buffer<[4, 64], f32, shared>
      tile.parallel (%i, %j) in (%c4, %c64) {
        %x = tile.load %s[%i, %j] : !tile.buffer<[4, 64], f32, shared> -> f32
        %y = arith.mulf %x, %x : f32
        tile.store %y, %p[%i, %j] : f32, !tile.buffer<[4, 64], f32, shared>
      }
      tile.reduce sum %p to %sum dim 1 : !tile.buffer<[4, 64], f32, shared>, !tile.buffer<[4], f32, fragment>
    }
  }
}

tile.program @ahead {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 4, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "ahead" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[4, 64], f32, shared>
    %p = tile.alloc "p" : !tile.buffer<[4, 64], f32, shared>
    %sum = tile.alloc "sum" : !tile.buffer<[4], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %v = tile.subview %A[%k, %c0, %c0] : !tile.buffer<[8, 4, 64], f32, global> to !tile.buffer<[1, 4, 64], f32, global>
      tile.copy %v to %s : !tile.buffer<[1, 4, 64], f32, global>, !tile.buffer<[4, 64], f32, shared>
      tile.parallel (%i, %j) in (%c4, %c64) {
        %x = tile.load %s[%i, %j] : !tile.buffer<[4, 64], f32, shared> -> f32
        %y = arith.mulf %x, %x : f32
        tile.store %y, %p[%i, %j] : f32, !tile.buffer<[4, 64], f32, shared>
      }
      tile.reduce sum %p to %sum dim 1 : !tile.buffer<[4, 64], f32, shared>, !tile.buffer<[4], f32, fragment>
    }
  }
}

// Outside of loops: a tile that the kernel fills and reads element by element, brought, passed on or reduced. Not one that
// an iteration reads across, that nobody reads, of which a branch has a use, or of a kernel of products.
// CHECK-LABEL: tile.kernel "body"
// CHECK:         tile.alloc "in" : !tile.buffer<[4, 64], f32, fragment>
// CHECK:         tile.alloc "out" : !tile.buffer<[4, 64], f32, fragment>
// CHECK:         tile.alloc "across" : !tile.buffer<[64], f32, shared>
// CHECK:         tile.alloc "unread" : !tile.buffer<[4, 64], f32, shared>
// CHECK:         tile.alloc "guarded" : !tile.buffer<[4, 64], f32, shared>
// CHECK-LABEL: tile.kernel "product"
// CHECK:         tile.alloc "out" : !tile.buffer<[16, 16], f32, shared>
tile.program @body {
  %A = tile.tensor "A"[] : !tile.buffer<[4, 64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[4, 64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "body" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %in = tile.alloc "in" : !tile.buffer<[4, 64], f32, shared>
    %out = tile.alloc "out" : !tile.buffer<[4, 64], f32, shared>
    %across = tile.alloc "across" : !tile.buffer<[64], f32, shared>
    %unread = tile.alloc "unread" : !tile.buffer<[4, 64], f32, shared>
    %guarded = tile.alloc "guarded" : !tile.buffer<[4, 64], f32, shared>
    %f = tile.alloc "f" : !tile.buffer<[4, 64], f32, fragment>
    tile.copy %A to %in : !tile.buffer<[4, 64], f32, global>, !tile.buffer<[4, 64], f32, shared>
    tile.copy %R to %across : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, shared>
    tile.copy %A to %guarded : !tile.buffer<[4, 64], f32, global>, !tile.buffer<[4, 64], f32, shared>
    tile.parallel (%i, %j) in (%c4, %c64) {
      %x = tile.load %in[%i, %j] : !tile.buffer<[4, 64], f32, shared> -> f32
      %r = tile.load %across[%j] : !tile.buffer<[64], f32, shared> -> f32
      %y = arith.addf %x, %r : f32
      tile.store %y, %f[%i, %j] : f32, !tile.buffer<[4, 64], f32, fragment>
      tile.store %y, %unread[%i, %j] : f32, !tile.buffer<[4, 64], f32, shared>
    }
    %isFirst = arith.cmpi eq, %bx, %c4 : index
    scf.if %isFirst {
      tile.copy %guarded to %B : !tile.buffer<[4, 64], f32, shared>, !tile.buffer<[4, 64], f32, global>
    }
    tile.copy %f to %out : !tile.buffer<[4, 64], f32, fragment>, !tile.buffer<[4, 64], f32, shared>
    tile.copy %out to %B : !tile.buffer<[4, 64], f32, shared>, !tile.buffer<[4, 64], f32, global>
  }
}

tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 16], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[16, 16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "product" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[16, 16], f16, shared>
    %f = tile.alloc "f" : !tile.buffer<[16, 16], f32, fragment>
    %out = tile.alloc "out" : !tile.buffer<[16, 16], f32, shared>
    tile.copy %A to %a : !tile.buffer<[16, 16], f16, global>, !tile.buffer<[16, 16], f16, shared>
    tile.gemm %a, %a, %f {transpose_b} : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
    tile.copy %f to %out : !tile.buffer<[16, 16], f32, fragment>, !tile.buffer<[16, 16], f32, shared>
    tile.copy %out to %C : !tile.buffer<[16, 16], f32, shared>, !tile.buffer<[16, 16], f32, global>
  }
}
