// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Element types, scopes and layouts.

tile.program @types {
  // CHECK: tile.tensor "none"[] : !tile.buffer<[0, 5], f32, global>
  %none = tile.tensor "none"[] : !tile.buffer<[0, 5], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    // CHECK: tile.alloc "i1" : !tile.buffer<[3, 5], i1, shared>
    %i1 = tile.alloc "i1" : !tile.buffer<[3, 5], i1, shared>
    // CHECK: tile.alloc "i4" : !tile.buffer<[3, 5], i4, shared>
    %i4 = tile.alloc "i4" : !tile.buffer<[3, 5], i4, shared>
    // CHECK: tile.alloc "i8" : !tile.buffer<[3, 5], i8, shared>
    %i8 = tile.alloc "i8" : !tile.buffer<[3, 5], i8, shared>
    // CHECK: tile.alloc "i16" : !tile.buffer<[3, 5], i16, shared>
    %i16 = tile.alloc "i16" : !tile.buffer<[3, 5], i16, shared>
    // CHECK: tile.alloc "i32" : !tile.buffer<[3, 5], i32, shared>
    %i32 = tile.alloc "i32" : !tile.buffer<[3, 5], i32, shared>
    // CHECK: tile.alloc "i64" : !tile.buffer<[3, 5], i64, shared>
    %i64 = tile.alloc "i64" : !tile.buffer<[3, 5], i64, shared>
    // CHECK: tile.alloc "ui4" : !tile.buffer<[3, 5], ui4, shared>
    %ui4 = tile.alloc "ui4" : !tile.buffer<[3, 5], ui4, shared>
    // CHECK: tile.alloc "ui8" : !tile.buffer<[3, 5], ui8, shared>
    %ui8 = tile.alloc "ui8" : !tile.buffer<[3, 5], ui8, shared>
    // CHECK: tile.alloc "ui16" : !tile.buffer<[3, 5], ui16, shared>
    %ui16 = tile.alloc "ui16" : !tile.buffer<[3, 5], ui16, shared>
    // CHECK: tile.alloc "ui32" : !tile.buffer<[3, 5], ui32, shared>
    %ui32 = tile.alloc "ui32" : !tile.buffer<[3, 5], ui32, shared>
    // CHECK: tile.alloc "ui64" : !tile.buffer<[3, 5], ui64, shared>
    %ui64 = tile.alloc "ui64" : !tile.buffer<[3, 5], ui64, shared>
    // CHECK: tile.alloc "f16" : !tile.buffer<[3, 5], f16, shared>
    %f16 = tile.alloc "f16" : !tile.buffer<[3, 5], f16, shared>
    // CHECK: tile.alloc "bf16" : !tile.buffer<[3, 5], bf16, shared>
    %bf16 = tile.alloc "bf16" : !tile.buffer<[3, 5], bf16, shared>
    // CHECK: tile.alloc "f32" : !tile.buffer<[3, 5], f32, shared>
    %f32 = tile.alloc "f32" : !tile.buffer<[3, 5], f32, shared>
    // CHECK: tile.alloc "f64" : !tile.buffer<[3, 5], f64, shared>
    %f64 = tile.alloc "f64" : !tile.buffer<[3, 5], f64, shared>
    // CHECK: tile.alloc "f8E4M3FN" : !tile.buffer<[3, 5], f8E4M3FN, shared>
    %f8E4M3FN = tile.alloc "f8E4M3FN" : !tile.buffer<[3, 5], f8E4M3FN, shared>
    // CHECK: tile.alloc "f8E5M2" : !tile.buffer<[3, 5], f8E5M2, shared>
    %f8E5M2 = tile.alloc "f8E5M2" : !tile.buffer<[3, 5], f8E5M2, shared>
    // CHECK: tile.alloc "f8E4M3FNUZ" : !tile.buffer<[3, 5], f8E4M3FNUZ, shared>
    %f8E4M3FNUZ = tile.alloc "f8E4M3FNUZ" : !tile.buffer<[3, 5], f8E4M3FNUZ, shared>
    // CHECK: tile.alloc "f8E5M2FNUZ" : !tile.buffer<[3, 5], f8E5M2FNUZ, shared>
    %f8E5M2FNUZ = tile.alloc "f8E5M2FNUZ" : !tile.buffer<[3, 5], f8E5M2FNUZ, shared>
    // CHECK: tile.alloc "f8E8M0FNU" : !tile.buffer<[3, 5], f8E8M0FNU, shared>
    %f8E8M0FNU = tile.alloc "f8E8M0FNU" : !tile.buffer<[3, 5], f8E8M0FNU, shared>
    // CHECK: tile.alloc "f4E2M1FN" : !tile.buffer<[3, 5], f4E2M1FN, shared>
    %f4E2M1FN = tile.alloc "f4E2M1FN" : !tile.buffer<[3, 5], f4E2M1FN, shared>
    // CHECK: %f = tile.alloc "f" : !tile.buffer<[16, 16], f32, fragment>
    %f = tile.alloc "f" : !tile.buffer<[16, 16], f32, fragment>
    // CHECK: %l = tile.alloc "l" : !tile.buffer<[], f32, local>
    %l = tile.alloc "l" : !tile.buffer<[], f32, local>
    // CHECK: tile.alloc "laid" layout(#tile.fragment<shape = [16, 16] register = {{\[\[}}1, 0], [2, 0]] lane = {{\[\[}}0, 1], [0, 2]] reps = {{\[\[}}1, 4]] waves = {{\[\[}}0, 4]]>) : !tile.buffer<[16, 16], f32, fragment>
    %laid = tile.alloc "laid" layout(#tile.fragment<shape = [16, 16] register = [[1, 0], [2, 0]] lane = [[0, 1], [0, 2]] reps = [[1, 4]] waves = [[0, 4]]>) : !tile.buffer<[16, 16], f32, fragment>
    // CHECK: tile.alloc "copies" layout(#tile.fragment<shape = [4] register = [] lane = {{\[\[}}0], [1], [2]] reps = [] waves = {{\[\[}}-1, 2]]>) : !tile.buffer<[4], f32, fragment>
    %copies = tile.alloc "copies" layout(#tile.fragment<shape = [4] register = [] lane = [[0], [1], [2]] reps = [] waves = [[-1, 2]]>) : !tile.buffer<[4], f32, fragment>
    // CHECK: tile.alloc "swizzled" layout(#tile.shared<shape = [128, 32] pitch = 32 vec = 8 rows_per_phase = 2 phases = 4>) : !tile.buffer<[128, 32], f16, shared>
    %swizzled = tile.alloc "swizzled" layout(#tile.shared<shape = [128, 32] pitch = 32 vec = 8 rows_per_phase = 2 phases = 4>) : !tile.buffer<[128, 32], f16, shared>
    // CHECK: tile.alloc "padded" layout(#tile.shared<shape = [64, 96] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8 panel = 64>) : !tile.buffer<[64, 96], f16, shared>
    %padded = tile.alloc "padded" layout(#tile.shared<shape = [64, 96] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8 panel = 64>) : !tile.buffer<[64, 96], f16, shared>
    // CHECK: tile.alloc "panels" layout(#tile.shared<shape = [64, 128] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8 panel = 64>) : !tile.buffer<[64, 128], f16, shared>
    %panels = tile.alloc "panels" layout(#tile.shared<shape = [64, 128] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8 panel = 64>) : !tile.buffer<[64, 128], f16, shared>
  }
}
