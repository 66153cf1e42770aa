# Assembler text of the GEMM loops of HipKittens' micro-benchmarks, for gfx950: C = A * B^T in bf16.
#
#   simple    grid_micro/kernel_8192_w*.cpp and 256_256_64_32_with32x16.cpp: 256x256x64 tile, eight waves
#             half of which are a barrier behind, two stages, everything waited for once a K tile
#   producer  micros/producer_consumer/16x32/micro_0{2,4}_2stage_*: four waves copy, 8 or 12 multiply
#
# The phases, waits, barriers, priorities and counts of instructions are those of the sources; LDS is
# swizzled without conflicts as theirs is. Arguments: A, B, C, and a table of (row, column) tiles by
# work-group, in which the caller puts the source's mapping.
import argparse

FRAGMENT = {16: (16, 4), 32: (32, 2)}  # rows, 16-byte chunks along K that one read covers


class Gemm:
    def __init__(self, options):
        self.o = options
        self.lines = []
        self.row_bytes = options.k * 2

    def emit(self, *lines):
        self.lines += lines

    # ---- set-up: s[4:9] A, B, C; s10, s11 tile; s12 wave; s[16:19], s[20:23], s[24:27] descriptors
    def setup(self, tile_m, tile_n):
        e, k2 = self.emit, self.row_bytes
        e("s_load_dwordx4 s[4:7], s[0:1], 0x0", "s_load_dwordx4 s[28:31], s[0:1], 0x10",
          "s_lshl_b32 s3, s2, 3", "s_waitcnt lgkmcnt(0)", "s_add_u32 s30, s30, s3", "s_addc_u32 s31, s31, 0",
          "s_load_dwordx2 s[10:11], s[30:31], 0x0", "v_readfirstlane_b32 s12, v0", "s_lshr_b32 s12, s12, 6",
          "v_and_b32 v0, 63, v0", "s_waitcnt lgkmcnt(0)")
        for base, source, index, tile, width in ((16, 4, 10, tile_m, k2), (20, 6, 11, tile_n, k2)):
            e(f"s_mul_i32 s3, s{index}, {tile * width}", f"s_mul_hi_u32 s13, s{index}, {tile * width}",
              f"s_add_u32 s{base}, s{source}, s3", f"s_addc_u32 s{base + 1}, s{source + 1}, s13",
              f"s_mov_b32 s{base + 2}, 0x7fffffff", f"s_mov_b32 s{base + 3}, 0x20000")
        e(f"s_mul_i32 s3, s10, {tile_m * self.o.n * 2}", f"s_mul_hi_u32 s13, s10, {tile_m * self.o.n * 2}",
          f"s_mul_i32 s14, s11, {tile_n * 2}", "s_add_u32 s24, s28, s3", "s_addc_u32 s25, s29, s13",
          "s_add_u32 s24, s24, s14", "s_addc_u32 s25, s25, 0", "s_mov_b32 s26, 0x7fffffff", "s_mov_b32 s27, 0x20000")
        # v1: global offset of this lane in a copy of 8 rows; the chunk is swizzled by row / 2.
        e("v_lshrrev_b32 v2, 3, v0", f"v_mul_u32_u24 v1, {k2}, v2" if k2 < 65 else f"s_mov_b32 s3, {k2}",
          "" if k2 < 65 else "v_mul_lo_u32 v1, v2, s3", "v_lshrrev_b32 v2, 4, v0", "s_and_b32 s13, s12, 1",
          "s_lshl_b32 s13, s13, 2", "v_or_b32 v2, s13, v2", "v_and_b32 v3, 7, v0", "v_xor_b32 v2, v2, v3",
          "v_lshlrev_b32 v2, 4, v2", "v_add_u32 v1, v1, v2")

    def read_addresses(self, mfma):
        """v4 + i: LDS offset of this lane's row of a fragment for the i-th K slice; rows 128 bytes apart."""
        rows, chunks = FRAGMENT[mfma]
        e = self.emit
        e(f"v_and_b32 v2, {rows - 1}, v0", f"v_lshrrev_b32 v3, {rows.bit_length() - 1}, v0", "v_lshrrev_b32 v8, 1, v2",
          "v_and_b32 v8, 7, v8", "v_xor_b32 v3, v3, v8", "v_lshlrev_b32 v3, 4, v3", "v_lshlrev_b32 v2, 7, v2",
          "v_add_u32 v4, v2, v3")
        for i in range(1, 8 // chunks):
            e(f"v_xor_b32 v{4 + i}, {i * chunks * 16}, v4")

    def add_wave_rows(self, register, source, bytes_each):
        """LDS offsets v`register`... of a wave: `source` (SGPR) times bytes on top of v4..."""
        self.emit(f"s_mul_i32 s3, {source}, {bytes_each}")
        for i in range(8 // FRAGMENT[self.o.mfma][1]):
            self.emit(f"v_add_u32 v{register + i}, s3, v{4 + i}")

    def copies(self, descriptor, lds, count, waves, k_offset):
        """`count` copies of 1 KiB by this wave: rows 8 * (wave + j * waves). s33 = wave * 1 KiB, s34 = its rows."""
        for j in range(count):
            self.emit(f"s_add_u32 m0, s33, {lds + j * waves * 1024}",
                      f"s_add_u32 s35, {k_offset}, {j * waves * 8 * self.row_bytes}",
                      f"buffer_load_dwordx4 v1, s[{descriptor}:{descriptor + 3}], s35 offen lds")

    def reads(self, register, address, lds, blocks, slices):
        rows = FRAGMENT[self.o.mfma][0]
        for s in slices:
            for b in range(blocks):
                self.emit(f"ds_read_b128 v[{register}:{register + 3}], v{address + s} offset:{lds + b * rows * 128}")
                register += 4

    def multiply(self, acc, a, b, rows, cols, slices):
        """acc: rows x cols fragments; operands slice after slice."""
        size = 4 if self.o.mfma == 16 else 16
        name = "16x16x32" if self.o.mfma == 16 else "32x32x16"
        for s in range(slices):
            for r in range(rows):
                for c in range(cols):
                    d = acc + (r * cols + c) * size
                    x, y = a + (s * rows + r) * 4, b + (s * cols + c) * 4
                    self.emit(f"v_mfma_f32_{name}_bf16 v[{d}:{d + size - 1}], v[{x}:{x + 3}], v[{y}:{y + 3}], v[{d}:{d + size - 1}]")

    def zero(self, first, count):
        for i in range(count):
            self.emit(f"v_mov_b32 v{first + i}, 0")

    def store(self, acc, rows, cols, row_sgpr, col_sgpr):
        """Two-byte stores as the sources have: s`row_sgpr`, s`col_sgpr` place the wave in the tile."""
        m, n2 = self.o.mfma, self.o.n * 2
        e = self.emit
        e(f"v_and_b32 v2, {m - 1}, v0", "v_lshlrev_b32 v2, 1, v2", f"v_lshrrev_b32 v3, {m.bit_length() - 1}, v0",
          f"s_mov_b32 s3, {4 * n2}", "v_mul_lo_u32 v3, v3, s3", "v_add_u32 v2, v2, v3",
          f"s_mul_i32 s3, {row_sgpr}, {n2}", f"s_lshl_b32 s13, {col_sgpr}, 1", "s_add_u32 s3, s3, s13")
        for r in range(rows):
            for c in range(cols):
                for i in range(4 if m == 16 else 16):
                    row = r * m + (i if m == 16 else 8 * (i // 4) + i % 4)
                    d = acc + (r * cols + c) * (4 if m == 16 else 16) + i
                    e(f"s_add_u32 s35, s3, {row * n2 + c * m * 2}",
                      f"buffer_store_short_d16_hi v{d}, v2, s[24:27], s35 offen")

    # ---- 256_256_64_32: see the clusters of the source
    def simple(self):
        e, o = self.emit, self.o
        rows, cols = (8, 4) if o.mfma == 16 else (4, 2)
        slices = 64 // (32 if o.mfma == 16 else 16)
        self.setup(256, 256)
        self.read_addresses(o.mfma)
        e("s_lshr_b32 s36, s12, 2", "s_and_b32 s37, s12, 3")
        self.add_wave_rows(12, "s36", 128 * 128)
        self.add_wave_rows(16, "s37", 64 * 128)
        for i in range(slices):
            e(f"v_add_u32 v{16 + i}, 0x10000, v{16 + i}")
        e("s_lshl_b32 s33, s12, 10", f"s_mul_i32 s34, s12, {8 * self.row_bytes}")
        acc, a, b = 72, 24, 56
        e("s_mov_b32 s38, s34")
        self.copies(16, 0, 4, 8, "s38")
        self.copies(20, 65536, 4, 8, "s38")
        self.zero(acc, 128)
        e("s_waitcnt vmcnt(0)", "s_barrier", "s_cmp_eq_u32 s36, 0", "s_cbranch_scc1 .Lstagger", "s_barrier", ".Lstagger:",
          f"s_mov_b32 s39, {o.k // 128 - 1}")

        def tile(stage, load):
            lds, other = stage * 32768, (1 - stage) * 32768
            half = slices // 2
            self.reads(a, 12, lds, rows, range(half))
            if load:
                e("s_add_u32 s38, s38, 128")
                self.copies(16, other, 4, 8, "s38")
            self.reads(b, 16, lds, cols, range(half))
            if load:
                self.copies(20, 65536 + other, 4, 8, "s38")
            e("s_barrier", "s_waitcnt lgkmcnt(0)", "s_setprio 1")
            self.multiply(acc, a, b, rows, cols, half)
            e("s_setprio 0", "s_barrier")
            self.reads(a, 12, lds, rows, range(half, slices))
            self.reads(b, 16, lds, cols, range(half, slices))
            e("s_waitcnt vmcnt(0) lgkmcnt(0)" if load else "", "s_barrier", "s_waitcnt lgkmcnt(0)", "s_setprio 1")
            self.multiply(acc, a, b, rows, cols, half)
            e("s_setprio 0", "s_barrier")

        e(".Lloop:")
        tile(0, True)
        tile(1, True)
        e("s_sub_u32 s39, s39, 1", "s_cmp_lg_u32 s39, 0", "s_cbranch_scc1 .Lloop")
        tile(0, True)
        tile(1, False)
        e("s_cmp_lg_u32 s36, 0", "s_cbranch_scc1 .Lend", "s_barrier", ".Lend:", "s_lshl_b32 s36, s36, 7", "s_lshl_b32 s37, s37, 6",
          "s_nop 15")
        self.store(acc, rows, cols, "s36", "s37")
        e("s_endpgm")
        return 131072, 200

    # ---- micro_02 (2 rows of consumers) and micro_04 (3)
    def producer(self):
        e, o = self.emit, self.o
        o.mfma = 16
        consumers = o.rows
        self.setup(64 * consumers, 256)
        self.read_addresses(16)
        b_base = 2 * 64 * consumers * 128
        acc, a0, b0, b1 = 64, 16, 32, 48
        e("s_and_b32 s37, s12, 3", "s_lshl_b32 s33, s37, 10", f"s_mul_i32 s34, s37, {8 * self.row_bytes}", "s_mov_b32 s38, s34",
          "s_lshr_b32 s36, s12, 2", "s_cmp_lg_u32 s36, 0", "s_cbranch_scc1 .Lconsumer")

        def copy(stage):
            self.copies(16, stage * 64 * consumers * 128, 2 * consumers, 4, "s38")
            self.copies(20, b_base + stage * 32768, 8, 4, "s38")

        # The source's micro_04 leaves the wait to the wave's end of the round; micro_02 has it behind the copies.
        copy(0)
        e("s_waitcnt vmcnt(0)", "s_barrier", f"s_mov_b32 s39, {o.k // 128 - 1}", ".Lcopy:")
        for stage in (1, 0):
            e("s_add_u32 s38, s38, 128")
            copy(stage)
            e("s_waitcnt vmcnt(0)", "s_barrier")
        e("s_sub_u32 s39, s39, 1", "s_cmp_lg_u32 s39, 0", "s_cbranch_scc1 .Lcopy", "s_add_u32 s38, s38, 128")
        copy(1)
        e("s_waitcnt vmcnt(0)", "s_barrier", "s_endpgm", ".Lconsumer:", "s_sub_u32 s36, s36, 1")
        self.add_wave_rows(10, "s36", 64 * 128)
        self.add_wave_rows(12, "s37", 64 * 128)
        for i in range(2):
            e(f"v_add_u32 v{12 + i}, {b_base}, v{12 + i}")
        e("s_barrier")
        self.zero(acc, 64)
        e(f"s_mov_b32 s39, {o.k // 128}", ".Lmultiply:")

        def quarter(r, c, b):
            self.multiply(acc + (r * 2 + c) * 16, a0, b, 2, 2, 2)

        def tile(stage, last):
            a_lds, b_lds = stage * 64 * consumers * 128, stage * 32768
            self.reads(b0, 12, b_lds, 2, range(2))
            self.reads(a0, 10, a_lds, 2, range(2))
            e("s_waitcnt lgkmcnt(0)", "s_setprio 1")
            quarter(0, 0, b0)
            e("s_setprio 0")
            self.reads(b1, 12, b_lds + 4096, 2, range(2))
            e("s_waitcnt lgkmcnt(0)", "s_setprio 1")
            quarter(0, 1, b1)
            e("s_setprio 0")
            self.reads(a0, 10, a_lds + 4096, 2, range(2))
            e("s_waitcnt lgkmcnt(0)", "s_setprio 1")
            quarter(1, 0, b0)
            quarter(1, 1, b1)
            e("s_setprio 0", "" if last else "s_barrier")

        tile(0, False)
        e("s_sub_u32 s39, s39, 1", "s_cmp_eq_u32 s39, 0", "s_cbranch_scc1 .Llast")
        tile(1, False)
        e("s_branch .Lmultiply", ".Llast:")
        tile(1, True)
        e("s_lshl_b32 s36, s36, 6", "s_lshl_b32 s37, s37, 6", "s_nop 15")
        for r in range(2):
            for c in range(2):
                e(f"s_add_u32 s40, s36, {32 * r}", f"s_add_u32 s41, s37, {32 * c}")
                self.store(acc + (r * 2 + c) * 16, 2, 2, "s40", "s41")
        e("s_endpgm")
        return b_base + 65536, 128


def text(gemm):
    lds, registers = getattr(gemm, gemm.o.schedule)()
    body = "\n".join(line for line in gemm.lines if line)
    return f""".amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl gemm
.p2align 8
.type gemm,@function
gemm:
{body}
.Lgemm_end:
.size gemm, .Lgemm_end-gemm
.rodata
.p2align 6
.amdhsa_kernel gemm
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_kernarg_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_count 2
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 0
  .amdhsa_next_free_vgpr {registers}
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset {(registers + 3) // 4 * 4}
.end_amdhsa_kernel
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("schedule", choices=["simple", "producer"])
    for name in "mnk":
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--mfma", type=int, choices=[16, 32], default=16)
    parser.add_argument("--rows", type=int, choices=[2, 3], default=2, help="rows of consumers")
    print(text(Gemm(parser.parse_args())))
