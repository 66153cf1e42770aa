//===- PlantedFaultTest.cpp - changed machine code is found ---------------===//
//
// Compiled loops of both targets, changed in their bytes: two instructions exchanged, a
// wait weakened or gone, a barrier gone. The checks must tell each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Loops.h"

#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/Report/AuditShared.h"
#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

#include <random>

using namespace mlir;
using namespace tilec;
using namespace tilec::test;
using report::InstrKind;
using report::Instruction;

namespace {

/// A plan as its author writes it: the counts that were worked out for the steady loop are too weak
/// for the tail.
std::string withOpenCounts(llvm::StringRef text) {
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
  EXPECT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  for (ScheduleStep &step : plan->body)
    if (step.vm >= 0)
      step.vm = ScheduleStep::autoCount;
  return plan->str();
}

/// A compiled loop, and the same with changes in its bytes.
class CompiledLoop {
public:
  explicit CompiledLoop(const Case &c) : module(session.toWave(c)) {
    image = session.compile(*module, c, withOpenCounts(session.planTextOf(*module, c)));
    object = decode(image);
    kernel = &object.kernels.at(0);
    for (const report::Loop &loop : kernel->loops)
      if (loop.isInnermost)
        for (const Instruction *instr : kernel->loopInstructions(loop))
          body.push_back(*instr);
  }

  static report::CodeObject decode(const codegen::Image &image) {
    auto object = report::disassemble(image.bytes);
    EXPECT_TRUE(bool(object)) << llvm::toString(object.takeError());
    return object ? std::move(*object) : report::CodeObject{};
  }

  /// Where an instruction's bytes lie in the file.
  size_t placeOf(const Instruction &instr) const {
    auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(
        llvm::StringRef(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size()));
    auto sections = llvm::cantFail(llvm::cantFail(std::move(file)).sections());
    for (const auto &section : sections)
      if (section.sh_flags & llvm::ELF::SHF_EXECINSTR && instr.address >= section.sh_addr &&
          instr.address < section.sh_addr + section.sh_size)
        return section.sh_offset + (instr.address - section.sh_addr);
    ADD_FAILURE() << "the code is in no section";
    return 0;
  }

  /// The image with two instructions in each other's place; what is between them moves by the
  /// difference of their sizes.
  codegen::Image exchanged(const Instruction &first, const Instruction &second) const {
    codegen::Image changed = image;
    auto begin = changed.bytes.begin() + placeOf(first);
    auto end = changed.bytes.begin() + placeOf(second) + second.bytes;
    std::rotate(begin, end - second.bytes, end);
    begin += second.bytes;
    std::rotate(begin, begin + first.bytes, end);
    return changed;
  }

  codegen::Image replaced(const Instruction &instr, uint32_t word) const {
    EXPECT_EQ(instr.bytes, 4u);
    codegen::Image changed = image;
    llvm::support::endian::write32le(&changed.bytes[placeOf(instr)], word);
    return changed;
  }

  uint32_t wordOf(const Instruction &instr) const {
    return llvm::support::endian::read32le(&image.bytes[placeOf(instr)]);
  }

  std::string differences(const codegen::Image &changed) {
    auto text = differencesFromPlan(*module, changed);
    EXPECT_TRUE(bool(text)) << llvm::toString(text.takeError());
    return text ? *text : "";
  }

  Session session;
  OwningOpRef<ModuleOp> module;
  codegen::Image image;
  report::CodeObject object;
  const report::KernelCode *kernel = nullptr;
  std::vector<Instruction> body; ///< of the planned loop
};

constexpr uint32_t sNop = 0xbf800000; // s_nop 0 (CDNA3 ISA document, SOPP)

/// What the plan puts in order; waits for lgkmcnt alone may be LLVM's.
bool isPlanned(const Instruction &instr) {
  switch (instr.kind) {
  case InstrKind::Mfma:
  case InstrKind::SharedRead:
  case InstrKind::SharedDma:
  case InstrKind::Barrier:
  case InstrKind::Priority:
    return true;
  case InstrKind::Wait:
    return instr.waits.vmcnt.has_value();
  default:
    return false;
  }
}

class PlantedFault : public ::testing::TestWithParam<Case> {};

} // namespace

