// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s
//
// A sum with a constant of a value that LLVM cannot see through is computed where it is used, not
// kept in a register in front of the loop.

// CHECK-LABEL: {{^}}opaque:
// CHECK: [[LOOP:\.LBB0_[0-9]+]]:
// CHECK: s_add_i32 m0, [[BASE:s[0-9]+]], 0x800
// CHECK: buffer_load_dwordx4 {{.*}} lds
// CHECK: s_add_i32 m0, [[BASE]], 0xc00
// CHECK: buffer_load_dwordx4 {{.*}} lds
// CHECK: s_cbranch_scc{{[01]}} [[LOOP]]
wave.kernel @opaque(["A"]) access ["r"] threads(128) shared(8192) attributes {keep_order} {
^bb0(%A: !wave.global):
  %wave = wave.wave_id
  %lane = wave.lane_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %c3072 = arith.constant 3072 : index
  %n = arith.constant 65536 : i64
  %d = wave.buffer_desc %A, %n
  %base = arith.muli %wave, %c1024 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = wave.opaque %base
    %first = arith.addi %b, %c2048 : index
    %second = arith.addi %b, %c3072 : index
    wave.load_to_shared %d, %lane, %c0 to %first bytes 16
    wave.load_to_shared %d, %lane, %c0 to %second bytes 16
    wave.barrier
  }
}
