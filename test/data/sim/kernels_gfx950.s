	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.protected	vadd
	.globl	vadd
	.p2align	8
	.type	vadd,@function
vadd:
	s_load_dword s3, s[0:1], 0x2c
	s_load_dword s4, s[0:1], 0x18
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xffff
	s_mul_i32 s2, s2, s3
	v_add_u32_e32 v0, s2, v0
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB0_2
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[4:5], s[4:5], 0, v[0:1]
	v_lshl_add_u64 v[2:3], s[6:7], 0, v[0:1]
	global_load_dword v6, v[4:5], off
	global_load_dword v7, v[2:3], off
	v_lshl_add_u64 v[0:1], s[2:3], 0, v[0:1]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v6, v7
	global_store_dword v[0:1], v2, off
.LBB0_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel vadd
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 288
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	vadd, .Lfunc_end0-vadd
	.set vadd.num_vgpr, 8
	.set vadd.num_agpr, 0
	.set vadd.numbered_sgpr, 8
	.set vadd.num_named_barrier, 0
	.set vadd.private_seg_size, 0
	.set vadd.uses_vcc, 1
	.set vadd.uses_flat_scratch, 0
	.set vadd.has_dyn_sized_stack, 0
	.set vadd.has_recursion, 0
	.set vadd.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	reduce
	.globl	reduce
	.p2align	8
	.type	reduce,@function
reduce:
	s_load_dword s3, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshl_or_b32 v2, s2, 8, v0
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s3, v2
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_2
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v5, s5
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[4:5]
	global_load_dword v3, v[2:3], off
.LBB1_2:
	s_or_b64 exec, exec, s[0:1]
	s_movk_i32 s0, 0x80
	v_lshlrev_b32_e32 v1, 2, v0
	v_cmp_gt_u32_e32 vcc, s0, v0
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_4
	ds_read2st64_b32 v[2:3], v1 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_4:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_6
	ds_read2st64_b32 v[2:3], v1 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_6:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 32, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_8
	ds_read2_b32 v[2:3], v1 offset1:32
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_8:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 16, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_10
	ds_read2_b32 v[2:3], v1 offset1:16
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_10:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 8, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_12
	ds_read2_b32 v[2:3], v1 offset1:8
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_12:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 4, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_14
	ds_read2_b32 v[2:3], v1 offset1:4
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_14:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_gt_u32_e32 vcc, 2, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_16
	ds_read2_b32 v[2:3], v1 offset1:2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v3, v2
	ds_write_b32 v1, v2
.LBB1_16:
	s_or_b64 exec, exec, s[0:1]
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_18
	ds_read2_b32 v[2:3], v1 offset1:1
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v3, v2
	ds_write_b32 v1, v0
.LBB1_18:
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_20
	v_mov_b32_e32 v0, 0
	ds_read_b32 v1, v0
	s_mov_b32 s3, 0
	s_lshl_b64 s[0:1], s[2:3], 2
	s_add_u32 s0, s6, s0
	s_addc_u32 s1, s7, s1
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[0:1]
.LBB1_20:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel reduce
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	reduce, .Lfunc_end1-reduce
	.set reduce.num_vgpr, 6
	.set reduce.num_agpr, 0
	.set reduce.numbered_sgpr, 8
	.set reduce.num_named_barrier, 0
	.set reduce.private_seg_size, 0
	.set reduce.uses_vcc, 1
	.set reduce.uses_flat_scratch, 0
	.set reduce.has_dyn_sized_stack, 0
	.set reduce.has_recursion, 0
	.set reduce.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	softmax
	.globl	softmax
	.p2align	8
	.type	softmax,@function
softmax:
	s_load_dword s20, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v1, 0xff800000
	s_waitcnt lgkmcnt(0)
	s_ashr_i32 s0, s20, 31
	s_mul_hi_u32 s1, s20, s2
	s_mul_i32 s0, s0, s2
	s_add_i32 s9, s1, s0
	s_mul_i32 s8, s20, s2
	v_cmp_gt_i32_e32 vcc, s20, v0
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB2_10
	v_xad_u32 v3, v0, -1, s20
	s_movk_i32 s0, 0xbf
	v_cmp_lt_u32_e64 s[0:1], s0, v3
	s_mov_b64 s[14:15], -1
	v_mov_b32_e32 v1, 0xff800000
	v_mov_b32_e32 v2, v0
	s_and_saveexec_b64 s[12:13], s[0:1]
	s_cbranch_execz .LBB2_5
	v_lshrrev_b32_e32 v1, 6, v3
	s_lshl_b64 s[0:1], s[8:9], 2
	v_add_u32_e32 v7, 1, v1
	s_add_u32 s14, s4, s0
	v_or_b32_e32 v1, 64, v0
	s_mov_b32 s21, 2
	s_addc_u32 s15, s5, s1
	v_and_b32_e32 v8, 0x7fffffe, v7
	s_mov_b64 s[18:19], 0
	v_mov_b32_e32 v6, 0xff800000
	v_mov_b32_e32 v3, 0
	v_mov_b64_e32 v[4:5], v[0:1]
	v_mov_b32_e32 v1, 0xff800000
