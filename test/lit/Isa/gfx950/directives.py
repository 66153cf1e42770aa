# RUN: tilec %s --target=gfx950 --entry k --emit=llvm | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry k --emit=asm | FileCheck %s --check-prefix=ASM
# RUN: tilec %s --target=sm_90a --entry k --emit=llvm | FileCheck %s --check-prefix=OTHER
#
# Instructions that a script names stand where it names them, in all their spellings.

# CHECK:     call void @llvm.amdgcn.iglp.opt(i32 1)
# CHECK:     call void @llvm.amdgcn.s.waitcnt(i32 1234)
# CHECK:     call void @llvm.amdgcn.sched.group.barrier(i32 8, i32 2, i32 1)
# CHECK:     call void @llvm.amdgcn.sched.group.barrier(i32 256, i32 1, i32 1)
# CHECK:     call void @llvm.amdgcn.s.waitcnt(i32 0)
# ASM:       _load_
# ASM:       s_waitcnt vmcnt(2) expcnt(5) lgkmcnt(4)
# ASM:       _load_
# ASM:       s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
# ASM-NEXT:  v_add_f32
# OTHER-NOT: amdgcn
import tilelang.language as T
from tilec import schedule


@T.prim_func
def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        T.call_intrin("void", "llvm.amdgcn.iglp.opt", 1)
        x = A[tx]
        T.call_extern("handle", "__builtin_amdgcn_s_waitcnt", 1234)
        y = B[tx]
        schedule.directive("sched_group_barrier", 8, 2, 1)
        T.call_extern("handle", "__builtin_amdgcn_sched_group_barrier", 0x100, 1, 1)
        T.call_extern("int32", "s_waitcnt", 0)
        C[tx] = x + y
