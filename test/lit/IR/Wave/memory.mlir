// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Shared and global memory, asynchronous copies.

wave.kernel @memory(["A"]) access ["rw"] threads(64) shared(4096) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %m = arith.constant true
  %n = arith.constant 4096 : i64
  // CHECK: %[[V:.*]] = wave.shared_read %[[O:[0-9]+]] : vector<8xbf16>
  %v = wave.shared_read %o : vector<8xbf16>
  // CHECK: wave.shared_read %[[O]] imm(64) : i32
  %w = wave.shared_read %o imm(64) : i32
  // CHECK: wave.shared_write %[[V]], %[[O]] : vector<8xbf16>
  wave.shared_write %v, %o : vector<8xbf16>
  // CHECK: wave.shared_write %{{.*}}, %[[O]] imm(4) mask(%[[M:.*]]) : i32
  wave.shared_write %w, %o imm(4) mask(%m) : i32
  // CHECK: wave.shared_atomic add %{{.*}}, %[[O]] : i32 -> i32
  %sa = wave.shared_atomic add %w, %o : i32 -> i32
  // CHECK: wave.shared_atomic umax %{{.*}}, %[[O]] mask(%[[M]]) : i32 -> i32
  %sb = wave.shared_atomic umax %w, %o mask(%m) : i32 -> i32
  // CHECK: wave.ldmatrix %[[O]] : vector<8xf16>
  %ld = wave.ldmatrix %o : vector<8xf16>
  // CHECK: wave.ldmatrix %[[O]] imm(16) {trans} : vector<2xf16>
  %lt = wave.ldmatrix %o imm(16) {trans} : vector<2xf16>
  // CHECK: wave.shared_read_tr %[[O]] imm(8) : vector<4xf16>
  %tr = wave.shared_read_tr %o imm(8) : vector<4xf16>

  // CHECK: wave.global_read %A[%[[O]]] align 16 : index -> vector<4xf32>
  %g = wave.global_read %A[%o] align 16 : index -> vector<4xf32>
  // CHECK: wave.global_read %A[%{{.*}}] mask(%[[M]]) align 2 : i64 -> f16
  %h = wave.global_read %A[%n] mask(%m) align 2 : i64 -> f16
  // CHECK: wave.global_write %{{.*}}, %A[%[[O]]] align 16 : vector<4xf32>, index
  wave.global_write %g, %A[%o] align 16 : vector<4xf32>, index
  // CHECK: wave.global_write %{{.*}}, %A[%{{.*}}] mask(%[[M]]) align 2 : f16, i64
  wave.global_write %h, %A[%n] mask(%m) align 2 : f16, i64
  // CHECK: wave.global_atomic exchange %{{.*}}, %A[%[[O]]] : i32, index -> i32
  %x = wave.global_atomic exchange %w, %A[%o] : i32, index -> i32
  // CHECK: wave.global_atomic max %{{.*}}, %A[%[[O]]] mask(%[[M]]) : i32, index -> i32
  %y = wave.global_atomic max %w, %A[%o] mask(%m) : i32, index -> i32
  // CHECK: %[[B:.*]] = wave.add_global %A, %{{.*}}
  %b = wave.add_global %A, %n

  // CHECK: %[[D:.*]] = wave.buffer_desc %[[B]], %{{.*}}
  %d = wave.buffer_desc %b, %n
  // CHECK: wave.load_to_shared %[[D]], %[[O]], %[[O]] to %[[O]] bytes 16
  wave.load_to_shared %d, %o, %o to %o bytes 16
  // CHECK: wave.load_to_shared %[[D]], %[[O]], %[[O]] to %[[O]] imm(128) bytes 4
  wave.load_to_shared %d, %o, %o to %o imm(128) bytes 4
  // CHECK: wave.cp_async %A[%[[O]]] to %[[O]] bytes 16 : index
  wave.cp_async %A[%o] to %o bytes 16 : index
  // CHECK: wave.cp_async %A[%{{.*}}] to %[[O]] imm(32) mask(%[[M]]) bytes 4 : i64
  wave.cp_async %A[%n] to %o imm(32) mask(%m) bytes 4 : i64
  // CHECK: wave.cp_async_commit
  wave.cp_async_commit
  // CHECK: wave.cp_async_wait 2
  wave.cp_async_wait 2
}
