; Dynamic and static shared memory and a by-value 128-byte parameter, as tensor maps are passed.
@smem = external addrspace(3) global [0 x i8], align 1024
@stat = internal addrspace(3) global [1536 x i8] poison, align 16
define ptx_kernel void @copy(ptr addrspace(1) align 16 %a, ptr addrspace(1) %b, i32 %n, float %f, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %tm) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %q = getelementptr float, ptr addrspace(1) %b, i32 %t
  %s = getelementptr float, ptr addrspace(3) @stat, i32 %t
  %d = getelementptr float, ptr addrspace(3) @smem, i32 %t
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(3) %s
  store float %v, ptr addrspace(3) %d
  call void @llvm.nvvm.barrier0()
  %w = load float, ptr addrspace(3) @stat
  %w2 = load float, ptr addrspace(3) @smem
  %x = load float, ptr %tm
  %y = fadd float %w, %f
  %y2 = fadd float %y, %w2
  %z = fadd float %x, %y2
  store float %z, ptr addrspace(1) %q
  ret void
}
declare void @llvm.nvvm.barrier0()
attributes #0 = {"nvvm.maxntid"="384"}
