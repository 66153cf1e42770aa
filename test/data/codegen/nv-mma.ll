; One warp multiplies a 16x16 by an 8x16 (transposed) bf16 tile from shared memory: ldmatrix, mma.sync.
@tiles = internal addrspace(3) global [768 x i8] poison, align 16
define ptx_kernel void @mma(ptr addrspace(1) %a, ptr addrspace(1) %d) #0 {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bytes = mul i32 %lane, 16
  %src = getelementptr i8, ptr addrspace(1) %a, i32 %bytes
  %dst = getelementptr i8, ptr addrspace(3) @tiles, i32 %bytes
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %dst, ptr addrspace(1) %src)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier0()
  %fa = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %dst)
  %fb = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %dst)
  %a0 = extractvalue { i32, i32, i32, i32 } %fa, 0
  %a1 = extractvalue { i32, i32, i32, i32 } %fa, 1
  %a2 = extractvalue { i32, i32, i32, i32 } %fa, 2
  %a3 = extractvalue { i32, i32, i32, i32 } %fa, 3
  %b0 = extractvalue { i32, i32 } %fb, 0
  %b1 = extractvalue { i32, i32 } %fb, 1
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 0.0, float 0.0, float 0.0, float 0.0)
  %r0 = extractvalue { float, float, float, float } %r, 0
  %r1 = extractvalue { float, float, float, float } %r, 1
  %out = getelementptr i8, ptr addrspace(1) %d, i32 %bytes
  store float %r0, ptr addrspace(1) %out
  %out1 = getelementptr i8, ptr addrspace(1) %out, i32 4
  store float %r1, ptr addrspace(1) %out1
  ret void
}
declare void @llvm.nvvm.barrier0()
attributes #0 = { "nvvm.maxntid"="32" }