.LBB2_3:
	v_mov_b32_e32 v10, v5
	v_mov_b32_e32 v11, v3
	v_mov_b32_e32 v2, v4
	v_lshl_add_u64 v[10:11], v[10:11], 2, s[14:15]
	v_lshl_add_u64 v[12:13], v[2:3], 2, s[14:15]
	global_load_dword v14, v[10:11], off
	global_load_dword v15, v[12:13], off
	v_mov_b32_e32 v9, v1
	v_max_f32_e32 v1, v9, v9
	v_cmp_eq_u32_e64 s[0:1], s21, v8
	s_add_i32 s21, s21, 2
	v_mov_b32_e32 v2, v6
	v_max_f32_e32 v6, v2, v2
	v_add_u32_e32 v5, 0x80, v5
	v_add_u32_e32 v4, 0x80, v4
	v_mov_b32_e32 v10, s21
	s_waitcnt vmcnt(1)
	v_cmp_u_f32_e64 s[2:3], v14, v14
	v_max_f32_e32 v11, v14, v14
	s_nop 0
	v_cndmask_b32_e64 v13, 0, 1, s[2:3]
	s_waitcnt vmcnt(0)
	v_cmp_u_f32_e64 s[2:3], v15, v15
	v_max_f32_e32 v1, v1, v11
	v_lshlrev_b16_e32 v11, 1, v13
	v_cndmask_b32_e64 v14, 0, 1, s[2:3]
	v_bitop3_b16 v11, v14, 3, v11 bitop3:0xc8
	v_cmp_ne_u16_e64 s[2:3], 0, v11
	s_or_b64 s[0:1], s[2:3], s[0:1]
	s_and_b64 s[0:1], exec, s[0:1]
	s_or_b64 s[18:19], s[0:1], s[18:19]
	v_max_f32_e32 v12, v15, v15
	s_andn2_b64 s[0:1], s[16:17], exec
	s_and_b64 s[2:3], s[2:3], exec
	v_max_f32_e32 v6, v6, v12
	s_or_b64 s[16:17], s[0:1], s[2:3]
	s_andn2_b64 exec, exec, s[18:19]
	s_cbranch_execnz .LBB2_3
	s_or_b64 exec, exec, s[18:19]
	v_add_u32_e32 v3, -4, v10
	v_cndmask_b32_e64 v2, v6, v2, s[16:17]
	v_cndmask_b32_e64 v1, v1, v9, s[16:17]
	v_cmp_ne_u32_e64 s[0:1], v7, v8
	v_cndmask_b32_e64 v3, v8, v3, s[16:17]
	v_max_f32_e32 v1, v1, v1
	v_max_f32_e32 v2, v2, v2
	s_or_b64 s[0:1], s[0:1], s[16:17]
	v_max_f32_e32 v1, v2, v1
	v_lshl_or_b32 v2, v3, 6, v0
	s_orn2_b64 s[14:15], s[0:1], exec
.LBB2_5:
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[2:3], s[14:15]
	s_cbranch_execz .LBB2_9
	s_lshl_b64 s[0:1], s[8:9], 2
	s_add_u32 s0, s4, s0
	v_mov_b32_e32 v3, 0
	s_addc_u32 s1, s5, s1
	v_lshl_add_u64 v[4:5], v[2:3], 2, s[0:1]
	s_mov_b64 s[12:13], 0
	s_mov_b64 s[14:15], 0x100
.LBB2_7:
	global_load_dword v3, v[4:5], off
	v_add_u32_e32 v2, 64, v2
	v_max_f32_e32 v1, v1, v1
	v_cmp_le_i32_e64 s[0:1], s20, v2
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[14:15]
	s_or_b64 s[12:13], s[0:1], s[12:13]
	s_waitcnt vmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	s_andn2_b64 exec, exec, s[12:13]
	s_cbranch_execnz .LBB2_7
	s_or_b64 exec, exec, s[12:13]
.LBB2_9:
	s_or_b64 exec, exec, s[2:3]
.LBB2_10:
	s_or_b64 exec, exec, s[10:11]
	v_lshlrev_b32_e32 v2, 2, v0
	v_xor_b32_e32 v6, 0x80, v2
	ds_bpermute_b32 v3, v6, v1
	v_max_f32_e32 v1, v1, v1
	v_xor_b32_e32 v7, 64, v2
	v_xor_b32_e32 v8, 32, v2
	v_xor_b32_e32 v9, 16, v2
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	ds_bpermute_b32 v3, v7, v1
	v_xor_b32_e32 v10, 8, v2
	v_xor_b32_e32 v11, 4, v2
	v_mov_b32_e32 v12, 0
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	ds_bpermute_b32 v3, v8, v1
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	ds_bpermute_b32 v3, v9, v1
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	ds_bpermute_b32 v3, v10, v1
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v3, v3, v3
	v_max_f32_e32 v1, v1, v3
	ds_bpermute_b32 v4, v11, v1
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v4, v4, v4
	v_max_f32_e32 v1, v1, v4
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB2_14
	s_lshl_b64 s[0:1], s[8:9], 2
	s_add_u32 s0, s4, s0
	s_addc_u32 s1, s5, s1
	v_lshl_add_u64 v[4:5], s[0:1], 0, v[2:3]
	s_mov_b64 s[10:11], 0
	v_mov_b32_e32 v12, 0
	s_mov_b32 s14, 0x3fb8aa3b
	s_mov_b32 s15, 0xc2ce8ed0
	s_mov_b32 s16, 0x42b17218
	v_mov_b32_e32 v3, 0x7f800000
	s_mov_b64 s[12:13], 0x100
	v_mov_b32_e32 v13, v0
