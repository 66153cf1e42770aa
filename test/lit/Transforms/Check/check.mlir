// RUN: tilec-opt %s -split-input-file -verify-diagnostics --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(tile.program(tile-check))' | FileCheck %s
//
// What a program cannot mean is an error at its op, with the other side as a note; a view that is
// fine is looked through.

tile.program @reads_nothing {
  %R = tile.tensor "R"[] : !tile.buffer<[32], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "reads_nothing" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-note @below {{`S` is allocated here}}
    %S = tile.alloc "S" : !tile.buffer<[32], f32, shared>
    // expected-error @below {{`S` is read and nothing has written it}}
    tile.copy %S to %R : !tile.buffer<[32], f32, shared>, !tile.buffer<[32], f32, global>
  }
}
tile.program @leaves {
  %R = tile.tensor "R"[] : !tile.buffer<[32], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "leaves" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-note @below {{`S` is allocated here}}
    %S = tile.alloc "S" : !tile.buffer<[32], f32, shared>
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c32) {
      %at = arith.addi %i, %c32 : index
      // expected-error @below {{index 63 is reached here, outside of `S`}}
      tile.store %zero, %S[%at] : f32, !tile.buffer<[32], f32, shared>
    }
  }
}
tile.program @depends {
  %R = tile.tensor "R"[] : !tile.buffer<[32], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "depends" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[33], f32, shared>
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %S : f32, !tile.buffer<[33], f32, shared>
    tile.parallel (%i) in (%c32) {
      %at = arith.addi %i, %one : index
      // expected-error @below {{iterations of T.Parallel depend on each other}}
      %x = tile.load %S[%i] : !tile.buffer<[33], f32, shared> -> f32
      // expected-note @below {{it is written here}}
      tile.store %x, %S[%at] : f32, !tile.buffer<[33], f32, shared>
    }
  }
}
// -----
// A row that only the run knows is one row all the same.
tile.program @depends_in_row {
  %R = tile.tensor "R"[] : !tile.buffer<[8, 32], f32, global>
  %one = arith.constant 1 : index
  %n = tile.dim "n"
  tile.kernel "depends_in_row" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    tile.for %k = %c0 to %n step %one {
      tile.parallel (%i) in (%c32) {
        %at = arith.subi %c31, %i : index
        // expected-error @below {{iterations of T.Parallel depend on each other}}
        %x = tile.load %R[%k, %i] : !tile.buffer<[8, 32], f32, global> -> f32
        // expected-note @below {{it is written here}}
        tile.store %x, %R[%k, %at] : f32, !tile.buffer<[8, 32], f32, global>
      }
    }
  }
}
// -----
// CHECK-LABEL: tile.program @views
// CHECK:       tile.store {{.*}}, %0[{{.*}}] : f32, !tile.buffer<[64], f32, global>
tile.program @views {
  %R = tile.tensor "R"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "views" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %half = tile.subview %R[%c32] : !tile.buffer<[64], f32, global> to !tile.buffer<[32], f32, global>
    tile.parallel (%i) in (%c32) {
      tile.store %zero, %half[%i] : f32, !tile.buffer<[32], f32, global>
    }
  }
}
