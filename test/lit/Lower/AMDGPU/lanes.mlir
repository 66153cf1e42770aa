// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s
//
// Exchanges within 16 lanes are part of a vector instruction, those within 32 need no address, the
// rest goes through the permutation network. Transposed reads exist on gfx950.

// CHECK-LABEL: {{^}}lanes:
wave.kernel @lanes(["A", "C"]) access ["r", "w"] threads(64) shared(1024) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 4 : index -> f32
  // CHECK: v_{{.*}}_dpp {{.*}} quad_perm:[1,0,3,2]
  %1 = wave.shuffle_xor %x, 1 : f32
  // CHECK: v_{{.*}}_dpp {{.*}} row_half_mirror
  %7 = wave.shuffle_xor %1, 7 : f32
  // CHECK: v_{{.*}}_dpp {{.*}} row_ror:8
  %8 = wave.shuffle_xor %7, 8 : f32
  // CHECK: ds_swizzle_b32 {{.*}} offset:swizzle(SWAP,16)
  %16 = wave.shuffle_xor %8, 16 : f32
  // CHECK: ds_bpermute_b32
  %32 = wave.shuffle_xor %16, 32 : f32
  // CHECK: ds_bpermute_b32
  %s = wave.shuffle %32, %o : f32
  wave.global_write %s, %C[%o] align 4 : f32, index
  // CHECK: ds_read_b64_tr_b16 {{.*}} offset:8
  %t16 = wave.shared_read_tr %o imm(8) : vector<4xf16>
  wave.global_write %t16, %C[%o] align 8 : vector<4xf16>, index
  // CHECK: ds_read_b64_tr_b8
  %t8 = wave.shared_read_tr %o imm(512) : vector<8xi8>
  wave.global_write %t8, %C[%o] align 8 : vector<8xi8>, index
  %c = arith.cmpi ult, %o, %o : index
  // CHECK: s_trap 2
  wave.trap %c, "never"
}
