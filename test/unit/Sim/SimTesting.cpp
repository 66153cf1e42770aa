//===- SimTesting.cpp - assemble and run little kernels in a test ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTesting.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace tilec::sim::testing {

std::vector<uint8_t> assemble(const std::string &cpu, const std::string &text) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> asmInfo(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instrs(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, cpu, ""));
  llvm::MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(), &sources);
  std::unique_ptr<llvm::MCObjectFileInfo> fileInfo(
      target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(fileInfo.get());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(os);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instrs, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instrs, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(false)) {
    llvm::errs() << "the test's assembler text has errors:\n" << text;
    std::exit(1);
  }
  return {bytes.begin(), bytes.end()};
}

std::string kernelText(const std::string &cpu, const std::string &body,
                       const KernelOptions &options) {
  auto line = [](const std::string &name, unsigned value) {
    return "  .amdhsa_" + name + " " + std::to_string(value) + "\n";
  };
  return ".amdgcn_target \"amdgcn-amd-amdhsa--" + cpu + "\"\n.text\n.globl k\n.p2align 8\n" +
         ".type k,@function\nk:\n" + body + "\n.Lend:\n.size k, .Lend-k\n.rodata\n.p2align 6\n" +
         ".amdhsa_kernel k\n" + line("group_segment_fixed_size", options.ldsBytes) +
         line("private_segment_fixed_size", options.scratchBytes) +
         line("kernarg_size", options.kernargBytes) + line("user_sgpr_kernarg_segment_ptr", 1) +
         line("user_sgpr_count", 2) + line("system_sgpr_workgroup_id_x", 1) +
         line("system_vgpr_workitem_id", 2) + line("next_free_vgpr", options.vgprs) +
         line("next_free_sgpr", 96) + line("accum_offset", options.accumOffset) +
         line("float_denorm_mode_32", options.denorm32) + options.extra + ".end_amdhsa_kernel\n";
}

Lanes all(uint32_t value) {
  Lanes result;
  result.fill(value);
  return result;
}
Lanes allF(float value) { return all(std::bit_cast<uint32_t>(value)); }
float asFloat(uint32_t bits) { return std::bit_cast<float>(bits); }

std::map<std::string, Lanes> Snippet::run() {
  constexpr uint64_t bufferBytes = 64 << 10;
  std::string text = "v_and_b32_e32 v0, 0x3ff, v0\nv_lshlrev_b32_e32 v0, 2, v0\n"
                     "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_load_dwordx2 s[8:9], s[0:1], 0x10\n"
                     "s_waitcnt lgkmcnt(0)\n";
  // Offsets reach 16 rows; the base moves on after those.
  auto access = [](const std::string &op, const std::string &reg, bool store, size_t row) {
    std::string base = store ? "s[6:7]" : "s[4:5]", low = store ? "s6" : "s4",
                high = store ? "s7" : "s5";
    std::string step = row % 16 == 0 && row != 0
                           ? "s_add_u32 " + low + ", " + low + ", 0x1000\ns_addc_u32 " + high +
                                 ", " + high + ", 0\n"
                           : "";
    return step + op + (store ? " v0, " + reg : " " + reg + ", v0") + ", " + base +
           " offset:" + std::to_string(256 * (row % 16)) + "\n";
  };
  size_t row = 0;
  for (const auto &[reg, values] : in)
    text += access("global_load_dword", reg, false, row++);
  text += "s_waitcnt vmcnt(0)\n" + body + "\ns_nop 15\ns_nop 15\ns_waitcnt vmcnt(0) lgkmcnt(0)\n";
  row = 0;
  for (const std::string &reg : out)
    text += access("global_store_dword", reg, true, row++);
  text += "s_endpgm\n";

  auto object = CodeObject::load(assemble(cpu, kernelText(cpu, text, kernel)));
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return {};
  }
  Memory memory;
  uint64_t inAddress = llvm::cantFail(memory.allocate(256 * in.size(), "in"));
  uint64_t outAddress = llvm::cantFail(memory.allocate(256 * out.size(), "out"));
  uint64_t bufferAddress = llvm::cantFail(memory.allocate(bufferBytes, "scratch buffer"));
  std::memset(memory.hostPointerForWriting(bufferAddress, bufferBytes), 0, bufferBytes);
  row = 0;
  for (const auto &[reg, values] : in)
    std::memcpy(memory.hostPointerForWriting(inAddress + 256 * row++, 256), values.data(), 256);
  uint64_t pointers[8] = {inAddress, outAddress, bufferAddress};
  auto ran = sim::run(**object, "k", {1, 1, 1}, {64, 1, 1},
                      llvm::ArrayRef(reinterpret_cast<uint8_t *>(pointers), 64), memory, launch);
  if (!ran) {
    ADD_FAILURE() << llvm::toString(ran.takeError());
    return {};
  }
  result = std::move(*ran);
  const uint8_t *after = memory.hostPointer(bufferAddress, bufferBytes);
  buffer.assign(after, after + bufferBytes);
  std::map<std::string, Lanes> results;
  row = 0;
  for (const std::string &reg : out)
    std::memcpy(results[reg].data(), memory.hostPointer(outAddress + 256 * row++, 256), 256);
  return results;
}

Lanes evaluate(const std::string &body, const std::map<std::string, Lanes> &in,
               const std::string &cpu) {
  Snippet snippet;
  snippet.cpu = cpu;
  snippet.in = in;
  snippet.out = {"v10"};
  snippet.launch.checks = Checks::None; // semantics only: bodies need no wait states
  snippet.body = body;
  auto results = snippet.run();
  if (!snippet.result.ok())
    ADD_FAILURE() << body << ": " << llvm::toString(snippet.result.toError());
  return results["v10"];
}

} // namespace tilec::sim::testing