.LBB2_12:
	global_load_dword v14, v[4:5], off
	v_add_u32_e32 v13, 64, v13
	v_cmp_le_i32_e64 s[0:1], s20, v13
	s_or_b64 s[10:11], s[0:1], s[10:11]
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[12:13]
	s_waitcnt vmcnt(0)
	v_sub_f32_e32 v14, v14, v1
	v_mul_f32_e32 v15, 0x3fb8aa3b, v14
	v_fma_f32 v16, v14, s14, -v15
	v_rndne_f32_e32 v17, v15
	v_fmac_f32_e32 v16, 0x32a5705f, v14
	v_sub_f32_e32 v15, v15, v17
	v_add_f32_e32 v15, v15, v16
	v_cvt_i32_f32_e32 v17, v17
	v_exp_f32_e32 v15, v15
	v_cmp_ngt_f32_e64 s[0:1], s15, v14
	v_ldexp_f32 v15, v15, v17
	s_nop 0
	v_cndmask_b32_e64 v15, 0, v15, s[0:1]
	v_cmp_nlt_f32_e64 s[0:1], s16, v14
	s_nop 1
	v_cndmask_b32_e64 v14, v3, v15, s[0:1]
	v_add_f32_e32 v12, v12, v14
	s_andn2_b64 exec, exec, s[10:11]
	s_cbranch_execnz .LBB2_12
	s_or_b64 exec, exec, s[10:11]
.LBB2_14:
	s_or_b64 exec, exec, s[2:3]
	ds_bpermute_b32 v3, v6, v12
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v12, v3
	ds_bpermute_b32 v4, v7, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v8, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v9, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v10, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v3, v3, v4
	ds_bpermute_b32 v4, v11, v3
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB2_17
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v6, v3, v4
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[8:9], 2, v[2:3]
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[4:5]
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[4:5]
	s_mov_b64 s[0:1], 0
	s_mov_b32 s4, 0x3fb8aa3b
	s_mov_b32 s5, 0xc2ce8ed0
	s_mov_b32 s6, 0x42b17218
	v_mov_b32_e32 v7, 0x7f800000
	s_mov_b64 s[2:3], 0x100
.LBB2_16:
	global_load_dword v8, v[2:3], off
	v_add_u32_e32 v0, 64, v0
	v_cmp_le_i32_e32 vcc, s20, v0
	s_or_b64 s[0:1], vcc, s[0:1]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[2:3]
	s_waitcnt vmcnt(0)
	v_sub_f32_e32 v8, v8, v1
	v_mul_f32_e32 v9, 0x3fb8aa3b, v8
	v_fma_f32 v10, v8, s4, -v9
	v_rndne_f32_e32 v11, v9
	v_fmac_f32_e32 v10, 0x32a5705f, v8
	v_sub_f32_e32 v9, v9, v11
	v_add_f32_e32 v9, v9, v10
	v_cvt_i32_f32_e32 v11, v11
	v_exp_f32_e32 v9, v9
	v_cmp_ngt_f32_e32 vcc, s5, v8
	v_ldexp_f32 v9, v9, v11
	s_nop 0
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cmp_nlt_f32_e32 vcc, s6, v8
	s_nop 1
	v_cndmask_b32_e32 v8, v7, v9, vcc
	v_div_scale_f32 v9, s[8:9], v6, v6, v8
	v_rcp_f32_e32 v10, v9
	v_div_scale_f32 v11, vcc, v8, v6, v8
	v_fma_f32 v12, -v9, v10, 1.0
	v_fmac_f32_e32 v10, v12, v10
	v_mul_f32_e32 v12, v11, v10
	v_fma_f32 v13, -v9, v12, v11
	v_fmac_f32_e32 v12, v13, v10
	v_fma_f32 v9, -v9, v12, v11
	v_div_fmas_f32 v9, v9, v10, v12
	v_div_fixup_f32 v8, v9, v6, v8
	global_store_dword v[4:5], v8, off
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[2:3]
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz .LBB2_16
.LBB2_17:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel softmax
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 18
		.amdhsa_next_free_sgpr 22
		.amdhsa_accum_offset 20
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	softmax, .Lfunc_end2-softmax
	.set softmax.num_vgpr, 18
	.set softmax.num_agpr, 0
	.set softmax.numbered_sgpr, 22
	.set softmax.num_named_barrier, 0
	.set softmax.private_seg_size, 0
	.set softmax.uses_vcc, 1
	.set softmax.uses_flat_scratch, 0
	.set softmax.has_dyn_sized_stack, 0
	.set softmax.has_recursion, 0
	.set softmax.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	transpose
	.globl	transpose
	.p2align	8
	.type	transpose,@function
