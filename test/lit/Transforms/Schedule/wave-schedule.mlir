// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse,wave.kernel(wave-schedule{target=gfx950}))' | FileCheck %s
//
// The loop of a product in the order of its plan: copies of a later tile inside the round, waits that
// leave them in flight, a barrier, the kernel keeps its order. What is planned is on the kernel.

// CHECK-LABEL: wave.kernel @product({{.*}} attributes {keep_order, {{.*}}schedules = ["schedule interleave
// CHECK-NOT:   wave.pipeline
// CHECK-COUNT-4: wave.load_to_shared
// CHECK:       scf.for
// CHECK:         wave.load_to_shared
// CHECK:         wave.mma
// CHECK:         wave.wait memory(
// CHECK:         wave.barrier
// CHECK:       }
tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 512], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 512], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "product" grid(%one) threads(256) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], f16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    tile.for %k = %c0 to %c8 step %one kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %A[%c0, %at] : !tile.buffer<[64, 512], f16, global> to !tile.buffer<[64, 64], f16, global>
      %b = tile.subview %B[%c0, %at] : !tile.buffer<[64, 512], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %a to %As : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.copy %b to %Bs : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %As, %Bs, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
