// RUN: tilec-translate %s --target=gfx950 | FileCheck %s
// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s --check-prefix=ISA
//
// A double-buffered loop: copies in flight across the barrier, waits where they were placed and
// nowhere else, reads with constant offsets from one register, accumulators in place.

// CHECK-LABEL: @loop(
// ISA-LABEL: {{^}}loop:
wave.kernel @loop(["A", "C"]) access ["r", "w"] threads(256) shared(32768) attributes {keep_order} {
^bb0(%A: !wave.global, %C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  %bytes = arith.constant 4194304 : i64
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %acc = wave.alloc_regs "acc" : !wave.regs<2 x vector<4xf32>>
  wave.set %zero, %acc[0] : vector<4xf32>, !wave.regs<2 x vector<4xf32>>
  wave.set %zero, %acc[1] : vector<4xf32>, !wave.regs<2 x vector<4xf32>>
  // CHECK: call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %A, i16 0, i64 %{{.*}}, i32 159744)
  %desc = wave.buffer_desc %A, %bytes
  %lane = wave.lane_id
  %wave = wave.wave_id
  %dst = arith.muli %wave, %c1024 : index
  %voff = arith.muli %lane, %c16 : index
  %soff = arith.muli %wave, %c64 : index
  // The read's address gets a register of its own; so do the accumulators' zeros.
  // CHECK: %[[BASE:.*]] = call i32 asm sideeffect "", "=v,0"(i32 %{{.*}})
  %base = arith.muli %lane, %c16 : index
  // CHECK: call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %{{.*}}, ptr addrspace(3) %{{.*}}, i32 16, i32 %{{.*}}, i32 %{{.*}}, i32 0, i32 0)
  wave.load_to_shared %desc, %voff, %soff to %dst bytes 16
  // CHECK-COUNT-2: call <4 x float> asm sideeffect "", "=v,0"(<4 x float> zeroinitializer)
  // CHECK: loop:
  // CHECK: phi i32
  // CHECK: phi <4 x float>
  // CHECK: phi <4 x float>
  // CHECK-NOT: phi
  // ISA: [[LOOP:.LBB0_[0-9]+]]:
  scf.for %k = %c0 to %c64 step %c1 {
    // CHECK: call void @llvm.amdgcn.s.waitcnt(i32 3952)
    // ISA: s_waitcnt vmcnt(0)
    wave.wait memory(0)
    // CHECK: call void @llvm.amdgcn.s.waitcnt(i32 49279)
    // CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
    // ISA: s_barrier
    wave.barrier
    // ISA: buffer_load_dwordx4 v{{[0-9]+}}, s[{{.*}}], s{{[0-9]+}} offen offset:64 lds
    wave.load_to_shared %desc, %voff, %soff to %dst imm(64) bytes 16
    // Reads keep their order: volatile.
    // CHECK: load volatile <8 x bfloat>, ptr addrspace(3) %{{.*}}, align 16, !alias.scope
    // ISA-NOT: vmcnt
    // ISA: ds_read_b128 v[{{.*}}], [[V:v[0-9]+]]{{$}}
    %a = wave.shared_read %base : vector<8xbf16>
    // ISA-NEXT: ds_read_b128 v[{{.*}}], [[V]] offset:4096
    %b = wave.shared_read %base imm(4096) : vector<8xbf16>
    // CHECK: call void @llvm.amdgcn.s.setprio(i16 1)
    // ISA: s_setprio 1
    wave.setprio 1
    %x = wave.get %acc[0] : !wave.regs<2 x vector<4xf32>> -> vector<4xf32>
    // ISA: v_mfma_f32_16x16x32_bf16 [[D:v\[[0-9:]+\]]], v[{{.*}}], v[{{.*}}], [[D]]
    %y = wave.mma "v_mfma_f32_16x16x32_bf16" %a, %b, %x : vector<8xbf16>, vector<8xbf16>, vector<4xf32>
    wave.set %y, %acc[0] : vector<4xf32>, !wave.regs<2 x vector<4xf32>>
    %x1 = wave.get %acc[1] : !wave.regs<2 x vector<4xf32>> -> vector<4xf32>
    // ISA-NEXT: v_mfma_f32_16x16x32_bf16 [[E:v\[[0-9:]+\]]], v[{{.*}}], v[{{.*}}], [[E]]
    %y1 = wave.mma "v_mfma_f32_16x16x32_bf16" %b, %a, %x1 : vector<8xbf16>, vector<8xbf16>, vector<4xf32>
    wave.set %y1, %acc[1] : vector<4xf32>, !wave.regs<2 x vector<4xf32>>
    // CHECK: call void @llvm.amdgcn.sched.barrier(i32 0)
    wave.sched_fence
    // CHECK-NOT: waitcnt
    // CHECK: call void @llvm.amdgcn.s.barrier()
    // ISA-NOT: s_waitcnt
    // ISA: s_barrier
    wave.barrier raw
  }
  // ISA: s_cbranch_scc1 [[LOOP]]
  %r = wave.get %acc[0] : !wave.regs<2 x vector<4xf32>> -> vector<4xf32>
  %r1 = wave.get %acc[1] : !wave.regs<2 x vector<4xf32>> -> vector<4xf32>
  %sum = arith.addf %r, %r1 : vector<4xf32>
  wave.global_write %sum, %C[%voff] align 16 : vector<4xf32>, index
}
