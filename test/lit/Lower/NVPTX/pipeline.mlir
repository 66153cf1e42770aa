// RUN: tilec-translate %s --target=sm_80 --emit=asm | FileCheck %s
//
// Asynchronous copies, ldmatrix and mma.sync of a bf16 loop; a tail copies zeros.

// CHECK: .visible .entry gemm(
wave.kernel @gemm(["A", "C"]) access ["r", "w"] threads(128) shared(65536) {
^bb0(%A: !wave.global, %C: !wave.global):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %acc = wave.alloc_regs "acc" : !wave.regs<1 x vector<4xf32>>
  wave.set %zero, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
  %lane = wave.lane_id
  %bx = wave.block_id 0
  %off = arith.muli %lane, %c16 : index
  %in = arith.cmpi ult, %lane, %c16 : index
  // CHECK: selp.b32 [[BYTES:%r[0-9]+]], 16, 0, %p
  scf.for %k = %c0 to %bx step %c1 {
    // CHECK: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, [[BYTES]]
    wave.cp_async %A[%off] to %off imm(128) mask(%in) bytes 16 : index
    // CHECK: cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16;
    wave.cp_async %A[%off] to %off bytes 16 : index
    // CHECK: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 4;
    wave.cp_async %A[%off] to %off imm(8192) bytes 4 : index
    // CHECK: cp.async.commit_group
    wave.cp_async_commit
    // CHECK: cp.async.wait_group 1
    wave.cp_async_wait 1
    // CHECK: bar.sync 0
    wave.barrier
    // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {[[A:.*]]}, [
    %a = wave.ldmatrix %off : vector<8xbf16>
    // CHECK: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {[[B:.*]]}, [
    %b = wave.ldmatrix %off imm(4096) {trans} : vector<4xbf16>
    %x = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
    // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    // CHECK-NEXT: {[[D:.*]]},
    // CHECK-NEXT: {[[A]]},
    // CHECK-NEXT: {[[B]]},
    // CHECK-NEXT: {[[D]]};
    %y = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" %a, %b, %x : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
    wave.set %y, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
    wave.barrier
  }
  %r = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
  // Each operation rounds: ptxas may not fuse what says .rn.
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  %m = arith.mulf %r, %r : vector<4xf32>
  %s = arith.addf %m, %r : vector<4xf32>
  // CHECK: cvt.rn.bf16x2.f32
  %h = arith.truncf %s : vector<4xf32> to vector<4xbf16>
  // CHECK: st.global.v2.b32
  wave.global_write %h, %C[%off] mask(%in) align 8 : vector<4xbf16>, index
}

// The other atoms.
// CHECK: .visible .entry atoms(
wave.kernel @atoms(["A", "C"]) access ["r", "w"] threads(32) shared(4096) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %c64 = arith.constant 64 : index
  %o1 = arith.addi %o, %c64 : index
  %o2 = arith.addi %o1, %c64 : index
  %o3 = arith.addi %o2, %c64 : index
  %a = wave.ldmatrix %o : vector<8xf16>
  %b = wave.ldmatrix %o {trans} : vector<4xf16>
  %one = wave.ldmatrix %o imm(32) : vector<2xf16>
  %c = arith.constant dense<0.0> : vector<4xf32>
  // CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  %0 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
  %ia = wave.bitcast %a : vector<8xf16> -> vector<16xi8>
  %ib = wave.bitcast %b : vector<4xf16> -> vector<8xi8>
  %i = arith.constant dense<0> : vector<4xi32>
  // CHECK-DAG: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
  %2 = wave.mma "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" %ia, %ib, %i : vector<16xi8>, vector<8xi8>, vector<4xi32>
  %ta = wave.bitcast %a : vector<8xf16> -> vector<4xf32>
  %tb = wave.bitcast %b : vector<4xf16> -> vector<2xf32>
  %t2 = wave.extract %ta[0] : vector<4xf32> -> vector<2xf32>
  %t1 = wave.bitcast %one : vector<2xf16> -> vector<1xf32>
  // CHECK-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
  %3 = wave.mma "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" %ta, %tb, %0 : vector<4xf32>, vector<2xf32>, vector<4xf32>
  // CHECK-DAG: mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32
  %4 = wave.mma "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" %t2, %t1, %3 : vector<2xf32>, vector<1xf32>, vector<4xf32>
  wave.global_write %4, %C[%o] align 16 : vector<4xf32>, index
  wave.global_write %2, %C[%o2] align 16 : vector<4xi32>, index
  wave.global_write %one, %C[%o3] align 4 : vector<2xf16>, index
}
