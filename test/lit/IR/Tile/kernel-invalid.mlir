// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Launches.

tile.program @p {
  // expected-error @+1 {{has 0 grid extents; 1 to 3 are possible}}
  tile.kernel "k" grid() threads(64) {
  ^bb0:
    %c = arith.constant 0 : index
  }
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has 4 grid extents; 1 to 3 are possible}}
  tile.kernel "k" grid(%m, %m, %m, %m) threads(64) {
  ^bb0(%x: index, %y: index, %z: index, %w: index):
  }
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has one block argument of type index per grid extent}}
  tile.kernel "k" grid(%m, %m) threads(64) {
  ^bb0(%x: index):
  }
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has one block argument of type index per grid extent}}
  tile.kernel "k" grid(%m) threads(64) {
  ^bb0(%x: i32):
  }
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has 0 threads; 1 to 1024 are possible}}
  tile.kernel "k" grid(%m) threads(0) {
  ^bb0(%x: index):
  }
}

// -----

tile.program @p {
  %m = tile.dim "m"
  // expected-error @+1 {{has 2048 threads; 1 to 1024 are possible}}
  tile.kernel "k" grid(%m) threads(2048) {
  ^bb0(%x: index):
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{expects parent op 'tile.program'}}
    tile.kernel "k" grid(%one) threads(64) {
    ^bb0(%x: index):
    }
  }
}
