// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// A loop that is a product and nothing else is a wave.pipeline: one iteration, each part with its name
// in a schedule; a read says which copies fill what it reads (bits).

// CHECK-LABEL: wave.kernel @product({{.*}} shared(32768)
// CHECK:       wave.pipeline count(%c8) slots(2)
// CHECK-COUNT-4: wave.load_to_shared {{.*}} bytes 16 {step = #wave.step<copy_{{[AB]}}, i = {{[01]}}, slot_bytes = 8192, advance = 128>}
// CHECK:       wave.shared_read {{.*}} {step = #wave.step<read_A, i = 0, slot_bytes = 8192, cover = 1>}
// CHECK:       wave.shared_read {{.*}} {step = #wave.step<read_A, i = 1, slot_bytes = 8192, cover = 2>}
// CHECK:       wave.mma {{.*}} {step = #wave.step<mma, i = 0>}
// CHECK-COUNT-7: wave.mma
// CHECK-NOT:   wave.mma
// CHECK-NOT:   wave.wait
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
