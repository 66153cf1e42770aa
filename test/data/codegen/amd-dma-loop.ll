; A two-stage LDS DMA pipeline with hand-placed waits (gfx950): the loop waits for the DMAs of the
; round before only. 3952 = vmcnt(0), 3954 = vmcnt(2), each without lgkmcnt and expcnt.
@lds = internal addrspace(3) global [16384 x i8] poison, align 1024
define amdgpu_kernel void @dma(ptr addrspace(1) inreg %src, ptr addrspace(1) inreg %dst, i32 inreg %n) #0 {
entry:
  %lane = call range(i32 0, 64) i32 @llvm.amdgcn.workitem.id.x()
  %lane16 = shl i32 %lane, 4
  %rsrc = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %src, i16 0, i64 1048576, i32 159744)
  %even = getelementptr i8, ptr addrspace(3) @lds, i32 0
  %odd = getelementptr i8, ptr addrspace(3) @lds, i32 1024
  %opaque = call i32 asm sideeffect "", "=v,0"(i32 %lane16)
  %read = getelementptr i8, ptr addrspace(3) @lds, i32 %opaque
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr addrspace(3) %even, i32 16, i32 %lane16, i32 0, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr addrspace(3) %odd, i32 16, i32 %lane16, i32 0, i32 1024, i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %voff = phi i32 [ %lane16, %entry ], [ %voffnext, %loop ]
  %sum = phi <4 x i32> [ zeroinitializer, %entry ], [ %sum2, %loop ]
  %voffnext = add i32 %voff, 2048
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr addrspace(3) %even, i32 16, i32 %voffnext, i32 0, i32 2048, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %rsrc, ptr addrspace(3) %odd, i32 16, i32 %voffnext, i32 0, i32 3072, i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 3954)
  call void @llvm.amdgcn.s.barrier()
  %v = load volatile <4 x i32>, ptr addrspace(3) %read, align 16, !alias.scope !2
  %sum2 = add <4 x i32> %sum, %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.amdgcn.s.waitcnt(i32 3952)
  %out = getelementptr i8, ptr addrspace(1) %dst, i32 %lane16
  store <4 x i32> %sum2, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" }
!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
