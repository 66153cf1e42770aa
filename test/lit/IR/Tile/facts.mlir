// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Facts, messages, threads.

tile.program @facts {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 32], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %t = arith.constant true
    %x = arith.constant 1.0 : f32
    // CHECK: tile.assume %{{.*}}
    tile.assume %t
    // CHECK: tile.assert %{{.*}}, "K is a multiple of 8"
    tile.assert %t, "K is a multiple of 8"
    // CHECK: tile.print %{{.*}}, "x" : f32
    tile.print %x, "x" : f32
    // CHECK: tile.print %{{.*}}, "A" : !tile.buffer<[64, 32], f16, global>
    tile.print %A, "A" : !tile.buffer<[64, 32], f16, global>
    // CHECK: tile.thread_id
    %id = tile.thread_id
    // CHECK: tile.sync_threads
    tile.sync_threads
  }
}