transpose:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	v_and_b32_e32 v1, 31, v0
	v_lshrrev_b32_e32 v2, 5, v0
	s_lshl_b32 s10, s2, 5
	s_lshl_b32 s11, s3, 5
	v_or_b32_e32 v0, s10, v1
	v_or_b32_e32 v4, s11, v2
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s8, v0
	v_mul_u32_u24_e32 v3, 0x84, v2
	v_cmp_gt_i32_e64 s[0:1], s9, v4
	v_lshl_add_u32 v3, v1, 2, v3
	s_and_b64 s[2:3], vcc, s[0:1]
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB3_2
	v_mad_u64_u32 v[6:7], s[2:3], v4, s8, v[0:1]
	v_ashrrev_i32_e32 v7, 31, v6
	v_lshl_add_u64 v[6:7], v[6:7], 2, s[4:5]
	global_load_dword v5, v[6:7], off
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v5
.LBB3_2:
	s_or_b64 exec, exec, s[0:1]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB3_9
	v_add_u32_e32 v5, 8, v4
	v_cmp_gt_i32_e32 vcc, s9, v5
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB3_5
	v_mad_u64_u32 v[6:7], s[12:13], v5, s8, v[0:1]
	v_ashrrev_i32_e32 v7, 31, v6
	v_lshl_add_u64 v[6:7], v[6:7], 2, s[4:5]
	global_load_dword v5, v[6:7], off
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v5 offset:1056
.LBB3_5:
	s_or_b64 exec, exec, s[2:3]
	v_add_u32_e32 v5, 16, v4
	v_cmp_gt_i32_e32 vcc, s9, v5
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB3_7
	v_mad_u64_u32 v[6:7], s[12:13], v5, s8, v[0:1]
	v_ashrrev_i32_e32 v7, 31, v6
	v_lshl_add_u64 v[6:7], v[6:7], 2, s[4:5]
	global_load_dword v5, v[6:7], off
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v5 offset:2112
.LBB3_7:
	s_or_b64 exec, exec, s[2:3]
	v_add_u32_e32 v4, 24, v4
	v_cmp_gt_i32_e32 vcc, s9, v4
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB3_9
	v_mad_u64_u32 v[4:5], s[2:3], v4, s8, v[0:1]
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[4:5]
	global_load_dword v0, v[4:5], off
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v0 offset:3168
.LBB3_9:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v0, s11, v1
	v_or_b32_e32 v3, s10, v2
	v_cmp_gt_i32_e32 vcc, s9, v0
	v_mul_u32_u24_e32 v1, 0x84, v1
	v_cmp_gt_i32_e64 s[0:1], s8, v3
	v_lshl_add_u32 v1, v2, 2, v1
	s_and_b64 s[2:3], vcc, s[0:1]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz .LBB3_11
	ds_read_b32 v2, v1
	v_mad_u64_u32 v[4:5], s[2:3], v3, s9, v[0:1]
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[6:7]
	s_waitcnt lgkmcnt(0)
	global_store_dword v[4:5], v2, off
.LBB3_11:
	s_or_b64 exec, exec, s[0:1]
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB3_18
	v_add_u32_e32 v2, 8, v3
	v_cmp_gt_i32_e32 vcc, s8, v2
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB3_14
	ds_read_b32 v6, v1 offset:32
	v_mad_u64_u32 v[4:5], s[2:3], v2, s9, v[0:1]
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[6:7]
	s_waitcnt lgkmcnt(0)
	global_store_dword v[4:5], v6, off
.LBB3_14:
	s_or_b64 exec, exec, s[0:1]
	v_add_u32_e32 v2, 16, v3
	v_cmp_gt_i32_e32 vcc, s8, v2
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB3_16
	ds_read_b32 v6, v1 offset:64
	v_mad_u64_u32 v[4:5], s[2:3], v2, s9, v[0:1]
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[6:7]
	s_waitcnt lgkmcnt(0)
	global_store_dword v[4:5], v6, off
.LBB3_16:
	s_or_b64 exec, exec, s[0:1]
	v_add_u32_e32 v2, 24, v3
	v_cmp_gt_i32_e32 vcc, s8, v2
	s_and_b64 exec, exec, vcc
	s_cbranch_execz .LBB3_18
	ds_read_b32 v3, v1 offset:96
	v_mad_u64_u32 v[0:1], s[0:1], v2, s9, v[0:1]
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[6:7]
	s_waitcnt lgkmcnt(0)
	global_store_dword v[0:1], v3, off
.LBB3_18:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel transpose
		.amdhsa_group_segment_fixed_size 4224
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 14
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end3:
	.size	transpose, .Lfunc_end3-transpose
	.set transpose.num_vgpr, 8
	.set transpose.num_agpr, 0
	.set transpose.numbered_sgpr, 14
	.set transpose.num_named_barrier, 0
	.set transpose.private_seg_size, 0
	.set transpose.uses_vcc, 1
	.set transpose.uses_flat_scratch, 0
	.set transpose.has_dyn_sized_stack, 0
	.set transpose.has_recursion, 0
	.set transpose.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	mfma
	.globl	mfma
	.p2align	8
	.type	mfma,@function
mfma:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_and_b32_e32 v1, 15, v0
	v_lshrrev_b32_e32 v0, 4, v0
	s_lshl_b32 s3, s3, 4
	v_lshlrev_b32_e32 v5, 2, v0
	s_waitcnt lgkmcnt(0)
	s_cmp_gt_i32 s11, 0
	s_cbranch_scc1 .LBB4_3
	v_or_b32_e32 v4, s3, v1
	s_lshl_b32 s2, s2, 4
	v_mov_b32_e32 v3, 0
	s_cbranch_execz .LBB4_4
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v0, 0
	s_branch .LBB4_6
.LBB4_3:
	s_lshl_b32 s2, s2, 4
	v_mov_b32_e32 v3, 0
.LBB4_4:
	v_or_b32_e32 v2, s2, v1
	v_or_b32_e32 v4, s3, v1
	v_mul_lo_u32 v10, s11, v2
	v_lshlrev_b32_e32 v2, 3, v0
	v_mul_lo_u32 v0, s11, v4
	v_mov_b32_e32 v6, s4
	v_mov_b32_e32 v7, s5
	v_mov_b32_e32 v8, s6
	v_mov_b32_e32 v9, s7
	v_ashrrev_i32_e32 v11, 31, v10
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[6:7], v[10:11], 1, v[6:7]
	v_lshl_add_u64 v[0:1], v[0:1], 1, v[8:9]
	v_lshl_add_u64 v[6:7], v[6:7], 0, v[2:3]
	v_lshl_add_u64 v[8:9], v[0:1], 0, v[2:3]
	s_mov_b32 s0, 0
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
.LBB4_5:
	global_load_dwordx2 v[10:11], v[6:7], off
	global_load_dwordx2 v[12:13], v[8:9], off
	s_add_i32 s0, s0, 16
	v_lshl_add_u64 v[8:9], v[8:9], 0, 32
	s_cmp_ge_i32 s0, s11
	v_lshl_add_u64 v[6:7], v[6:7], 0, 32
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x16_f16 v[0:3], v[10:11], v[12:13], v[0:3]
	s_cbranch_scc0 .LBB4_5