// Three exchanges in each of ten loops: thirty, of every pair of kinds that chance gives.
TEST_P(PlantedFault, ExchangedInstructionsAreReported) {
  CompiledLoop loop(GetParam());
  EXPECT_EQ(loop.differences(loop.image), "");
  std::vector<const Instruction *> planned;
  for (const Instruction &instr : loop.body)
    if (isPlanned(instr))
      planned.push_back(&instr);
  ASSERT_GE(planned.size(), 50u);
  std::mt19937 random(GetParam().m + GetParam().n + GetParam().threads);
  for (int swaps = 0; swaps < 3;) {
    size_t a = random() % planned.size(), b = random() % planned.size();
    const Instruction &first = *planned[std::min(a, b)], &second = *planned[std::max(a, b)];
    if (first.mnemonic == second.mnemonic && first.operands == second.operands)
      continue;
    ++swaps;
    std::string found = loop.differences(loop.exchanged(first, second));
    std::string what =
        first.mnemonic + " " + first.operands + " <-> " + second.mnemonic + " " + second.operands;
    EXPECT_NE(found.find("planned: "), std::string::npos) << what;
    EXPECT_NE(found.find("emitted: "), std::string::npos) << what;
  }
}

// A wait that is stronger than planned, or waits for what no plan asked for, is a difference: vmcnt
// always, lgkmcnt unless the plan leaves it to LLVM.
TEST_P(PlantedFault, StrongerAndExtraWaitsAreReported) {
  CompiledLoop loop(GetParam());
  bool isAuto = llvm::StringRef(GetParam().strategy) == "single";
  constexpr uint32_t lgkmBits = 0xf00; // of s_waitcnt (CDNA3 ISA document)
  unsigned stronger = 0, extra = 0;
  for (const Instruction &instr : loop.body) {
    if (instr.kind != InstrKind::Wait)
      continue;
    uint32_t word = loop.wordOf(instr);
    if (instr.waits.vmcnt.value_or(0) % 16 > 0) {
      ++stronger;
      EXPECT_NE(loop.differences(loop.replaced(instr, word - 1)), "");
    }
    if (!instr.waits.lgkmcnt) {
      ++extra;
      EXPECT_EQ(loop.differences(loop.replaced(instr, word & ~lgkmBits)) == "", isAuto);
    }
  }
  EXPECT_GE(stronger + extra, isAuto ? 0u : 2u);
}

// Addresses are made in front of the loop: nothing in it asks one lane for all of them, or goes
// round for every value that lanes have.
TEST_P(PlantedFault, NoReadFirstLaneAndNoWaterfallInTheLoop) {
  CompiledLoop loop(GetParam());
  unsigned branches = 0;
  for (const Instruction &instr : loop.body) {
    EXPECT_NE(instr.mnemonic, "v_readfirstlane_b32");
    EXPECT_FALSE(instr.writesFile(report::RegisterFile::Exec)) << instr.mnemonic;
    branches += instr.kind == InstrKind::Branch;
  }
  EXPECT_EQ(branches, 1u);
}

// Every read of what a DMA wrote comes after a wait and a barrier; and where it does not any more,
// that is found.
TEST_P(PlantedFault, AWaitOrABarrierThatIsMissingIsFound) {
  CompiledLoop loop(GetParam());
  report::SharedAudit whole = report::auditShared(*loop.kernel);
  EXPECT_EQ(report::describe(whole), "");
  EXPECT_TRUE(whole.assumedRounds.empty());
  EXPECT_GT(whole.reads, 0u);
  EXPECT_GT(whole.dmas, 0u);
  auto findingsIn = [](const codegen::Image &image) {
    report::CodeObject object = CompiledLoop::decode(image);
    report::SharedAudit audit = report::auditShared(object.kernels.at(0));
    EXPECT_EQ(audit.unproved, "");
    return audit.findings.size();
  };
  unsigned waits = 0, waitsFound = 0, weakerFound = 0, barriers = 0, barriersFound = 0;
  for (const Instruction &instr : loop.body) {
    if (instr.kind == InstrKind::Wait && instr.waits.vmcnt) {
      ++waits;
      waitsFound += findingsIn(loop.replaced(instr, sNop)) > 0;
      // The count's low four bits are those of the instruction.
      weakerFound += findingsIn(loop.replaced(instr, loop.wordOf(instr) + 1)) > 0;
    }
    if (instr.kind == InstrKind::Barrier) {
      ++barriers;
      barriersFound += findingsIn(loop.replaced(instr, sNop)) > 0;
    }
  }
  EXPECT_GE(waits, 2u);
  EXPECT_GE(barriers, 2u);
  // Ping-pong has phases whose operands an earlier wait covers, and barriers that keep the halves
  // of the waves in step and guard no data.
  bool isEachNeeded = llvm::StringRef(GetParam().strategy) != "ping_pong";
  EXPECT_EQ(waitsFound, weakerFound);
  EXPECT_GE(waitsFound, isEachNeeded ? waits : waits / 2);
  EXPECT_GE(barriersFound, isEachNeeded ? barriers : barriers / 2);
}

INSTANTIATE_TEST_SUITE_P(Loops, PlantedFault, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return std::string(info.param.name); });
