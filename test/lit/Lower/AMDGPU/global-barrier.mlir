// RUN: tilec-translate %s --target=gfx950 | FileCheck %s
// RUN: tilec-translate %s --target=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: tilec-translate %s --target=gfx950 --emit=asm | FileCheck %s --check-prefix=ISA
//
// A barrier that orders device memory within the block. LLVM's fences keep the accesses apart and add no
// wait, trusting that the waves of a compute unit see one cache in order; a wave's stores are waited for
// all the same, as the ISA documents promise no order without that.

// CHECK:      store i32
// CHECK-NEXT: fence syncscope("workgroup") release
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 112)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: fence syncscope("workgroup") acquire
// PTX:        store i32
// PTX-NEXT:   call void @llvm.nvvm.barrier.cta.sync.aligned.all
// ISA:        global_store_dword
// ISA:        s_waitcnt vmcnt(0)
// ISA-NEXT:   s_barrier
// ISA:        global_load_dword
wave.kernel @exchange(["C", "D"]) access ["rw", "w"] threads(256) shared(0) {
^bb0(%C: !wave.global, %D: !wave.global):
  %t = wave.thread_id
  %c4 = arith.constant 4 : index
  %c1020 = arith.constant 1020 : index
  %at = arith.muli %t, %c4 : index
  %v = arith.index_cast %t : index to i32
  wave.global_write %v, %C[%at] align 4 : i32, index
  wave.barrier global
  %other = arith.subi %c1020, %at : index
  %x = wave.global_read %C[%other] align 4 : index -> i32
  wave.global_write %x, %D[%at] align 4 : i32, index
}
