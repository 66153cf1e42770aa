// 64 LDS reads of WIDTH bytes a lane, lanes STRIDE bytes apart, between two clock reads: SHARK's
// empirical-lds measurement. Symbols: WIDTH 4, 8 or 16; STRIDE.
.text
.globl lds
.p2align 8
.type lds,@function
lds:
  v_and_b32 v0, 63, v0
  v_mul_u32_u24 v0, STRIDE, v0
  s_memtime s[4:5]
  s_waitcnt lgkmcnt(0)
.rept 64
.if WIDTH == 4
  ds_read_b32 v2, v0
.elseif WIDTH == 8
  ds_read_b64 v[2:3], v0
.else
  ds_read_b128 v[2:5], v0
.endif
.endr
  s_waitcnt lgkmcnt(0)
  s_memtime s[6:7]
  s_waitcnt lgkmcnt(0)
  s_endpgm
.Lend:
.size lds, .Lend-lds
.rodata
.p2align 6
.amdhsa_kernel lds
  .amdhsa_group_segment_fixed_size 65536
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 16
.end_amdhsa_kernel
