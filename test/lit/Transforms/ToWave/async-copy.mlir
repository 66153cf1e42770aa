// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-expand-pipelines{target=sm_80},tile-place-shared{target=sm_80},tile-place-barriers),tile-to-wave{target=sm_80},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// Copies by cp.async: each lane its piece of 16 bytes, a group a round, two groups ahead (a slot
// more than asked for is free); the
// address in shared memory turns with the slot.

// CHECK-LABEL: wave.kernel @product(
// CHECK-COUNT-4: wave.cp_async {{.*}} bytes 16
// CHECK-NEXT:  wave.cp_async_commit
// CHECK-COUNT-4: wave.cp_async {{.*}} bytes 16
// CHECK-NEXT:  wave.cp_async_commit
// CHECK:       scf.for
// CHECK:         wave.cp_async_wait 1
// CHECK-NEXT:    wave.barrier
// CHECK-COUNT-4: wave.cp_async {{.*}} bytes 16
// CHECK-NEXT:    wave.cp_async_commit
// CHECK:         wave.ldmatrix
// CHECK:         wave.mma
// CHECK:       }
// CHECK:       wave.cp_async_wait 0
// CHECK-NEXT:  wave.barrier
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
