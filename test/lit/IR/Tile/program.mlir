// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// A program's parameters, in ABI order, and its launches.

// CHECK-LABEL: tile.program @copy outputs(["B"]) {
tile.program @copy outputs(["B"]) {
  // CHECK-NEXT: %[[M:.*]] = tile.dim "m"
  %m = tile.dim "m"
  // CHECK-NEXT: %[[N:.*]] = tile.dim "n" wide
  %n = tile.dim "n" wide
  // CHECK-NEXT: tile.tensor "A"[%[[M]]] : !tile.buffer<[?, 64], f16, global>
  %A = tile.tensor "A"[%m] : !tile.buffer<[?, 64], f16, global>
  // CHECK-NEXT: tile.tensor "B"[%[[M]], %[[N]]] strides(%[[N]], %[[M]]) : !tile.buffer<[?, ?], bf16, global>
  %B = tile.tensor "B"[%m, %n] strides(%n, %m) : !tile.buffer<[?, ?], bf16, global>
  // CHECK-NEXT: tile.tensor "Z"[] : !tile.buffer<[], f32, global>
  %Z = tile.tensor "Z"[] : !tile.buffer<[], f32, global>
  // CHECK-NEXT: tile.scalar "scale" f16 : f32
  %scale = tile.scalar "scale" f16 : f32
  // CHECK-NEXT: tile.scalar "count" ui32 : i32
  %count = tile.scalar "count" ui32 : i32
  // CHECK-NEXT: tile.workspace "W"[%[[N]]] : !tile.buffer<[4, ?], f32, global>
  %W = tile.workspace "W"[%n] : !tile.buffer<[4, ?], f32, global>
  // CHECK:      tile.kernel "copy" grid(%[[N]]) threads(128) {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  tile.kernel "copy" grid(%n) threads(128) {
  ^bb0(%bx: index):
  }
  // CHECK:      tile.kernel "next" grid(%[[N]], %[[M]], %[[N]]) threads(256) attributes {lockstep, raster_by_column = true, raster_panel = 4 : i64} {
  // CHECK-NEXT: ^bb0(%bx: index, %by: index, %bz: index):
  tile.kernel "next" grid(%n, %m, %n) threads(256) attributes {lockstep, raster_panel = 4, raster_by_column = true} {
  ^bb0(%x: index, %y: index, %z: index):
  }
}
