// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950}))' 2>&1 | FileCheck %s
//
// Two slots for K and for V leave room for two blocks of 2048, one slot each for more. K is read
// first: it is copied for the next round while V is read, V in front of what reads K. With exactly
// two stages both have two slots.

// CHECK: remark: pipelined with one slot instead of 2: a tile is copied while another is read, and a compute unit has {{[3-9]}} blocks so, 2 with two slots
// CHECK-LABEL: tile.kernel "turns"
// CHECK:      tile.alloc "K_shared" {{.*}}!tile.buffer<[1, 64, 128], f16, shared>
// CHECK:      tile.alloc "V_shared" {{.*}}!tile.buffer<[1, 64, 128], f16, shared>
// CHECK:      tile.async_copy
// CHECK:      tile.async_wait 0
// CHECK-NEXT: tile.barrier
// CHECK:      tile.async_copy
// CHECK:      tile.for
// CHECK-NOT:    tile.async_copy
// CHECK:        tile.gemm
// CHECK:        tile.async_wait 0
// CHECK-NEXT:   tile.barrier
// CHECK:        tile.async_copy
// CHECK-NEXT:   tile.async_commit
// CHECK:        tile.gemm
// CHECK-NEXT:   tile.async_wait 0
// CHECK-NEXT:   tile.barrier
// CHECK:        tile.async_copy
// CHECK-NEXT:   tile.async_commit
// CHECK-NEXT: }
// CHECK-LABEL: tile.kernel "exactly"
// CHECK:      tile.alloc "K_shared" {{.*}}!tile.buffer<[2, 64, 128], f16, shared>
tile.program @attention {
  %K = tile.tensor "K"[] : !tile.buffer<[4096, 128], f16, global>
  %V = tile.tensor "V"[] : !tile.buffer<[4096, 128], f16, global>
  %one = arith.constant 1 : index
  %blocks = arith.constant 2048 : index
  tile.kernel "turns" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %Ks = tile.alloc "K_shared" : !tile.buffer<[64, 128], f16, shared>
    %Vs = tile.alloc "V_shared" : !tile.buffer<[64, 128], f16, shared>
    %Q = tile.alloc "Q" : !tile.buffer<[64, 128], f16, fragment>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, fragment>
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, fragment>
    %O = tile.alloc "O" : !tile.buffer<[64, 128], f32, fragment>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    tile.for %k = %c0 to %c64 step %one kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %K[%at, %c0] : !tile.buffer<[4096, 128], f16, global> to !tile.buffer<[64, 128], f16, global>
      %b = tile.subview %V[%at, %c0] : !tile.buffer<[4096, 128], f16, global> to !tile.buffer<[64, 128], f16, global>
      tile.copy %a to %Ks : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.copy %b to %Vs : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.gemm %Q, %Ks, %S {transpose_b} : !tile.buffer<[64, 128], f16, fragment>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.copy %S to %P : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f16, fragment>
      tile.gemm %P, %Vs, %O : !tile.buffer<[64, 64], f16, fragment>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 128], f32, fragment>
    }
  }
  tile.kernel "exactly" grid(%blocks) threads(128) {
  ^bb0(%bx: index):
    %Ks = tile.alloc "K_shared" : !tile.buffer<[64, 128], f16, shared>
    %Vs = tile.alloc "V_shared" : !tile.buffer<[64, 128], f16, shared>
    %Q = tile.alloc "Q" : !tile.buffer<[64, 128], f16, fragment>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, fragment>
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, fragment>
    %O = tile.alloc "O" : !tile.buffer<[64, 128], f32, fragment>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    tile.for %k = %c0 to %c64 step %one kind(pipelined) stages(2) attributes {exact} {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %K[%at, %c0] : !tile.buffer<[4096, 128], f16, global> to !tile.buffer<[64, 128], f16, global>
      %b = tile.subview %V[%at, %c0] : !tile.buffer<[4096, 128], f16, global> to !tile.buffer<[64, 128], f16, global>
      tile.copy %a to %Ks : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.copy %b to %Vs : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.gemm %Q, %Ks, %S {transpose_b} : !tile.buffer<[64, 128], f16, fragment>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.copy %S to %P : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f16, fragment>
      tile.gemm %P, %Vs, %O : !tile.buffer<[64, 64], f16, fragment>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 128], f32, fragment>
    }
  }
}
