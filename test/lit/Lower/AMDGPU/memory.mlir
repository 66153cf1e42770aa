// RUN: tilec-translate %s --target=gfx950 | FileCheck %s
// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s --check-prefix=ISA
//
// Shared and global memory. Constant offsets end in the instructions.

// CHECK-LABEL: @shared(
// ISA-LABEL: {{^}}shared:
wave.kernel @shared(["C"]) access ["w"] threads(64) shared(8192) {
^bb0(%C: !wave.global):
  %lane = wave.lane_id
  %c16 = arith.constant 16 : index
  %o = arith.muli %lane, %c16 : index
  %half = arith.constant 32 : index
  %m = arith.cmpi ult, %lane, %half : index
  // The tag on reads and writes keeps LLVM from waiting for copies in front of them.
  // CHECK: load <8 x bfloat>, ptr addrspace(3) %{{.*}}, align 16, !alias.scope
  // ISA: ds_read_b128 v[{{.*}}], v{{[0-9]+}} offset:1024
  %v = wave.shared_read %o imm(1024) : vector<8xbf16>
  // Codes of 8 bits move as whole words.
  // CHECK: load <2 x i32>, ptr addrspace(3) %{{.*}}, align 8, !alias.scope
  %f = wave.shared_read %o : vector<8xf8E4M3FN>
  // CHECK: store <8 x bfloat> %{{.*}}, ptr addrspace(3) %{{.*}}, align 16, !alias.scope
  // ISA: ds_write_b128 v{{[0-9]+}}, v[{{.*}}] offset:2048
  wave.shared_write %v, %o imm(2048) : vector<8xbf16>
  // A masked write is a branch.
  // CHECK: br i1 %{{.*}}, label %masked, label %unmasked
  // CHECK: masked:
  // CHECK: store <2 x i32>
  // CHECK: br label %unmasked
  // ISA: s_and_saveexec_b64
  // ISA: ds_read_b64
  // ISA: ds_write_b64
  wave.shared_write %f, %o mask(%m) : vector<8xf8E4M3FN>
  %w = wave.shared_read %o : i32
  // CHECK: atomicrmw umax ptr addrspace(3) %{{.*}}, i32 %{{.*}} syncscope("workgroup") monotonic
  // ISA: ds_max_{{(rtn_)?}}u32
  %old = wave.shared_atomic umax %w, %o : i32 -> i32
  %x = arith.bitcast %w : i32 to f32
  // ISA: ds_add_{{(rtn_)?}}f32
  %old2 = wave.shared_atomic add %x, %o : f32 -> f32
  wave.global_write %old2, %C[%o] align 4 : f32, index
}

// CHECK-LABEL: @global(
// ISA-LABEL: {{^}}global:
wave.kernel @global(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %lane = wave.lane_id
  %c16 = arith.constant 16 : index
  %o = arith.muli %lane, %c16 : index
  %m = arith.cmpi ult, %lane, %c16 : index
  %far = arith.constant 8589934592 : i64
  // An index offset is unsigned: the scalar base and the lane's 32 bits stay apart.
  // CHECK: %[[O:.*]] = zext i32 %{{.*}} to i64
  // CHECK: getelementptr i8, ptr addrspace(1) %A, i64 %[[O]]
  // CHECK: load <4 x float>, ptr addrspace(1) %{{.*}}, align 16
  // ISA: global_load_dwordx4 v[{{.*}}], v{{[0-9]+}}, s[{{.*}}]
  %v = wave.global_read %A[%o] align 16 : index -> vector<4xf32>
  // CHECK: getelementptr i8, ptr addrspace(1) %A, i64 8589934592
  %base = wave.add_global %A, %far
  // A masked access has an offset where a descriptor over all memory loads zero and stores nothing.
  // CHECK: %[[D:.*]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %{{.*}}, i16 0, i64 %{{.*}}, i32 159744)
  // CHECK: %[[AT:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 -16
  // CHECK: call i16 @llvm.amdgcn.raw.ptr.buffer.load.i16(ptr addrspace(8) %[[D]], i32 %[[AT]], i32 0, i32 0)
  // ISA: buffer_load_ushort v{{[0-9]+}}, v{{[0-9]+}}, s[{{.*}}], 0 offen
  %e = wave.global_read %base[%o] mask(%m) align 2 : index -> f16
  // CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %[[D]],
  %p = wave.global_read %base[%o] mask(%m) align 4 : index -> vector<2xf16>
  %q = wave.pack %e, %e : f16, f16 -> vector<2xf16>
  %s = arith.addf %p, %q : vector<2xf16>
  // ISA: global_store_dwordx4
  wave.global_write %v, %C[%o] align 16 : vector<4xf32>, index
  // ISA-NOT: s_and_saveexec_b64
  // ISA: buffer_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[{{.*}}], 0 offen
  wave.global_write %s, %C[%o] mask(%m) align 4 : vector<2xf16>, index
}

