// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950})' | FileCheck %s
// RUN: not tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950}),tile-to-wave{target=gfx950})' 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-expand-pipelines{target=gfx950}))' 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not tilec-opt %s --verify-contracts=gfx9 --tile-to-wave 2>&1 | FileCheck %s --check-prefix=NOWHERE
//
// Passes in their order keep their contracts; one that comes too early does not run, and says what
// it misses, where. (That each contract is checked: unit/Contracts.)

// CHECK: wave.kernel @exchange
// EARLY: tilec-opt.mlir:[[@LINE+21]]:5: error: `tile-to-wave` needs: synchronisation is missing: `tile.barrier` stands or has changed where `tile.move` was
// FIRST: error: `tile-expand-pipelines` needs: `tile.alloc` has no layout
// NOWHERE: tilec-opt: unknown target `gfx9`
tile.program @exchange {
  %B = tile.tensor "B"[] : !tile.buffer<[256], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "exchange" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[256], f32, shared>
    %F = tile.alloc "F" : !tile.buffer<[256], f32, fragment>
    %n = arith.constant 256 : index
    %last = arith.constant 255 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%n) {
      tile.store %zero, %F[%i] : f32, !tile.buffer<[256], f32, fragment>
    }
    tile.parallel (%i) in (%n) {
      %f = tile.load %F[%i] : !tile.buffer<[256], f32, fragment> -> f32
      tile.store %f, %S[%i] : f32, !tile.buffer<[256], f32, shared>
    }
    // The barrier is missing in front of this loop.
    tile.parallel (%i) in (%n) {
      %mirror = arith.subi %last, %i : index
      %x = tile.load %S[%mirror] : !tile.buffer<[256], f32, shared> -> f32
      tile.store %x, %B[%i] : f32, !tile.buffer<[256], f32, global>
    }
  }
}
