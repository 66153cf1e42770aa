; Kernels of the runtime conformance suite for NVIDIA GPUs: see Conformance.h. Blocks of 64 threads.
; SPDX-License-Identifier: Apache-2.0
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()

; y[i] = x[i] * s for i < n
define ptx_kernel void @scale(ptr addrspace(1) %x, ptr addrspace(1) %y, float %s, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %b, 64
  %i = add i32 %base, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %exit
body:
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %py = getelementptr float, ptr addrspace(1) %y, i32 %i
  %v = load float, ptr addrspace(1) %px
  %r = fmul float %v, %s
  store float %r, ptr addrspace(1) %py
  br label %exit
exit:
  ret void
}

; out[0..3] = a, b, c, d
define ptx_kernel void @pack(ptr addrspace(1) %out, i8 %a, i64 %b, i16 %c, i32 %d) #0 {
  %a64 = sext i8 %a to i64
  %c64 = sext i16 %c to i64
  %d64 = sext i32 %d to i64
  %p1 = getelementptr i64, ptr addrspace(1) %out, i32 1
  %p2 = getelementptr i64, ptr addrspace(1) %out, i32 2
  %p3 = getelementptr i64, ptr addrspace(1) %out, i32 3
  store i64 %a64, ptr addrspace(1) %out
  store i64 %b, ptr addrspace(1) %p1
  store i64 %c64, ptr addrspace(1) %p2
  store i64 %d64, ptr addrspace(1) %p3
  ret void
}

; out[block][thread] = x + 100 y + 10000 z of the block, for a grid of 3 x 2 x 2
define ptx_kernel void @blocks(ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %z2 = mul i32 %z, 2
  %zy = add i32 %z2, %y
  %zy3 = mul i32 %zy, 3
  %block = add i32 %zy3, %x
  %base = mul i32 %block, 64
  %i = add i32 %base, %t
  %y100 = mul i32 %y, 100
  %z10000 = mul i32 %z, 10000
  %xy = add i32 %x, %y100
  %v = add i32 %xy, %z10000
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; out[index] = 1, wherever that is
define ptx_kernel void @overrun(ptr addrspace(1) %out, i32 %index) #0 {
  %p = getelementptr float, ptr addrspace(1) %out, i32 %index
  store float 1.0, ptr addrspace(1) %p
  ret void
}

attributes #0 = { nounwind "nvvm.maxntid"="64" }
