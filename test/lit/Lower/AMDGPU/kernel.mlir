// RUN: tilec-translate %s --target=gfx950 | FileCheck %s
// RUN: tilec-translate %s --target=gfx950 --emit=asm | FileCheck %s --check-prefix=ISA
//
// What a kernel is: attributes, arguments, shared memory, identity.

// One array of shared memory a kernel, aligned so that byte 0 is address 0.
// CHECK: @small.shared = internal addrspace(3) global [4096 x i8] poison, align 1024
// CHECK-NOT: @large.shared

// "r" arguments are read only; no argument claims to be the only way to its memory.
// CHECK: define amdgpu_kernel void @small(ptr addrspace(1) readonly captures(none) %A, ptr addrspace(1) captures(none) %C, i32 %n) #[[SMALL:[0-9]+]]
// CHECK-NOT: noalias
wave.kernel @small(["A", "C", "n"]) access ["r", "w", ""] threads(256) shared(4096) {
^bb0(%A: !wave.global, %C: !wave.global, %n: i32):
  // CHECK: %[[T:.*]] = call range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
  // CHECK: and i32 %[[T]], 63
  %lane = wave.lane_id
  // A range, so that sums of addresses are known not to wrap, and the shift where LLVM would put it.
  // CHECK: %[[W:.*]] = call range(i32 0, 256) i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[T]])
  // CHECK: lshr i32 %[[W]], 6
  %wave = wave.wave_id
  // CHECK: call i32 @llvm.amdgcn.workgroup.id.z()
  %b = wave.block_id 2
  // A value that is uniform as it is needs no instruction; one from memory does.
  // CHECK-NOT: readfirstlane
  %u = wave.uniform %b : index
  %v = wave.shared_read %lane : i32
  // CHECK: load i32
  // CHECK: call i32 @llvm.amdgcn.readfirstlane.i32
  %w = wave.uniform %v : i32
  wave.global_write %w, %C[%u] align 4 : i32, index
}

// Shared memory for a second block, whose waves want half of a SIMD's registers; but not here.
// CHECK: define amdgpu_kernel void @alone() #[[ALONE:[0-9]+]]
wave.kernel @alone([]) access [] threads(256) shared(131072) {
}

// More than four waves share the registers of a SIMD: no accumulation registers. Planned or not, no
// most of waves is given, for which LLVM would declare registers that nothing uses.
// CHECK: define amdgpu_kernel void @large() #[[LARGE:[0-9]+]]
wave.kernel @large([]) access [] threads(512) shared(0) attributes {keep_order} {
}

// CHECK: define amdgpu_kernel void @registers() #[[REGISTERS:[0-9]+]]
wave.kernel @registers([]) access [] threads(256) shared(0) attributes {keep_order} {
  %r = wave.alloc_regs : !wave.regs<64 x vector<4xf32>>
}

// What is not planned leaves it to LLVM which registers lie in the second half.
// CHECK: define amdgpu_kernel void @unplanned() #[[ALONE]]
wave.kernel @unplanned([]) access [] threads(256) shared(0) {
  %r = wave.alloc_regs : !wave.regs<64 x vector<4xf32>>
}

// CHECK: attributes #[[SMALL]] = {
// CHECK-SAME: "amdgpu-agpr-alloc"="0"
// CHECK-SAME: "amdgpu-flat-work-group-size"="256,256"
// CHECK-SAME: "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workitem-id-y"
// CHECK-SAME: "amdgpu-waves-per-eu"="2"
// CHECK-SAME: "denormal-fp-math-f32"="ieee,ieee"
// CHECK-SAME: "target-cpu"="gfx950"
// CHECK: attributes #[[ALONE]] = {
// CHECK-SAME: "amdgpu-agpr-alloc"="0"
// CHECK-SAME: "amdgpu-waves-per-eu"="1"
// CHECK: attributes #[[LARGE]] = {
// CHECK-SAME: "amdgpu-agpr-alloc"="0"
// CHECK-SAME: "amdgpu-flat-work-group-size"="512,512"
// CHECK-SAME: "amdgpu-waves-per-eu"="2"
// CHECK: attributes #[[REGISTERS]] = {
// CHECK-NOT: agpr-alloc
// CHECK-SAME: "amdgpu-waves-per-eu"="1"

// ISA-LABEL: {{^}}small:
// ISA: .amdhsa_user_sgpr_count 2
// ISA: .amdhsa_enable_private_segment 0
