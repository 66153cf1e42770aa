; Two kernels, a constant table and a device function: symbols and relocations for the linker.
@tab = internal addrspace(4) constant [8 x i32] [i32 1, i32 2, i32 3, i32 5, i32 7, i32 11, i32 13, i32 17]
define amdgpu_kernel void @zeta(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %q = getelementptr float, ptr addrspace(1) %b, i32 %t
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %q
  ret void
}
define amdgpu_kernel void @alpha(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(4) @tab, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %v = load i32, ptr addrspace(4) %p
  %w = call i32 @helper(i32 %v)
  store i32 %w, ptr addrspace(1) %q
  ret void
}
define internal i32 @helper(i32 %x) noinline { 
 %y = mul i32 %x, %x
 ret i32 %y }
attributes #0 = {"amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true"}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
