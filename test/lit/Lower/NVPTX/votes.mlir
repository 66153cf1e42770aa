// RUN: tilec-translate %s --target=sm_90a --emit=asm | FileCheck %s
// RUN: tilec-translate %s --target=sm_80 --emit=asm | FileCheck %s
//
// One instruction each, always over the whole warp.

// CHECK: .visible .entry votes(
wave.kernel @votes(["A", "C"]) access ["rw", "w"] threads(64) shared(256) {
^bb0(%A: !wave.global, %C: !wave.global):
  %t = wave.thread_id
  %c4 = arith.constant 4 : index
  %o = arith.muli %t, %c4 : index
  %x = wave.global_read %A[%o] align 4 : index -> i32
  %zero = arith.constant 0 : i32
  %p = arith.cmpi sgt, %x, %zero : i32
  // CHECK: vote.sync.ballot.b32
  %m = wave.ballot %p : i32
  // CHECK: vote.sync.any.pred
  %any = wave.vote %p
  // CHECK: vote.sync.all.pred
  %all = wave.vote all %p
  %y = arith.extui %any : i1 to i32
  %z = arith.extui %all : i1 to i32
  %s = arith.addi %y, %z : i32
  // CHECK: match.any.sync.b32
  %q = wave.match %x : i32 -> i32
  // CHECK: redux.sync.add.s32
  %r1 = wave.reduce add %x
  // CHECK: redux.sync.max.u32
  %r2 = wave.reduce umax %x
  // CHECK: redux.sync.max.s32
  %r3 = wave.reduce max %x
  // CHECK: redux.sync.min.u32
  %r4 = wave.reduce umin %x
  // CHECK: redux.sync.min.s32
  %r5 = wave.reduce min %x
  // CHECK: redux.sync.and.b32
  %r6 = wave.reduce and %x
  // CHECK: redux.sync.or.b32
  %r7 = wave.reduce or %x
  // CHECK: redux.sync.xor.b32
  %r8 = wave.reduce xor %x
  // CHECK: dp4a.s32.s32
  %d = wave.dot4 %x, %m, %q
  // CHECK: dp4a.u32.u32
  %e = wave.dot4 %d, %s, %r1 {is_unsigned}
  // CHECK: bar{{(rier)?(.cta)?}}.red.popc{{.*}}.u32
  %n = wave.barrier_count %p
  %a1 = arith.addi %e, %n : i32
  %a2 = arith.addi %a1, %r2 : i32
  %a3 = arith.addi %a2, %r3 : i32
  %a4 = arith.addi %a3, %r4 : i32
  %a5 = arith.addi %a4, %r5 : i32
  %a6 = arith.addi %a5, %r6 : i32
  %a7 = arith.addi %a6, %r7 : i32
  %a8 = arith.addi %a7, %r8 : i32
  // CHECK: bar.warp.sync
  wave.wave_fence
  wave.global_write %a8, %C[%o] align 4 : i32, index
}
