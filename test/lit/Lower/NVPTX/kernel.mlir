// RUN: tilec-translate %s --target=sm_80 | FileCheck %s
// RUN: tilec-translate %s --target=sm_90a --emit=asm | FileCheck %s --check-prefix=PTX
//
// What a kernel is: attributes, dynamic shared memory behind 32-bit pointers, identity.

// CHECK: @tilec_shared = external addrspace(3) global [0 x i8], align 1024
// CHECK: define ptx_kernel void @k(ptr addrspace(1) readonly align 16 captures(none) %A, ptr addrspace(1) align 16 captures(none) %C, float %f) #[[K:[0-9]+]]
// CHECK-NOT: noalias
// PTX: .target sm_90a
// PTX: .extern .shared .align 1024 .b8 tilec_shared[]
// PTX: .visible .entry k(
// PTX: .reqntid 128
// PTX: .minnctapersm 2
wave.kernel @k(["A", "C", "f"]) access ["r", "w", ""] threads(128) shared(65536) attributes {min_blocks = 2 : i64} {
^bb0(%A: !wave.global, %C: !wave.global, %f: f32):
  // CHECK: %[[T:.*]] = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  // The wave's number comes from lane 0, once, at the start.
  // CHECK-NEXT: lshr i32 %[[T]], 5
  // CHECK-NEXT: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %{{.*}}, i32 0, i32 31)
  // CHECK: and i32 %[[T]], 31
  %lane = wave.lane_id
  %wave = wave.wave_id
  // CHECK-NOT: shfl
  %again = wave.wave_id
  // CHECK: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %b = wave.block_id 1
  %c16 = arith.constant 16 : index
  %o = arith.muli %lane, %c16 : index
  // Address arithmetic of shared memory is 32 bits wide.
  // PTX: ld.shared.v4.b32
  %v = wave.shared_read %o imm(256) : vector<4xf32>
  // PTX: st.shared.v2.b32
  %h = wave.extract %v[1] : vector<4xf32> -> vector<2xf32>
  wave.shared_write %h, %o : vector<2xf32>
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  // PTX: bar.sync 0
  wave.barrier
  // CHECK: call void asm sideeffect "", "~{memory}"()
  wave.sched_fence
  wave.global_write %v, %C[%o] align 16 : vector<4xf32>, index
}

// All kernels of a module share the one name of dynamic shared memory.
// CHECK: define ptx_kernel void @second() #[[SECOND:[0-9]+]]
wave.kernel @second([]) access [] threads(1024) shared(16) {
}

// CHECK: attributes #[[K]] = { nounwind "nvvm.minctasm"="2" "nvvm.reqntid"="128" "target-cpu"="sm_80" }
// CHECK: attributes #[[SECOND]] = { nounwind "nvvm.reqntid"="1024" "target-cpu"="sm_80" }

// One block has the shared memory of every chip to itself: ptxas saves no registers for a second one. Else loops that
// read memory leave that to it, and kernels without do not (CodeGen/PreferRegisters.cpp).
// PTX: .visible .entry alone(
// PTX: .minnctapersm 1
// PTX: bra
wave.kernel @alone(["C"]) access ["rw"] threads(128) shared(116736) {
^bb0(%C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %bx = wave.block_id 0
  scf.for %k = %c0 to %bx step %c1 {
    %at = arith.muli %k, %c16 : index
    %v = wave.global_read %C[%at] align 16 : index -> vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    wave.global_write %w, %C[%at] align 16 : vector<4xf32>, index
  }
}
// PTX: .visible .entry together(
// PTX-NOT: .minnctapersm
// PTX: bra
wave.kernel @together(["C"]) access ["rw"] threads(128) shared(115712) {
^bb0(%C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %bx = wave.block_id 0
  scf.for %k = %c0 to %bx step %c1 {
    %at = arith.muli %k, %c16 : index
    %v = wave.global_read %C[%at] align 16 : index -> vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    wave.global_write %w, %C[%at] align 16 : vector<4xf32>, index
  }
}
// PTX: .visible .entry straight(
// PTX: .minnctapersm 2
// PTX: mov.u32 %{{.*}}, %laneid
wave.kernel @straight(["C"]) access ["w"] threads(128) shared(115712) {
^bb0(%C: !wave.global):
  // Read anew, whatever is known of the thread's number.
  %o = wave.lane_id fresh
  %c16 = arith.constant 16 : index
  %at = arith.muli %o, %c16 : index
  %v = arith.constant dense<0.0> : vector<4xf32>
  wave.global_write %v, %C[%at] align 16 : vector<4xf32>, index
}
