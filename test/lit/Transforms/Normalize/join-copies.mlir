// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-join-copies))' | FileCheck %s
//
// Two branches that copy boxes of the same tensors to the same tiles are one row of copies whose offsets
// the condition chooses, not those that are equal; branches of different extents, and of a lockstep
// kernel, stay. In a pipelined loop a tile that is cleared otherwise is brought from behind the tensor.

// CHECK-LABEL: tile.kernel "joined"
// CHECK:         %[[C:.*]] = arith.cmpi eq
// CHECK-NOT:     scf.if
// CHECK:         %[[ROW:.*]] = arith.select %[[C]], %bx, %c64
// CHECK-NEXT:    tile.subview %{{.*}}[%[[ROW]], %c0] :
// CHECK-NEXT:    tile.copy
// CHECK-NOT:     scf.if
tile.program @joined {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %c4 = arith.constant 4 : index
  tile.kernel "joined" grid(%c4) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %is = arith.cmpi eq, %bx, %c0 : index
    scf.if %is {
      %v = tile.subview %A[%bx, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    } else {
      %zero = arith.constant 0 : index
      %v = tile.subview %A[%c64, %zero] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    }
    tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// CHECK-LABEL: tile.kernel "other_box"
// CHECK:         scf.if
tile.program @other_box {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[128, 32], f16, global>
  %c4 = arith.constant 4 : index
  tile.kernel "other_box" grid(%c4) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %bx, %c0 : index
    scf.if %is {
      %v = tile.subview %A[%bx, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    } else {
      %v = tile.subview %B[%bx, %c0] : !tile.buffer<[128, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    }
    tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// CHECK-LABEL: tile.kernel "by_threads"
// CHECK:         scf.if
tile.program @by_threads {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %c4 = arith.constant 4 : index
  tile.kernel "by_threads" grid(%c4) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %is = arith.cmpi eq, %bx, %c0 : index
    scf.if %is {
      %v = tile.subview %A[%bx, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    } else {
      %v = tile.subview %A[%c64, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    }
    tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// CHECK-LABEL: tile.kernel "cleared"
// CHECK:         tile.for
// CHECK-NOT:       scf.if
// CHECK:           %[[END:.*]] = arith.constant 256 : index
// CHECK:           %[[ROW:.*]] = arith.select %{{.*}}, %[[END]], %{{.*}}
// CHECK-NEXT:      %[[BOX:.*]] = tile.subview %{{.*}}[%[[ROW]], %c0] :
// CHECK:           tile.copy %[[BOX]] to %s
// CHECK-NOT:       tile.fill
// CHECK:           tile.gemm
tile.program @cleared {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "cleared" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %is = arith.cmpi eq, %k, %c1 : index
      scf.if %is {
        %zero = arith.constant 0.0 : f32
        tile.fill %zero, %s : f32, !tile.buffer<[32, 32], f16, shared>
      } else {
        %v = tile.subview %A[%k, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[32, 32], f16, global>
        tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      }
      tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
}
