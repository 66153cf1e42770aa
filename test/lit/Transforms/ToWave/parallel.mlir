// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-expand-threads,tile-separate-threads,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// A parallel over more than the tensor has: 100 of 128 columns. A lane takes four neighbours at once,
// half a wave a row; one mask serves the four, since four divide 100. What is stored is inside. All
// is read before the first store (early-reads.mlir).

// CHECK-LABEL: wave.kernel @ragged(["A", "B"]) access ["r", "w"] threads(64) shared(0)
// CHECK-DAG:   [[LANE:%[0-9]+]] = wave.lane_id
// CHECK-DAG:   [[COL:%[0-9]+]] = arith.remui [[LANE]], %c32
// CHECK:       [[FIRST:%[0-9]+]] = arith.muli [[COL]], %c4
// CHECK:       [[INSIDE:%[0-9]+]] = arith.cmpi slt, [[FIRST]], %c100
// CHECK-COUNT-4: wave.global_read %A[{{%[0-9]+}}] mask([[INSIDE]]) align 16 : index -> vector<4xf32>
// CHECK-NOT:   wave.global_read
// CHECK-COUNT-2: arith.addf {{.*}} : vector<2xf32>
// CHECK:       wave.global_write {{%[0-9]+}}, %B[{{%[0-9]+}}] align 16 : vector<4xf32>, index
// CHECK-COUNT-3: wave.global_write
// CHECK-NOT:   wave.global_read
tile.program @ragged {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 100], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[8, 128], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "ragged" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    tile.parallel (%i, %j) in (%c8, %c128) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[8, 100], f32, global> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %B[%i, %j] : f32, !tile.buffer<[8, 128], f32, global>
    }
  }
}
