// 256 groups of FIRST matrix instructions, ALUS plain ones, SECOND more matrix instructions and EXPS,
// PACKEDS others, between two clock reads: pyhip's mfma-valu-coissue.md. All symbols must be given.
.text
.globl coissue
.p2align 8
.type coissue,@function
coissue:
  s_memtime s[4:5]
  s_waitcnt lgkmcnt(0)
.macro matrix
  v_mfma_f32_16x16x16_bf16 a[ACC:ACC+3], v[2:3], v[4:5], a[ACC:ACC+3]
  .set ACC, (ACC + 4) % 16
.endm
.set ACC, 0
.rept 256
.rept FIRST
  matrix
.endr
.rept ALUS
  v_add_f32 v10, v11, v12
.endr
.rept SECOND
  matrix
.endr
.rept EXPS
  v_exp_f32 v13, v14
.endr
.rept PACKEDS
  v_pk_mul_f32 v[16:17], v[18:19], v[20:21]
.endr
.endr
  s_memtime s[6:7]
  s_waitcnt lgkmcnt(0)
  s_endpgm
.Lend:
.size coissue, .Lend-coissue
.rodata
.p2align 6
.amdhsa_kernel coissue
  .amdhsa_next_free_vgpr 48
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 32
.end_amdhsa_kernel
