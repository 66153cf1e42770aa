// RUN: tilec-translate %s --target=gfx950 | FileCheck %s
// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s --check-prefix=ISA
//
// Transposed reads carry the tag of other reads: LLVM does not wait for the copies in flight. They keep
// their order too.

// ISA-LABEL: {{^}}transposed:
wave.kernel @transposed(["A", "C"]) access ["r", "w"] threads(64) shared(4096) attributes {keep_order} {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %c64 = arith.constant 64 : index
  %p = arith.addi %o, %c64 : index
  %c0 = arith.constant 0 : index
  %n = arith.constant 4096 : i64
  %d = wave.buffer_desc %A, %n
  // ISA: buffer_load_dwordx4 {{.*}} lds
  wave.load_to_shared %d, %o, %c0 to %c0 imm(1024) bytes 16
  // CHECK: call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) %{{.*}}), !alias.scope
  // ISA-NOT: vmcnt
  // ISA: ds_read_b64_tr_b16 {{.*}} offset:8
  %t16 = wave.shared_read_tr %o imm(8) : vector<4xf16>
  // ISA-NOT: vmcnt
  // ISA: ds_read_b64_tr_b8
  %t8 = wave.shared_read_tr %o : vector<8xi8>
  // ISA: ds_read_b64_tr_b4
  %t4 = wave.shared_read_tr %o imm(16) : vector<16xi4>
  %w = wave.bitcast %t4 : vector<16xi4> -> vector<8xi8>
  %s = arith.addi %t8, %w : vector<8xi8>
  wave.global_write %t16, %C[%o] align 8 : vector<4xf16>, index
  wave.global_write %s, %C[%p] align 8 : vector<8xi8>, index
}
