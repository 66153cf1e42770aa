// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// Loops and statements.

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{has a step of 0}}
    tile.for %k = %c0 to %one step %c0 {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{has at least 1 stage}}
    tile.for %k = %c0 to %one step %one stages(0) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{has at least 1 stage}}
    tile.for %k = %c0 to %one step %one stages(-3) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{unknown loop kind `software`}}
    tile.for %k = %c0 to %one step %one kind(software) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one induction variable of type index}}
    "tile.for"(%one, %one, %one) ({
    ^bb0(%k: i32):
    }) : (index, index, index) -> ()
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one induction variable of type index}}
    "tile.for"(%one, %one, %one) ({
    ^bb0:
      %c = arith.constant 0 : index
    }) : (index, index, index) -> ()
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one index per extent, and at least one}}
    tile.parallel () in () {
      %c = arith.constant 0 : index
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has one index per extent, and at least one}}
    tile.parallel (%i) in (%one, %one) {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{ends its condition region with tile.condition}}
    tile.while {
      %t = arith.constant true
    } do {
      tile.break
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{has no block arguments}}
    tile.while {
      %t = arith.constant true
      tile.condition %t
    } do {
    ^bb0(%x: index):
      tile.break
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = arith.constant 0.0 : f32
    %i = arith.constant 0 : i32
    %t = arith.constant true
    // expected-error @+1 {{'tile.condition' op expects parent op 'tile.while'}}
    tile.condition %t
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{'tile.break' op is in no tile.for or tile.while}}
    tile.break
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    tile.for %k = %one to %one step %one {
      tile.parallel (%i) in (%one) {
        // expected-error @+1 {{leaves a tile.parallel; only tile.for and tile.while can be left}}
        tile.break
      }
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %v = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{prints a scalar or a buffer, not 'vector<4xf32>'}}
    tile.print %v, "v" : vector<4xf32>
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{rotates over 1 slots; 2 are the fewest}}
    tile.for %k = %one to %one step %one attributes {rotate = 1 : i64} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{is shared out among clusters of 0 blocks}}
    tile.for %k = %one to %one step %one attributes {persistent = 0 : i64} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{stores a tile through `store_buffers` of `store_bytes`, one at least}}
    tile.parallel (%i) in (%one) attributes {store_buffers = 2 : i64} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{is either an asynchronous copy or a store of a tile}}
    tile.parallel (%i) in (%one) attributes {async, store_buffers = 2 : i64, store_bytes = 64 : i64} {
    }
  }
}

// -----

tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // expected-error @+1 {{is planned by a strategy without a name}}
    tile.for %k = %one to %one step %one attributes {planned = ""} {
    }
  }
}
