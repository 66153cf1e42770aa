// RUN: tilec-opt %s -verify-diagnostics -split-input-file
//
// What lanes find out together.

wave.kernel @k([]) access [] threads(64) shared(0) {
  %i = arith.constant 1 : i32
  // expected-error @+1 {{takes four bytes of 0 to 7}}
  %a = wave.byte_permute %i, %i [0, 1, 8, 5]
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %i = arith.constant 1 : i32
  // expected-error @+1 {{has no step 3 in groups of 8 lanes}}
  %a = wave.scan_partner %i, %i step 3 width 8 : i32
}

// -----

wave.kernel @k([]) access [] threads(64) shared(0) {
  %i = arith.constant 1 : i32
  // expected-error @+1 {{has no step 1 in groups of 12 lanes}}
  %a = wave.scan_partner %i, %i step 1 width 12 : i32
}
