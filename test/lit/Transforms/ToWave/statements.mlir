// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-expand-threads,tile-separate-threads,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// Loops and branches of the block are the wave's; what changes in them is in registers. Extents of a
// launch are parameters: offsets have 64 bits, and bounds are checked.

// CHECK-LABEL: wave.kernel @statements(["A", "n"]) access ["rw", ""]
// CHECK:       [[N:%[0-9]+]] = arith.index_cast %n
// CHECK:       [[F:%[0-9]+]] = wave.alloc_regs "F" : !wave.regs<1 x f32>
// CHECK:       wave.set {{.*}}, [[F]][0]
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:           [[INSIDE:%[0-9]+]] = arith.cmpi slt, {{%[0-9]+}}, [[N]]
// CHECK:           [[X:%[0-9]+]] = wave.global_read %A[{{%[0-9]+}}] mask([[INSIDE]]) align 4 {may_be_empty} : i64 -> f32
// CHECK:           wave.set [[X]], [[F]][0]
// CHECK:       wave.global_write {{.*}} mask({{%[0-9]+}}) align 4 : f32, i64
tile.program @statements {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[?], f32, global>
  %c64 = arith.constant 64 : index
  %blocks = arith.ceildivsi %n, %c64 : index
  tile.kernel "statements" grid(%blocks) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %F = tile.alloc "F" : !tile.buffer<[64], f32, fragment>
    %start = arith.muli %bx, %c64 : index
    tile.parallel (%i) in (%c64) {
      tile.store %zero, %F[%i] : f32, !tile.buffer<[64], f32, fragment>
    }
    tile.for %k = %c0 to %c4 step %one {
      %isLast = arith.cmpi eq, %k, %one : index
      scf.if %isLast {
        tile.parallel (%i) in (%c64) {
          %at = arith.addi %start, %i : index
          %x = tile.load %A[%at] : !tile.buffer<[?], f32, global> -> f32
          tile.store %x, %F[%i] : f32, !tile.buffer<[64], f32, fragment>
        }
      }
    }
    tile.parallel (%i) in (%c64) {
      %at = arith.addi %start, %i : index
      %x = tile.load %F[%i] : !tile.buffer<[64], f32, fragment> -> f32
      tile.store %x, %A[%at] : f32, !tile.buffer<[?], f32, global>
    }
  }
}
