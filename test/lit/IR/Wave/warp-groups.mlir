// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Tensor maps, mbarriers, warp groups (sm_90a).

// CHECK-LABEL: wave.kernel @tma(["map", "C"]) access ["", "w"] threads(384) shared(65536)
wave.kernel @tma(["map", "C"]) access ["", "w"] threads(384) shared(65536) {
// CHECK-NEXT: ^bb0(%map: !wave.tensor_map, %C: !wave.global):
^bb0(%map: !wave.tensor_map, %C: !wave.global):
  %o = wave.lane_id
  %true = arith.constant true
  // CHECK: wave.mbarrier_init %[[O:[0-9]+]] imm(8) count 2
  wave.mbarrier_init %o imm(8) count 2
  // CHECK: wave.mbarrier_fence
  wave.mbarrier_fence
  // CHECK: wave.mbarrier_expect %[[O]] bytes 16384
  wave.mbarrier_expect %o bytes 16384
  // CHECK: wave.mbarrier_arrive %[[O]] imm(16) mask(%[[TRUE:.*]])
  wave.mbarrier_arrive %o imm(16) mask(%true)
  // CHECK: wave.mbarrier_arrive %[[O]] mask(%[[TRUE]]) rank(%[[O]])
  wave.mbarrier_arrive %o mask(%true) rank(%o)
  // CHECK: wave.grid_release
  wave.grid_release
  // CHECK-NEXT: wave.grid_wait
  wave.grid_wait
  // CHECK-NEXT: wave.tma_prefetch %map
  wave.tma_prefetch %map
  // CHECK: wave.cluster_barrier
  wave.cluster_barrier
  // CHECK: wave.mbarrier_wait %[[O]] parity %[[O]]
  wave.mbarrier_wait %o parity %o
  // CHECK: wave.elect
  %e = wave.elect
  // CHECK: wave.set_max_regs 232 more
  wave.set_max_regs 232 more
  // CHECK: wave.set_max_regs 40{{$}}
  wave.set_max_regs 40
  // CHECK: wave.tma_load %map[%[[O]], %[[O]]] to %[[O]] barrier %[[O]]
  wave.tma_load %map[%o, %o] to %o barrier %o
  // CHECK: wave.tma_load %map[%[[O]], %[[O]]] to %[[O]] barrier %[[O]] multicast(3)
  wave.tma_load %map[%o, %o] to %o barrier %o multicast(3)
  // CHECK: wave.tma_load %map[%[[O]], %[[O]], %[[O]], %[[O]]] offsets(%[[O]], %[[O]]) to %[[O]] barrier %[[O]]
  wave.tma_load %map[%o, %o, %o, %o] offsets(%o, %o) to %o barrier %o
  // CHECK: wave.tma_store %map[%[[O]], %[[O]]] from %[[O]]
  wave.tma_store %map[%o, %o] from %o
  // CHECK: wave.bulk_commit
  wave.bulk_commit
  // CHECK: wave.bulk_wait read 1
  wave.bulk_wait read 1
  // CHECK: wave.bulk_wait 0
  wave.bulk_wait 0
  // CHECK: wave.async_fence
  wave.async_fence
  %v = wave.shared_read %o : vector<8xbf16>
  // CHECK: wave.stmatrix %{{.*}}, %[[O]] imm(32) : vector<8xbf16>
  wave.stmatrix %v, %o imm(32) : vector<8xbf16>
  // CHECK: %[[C:.*]] = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  %c = wave.alloc_regs : !wave.regs<8 x vector<4xf32>>
  %a = wave.alloc_regs : !wave.regs<2 x vector<8xbf16>>
  // CHECK: wave.group_mma %[[C]], a(%[[O]]) b(%[[O]]) accumulate(%[[TRUE]])
  // CHECK-SAME: steps = 2 : i64
  wave.group_mma %c, a(%o) b(%o) accumulate(%true) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 64 : i64,
      steps = 2 : i64, a_starts = array<i64: 0, 32>, b_starts = array<i64: 0, 32>, a_desc = 65536 : i64,
      b_desc = 65536 : i64} : !wave.regs<8 x vector<4xf32>>
  // CHECK: wave.group_mma %[[C]], a(%[[O]]) b(%[[O]]) places(%{{.*}}) {
  %w = arith.constant 0 : i32
  wave.group_mma %c, a(%o) b(%o) places(%w) {a_type = bf16, b_type = bf16, slabs = 1 : i64, n = 64 : i64,
      steps = 2 : i64, a_starts = array<i64: 0, 32>, b_starts = array<i64: 0, 64>, a_desc = 65536 : i64,
      b_desc = 65536 : i64} : !wave.regs<8 x vector<4xf32>>
  // CHECK: wave.group_mma %[[C]], a_regs(%{{.*}} : !wave.regs<2 x vector<8xbf16>>) b(%[[O]])
  wave.group_mma %c, a_regs(%a : !wave.regs<2 x vector<8xbf16>>) b(%o) {a_type = bf16, b_type = bf16, slabs = 1 : i64,
      n = 64 : i64, steps = 2 : i64, a_starts = array<i64>, b_starts = array<i64: 0, 32>, a_desc = 0 : i64,
      b_desc = 65536 : i64} : !wave.regs<8 x vector<4xf32>>
  // CHECK: wave.group_mma_wait 0 %[[C]] : !wave.regs<8 x vector<4xf32>>
  wave.group_mma_wait 0 %c : !wave.regs<8 x vector<4xf32>>
}
