// RUN: tilec-opt %s --pass-pipeline='builtin.module(wave.kernel(wave-carry-rounds{target=sm_80}),canonicalize,cse)' | FileCheck %s
//
// The wait, the barrier and the first reads of a round stand in front of the matrix instructions that end
// the round before, and once in front of the loop; copies keep their place behind the barrier. Slots of a
// ring of three are counted.

// CHECK-LABEL: wave.kernel @carried
// CHECK:       wave.cp_async_commit
// CHECK:       wave.cp_async_wait 1
// CHECK-NEXT:  wave.barrier
// CHECK:       %[[A0:.*]] = wave.ldmatrix %{{.*}} : vector<4xi32>
// CHECK:       %[[B0:.*]] = wave.ldmatrix %{{.*}} imm(12288) : vector<4xi32>
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]], %[[S0:.*]] = %c0, %[[S2:.*]] = %c2, %[[S1:.*]] = %c1)
// CHECK-NOT:     remui
// CHECK-NOT:     wave.cp_async_wait
// CHECK:         wave.cp_async %{{.*}} bytes 16
// CHECK:         wave.cp_async_commit
// CHECK:         wave.mma
// CHECK:         wave.ldmatrix
// CHECK:         wave.ldmatrix
// CHECK:         wave.cp_async_wait 1
// CHECK-NEXT:    wave.barrier
// CHECK:         arith.muli %[[S1]], %c4096
// CHECK:         %[[NA:.*]] = wave.ldmatrix %{{.*}} : vector<4xi32>
// CHECK:         %[[NB:.*]] = wave.ldmatrix %{{.*}} imm(12288) : vector<4xi32>
// CHECK:         wave.mma
// CHECK-NOT:     wave.ldmatrix
// CHECK:         scf.yield %[[NA]], %[[NB]], %[[S1]], %[[S0]], %[[S2]]
wave.kernel @carried(["G", "C"]) access ["r", "w"] threads(32) shared(24576) {
^bb0(%G: !wave.global, %C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %acc = wave.alloc_regs "acc" : !wave.regs<1 x vector<4xf32>>
  wave.set %zero, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
  %lane = wave.lane_id
  %to = arith.muli %lane, %c16 : index
  wave.cp_async %G[%to] to %to bytes 16 : index
  wave.cp_async_commit
  wave.cp_async %G[%to] to %to imm(4096) bytes 16 : index
  wave.cp_async_commit
  scf.for %k = %c0 to %c64 step %c1 {
    %slot = arith.remui %k, %c3 : index
    %ahead = arith.addi %k, %c2 : index
    %next = arith.remui %ahead, %c3 : index
    wave.cp_async_wait 1
    wave.barrier
    %nextBytes = arith.muli %next, %c4096 : index
    %dst = arith.addi %nextBytes, %to : index
    wave.cp_async %G[%to] to %dst bytes 16 : index
    wave.cp_async_commit
    %bytes = arith.muli %slot, %c4096 : index
    %at = arith.addi %bytes, %to : index
    %a = wave.ldmatrix %at : vector<4xi32>
    %b = wave.ldmatrix %at imm(12288) : vector<4xi32>
    %af = wave.bitcast %a : vector<4xi32> -> vector<8xf16>
    %bh = wave.extract %b[0] : vector<4xi32> -> vector<2xi32>
    %bf = wave.bitcast %bh : vector<2xi32> -> vector<4xf16>
    %x0 = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
    %y0 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %af, %bf, %x0 : vector<8xf16>, vector<4xf16>, vector<4xf32>
    wave.set %y0, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
    %at1 = arith.addi %at, %c32 : index
    %a1 = wave.ldmatrix %at1 : vector<4xi32>
    %b1 = wave.ldmatrix %at1 imm(12288) : vector<2xi32>
    %a1f = wave.bitcast %a1 : vector<4xi32> -> vector<8xf16>
    %b1f = wave.bitcast %b1 : vector<2xi32> -> vector<4xf16>
    %x1 = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
    %y1 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %a1f, %b1f, %x1 : vector<8xf16>, vector<4xf16>, vector<4xf32>
    wave.set %y1, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
  }
  %r = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
  wave.global_write %r, %C[%to] align 16 : vector<4xf32>, index
}

// A number of rounds that may be none: the first reads are under that condition.
// CHECK-LABEL: wave.kernel @counted
// CHECK:       arith.cmpi sgt
// CHECK:       %[[FIRST:.*]] = scf.if
// CHECK:         wave.cp_async_wait 0
// CHECK-NEXT:    wave.barrier
// CHECK:         wave.ldmatrix
// CHECK:       else
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
wave.kernel @counted(["C"]) access ["w"] threads(32) shared(1024) {
^bb0(%C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = wave.block_id 0
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %acc = wave.alloc_regs "acc" : !wave.regs<1 x vector<4xf32>>
  wave.set %zero, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
  %lane = wave.lane_id
  scf.for %k = %c0 to %n step %c1 {
    wave.cp_async_wait 0
    wave.barrier
    %a = wave.ldmatrix %lane : vector<4xi32>
    %af = wave.bitcast %a : vector<4xi32> -> vector<8xf16>
    %bh = wave.extract %a[0] : vector<4xi32> -> vector<2xi32>
    %bf = wave.bitcast %bh : vector<2xi32> -> vector<4xf16>
    %x0 = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
    %y0 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %af, %bf, %x0 : vector<8xf16>, vector<4xf16>, vector<4xf32>
    wave.set %y0, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
  }
  %r = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
  wave.global_write %r, %C[%lane] align 4 : vector<4xf32>, index
}

// Where the accumulators leave few registers, 16 of the first operands are carried; the rest is read as before.
// CHECK-LABEL: wave.kernel @tight
// CHECK-COUNT-4: wave.ldmatrix
// CHECK:       scf.for {{.*}} -> (vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>)
// CHECK:         wave.ldmatrix %{{.*}} imm(64)
// CHECK:         wave.cp_async_wait
// CHECK-COUNT-4: wave.ldmatrix
// CHECK-NOT:     wave.ldmatrix
// CHECK:         wave.mma
// CHECK:         scf.yield
wave.kernel @tight(["C"]) access ["w"] threads(32) shared(1024) {
^bb0(%C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %acc = wave.alloc_regs "acc" : !wave.regs<60 x vector<4xf32>>
  wave.set %zero, %acc[0] : vector<4xf32>, !wave.regs<60 x vector<4xf32>>
  %lane = wave.lane_id
  scf.for %k = %c0 to %c8 step %c1 {
    wave.cp_async_wait 0
    wave.barrier
    %a0 = wave.ldmatrix %lane : vector<4xi32>
    %a1 = wave.ldmatrix %lane imm(16) : vector<4xi32>
    %a2 = wave.ldmatrix %lane imm(32) : vector<4xi32>
    %a3 = wave.ldmatrix %lane imm(48) : vector<4xi32>
    %a4 = wave.ldmatrix %lane imm(64) : vector<4xi32>
    %s0 = arith.xori %a0, %a1 : vector<4xi32>
    %s1 = arith.xori %a2, %a3 : vector<4xi32>
    %s2 = arith.xori %s0, %s1 : vector<4xi32>
    %af = wave.bitcast %s2 : vector<4xi32> -> vector<8xf16>
    %bh = wave.extract %a4[0] : vector<4xi32> -> vector<2xi32>
    %bf = wave.bitcast %bh : vector<2xi32> -> vector<4xf16>
    %x0 = wave.get %acc[0] : !wave.regs<60 x vector<4xf32>> -> vector<4xf32>
    %y0 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %af, %bf, %x0 : vector<8xf16>, vector<4xf16>, vector<4xf32>
    wave.set %y0, %acc[0] : vector<4xf32>, !wave.regs<60 x vector<4xf32>>
  }
  %r = wave.get %acc[0] : !wave.regs<60 x vector<4xf32>> -> vector<4xf32>
  wave.global_write %r, %C[%lane] align 4 : vector<4xf32>, index
}

// What a round ends with touches memory: nothing moves. Nor over a write of shared memory that may be read.
// CHECK-LABEL: wave.kernel @kept
// CHECK:       scf.for
// CHECK-NOT:   iter_args
// CHECK-NEXT:    wave.cp_async_wait 0
// CHECK:       scf.for
// CHECK-NOT:   iter_args
// CHECK-NEXT:    wave.cp_async_wait 0
wave.kernel @kept(["C"]) access ["w"] threads(32) shared(1024) {
^bb0(%C: !wave.global):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %lane = wave.lane_id
  %zero = arith.constant dense<0.0> : vector<4xf32>
  scf.for %k = %c0 to %c8 step %c1 {
    wave.cp_async_wait 0
    wave.barrier
    %a = wave.ldmatrix %lane : vector<4xi32>
    %af = wave.bitcast %a : vector<4xi32> -> vector<8xf16>
    %bh = wave.extract %a[0] : vector<4xi32> -> vector<2xi32>
    %bf = wave.bitcast %bh : vector<2xi32> -> vector<4xf16>
    %y0 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %af, %bf, %zero : vector<8xf16>, vector<4xf16>, vector<4xf32>
    wave.global_write %y0, %C[%lane] align 4 : vector<4xf32>, index
  }
  %acc = wave.alloc_regs "acc" : !wave.regs<1 x vector<4xf32>>
  scf.for %k = %c0 to %c8 step %c1 {
    wave.cp_async_wait 0
    wave.barrier
    wave.shared_write %zero, %lane : vector<4xf32>
    %a = wave.ldmatrix %lane : vector<4xi32>
    %af = wave.bitcast %a : vector<4xi32> -> vector<8xf16>
    %bh = wave.extract %a[0] : vector<4xi32> -> vector<2xi32>
    %bf = wave.bitcast %bh : vector<2xi32> -> vector<4xf16>
    %y0 = wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" %af, %bf, %zero : vector<8xf16>, vector<4xf16>, vector<4xf32>
    wave.set %y0, %acc[0] : vector<4xf32>, !wave.regs<1 x vector<4xf32>>
  }
  %r = wave.get %acc[0] : !wave.regs<1 x vector<4xf32>> -> vector<4xf32>
  wave.global_write %r, %C[%lane] align 4 : vector<4xf32>, index
}