.LBB4_6:
	v_add_u32_e32 v5, s2, v5
	v_mad_u64_u32 v[4:5], s[0:1], v5, s10, v[4:5]
	v_mov_b32_e32 v6, s8
	v_mov_b32_e32 v7, s9
	v_ashrrev_i32_e32 v5, 31, v4
	s_ashr_i32 s11, s10, 31
	v_lshl_add_u64 v[4:5], v[4:5], 2, v[6:7]
	s_lshl_b64 s[0:1], s[10:11], 2
	global_store_dword v[4:5], v0, off
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[0:1]
	global_store_dword v[4:5], v1, off
	v_lshl_add_u64 v[0:1], v[4:5], 0, s[0:1]
	global_store_dword v[0:1], v2, off
	v_lshl_add_u64 v[0:1], v[0:1], 0, s[0:1]
	global_store_dword v[0:1], v3, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mfma
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 14
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.size	mfma, .Lfunc_end4-mfma
	.set mfma.num_vgpr, 14
	.set mfma.num_agpr, 0
	.set mfma.numbered_sgpr, 12
	.set mfma.num_named_barrier, 0
	.set mfma.private_seg_size, 0
	.set mfma.uses_vcc, 0
	.set mfma.uses_flat_scratch, 0
	.set mfma.has_dyn_sized_stack, 0
	.set mfma.has_recursion, 0
	.set mfma.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	atomics
	.globl	atomics
	.p2align	8
	.type	atomics,@function
atomics:
	s_load_dword s3, s[0:1], 0x2c
	s_load_dword s4, s[0:1], 0x18
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xffff
	s_mul_i32 s2, s2, s3
	v_add_u32_e32 v0, s2, v0
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB5_9
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	v_ashrrev_i32_e32 v1, 31, v0
	v_mov_b32_e32 v3, 1
	s_mov_b64 s[4:5], exec
	s_brev_b32 s6, 1
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[2:3]
	global_load_dword v2, v[0:1], off
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v2, 15, v2
	v_lshlrev_b32_e32 v2, 2, v2
	s_waitcnt lgkmcnt(0)
	global_atomic_add v2, v3, s[0:1]
	global_load_dword v2, v[0:1], off
.LBB5_2:
	s_ff1_i32_b64 s7, s[4:5]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s8, v2, s7
	s_max_i32 s6, s6, s8
	s_lshl_b64 s[8:9], 1, s7
	s_andn2_b64 s[4:5], s[4:5], s[8:9]
	s_cbranch_scc1 .LBB5_2
	v_mbcnt_lo_u32_b32 v3, exec_lo, 0
	v_mbcnt_hi_u32_b32 v3, exec_hi, v3
	v_cmp_eq_u32_e32 vcc, 0, v3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[4:5], exec, s[4:5]
	s_cbranch_execz .LBB5_5
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s6
	global_atomic_smax v2, v3, s[0:1] offset:64
	global_load_dword v2, v[0:1], off
.LBB5_5:
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v0, 3, v2
	s_mov_b64 s[0:1], exec
	v_cvt_f32_ubyte0_e32 v1, v0
	v_bfrev_b32_e32 v0, 1
.LBB5_6:
	s_ff1_i32_b64 s4, s[0:1]
	v_readlane_b32 s6, v1, s4
	s_lshl_b64 s[4:5], 1, s4
	s_andn2_b64 s[0:1], s[0:1], s[4:5]
	v_add_f32_e32 v0, s6, v0
	s_cbranch_scc1 .LBB5_6
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	v_mbcnt_hi_u32_b32 v1, exec_hi, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execz .LBB5_9
	v_mov_b32_e32 v1, 0
	global_atomic_add_f32 v1, v0, s[2:3]
.LBB5_9:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel atomics
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 288
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 10
		.amdhsa_accum_offset 4
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end5:
	.size	atomics, .Lfunc_end5-atomics
	.set atomics.num_vgpr, 4
	.set atomics.num_agpr, 0
	.set atomics.numbered_sgpr, 10
	.set atomics.num_named_barrier, 0
	.set atomics.private_seg_size, 0
	.set atomics.uses_vcc, 1
	.set atomics.uses_flat_scratch, 0
	.set atomics.has_dyn_sized_stack, 0
	.set atomics.has_recursion, 0
	.set atomics.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	intdiv
	.globl	intdiv
	.p2align	8
	.type	intdiv,@function
