//===- DisassemblyTest.cpp - instructions, blocks and loops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TestCode.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tilec::report::test {

namespace {

struct KindCase {
  const char *text;
  InstrKind kind;
  const char *chip = "gfx950";
};

TEST(Disassembly, EveryClassOfInstruction) {
  const KindCase cases[] = {
      {"v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]", InstrKind::Mfma},
      {"v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, v21 "
       "op_sel_hi:[0,0,0]",
       InstrKind::Mfma},
      {"v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", InstrKind::Mfma, "gfx942"},
      {"ds_read_b128 v[0:3], v4 offset:512", InstrKind::SharedRead},
      {"ds_read_b64_tr_b16 v[0:1], v4", InstrKind::SharedRead},
      {"ds_write_b64 v4, v[0:1]", InstrKind::SharedWrite},
      {"ds_add_u32 v0, v1", InstrKind::SharedOther},
      {"ds_bpermute_b32 v0, v1, v2", InstrKind::LaneExchange},
      {"buffer_load_dwordx4 v4, s[8:11], 0 offen offset:64 lds", InstrKind::SharedDma},
      {"buffer_load_dword v4, s[8:11], s3 offen lds", InstrKind::SharedDma, "gfx942"},
      {"global_load_lds_dwordx4 v[0:1], off", InstrKind::SharedDma},
      {"buffer_load_dwordx4 v[0:3], v4, s[8:11], 0 offen", InstrKind::GlobalLoad},
      {"global_load_dwordx4 v[0:3], v[4:5], off", InstrKind::GlobalLoad},
      {"global_store_dword v[4:5], v0, off", InstrKind::GlobalStore},
      {"buffer_store_dwordx2 v[0:1], v4, s[8:11], 0 offen", InstrKind::GlobalStore},
      {"global_atomic_add_f32 v[4:5], v0, off", InstrKind::GlobalAtomic},
      {"scratch_store_dword off, v0, s4", InstrKind::Scratch},
      {"s_load_dwordx4 s[8:11], s[0:1], 0x10", InstrKind::ScalarMemory},
      {"v_add_u32_e32 v0, 4, v0", InstrKind::Vector},
      {"v_accvgpr_read_b32 v0, a0", InstrKind::AccumulatorMove},
      {"s_add_i32 s4, s4, 1", InstrKind::Scalar},
      {"s_mov_b32 m0, s4", InstrKind::Scalar},
      {"s_waitcnt vmcnt(8) lgkmcnt(0)", InstrKind::Wait},
      {"s_barrier", InstrKind::Barrier},
      {"s_setprio 1", InstrKind::Priority},
      {"s_nop 3", InstrKind::Nop},
      {"s_sleep 1", InstrKind::Nop},
  };
  for (const KindCase &entry : cases) {
    KernelCode kernel = decode(entry.text, entry.chip);
    ASSERT_EQ(kernel.instructions.size(), 2u) << entry.text;
    const Instruction &instr = kernel.instructions[0];
    EXPECT_EQ(nameOf(instr.kind).str(), nameOf(entry.kind).str()) << entry.text;
    // What was decoded is what was written.
    EXPECT_EQ(instr.operands.empty() ? instr.mnemonic : instr.mnemonic + " " + instr.operands,
              entry.text);
    EXPECT_EQ(kernel.instructions[1].kind, InstrKind::End);
  }
}

TEST(Disassembly, RegistersThatAreReadAndWritten) {
  KernelCode kernel = decode("v_mfma_f32_16x16x32_bf16 a[16:19], v[4:7], v[8:11], a[16:19]\n"
                             "buffer_load_dwordx4 v40, s[8:11], s3 offen offset:128 lds\n"
                             "ds_read_b128 v[20:23], v41\n"
                             "s_add_u32 m0, s5, 16");
  const Instruction &mfma = kernel.instructions[0];
  EXPECT_EQ(mfma.writes[0], (RegisterRange{RegisterFile::Accumulator, 16, 4}));
  EXPECT_EQ(mfma.reads[0], (RegisterRange{RegisterFile::Vector, 4, 4}));
  EXPECT_EQ(mfma.reads[1], (RegisterRange{RegisterFile::Vector, 8, 4}));
  EXPECT_EQ(mfma.reads[2], (RegisterRange{RegisterFile::Accumulator, 16, 4}));
  const Instruction &dma = kernel.instructions[1];
  EXPECT_EQ(dma.immediate, 128);
  EXPECT_TRUE(dma.readsFile(RegisterFile::M0));
  EXPECT_EQ(dma.reads[0], (RegisterRange{RegisterFile::Vector, 40, 1}));
  EXPECT_EQ(dma.reads[1], (RegisterRange{RegisterFile::Scalar, 8, 4}));
  EXPECT_EQ(dma.reads[2], (RegisterRange{RegisterFile::Scalar, 3, 1}));
  EXPECT_FALSE(kernel.instructions[2].readsFile(RegisterFile::M0));
  EXPECT_TRUE(kernel.instructions[3].writesFile(RegisterFile::M0));
  EXPECT_TRUE(kernel.instructions[3].writesFile(RegisterFile::Scc));
}

TEST(Disassembly, WaitsAreDecoded) {
  KernelCode kernel = decode("s_waitcnt vmcnt(0)\ns_waitcnt lgkmcnt(8)\n"
                             "s_waitcnt vmcnt(37) expcnt(2) lgkmcnt(15)\n"
                             "s_waitcnt vmcnt(63) lgkmcnt(0)");
  EXPECT_EQ(toString(kernel.instructions[0].waits), "vmcnt(0)");
  EXPECT_EQ(toString(kernel.instructions[1].waits), "lgkmcnt(8)");
  EXPECT_EQ(toString(kernel.instructions[2].waits), "vmcnt(37) expcnt(2)");
  EXPECT_EQ(toString(kernel.instructions[3].waits), "lgkmcnt(0)");
}

// outer: s_nop; inner: s_nop, forward branch over one instruction, back to inner; back to outer.
TEST(Disassembly, NestedLoops) {
  KernelCode kernel = decode("s_mov_b32 s0, 0\n"
                             "outer:\ns_nop 0\n"
                             "inner:\ns_nop 1\ns_cbranch_vccz skip\ns_nop 2\n"
                             "skip:\ns_cbranch_scc1 inner\ns_cbranch_vccnz outer");
  ASSERT_EQ(kernel.loops.size(), 2u);
  const Loop &outer = kernel.loops[0], &inner = kernel.loops[1];
  EXPECT_EQ(outer.depth, 1u);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(inner.parent, std::optional(0u));
  EXPECT_FALSE(outer.isInnermost);
  EXPECT_TRUE(inner.isInnermost);
  std::vector<std::string> text;
  for (const Instruction *instr : kernel.loopInstructions(inner))
    text.push_back(instr->mnemonic);
  EXPECT_EQ(text, (std::vector<std::string>{"s_nop", "s_cbranch_vccz", "s_nop", "s_cbranch_scc1"}));
  EXPECT_EQ(kernel.loopInstructions(outer).size(), 6u);
}

TEST(Disassembly, ABackwardBranchIntoTheMiddleIsNoNaturalLoop) {
  // `second` is entered from two sides, so neither block dominates the other.
  KernelCode kernel = decode("s_cbranch_scc1 second\n"
                             "first:\ns_nop 0\n"
                             "second:\ns_nop 1\ns_cbranch_scc0 first");
  EXPECT_TRUE(kernel.loops.empty());
}

TEST(Disassembly, BytesThatAreNoInstruction) {
  KernelCode kernel = decode(".long 0xffffffff\ns_nop 0");
  EXPECT_EQ(kernel.instructions[0].kind, InstrKind::Unknown);
  EXPECT_EQ(kernel.instructions.back().kind, InstrKind::End);
}

TEST(Disassembly, DamagedObjectsDoNotCrash) {
  std::vector<uint8_t> object = assemble("loop:\ns_nop 1\ns_cbranch_scc1 loop");
  for (size_t at = 0; at < object.size(); at += 2) {
    std::vector<uint8_t> damaged = object;
    damaged[at] ^= 0xff;
    auto result = disassemble(damaged);
    if (!result)
      consumeError(result.takeError());
  }
  for (size_t bytes = 0; bytes < object.size(); bytes += 37) {
    auto result = disassemble(ArrayRef(object).take_front(bytes));
    if (!result)
      consumeError(result.takeError());
  }
}

} // namespace

} // namespace tilec::report::test
