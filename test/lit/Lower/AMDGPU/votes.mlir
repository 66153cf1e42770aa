// RUN: tilec-translate %s --target=gfx950 --emit=asm | FileCheck %s
// RUN: tilec-translate %s --target=gfx942 --emit=asm | FileCheck %s
//
// A ballot is a comparison into a pair of scalar registers; votes look at one. Equal values are
// found bit by bit. A barrier for threads keeps accesses to all memory on their side.

// CHECK-LABEL: {{^}}votes:
wave.kernel @votes(["A", "C"]) access ["rw", "w"] threads(64) shared(256) {
^bb0(%A: !wave.global, %C: !wave.global):
  %t = wave.lane_id
  %c4 = arith.constant 4 : index
  %o = arith.muli %t, %c4 : index
  %c256 = arith.constant 256 : index
  %o2 = arith.addi %o, %c256 : index
  %x = wave.global_read %A[%o] align 4 : index -> i32
  %zero = arith.constant 0 : i32
  %p = arith.cmpi sgt, %x, %zero : i32
  // CHECK: v_cmp_lt_i32{{.*}} s[{{[0-9:]+}}], 0, v
  %m = wave.ballot %p : i64
  %any = wave.vote %p
  %all = wave.vote all %p
  %y = arith.extui %any : i1 to i64
  %z = arith.extui %all : i1 to i64
  %s = arith.addi %y, %z : i64
  // CHECK: v_dot4_i32_i8
  %d = wave.dot4 %x, %x, %x
  // CHECK: v_dot4_u32_u8
  %e = wave.dot4 %d, %x, %x {is_unsigned}
  // CHECK-COUNT-8: v_cmp_ne
  %q = wave.match %e : i32 -> i64
  %r = arith.addi %s, %q : i64
  %u = arith.addi %r, %m : i64
  %v = arith.trunci %u : i64 to i32
  // CHECK: ds_write_b32
  wave.shared_write %v, %o : i32
  // CHECK: s_waitcnt lgkmcnt(0)
  // CHECK-NEXT: s_barrier
  wave.barrier global
  // CHECK: ds_read_b32
  %w = wave.shared_read %c4 : i32
  // CHECK: sched_barrier mask(0x00000008)
  wave.sched_fence {mask = 8}
  // CHECK: wave barrier
  wave.wave_fence
  wave.global_write %w, %C[%o2] align 4 : i32, index
}
