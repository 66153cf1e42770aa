// RUN: tilec-translate %s --target=gfx950 --emit=asm --keep-order | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: tilec-translate %s --target=gfx942 --emit=asm --keep-order | FileCheck %s --check-prefixes=CHECK,GFX942
//
// Exchanges within 16 lanes are moves of the vector unit. Beyond, gfx950 swaps rows and halves of the
// wave; gfx942 swizzles within 32 lanes and permutes within 64.

// CHECK-LABEL: {{^}}lanes:
wave.kernel @lanes(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 4 : index -> f32
  // CHECK: v_{{.*}}_dpp {{.*}} quad_perm:[1,0,3,2]
  %1 = wave.shuffle_xor %x, 1 : f32
  // CHECK: v_{{.*}}_dpp {{.*}} row_half_mirror
  // CHECK: v_{{.*}}_dpp {{.*}} quad_perm:[3,2,1,0]
  %4 = wave.shuffle_xor %1, 4 : f32
  // CHECK: v_{{.*}}_dpp {{.*}} row_ror:8
  %8 = wave.shuffle_xor %4, 8 : f32
  // GFX950: v_permlane16_swap_b32
  // GFX950: v_cndmask_b32
  // GFX942: ds_swizzle_b32 {{.*}} offset:swizzle(SWAP,16)
  %16 = wave.shuffle_xor %8, 16 : f32
  // GFX950: v_permlane32_swap_b32
  // GFX950: v_cndmask_b32
  // GFX942: ds_bpermute_b32
  %32 = wave.shuffle_xor %16, 32 : f32
  // CHECK: ds_bpermute_b32
  %s = wave.shuffle %32, %o : f32
  wave.global_write %s, %C[%o] align 4 : f32, index
  %c = arith.cmpi ult, %o, %o : index
  // CHECK: s_trap 2
  wave.trap %c, "never"
}
