// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-unroll-locals))' | FileCheck %s
//
// A loop whose number picks an element of a thread's array is its rounds; another one stays.
// CHECK-COUNT-4: tile.store %{{[a-z0-9_]+}}, %own[
// CHECK:      tile.for
// CHECK-NOT:  %own[
// CHECK:      tile.store {{.*}}, %s[
tile.program @threads {
  %c1 = arith.constant 1 : index
  tile.kernel "threads" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %tx = tile.thread_id
    %own = tile.alloc "own" : !tile.buffer<[4], f32, local>
    %s = tile.alloc "s" : !tile.buffer<[64, 4], f32, shared>
    tile.for %i = %c0 to %c4 step %c1 {
      tile.store %zero, %own[%i] : f32, !tile.buffer<[4], f32, local>
    }
    tile.for %i = %c0 to %c4 step %c1 {
      tile.store %zero, %s[%tx, %i] : f32, !tile.buffer<[64, 4], f32, shared>
    }
  }
}

// An outer loop that only says how many rounds such a loop has is its rounds, too: 3 + 2 + 1 + 0 of them.
// CHECK-LABEL: tile.kernel "triangle"
// CHECK-NOT:   tile.for
// CHECK-COUNT-6: tile.store %{{[a-z0-9_]+}}, %own[
// CHECK-NOT:   {{tile.for|tile.store}}
tile.program @triangle {
  %c1 = arith.constant 1 : index
  tile.kernel "triangle" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %own = tile.alloc "own" : !tile.buffer<[4], f32, local>
    tile.for %i = %c0 to %c4 step %c1 {
      %rounds = arith.subi %c3, %i : index
      tile.for %j = %c0 to %rounds step %c1 {
        tile.store %zero, %own[%j] : f32, !tile.buffer<[4], f32, local>
      }
    }
  }
}

// A place that two loops' numbers make is one where both are written out. That is too much here, and so neither is: of
// the inner one alone each round would ask for all places.
// CHECK-LABEL:   tile.kernel "both"
// CHECK:         tile.for
// CHECK:           tile.for
// CHECK-COUNT-1:     tile.store %{{[a-z0-9_]+}}, %own[
// CHECK-NOT:     tile.store
// CHECK-LABEL:   tile.kernel "folded"
// CHECK-NOT:     tile.for
// CHECK-COUNT-8: tile.store %{{[a-z0-9_]+}}, %own[%c{{[0-9_]+}}]
// CHECK-NOT:     {{tile.for|tile.store}}
tile.program @both {
  %c1 = arith.constant 1 : index
  tile.kernel "both" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c65 = arith.constant 65 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %own = tile.alloc "own" : !tile.buffer<[1024], f32, local>
    tile.for %i = %c0 to %c65 step %c1 {
      tile.for %j = %c0 to %c256 step %c1 {
        %at = arith.addi %i, %j : index
        tile.store %zero, %own[%at] : f32, !tile.buffer<[1024], f32, local>
      }
    }
  }
  tile.kernel "folded" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %own = tile.alloc "own" : !tile.buffer<[8], f32, local>
    tile.for %i = %c0 to %c2 step %c1 {
      tile.for %j = %c0 to %c4 step %c1 {
        %far = arith.muli %i, %c4 : index
        %at = arith.addi %far, %j : index
        tile.store %zero, %own[%at] : f32, !tile.buffer<[8], f32, local>
      }
    }
  }
}
