// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-place-shared{target=gfx950},tile-place-barriers))' | FileCheck %s
//
// S and U are never needed at the same time and share bytes; V is needed with both. The barrier
// before U's first write keeps it from overtaking S's last reader.

// CHECK-LABEL: tile.program @reuse
// CHECK:       tile.alloc "S" {{.*}} {shared_place = 0 : i64}
// CHECK:       tile.alloc "U" {{.*}} {shared_place = 0 : i64}
// CHECK:       tile.alloc "V" {{.*}} {shared_place = 4096 : i64}
// CHECK:       tile.parallel
// CHECK:         tile.store {{.*}}[[S:%.*]][
// CHECK:       tile.barrier
// CHECK:       tile.parallel
// CHECK:       tile.barrier
// CHECK:       tile.parallel
// CHECK:         tile.store
// CHECK:       tile.barrier
// CHECK:       tile.parallel
#plain = #tile.shared<shape = [1024] pitch = 1024 vec = 1 rows_per_phase = 1 phases = 1>
tile.program @reuse {
  %B = tile.tensor "B"[] : !tile.buffer<[1024], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "reuse" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" layout(#plain) : !tile.buffer<[1024], f32, shared>
    %U = tile.alloc "U" layout(#plain) : !tile.buffer<[1024], f32, shared>
    %V = tile.alloc "V" layout(#plain) : !tile.buffer<[1024], f32, shared>
    %n = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%n) {
      tile.store %zero, %S[%i] : f32, !tile.buffer<[1024], f32, shared>
    }
    tile.parallel (%i) in (%n) {
      %x = tile.load %S[%i] : !tile.buffer<[1024], f32, shared> -> f32
      tile.store %x, %V[%i] : f32, !tile.buffer<[1024], f32, shared>
    }
    tile.parallel (%i) in (%n) {
      tile.store %zero, %U[%i] : f32, !tile.buffer<[1024], f32, shared>
    }
    tile.parallel (%i) in (%n) {
      %x = tile.load %U[%i] : !tile.buffer<[1024], f32, shared> -> f32
      %y = tile.load %V[%i] : !tile.buffer<[1024], f32, shared> -> f32
      %s = arith.addf %x, %y : f32
      tile.store %s, %B[%i] : f32, !tile.buffer<[1024], f32, global>
    }
  }
}

// In a loop, S is overwritten at the beginning of each iteration and U after S's last use: they
// share. W is read before it is written: it lives through all iterations.
// CHECK-LABEL: tile.program @loop
// CHECK:       tile.alloc "S" {{.*}} {shared_place = [[AT:[0-9]+]] : i64}
// CHECK:       tile.alloc "U" {{.*}} {shared_place = [[AT]] : i64}
// CHECK-NOT:   tile.alloc "W" {{.*}} {shared_place = [[AT]] : i64}
tile.program @loop {
  %B = tile.tensor "B"[] : !tile.buffer<[1024], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "loop" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" layout(#plain) : !tile.buffer<[1024], f32, shared>
    %U = tile.alloc "U" layout(#plain) : !tile.buffer<[1024], f32, shared>
    %W = tile.alloc "W" layout(#plain) : !tile.buffer<[1024], f32, shared>
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %n = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%n) {
      tile.store %zero, %W[%i] : f32, !tile.buffer<[1024], f32, shared>
    }
    tile.for %k = %c0 to %c4 step %c1 {
      tile.parallel (%i) in (%n) {
        tile.store %zero, %S[%i] : f32, !tile.buffer<[1024], f32, shared>
      }
      tile.parallel (%i) in (%n) {
        %x = tile.load %S[%i] : !tile.buffer<[1024], f32, shared> -> f32
        %w = tile.load %W[%i] : !tile.buffer<[1024], f32, shared> -> f32
        %s = arith.addf %x, %w : f32
        tile.store %s, %W[%i] : f32, !tile.buffer<[1024], f32, shared>
      }
      tile.parallel (%i) in (%n) {
        tile.store %zero, %U[%i] : f32, !tile.buffer<[1024], f32, shared>
      }
      tile.parallel (%i) in (%n) {
        %x = tile.load %U[%i] : !tile.buffer<[1024], f32, shared> -> f32
        tile.store %x, %B[%i] : f32, !tile.buffer<[1024], f32, global>
      }
    }
  }
}
