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

// A trap stands behind a branch of the wave: one of lanes would keep a mask for each.

// CHECK-LABEL: {{^}}traps:
// CHECK-NOT: saveexec
// CHECK: s_trap 2
// CHECK-NOT: saveexec
wave.kernel @traps(["A"]) access ["r"] threads(64) shared(0) {
^bb0(%A: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 4 : index -> i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.cmpi ne, %x, %zero : i32
  wave.trap %c0, "first"
  %c1 = arith.cmpi ne, %x, %one : i32
  wave.trap %c1, "second"
}

// A butterfly does not care which of two values comes first, nor which lane of a group that has the
// same value already: one move a step within rows, and no selection beyond.

// CHECK-LABEL: {{^}}butterfly:
// CHECK-NOT: v_cndmask
wave.kernel @butterfly(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 4 : index -> f32
  // CHECK: v_max_f32_dpp {{.*}} quad_perm:[1,0,3,2]
  %p1 = wave.shuffle_xor %x, 1 : f32
  %1 = arith.maxnumf %x, %p1 : f32
  // CHECK: v_max_f32_dpp {{.*}} quad_perm:[2,3,0,1]
  %p2 = wave.shuffle_xor %1, 2 : f32
  %2 = arith.maxnumf %p2, %1 : f32
  // CHECK-NOT: quad_perm
  // CHECK: v_max_f32_dpp {{.*}} row_half_mirror
  %p4 = wave.shuffle_xor %2, 4 : f32
  %4 = arith.maxnumf %2, %p4 : f32
  // CHECK: v_max_f32_dpp {{.*}} row_ror:8
  %p8 = wave.shuffle_xor %4, 8 : f32
  %8 = arith.maxnumf %4, %p8 : f32
  // GFX950: v_permlane16_swap_b32
  // GFX942: ds_swizzle_b32
  // CHECK: v_max_f32
  %p16 = wave.shuffle_xor %8, 16 : f32
  %16 = arith.maxnumf %8, %p16 : f32
  // GFX950: v_permlane32_swap_b32
  // CHECK: v_max_f32
  %p32 = wave.shuffle_xor %16, 32 : f32
  %32 = arith.maxnumf %16, %p32 : f32
  wave.global_write %32, %C[%o] align 4 : f32, index
}

// Two lanes that each combine one of two values: gfx950 exchanges halves of both registers, and nothing is selected.

// CHECK-LABEL: {{^}}trade:
// GFX950-NOT: v_cndmask_b32
// GFX950: v_permlane16_swap_b32
// GFX950: v_max_f32
// GFX950-NOT: v_cndmask_b32
// GFX950: global_store_dword
// GFX942: v_cndmask_b32
// GFX942: ds_swizzle_b32
wave.kernel @trade(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = wave.global_read %A[%o] align 4 : index -> f32
  %p = arith.addi %o, %c16 : index
  %y = wave.global_read %A[%p] align 4 : index -> f32
  %bit = arith.andi %o, %c16 : index
  %upper = arith.cmpi ne, %bit, %c0 : index
  %sent = arith.select %upper, %x, %y : f32
  %kept = arith.select %upper, %y, %x : f32
  %other = wave.shuffle_xor %sent, 16 : f32
  %max = arith.maxnumf %kept, %other : f32
  wave.global_write %max, %C[%o] align 4 : f32, index
}

// Where the values of a group may differ, and where the operation is another one, partners are exact.

// CHECK-LABEL: {{^}}no_butterfly:
wave.kernel @no_butterfly(["A", "C"]) access ["r", "w"] threads(64) shared(0) {
^bb0(%A: !wave.global, %C: !wave.global):
  %o = wave.lane_id
  %x = wave.global_read %A[%o] align 4 : index -> f32
  %p2 = wave.shuffle_xor %x, 2 : f32
  %2 = arith.addf %x, %p2 : f32
  // CHECK: row_half_mirror
  // CHECK: quad_perm:[3,2,1,0]
  %p4 = wave.shuffle_xor %2, 4 : f32
  %4 = arith.addf %2, %p4 : f32
  // GFX950: v_permlane32_swap_b32
  // GFX950: v_cndmask_b32
  %p32 = wave.shuffle_xor %4, 32 : f32
  %32 = arith.subf %4, %p32 : f32
  wave.global_write %32, %C[%o] align 4 : f32, index
}
