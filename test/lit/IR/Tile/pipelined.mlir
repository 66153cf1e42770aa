// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// What the pipeliner makes.

tile.program @pipelined {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 32], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[64, 32], f16, shared>
    // CHECK: tile.async_copy %{{.*}} to %s : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    tile.async_copy %A to %s : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    // CHECK-NEXT: tile.async_commit
    tile.async_commit
    // CHECK-NEXT: tile.async_wait 1
    tile.async_wait 1
    // CHECK-NEXT: tile.barrier
    tile.barrier
  }
}
