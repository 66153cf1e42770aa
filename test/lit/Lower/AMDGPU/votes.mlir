// RUN: tilec-translate %s --target=gfx950 --emit=asm | FileCheck %s
// RUN: tilec-translate %s --target=gfx942 --emit=asm | FileCheck %s
// RUN: tilec-translate %s --target=gfx942 --emit=llvm | FileCheck %s --check-prefix=LLVM
//
// A ballot is a comparison into a pair of scalar registers; votes look at one. Equal values are
// found bit by bit. A barrier for threads keeps accesses to all memory on their side.

// CHECK-LABEL: {{^}}votes:
wave.kernel @votes(["A", "C"]) access ["rw", "w"] threads(128) shared(512) {
^bb0(%A: !wave.global, %C: !wave.global):
  %t = wave.lane_id
  %c4 = arith.constant 4 : index
  %o = arith.muli %t, %c4 : index
  %c256 = arith.constant 512 : index
  %o2 = arith.addi %o, %c256 : index
  %x = wave.global_read %A[%o] align 4 : index -> i32
  %zero = arith.constant 0 : i32
  %p = arith.cmpi sgt, %x, %zero : i32
  // CHECK-DAG: v_cmp_{{lt|gt}}_i32
  %m = wave.ballot %p : i64
  // CHECK-DAG: s_cmp_lg_u64
  %any = wave.vote %p
  // CHECK-DAG: s_cmp_eq_u64
  %all = wave.vote all %p
  %y = arith.extui %any : i1 to i64
  %z = arith.extui %all : i1 to i64
  %s = arith.addi %y, %z : i64
  // CHECK-DAG: v_dot4{{c?}}_i32_i8
  %d = wave.dot4 %x, %x, %x
  // Beside a signed one it is written out (lib/CodeGen/LlvmFaults.h).
  // CHECK-DAG: v_mul_u32_u24{{.*}} src0_sel:BYTE_0 src1_sel:BYTE_0
  %e = wave.dot4 %d, %x, %x {is_unsigned}
  // CHECK-COUNT-31: v_cmp_ne_u32
  %q = wave.match %e : i32 -> i64
  %r = arith.addi %s, %q : i64
  %u = arith.addi %r, %m : i64
  %v = arith.trunci %u : i64 to i32
  // CHECK: ds_write_b32
  wave.shared_write %v, %o : i32
  // CHECK: s_waitcnt vmcnt(0) lgkmcnt(0)
  // CHECK-NEXT: s_barrier
  wave.barrier global
  // CHECK: ds_read_b32
  %w = wave.shared_read %c4 : i32
  // LLVM: fence syncscope("workgroup") release
  // LLVM-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 112)
  // LLVM-NEXT: call void @llvm.amdgcn.s.barrier()
  // LLVM-NEXT: fence syncscope("workgroup") acquire
  // LLVM: call void @llvm.amdgcn.sched.barrier(i32 8)
  wave.sched_fence {mask = 8}
  // LLVM: fence syncscope("wavefront") acq_rel
  // LLVM-NEXT: call void @llvm.amdgcn.wave.barrier()
  wave.wave_fence
  wave.global_write %w, %C[%o2] align 4 : i32, index
}

// CHECK-LABEL: {{^}}alone:
wave.kernel @alone(["A", "C"]) access ["rw", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %t = wave.lane_id
  %c4 = arith.constant 4 : index
  %o = arith.muli %t, %c4 : index
  %x = wave.global_read %A[%o] align 4 : index -> i32
  // CHECK: v_dot4_u32_u8
  %e = wave.dot4 %x, %x, %x {is_unsigned}
  wave.global_write %e, %C[%o] align 4 : i32, index
}