intdiv:
	s_load_dword s3, s[0:1], 0x34
	s_load_dword s4, s[0:1], 0x20
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xffff
	s_mul_i32 s2, s2, s3
	v_add_u32_e32 v0, s2, v0
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB6_2
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u64 v[2:3], s[6:7], 0, v[0:1]
	global_load_dword v8, v[2:3], off
	v_lshl_add_u64 v[4:5], s[4:5], 0, v[0:1]
	global_load_dword v9, v[4:5], off
	s_waitcnt vmcnt(1)
	v_sub_u32_e32 v6, 0, v8
	v_max_i32_e32 v10, v6, v8
	v_cvt_f32_u32_e32 v6, v10
	s_waitcnt vmcnt(0)
	v_sub_u32_e32 v12, 0, v9
	v_xor_b32_e32 v8, v9, v8
	v_max_i32_e32 v9, v12, v9
	v_rcp_iflag_f32_e32 v11, v6
	v_sub_u32_e32 v12, 0, v10
	v_ashrrev_i32_e32 v8, 31, v8
	v_lshl_add_u64 v[6:7], s[8:9], 0, v[0:1]
	v_mul_f32_e32 v11, 0x4f7ffffe, v11
	v_cvt_u32_f32_e32 v11, v11
	v_lshl_add_u64 v[0:1], s[10:11], 0, v[0:1]
	v_mul_lo_u32 v12, v12, v11
	v_mul_hi_u32 v12, v11, v12
	v_add_u32_e32 v11, v11, v12
	v_mul_hi_u32 v11, v9, v11
	v_mul_lo_u32 v12, v11, v10
	v_sub_u32_e32 v9, v9, v12
	v_add_u32_e32 v13, 1, v11
	v_cmp_ge_u32_e32 vcc, v9, v10
	v_sub_u32_e32 v12, v9, v10
	s_nop 0
	v_cndmask_b32_e32 v11, v11, v13, vcc
	v_cndmask_b32_e32 v9, v9, v12, vcc
	v_add_u32_e32 v12, 1, v11
	v_cmp_ge_u32_e32 vcc, v9, v10
	s_nop 1
	v_cndmask_b32_e32 v9, v11, v12, vcc
	v_xor_b32_e32 v9, v9, v8
	v_sub_u32_e32 v8, v9, v8
	global_store_dword v[6:7], v8, off
	global_load_dword v6, v[2:3], off
	s_nop 0
	global_load_dword v7, v[4:5], off
	s_waitcnt vmcnt(1)
	v_sub_u32_e32 v2, 0, v6
	v_max_i32_e32 v2, v2, v6
	v_cvt_f32_u32_e32 v3, v2
	v_sub_u32_e32 v6, 0, v2
	s_waitcnt vmcnt(0)
	v_sub_u32_e32 v5, 0, v7
	v_max_i32_e32 v5, v5, v7
	v_rcp_iflag_f32_e32 v3, v3
	v_ashrrev_i32_e32 v4, 31, v7
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v6, v6, v3
	v_mul_hi_u32 v6, v3, v6
	v_add_u32_e32 v3, v3, v6
	v_mul_hi_u32 v3, v5, v3
	v_mul_lo_u32 v3, v3, v2
	v_sub_u32_e32 v3, v5, v3
	v_sub_u32_e32 v5, v3, v2
	v_cmp_ge_u32_e32 vcc, v3, v2
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_sub_u32_e32 v5, v3, v2
	v_cmp_ge_u32_e32 vcc, v3, v2
	s_nop 1
	v_cndmask_b32_e32 v2, v3, v5, vcc
	v_xor_b32_e32 v2, v2, v4
	v_sub_u32_e32 v2, v2, v4
	global_store_dword v[0:1], v2, off
.LBB6_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel intdiv
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 296
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 14
		.amdhsa_next_free_sgpr 12
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end6:
	.size	intdiv, .Lfunc_end6-intdiv
	.set intdiv.num_vgpr, 14
	.set intdiv.num_agpr, 0
	.set intdiv.numbered_sgpr, 12
	.set intdiv.num_named_barrier, 0
	.set intdiv.private_seg_size, 0
	.set intdiv.uses_vcc, 1
	.set intdiv.uses_flat_scratch, 0
	.set intdiv.has_dyn_sized_stack, 0
	.set intdiv.has_recursion, 0
	.set intdiv.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	spill
	.globl	spill
	.p2align	8
	.type	spill,@function
spill:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s2, s[0:1], 0x10
	v_lshlrev_b32_e32 v1, 6, v0
	s_mov_b32 s0, 0
	s_waitcnt lgkmcnt(0)
	s_abs_i32 s1, s2
	v_cvt_f32_u32_e32 v2, s1
	s_sub_i32 s3, 0, s1
	s_cmp_lt_i32 s2, 1
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s3, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v4, v2, v3
	v_mul_hi_u32 v2, v1, v4
	v_mul_lo_u32 v2, v2, s1
	v_sub_u32_e32 v2, v1, v2
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v3, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v3, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 1, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 2, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 3, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 4, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 5, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 6, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 7, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 8, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:16
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 9, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 10, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 11, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 12, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:32
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 13, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 14, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 15, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 16, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:48
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 17, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 18, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 19, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 20, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:64
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 21, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 22, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 23, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 24, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:80
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 25, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 26, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 27, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 28, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:96
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 29, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 30, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 31, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 32, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:112
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 33, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 34, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 35, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 36, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:128
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 37, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 38, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 39, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 40, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:144
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 41, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 42, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 43, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 44, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:160
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 45, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 46, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 47, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 48, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:176
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 49, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 50, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 51, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 52, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:192
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 53, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 54, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 55, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 56, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:208
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 57, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 58, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 59, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	global_load_dword v11, v[6:7], off
	v_or_b32_e32 v2, 60, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:224
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 61, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v8, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_or_b32_e32 v2, 62, v1
	v_mul_hi_u32 v5, v2, v4
	v_mul_lo_u32 v5, v5, s1
	v_sub_u32_e32 v2, v2, v5
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	v_or_b32_e32 v1, 63, v1
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_cmp_le_u32_e32 vcc, s1, v2
	v_subrev_u32_e32 v5, s1, v2
	global_load_dword v9, v[6:7], off
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[4:5]
	v_mul_hi_u32 v2, v1, v4
	v_mul_lo_u32 v2, v2, s1
	v_sub_u32_e32 v1, v1, v2
	v_cmp_le_u32_e32 vcc, s1, v1
	v_subrev_u32_e32 v2, s1, v1
	global_load_dword v10, v[6:7], off
	v_cndmask_b32_e32 v1, v1, v2, vcc
	v_cmp_le_u32_e32 vcc, s1, v1
	v_subrev_u32_e32 v2, s1, v1
	s_nop 0
	v_cndmask_b32_e32 v2, v1, v2, vcc
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[4:5]
	global_load_dword v11, v[2:3], off
	v_mov_b32_e32 v1, 0
	s_waitcnt vmcnt(0)
	scratch_store_dwordx4 off, v[8:11], off offset:240
	s_cbranch_scc1 .LBB7_3
	v_mov_b32_e32 v2, v0
