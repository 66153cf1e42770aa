// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-select-values))' | FileCheck %s
//
// Of a branch that stores one of two values, with reads of a tensor or of tiles, both are computed and one is
// selected. So where elements of a tensor choose for their neighbours, but not what they find by a number. What both
// sides read is read once. A side whose place may lie outside of its tile reads the first place where it is not chosen; of a tile that
// is not written as a whole before, nothing is read that the branch would not read.

// CHECK-LABEL: tile.kernel "scaled"
// CHECK:         tile.parallel
// CHECK-NOT:       scf.if
// CHECK:           tile.load %{{[0-9]+}}[
// CHECK:           %[[VALUE:.*]] = arith.select
// CHECK-NEXT:      tile.store %[[VALUE]], %b[
// CHECK-NOT:       tile.store
// CHECK-LABEL: tile.kernel "behind"
// CHECK:           %[[NEXT:.*]] = arith.addi
// CHECK:           %[[INSIDE:.*]] = arith.cmpi
// CHECK-NOT:       scf.if
// CHECK:           %[[PLACE:.*]] = arith.select %[[INSIDE]], %[[NEXT]], %c0
// CHECK:           tile.load %a[%[[PLACE]]]
// CHECK:           arith.select %[[INSIDE]],
// CHECK-LABEL: tile.kernel "unwritten"
// CHECK:           scf.if
// CHECK-LABEL: tile.kernel "tiles"
// CHECK:           scf.if
// CHECK-LABEL: tile.kernel "mask"
// CHECK-NOT:       scf.if
// CHECK-COUNT-3:   tile.load
// CHECK-NOT:       tile.load
// CHECK:           arith.select
// CHECK-LABEL: tile.kernel "found"
// CHECK:           scf.if
// CHECK-LABEL: tile.kernel "some"
// CHECK:           tile.copy
// CHECK:           tile.parallel
// CHECK:             %[[OLD:.*]] = tile.load %a[
// CHECK-NOT:         scf.if
// CHECK:             %[[NEW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[OLD]]
// CHECK:             tile.store %[[NEW]], %a[
// CHECK:           tile.parallel
// CHECK:             scf.if
tile.program @branches {
  %S = tile.tensor "S"[] : !tile.buffer<[64], f32, global>
  %M = tile.tensor "M"[] : !tile.buffer<[64], f32, global>
  %N = tile.tensor "N"[] : !tile.buffer<[64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64], f32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %half = arith.constant 0.5 : f32
  tile.kernel "scaled" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64], f32, shared>
    %b = tile.alloc "b" : !tile.buffer<[64], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      tile.parallel (%i) in (%c64) {
        %value = tile.load %a[%i] : !tile.buffer<[64], f32, shared> -> f32
        %less = arith.cmpf olt, %value, %half : f32
        scf.if %less {
          %scale = tile.load %S[%i] : !tile.buffer<[64], f32, global> -> f32
          %product = arith.mulf %value, %scale : f32
          tile.store %product, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        } else {
          %sum = arith.addf %value, %value : f32
          tile.store %sum, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        }
      }
    }
  }
  tile.kernel "behind" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64], f32, shared>
    %b = tile.alloc "b" : !tile.buffer<[64], f32, shared>
    tile.fill %half, %a : f32, !tile.buffer<[64], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      tile.parallel (%i) in (%c64) {
        %next = arith.addi %i, %c1 : index
        %inside = arith.cmpi slt, %next, %c64 : index
        scf.if %inside {
          %value = tile.load %a[%next] : !tile.buffer<[64], f32, shared> -> f32
          tile.store %value, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        } else {
          %value = tile.load %S[%i] : !tile.buffer<[64], f32, global> -> f32
          tile.store %value, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        }
      }
    }
  }
  tile.kernel "unwritten" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64], f32, shared>
    %b = tile.alloc "b" : !tile.buffer<[64], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      tile.parallel (%i) in (%c64) {
        %next = arith.addi %i, %c1 : index
        %inside = arith.cmpi slt, %next, %c64 : index
        scf.if %inside {
          %value = tile.load %a[%next] : !tile.buffer<[64], f32, shared> -> f32
          tile.store %value, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        } else {
          %value = tile.load %S[%i] : !tile.buffer<[64], f32, global> -> f32
          tile.store %value, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        }
      }
    }
  }
  tile.kernel "tiles" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64], f32, shared>
    %b = tile.alloc "b" : !tile.buffer<[64], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      tile.parallel (%i) in (%c64) {
        %value = tile.load %a[%i] : !tile.buffer<[64], f32, shared> -> f32
        %less = arith.cmpf olt, %value, %half : f32
        scf.if %less {
          tile.store %value, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        } else {
          %sum = arith.addf %value, %value : f32
          tile.store %sum, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        }
      }
    }
  }
  tile.kernel "mask" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    tile.parallel (%i) in (%c64) {
      %mask = tile.load %M[%i] : !tile.buffer<[64], f32, global> -> f32
      %less = arith.cmpf olt, %mask, %half : f32
      %value = scf.if %less -> (f32) {
        %x = tile.load %S[%i] : !tile.buffer<[64], f32, global> -> f32
        %y = tile.load %N[%i] : !tile.buffer<[64], f32, global> -> f32
        %sum = arith.addf %x, %y : f32
        scf.yield %sum : f32
      } else {
        %x = tile.load %S[%i] : !tile.buffer<[64], f32, global> -> f32
        scf.yield %x : f32
      }
      tile.store %value, %R[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
  tile.kernel "found" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    tile.parallel (%i) in (%c64) {
      %mask = tile.load %M[%i] : !tile.buffer<[64], f32, global> -> f32
      %less = arith.cmpf olt, %mask, %half : f32
      %value = scf.if %less -> (f32) {
        %number = arith.fptoui %mask : f32 to i32
        %at = arith.index_cast %number : i32 to index
        %x = tile.load %S[%at] : !tile.buffer<[64], f32, global> -> f32
        %sum = arith.addf %x, %x : f32
        scf.yield %sum : f32
      } else {
        scf.yield %half : f32
      }
      tile.store %value, %R[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
  tile.kernel "some" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64], f32, shared>
    %b = tile.alloc "b" : !tile.buffer<[64], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      tile.copy %S to %a : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, shared>
      tile.parallel (%i) in (%c64) {
        %less = arith.cmpi slt, %i, %c8 : index
        scf.if %less {
          tile.store %half, %a[%i] : f32, !tile.buffer<[64], f32, shared>
        }
      }
      tile.parallel (%i) in (%c64) {
        %less = arith.cmpi slt, %i, %c8 : index
        scf.if %less {
          tile.store %half, %b[%i] : f32, !tile.buffer<[64], f32, shared>
        }
      }
    }
  }
}