// Offsets of 64 bits reach further than a descriptor. Lanes that have nothing to read read zeros of
// the code object: behind a branch, or a choice of zero, the read would be waited for.
// CHECK-LABEL: @far(
wave.kernel @far(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %lane = wave.lane_id
  %c16 = arith.constant 16 : index
  %m = arith.cmpi ult, %lane, %c16 : index
  %o = arith.index_castui %lane : index to i64
  // CHECK: %[[ELEMENT:.*]] = select i1 %{{.*}}, ptr addrspace(1) %{{.*}}, ptr addrspace(1) @tilec.zeros
  // CHECK-NEXT: load half, ptr addrspace(1) %[[ELEMENT]], align 2
  %e = wave.global_read %A[%o] mask(%m) align 2 : i64 -> f16
  // CHECK: %[[PAIR:.*]] = select i1 %{{.*}}, ptr addrspace(1) %{{.*}}, ptr addrspace(1) @tilec.zeros
  // CHECK-NEXT: load <2 x half>, ptr addrspace(1) %[[PAIR]], align 4
  %p = wave.global_read %A[%o] mask(%m) align 4 : i64 -> vector<2xf16>
  %q = wave.pack %e, %e : f16, f16 -> vector<2xf16>
  %s = arith.addf %p, %q : vector<2xf16>
  // CHECK: br i1
  // CHECK: store <2 x half>
  wave.global_write %s, %C[%o] mask(%m) align 4 : vector<2xf16>, i64
}

// What cannot wrap is the instruction's own offset.
// CHECK-LABEL: @offsets(
// ISA-LABEL: {{^}}offsets:
wave.kernel @offsets(["C"]) access ["rw"] threads(64) shared(0) {
^bb0(%C: !wave.global):
  %l = wave.lane_id
  %r = wave.global_read %C[%l] align 4 : index -> i32
  %o = arith.index_cast %r : i32 to index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  // CHECK: add nuw i32
  // CHECK: add i32
  %p = arith.addi %o, %c64 overflow<nuw> : index
  %q = arith.addi %o, %c64 : index
  // ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[{{.*}}] offset:64
  wave.global_write %one, %C[%p] align 4 : f32, index
  // ISA: global_store_byte v{{[0-9]+}}, v{{[0-9]+}}, s[{{[0-9:]+}}]{{$}}
  %b = arith.constant 1 : i8
  wave.global_write %b, %C[%q] align 1 : i8, index
}

// Device scope, no fence, the hardware's own float atomics.
// CHECK-LABEL: @atomics(
// ISA-LABEL: {{^}}atomics:
wave.kernel @atomics(["C"]) access ["rw"] threads(64) shared(0) {
^bb0(%C: !wave.global):
  %o = wave.lane_id
  %f = arith.constant 1.0 : f32
  %h = arith.constant dense<1.0> : vector<2xf16>
  %b = arith.constant dense<1.0> : vector<2xbf16>
  %d = arith.constant 1.0 : f64
  %i = arith.constant 5 : i64
  // CHECK: atomicrmw fadd ptr addrspace(1) %{{.*}}, float 1.000000e+00 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory
  // ISA-NOT: buffer_wbl2
  // ISA-NOT: cmpswap
  // ISA: global_atomic_add_f32
  %0 = wave.global_atomic add %f, %C[%o] : f32, index -> f32
  // ISA: global_atomic_pk_add_f16
  %1 = wave.global_atomic add %h, %C[%o] : vector<2xf16>, index -> vector<2xf16>
  // ISA: global_atomic_pk_add_bf16
  %2 = wave.global_atomic add %b, %C[%o] : vector<2xbf16>, index -> vector<2xbf16>
  // ISA: global_atomic_add_f64
  %3 = wave.global_atomic add %d, %C[%o] : f64, index -> f64
  // ISA: global_atomic_smin_x2
  %4 = wave.global_atomic min %i, %C[%o] : i64, index -> i64
  // ISA: global_atomic_cmpswap
  %hs = arith.constant 1.0 : f16
  %5 = wave.global_atomic max %hs, %C[%o] : f16, index -> f16
}
