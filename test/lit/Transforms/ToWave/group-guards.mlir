// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// A branch that compares a row's elements with a number: a lane whose elements agree takes it once, others for each
// element. Not one that asks memory.

// CHECK-LABEL: wave.kernel @cut
// CHECK:         scf.if
// CHECK-COUNT-8:   wave.global_write %{{.*}}, %B[%{{.*}}] align 2 : f16
// CHECK:         } else {
// CHECK-NOT:       align 2
// CHECK:           wave.global_read %A{{.*}} -> vector<8xf16>
// CHECK:           wave.global_write {{.*}}, %B{{.*}} : vector<8xf16>
// CHECK-NOT:     wave.global
// CHECK-LABEL: wave.kernel @asked
// CHECK-NOT:     wave.global_write {{.*}} : vector
tile.program @cut {
  %n = tile.scalar "n" i32 : i32
  %A = tile.tensor "A"[] : !tile.buffer<[4096], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[4096], f16, global>
  %c2 = arith.constant 2 : index
  tile.kernel "cut" grid(%c2) threads(256) {
  ^bb0(%bx: index):
    %c2048 = arith.constant 2048 : index
    %two = arith.constant 2.0 : f32
    %first = arith.muli %bx, %c2048 : index
    tile.parallel (%i) in (%c2048) {
      %at = arith.addi %first, %i : index
      %number = arith.index_cast %at : index to i32
      %inside = arith.cmpi slt, %number, %n : i32
      scf.if %inside {
        %x = tile.load %A[%at] : !tile.buffer<[4096], f16, global> -> f32
        %y = arith.mulf %x, %two : f32
        tile.store %y, %B[%at] : f32, !tile.buffer<[4096], f16, global>
      }
    }
  }
}

tile.program @asked {
  %I = tile.tensor "I"[] : !tile.buffer<[4096], i32, global>
  %A = tile.tensor "A"[] : !tile.buffer<[4096], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[4096], f16, global>
  %c2 = arith.constant 2 : index
  tile.kernel "asked" grid(%c2) threads(256) {
  ^bb0(%bx: index):
    %c2048 = arith.constant 2048 : index
    %zero = arith.constant 0 : i32
    %two = arith.constant 2.0 : f32
    %first = arith.muli %bx, %c2048 : index
    tile.parallel (%i) in (%c2048) {
      %at = arith.addi %first, %i : index
      %number = tile.load %I[%at] : !tile.buffer<[4096], i32, global> -> i32
      %inside = arith.cmpi slt, %number, %zero : i32
      scf.if %inside {
        %x = tile.load %A[%at] : !tile.buffer<[4096], f16, global> -> f32
        %y = arith.mulf %x, %two : f32
        tile.store %y, %B[%at] : f32, !tile.buffer<[4096], f16, global>
      }
    }
  }
}