.LBB7_2:
	v_and_b32_e32 v3, 63, v2
	v_lshlrev_b32_e32 v3, 2, v3
	scratch_load_dword v3, v3, off
	v_cvt_f32_u32_e32 v4, s0
	s_add_i32 s0, s0, 1
	v_add_u32_e32 v2, 7, v2
	s_cmp_eq_u32 s2, s0
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v1, v3, v4
	s_cbranch_scc0 .LBB7_2
.LBB7_3:
	v_lshlrev_b32_e32 v0, 2, v0
	global_store_dword v0, v1, s[6:7]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel spill
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 260
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 12
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 12
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end7:
	.size	spill, .Lfunc_end7-spill
	.set spill.num_vgpr, 12
	.set spill.num_agpr, 0
	.set spill.numbered_sgpr, 8
	.set spill.num_named_barrier, 0
	.set spill.private_seg_size, 260
	.set spill.uses_vcc, 1
	.set spill.uses_flat_scratch, 0
	.set spill.has_dyn_sized_stack, 0
	.set spill.has_recursion, 0
	.set spill.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	dbl
	.globl	dbl
	.p2align	8
	.type	dbl,@function
dbl:
	s_load_dword s2, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s2, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB8_2
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v12, 3, v0
	v_mov_b32_e32 v2, 0x100
	v_mov_b32_e32 v6, 0xffffff80
	v_mov_b32_e32 v10, 0x260
	s_waitcnt lgkmcnt(0)
	global_load_dwordx2 v[0:1], v12, s[0:1]
	s_mov_b32 s0, 0
	s_brev_b32 s1, 8
	s_waitcnt vmcnt(0)
	v_cmp_gt_f64_e32 vcc, s[0:1], v[0:1]
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_ldexp_f64 v[2:3], v[0:1], v2
	v_rsq_f64_e32 v[4:5], v[2:3]
	v_cndmask_b32_e32 v11, 0, v6, vcc
	s_mov_b32 s0, 0
	s_mov_b32 s1, 0x40080000
	v_mul_f64 v[6:7], v[2:3], v[4:5]
	v_mul_f64 v[4:5], v[4:5], 0.5
	v_fma_f64 v[8:9], -v[4:5], v[6:7], 0.5
	v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]
	v_fmac_f64_e32 v[4:5], v[4:5], v[8:9]
	v_fma_f64 v[8:9], -v[6:7], v[6:7], v[2:3]
	v_fmac_f64_e32 v[6:7], v[8:9], v[4:5]
	v_fma_f64 v[8:9], -v[6:7], v[6:7], v[2:3]
	v_fmac_f64_e32 v[6:7], v[8:9], v[4:5]
	v_ldexp_f64 v[4:5], v[6:7], v11
	v_cmp_class_f64_e32 vcc, v[2:3], v10
	v_add_f64 v[0:1], v[0:1], s[0:1]
	s_nop 0
	v_cndmask_b32_e32 v3, v5, v3, vcc
	v_cndmask_b32_e32 v2, v4, v2, vcc
	v_div_scale_f64 v[4:5], s[0:1], v[0:1], v[0:1], v[2:3]
	v_rcp_f64_e32 v[6:7], v[4:5]
	v_div_scale_f64 v[8:9], vcc, v[2:3], v[0:1], v[2:3]
	v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0
	v_fmac_f64_e32 v[6:7], v[6:7], v[10:11]
	v_fma_f64 v[10:11], -v[4:5], v[6:7], 1.0
	v_fmac_f64_e32 v[6:7], v[6:7], v[10:11]
	v_mul_f64 v[10:11], v[8:9], v[6:7]
	v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]
	v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]
	v_div_fixup_f64 v[0:1], v[4:5], v[0:1], v[2:3]
	global_store_dwordx2 v12, v[0:1], s[2:3]
.LBB8_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel dbl
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 13
		.amdhsa_next_free_sgpr 4
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end8:
	.size	dbl, .Lfunc_end8-dbl
	.set dbl.num_vgpr, 13
	.set dbl.num_agpr, 0
	.set dbl.numbered_sgpr, 4
	.set dbl.num_named_barrier, 0
	.set dbl.private_seg_size, 0
	.set dbl.uses_vcc, 1
	.set dbl.uses_flat_scratch, 0
	.set dbl.has_dyn_sized_stack, 0
	.set dbl.has_recursion, 0
	.set dbl.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	i64
	.globl	i64
	.p2align	8
	.type	i64,@function
