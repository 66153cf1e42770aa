// RUN: tilec-opt %s --split-input-file --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-keep-results))' | FileCheck %s
//
// What a branch gives that all threads take stands in a local buffer where the last wave is not whole; one that differs
// between threads, and those of whole waves, go on to give values.

// CHECK-LABEL: tile.kernel "part"
// CHECK:         [[KEPT:%[a-z0-9_]+]] = tile.alloc "chosen" : !tile.buffer<[], f32, local>
// CHECK:         scf.if
// CHECK:           tile.store %{{.*}}, [[KEPT]][]
// CHECK:         } else {
// CHECK:           tile.store %{{.*}}, [[KEPT]][]
// CHECK:         tile.load [[KEPT]][]
// CHECK:         %{{.*}} = scf.if
// CHECK-LABEL: tile.kernel "whole"
// CHECK-NOT:     tile.alloc
// CHECK:         %{{.*}} = scf.if
tile.program @part {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "part" grid(%c1) threads(48) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %tx = tile.thread_id
    %all = arith.cmpi eq, %bx, %c0 : index
    %x = scf.if %all -> (f32) {
      scf.yield %one : f32
    } else {
      scf.yield %zero : f32
    }
    %some = arith.cmpi eq, %tx, %c0 : index
    %y = scf.if %some -> (f32) {
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    tile.store %y, %A[%tx] : f32, !tile.buffer<[64], f32, global>
  }
}

// -----

tile.program @whole {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "whole" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %tx = tile.thread_id
    %all = arith.cmpi eq, %bx, %c0 : index
    %x = scf.if %all -> (f32) {
      scf.yield %one : f32
    } else {
      scf.yield %zero : f32
    }
    tile.store %x, %A[%tx] : f32, !tile.buffer<[64], f32, global>
  }
}