i64:
	s_load_dword s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_and_saveexec_b64 s[2:3], vcc
	s_cbranch_execz .LBB9_2
	v_cvt_f32_u32_e32 v1, s4
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v16, 3, v0
	s_sub_i32 s5, 0, s4
	v_rcp_iflag_f32_e32 v1, v1
	v_add_u32_e32 v0, 1, v0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx2 v[2:3], v16, s[0:1]
	s_mov_b32 s6, 0xdb6db6db
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v4, v1
	v_mov_b32_e32 v1, 0
	v_mul_lo_u32 v5, s5, v4
	v_mul_hi_u32 v5, v4, v5
	v_add_u32_e32 v4, v4, v5
	v_mul_hi_u32 v4, v0, v4
	v_mul_lo_u32 v4, v4, s4
	v_sub_u32_e32 v0, v0, v4
	v_subrev_u32_e32 v4, s4, v0
	v_cmp_le_u32_e32 vcc, s4, v0
	s_mov_b32 s5, 0xb6db6db6
	s_nop 0
	v_cndmask_b32_e32 v0, v0, v4, vcc
	v_subrev_u32_e32 v4, s4, v0
	v_cmp_le_u32_e32 vcc, s4, v0
	s_mov_b32 s4, 0
	v_mov_b32_e32 v5, s4
	v_cndmask_b32_e32 v0, v0, v4, vcc
	v_lshl_add_u64 v[0:1], v[0:1], 3, s[0:1]
	global_load_dwordx2 v[0:1], v[0:1], off
	v_mov_b32_e32 v7, s4
	v_mov_b32_e32 v9, s4
	v_mov_b32_e32 v11, s4
	s_waitcnt vmcnt(1)
	v_ashrrev_i32_e32 v6, 31, v3
	v_mul_hi_u32 v4, v2, s6
	v_mul_lo_u32 v8, v6, s5
	v_mad_u64_u32 v[14:15], s[0:1], v6, s6, 0
	v_mad_u64_u32 v[4:5], s[0:1], v3, s6, v[4:5]
	v_add3_u32 v15, v15, v8, v14
	v_mov_b32_e32 v6, v5
	v_mov_b32_e32 v5, s4
	v_mad_u64_u32 v[14:15], s[0:1], v2, -1, v[14:15]
	v_mad_u64_u32 v[4:5], s[0:1], v2, s5, v[4:5]
	v_sub_u32_e32 v4, v15, v3
	v_mov_b32_e32 v8, v5
	v_sub_u32_e32 v15, v4, v2
	v_lshl_add_u64 v[4:5], v[6:7], 0, v[8:9]
	v_mad_u64_u32 v[4:5], s[0:1], v3, s5, v[4:5]
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[14:15]
	v_ashrrev_i64 v[6:7], 1, v[4:5]
	v_lshrrev_b32_e32 v10, 31, v5
	v_ashrrev_i64 v[12:13], 3, v[2:3]
	v_lshl_add_u64 v[4:5], v[6:7], 0, v[10:11]
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[12:13]
	s_waitcnt vmcnt(0)
	v_mad_u64_u32 v[4:5], s[0:1], v0, v2, v[4:5]
	v_mul_lo_u32 v0, v0, v3
	v_mul_lo_u32 v1, v1, v2
	v_add3_u32 v5, v1, v5, v0
	global_store_dwordx2 v16, v[4:5], s[2:3]
.LBB9_2:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel i64
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 17
		.amdhsa_next_free_sgpr 7
		.amdhsa_accum_offset 20
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end9:
	.size	i64, .Lfunc_end9-i64
	.set i64.num_vgpr, 17
	.set i64.num_agpr, 0
	.set i64.numbered_sgpr, 7
	.set i64.num_named_barrier, 0
	.set i64.private_seg_size, 0
	.set i64.uses_vcc, 1
	.set i64.uses_flat_scratch, 0
	.set i64.has_dyn_sized_stack, 0
	.set i64.has_recursion, 0
	.set i64.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .max_flat_workgroup_size: 1024
    .name:           vadd
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         vadd.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 256
    .name:           reduce
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         reduce.kd
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           softmax
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         softmax.kd
    .uses_dynamic_stack: false
    .vgpr_count:     18
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
      - .offset:         20
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 4224
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           transpose
    .private_segment_fixed_size: 0
    .sgpr_count:     20
    .sgpr_spill_count: 0
    .symbol:         transpose.kd
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
      - .offset:         28
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .max_flat_workgroup_size: 64
    .name:           mfma
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         mfma.kd
    .uses_dynamic_stack: false
    .vgpr_count:     14
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .offset:         24
        .size:           4
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         44
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         46
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         48
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         50
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         52
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         54
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         72
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         96
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 288
    .max_flat_workgroup_size: 1024
    .name:           atomics
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         atomics.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .offset:         32
        .size:           4
        .value_kind:     by_value
      - .offset:         40
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         44
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         48
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         52
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         54
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         56
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         58
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         60
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         62
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         80
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         88
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         96
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         104
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 296
    .max_flat_workgroup_size: 1024
    .name:           intdiv
    .private_segment_fixed_size: 0
    .sgpr_count:     18
    .sgpr_spill_count: 0
    .symbol:         intdiv.kd
    .uses_dynamic_stack: false
    .vgpr_count:     14
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           spill
    .private_segment_fixed_size: 260
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         spill.kd
    .uses_dynamic_stack: false
    .vgpr_count:     12
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           dbl
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         dbl.kd
    .uses_dynamic_stack: false
    .vgpr_count:     13
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           i64
    .private_segment_fixed_size: 0
    .sgpr_count:     13
    .sgpr_spill_count: 0
    .symbol:         i64.kd
    .uses_dynamic_stack: false
    .vgpr_count:     17
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
