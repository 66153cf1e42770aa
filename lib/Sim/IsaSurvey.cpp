//===- IsaSurvey.cpp - which instructions of a chip the simulator executes ===//
//
// Walks the opcode fields of all encodings (CDNA3 and CDNA4 ISA, chapter "Microcode
// Formats") and lets LLVM say which are instructions, so that no list of opcodes is
// kept here. Operand fields hold registers that suit any width: multiples of eight.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/IsaSurvey.h"

#include "Decode.h"
#include "Disassembler.h"

#include "llvm/ADT/StringMap.h"

#include <cstring>

namespace tilec::sim {
namespace {

constexpr uint32_t vgprSource = 256; // of a nine-bit source operand
constexpr uint32_t s8 = 8, s16 = 16, s24 = 24, v8 = 8, v16 = 16, v24 = 24, v32 = 32;

class Survey {
public:
  explicit Survey(const Disassembler &disassembler) : disassembler(disassembler) {}
  std::vector<IsaEntry> entries;

  /// Up to four dwords; what the instruction does not need is ignored.
  /// False when it is none.
  bool tryWords(uint32_t w0, uint32_t w1 = 0x3f800000, uint32_t w2 = 0, uint32_t w3 = 0) {
    uint8_t bytes[16];
    uint32_t words[] = {w0, w1, w2, w3};
    std::memcpy(bytes, words, sizeof(bytes));
    AsmText text = disassembler.decode(bytes, 0);
    if (text.text.empty() || text.text.find("/*") != std::string::npos)
      return false; // no instruction, or operands that the ISA does not allow
    llvm::StringRef printed = text.text;
    std::string name = printed.take_until([](char c) { return c == ' ' || c == '\t'; }).str();
    if (printed.ends_with(" lds"))
      name += " lds";
    auto instr = decodeText(printed, {0, text.sizeBytes, /*firstAgpr=*/256});
    std::string refused = instr ? "" : llvm::toString(instr.takeError());
    auto [at, isNew] = places.insert({name, entries.size()});
    if (isNew)
      entries.push_back({name, text.text, refused});
    else if (IsaEntry &known = entries[at->second]; known.refused.empty() && !refused.empty())
      known = {name, text.text, refused};
    return true;
  }

private:
  const Disassembler &disassembler;
  llvm::StringMap<size_t> places;
};

void surveyScalar(Survey &survey) {
  for (uint32_t op = 0; op < 96; ++op)
    survey.tryWords(0b10u << 30 | op << 23 | s8 << 16 | s16 << 8 | s24); // SOP2
  for (uint32_t op = 0; op < 29; ++op)
    survey.tryWords(0b1011u << 28 | op << 23 | s8 << 16 | 0xf801); // SOPK; hwreg MODE
  for (uint32_t op = 0; op < 256; ++op)
    survey.tryWords(0b101111101u << 23 | s8 << 16 | op << 8 | s16); // SOP1
  for (uint32_t op = 0; op < 128; ++op) {
    survey.tryWords(0b101111110u << 23 | op << 16 | s16 << 8 | s24); // SOPC
    for (uint32_t constant : {0u, 1u})
      survey.tryWords(0b101111111u << 23 | op << 16 | constant); // SOPP
  }
  constexpr uint32_t immediate = 1u << 17, sc0 = 1u << 16;
  for (uint32_t op = 0; op < 256; ++op)
    for (uint32_t form : {immediate, immediate | sc0, 0u})
      survey.tryWords(0b110000u << 26 | op << 18 | form | s24 << 6 | s16 / 2,
                      form ? 16 : s8); // SMEM: byte offset or register
}

void surveyVectorShort(Survey &survey) {
  constexpr uint32_t sdwa = 249, dpp = 250;
  constexpr uint32_t dwords = 6u << 8 | 6u << 16 | 6u << 24; // SDWA: whole registers
  constexpr uint32_t shift = 0x111, broadcast = 0x150, masks = 0xffu << 24;
  auto all = [&](uint32_t word) {
    survey.tryWords(word | (vgprSource + v8));
    survey.tryWords(word | sdwa, v8 | dwords);
    survey.tryWords(word | sdwa, v8 | 6u << 16 | 6u << 24); // VOPC: no destination selection
    survey.tryWords(word | sdwa, v8 | 6u << 8 | 6u << 16);  // VOP1: no source 1
    survey.tryWords(word | dpp, v8 | shift << 8 | masks);
    survey.tryWords(word | dpp, v8 | broadcast << 8 | masks);
  };
  for (uint32_t op = 0; op < 256; ++op)
    all(0b0111111u << 25 | v32 << 17 | op << 9); // VOP1
  for (uint32_t op = 0; op < 256; ++op)
    all(0b0111110u << 25 | op << 17 | v16 << 9); // VOPC
  for (uint32_t op = 0; op < 62; ++op)
    all(op << 25 | v32 << 17 | v16 << 9); // VOP2
}

void surveyVectorLong(Survey &survey) {
  for (uint32_t op = 0; op < 1024; ++op)
    for (uint32_t src0 : {vgprSource + v8, s8})
      for (uint32_t src1 : {vgprSource + v16, s16, 0u})
        for (uint32_t src2 : {vgprSource + v24, s24, 0u}) {
          uint32_t first = 0b110100u << 26 | op << 16 | v32, second = src0 | src1 << 9 | src2 << 18;
          if (!survey.tryWords(first, second))
            survey.tryWords(first | s24 << 8, second); // VOP3 with a scalar destination
        }
  constexpr uint32_t opSelHi = 3u << 27, scaled = 1u << 11; // behind v_mfma_ld_scale
  uint32_t sources = (vgprSource + v8) | (vgprSource + v16) << 9, three = (vgprSource + v24) << 18;
  for (uint32_t op = 0; op < 128; ++op) {
    for (uint32_t second :
         {sources, sources | three, sources | three | opSelHi, sources | opSelHi}) {
      uint32_t first = 0b110100111u << 23 | op << 16 | v32;
      survey.tryWords(first, second); // VOP3P
      survey.tryWords(0b110100111u << 23 | 0x2cu << 16, sources, first | scaled, second);
    }
  }
}

void surveyMemory(Survey &survey) {
  uint32_t fields = v8 | v16 << 8 | v24 << 16 | v32 << 24;
  for (uint32_t op = 0; op < 256; ++op)
    for (uint32_t second : {fields, v8 | v16 << 8 | v24 << 16, v8 | v16 << 8 | v32 << 24,
                            v8 | v32 << 24, v8 | v16 << 8, v32 << 24, v16 << 8, v8, 0u})
      for (uint32_t gds : {0u, 1u << 16})
        survey.tryWords(0b110110u << 26 | op << 17 | gds, second); // DS
  constexpr uint32_t offen = 1u << 12, sc0 = 1u << 14, lds = 1u << 16;
  for (uint32_t op = 0; op < 128; ++op)
    for (uint32_t form : {offen, offen | sc0, offen | lds})
      for (uint32_t data : {v16 << 8, 0u})
        survey.tryWords(0b111000u << 26 | op << 18 | form,
                        v8 | data | s8 / 4 << 16 | s24 << 24); // MUBUF
  for (uint32_t op = 0; op < 16; ++op)
    survey.tryWords(0b111010u << 26 | op << 15 | offen | 4u << 19 | 7u << 23,
                    v8 | v16 << 8 | s8 / 4 << 16 | s24 << 24); // MTBUF, 32-bit floats
  constexpr uint32_t noScalar = 0x7f, flatSc0 = 1u << 16;
  for (uint32_t segment : {0u, 1u, 2u}) // flat, scratch, global
    for (uint32_t op = 0; op < 128; ++op)
      for (uint32_t scalar : {0u, noScalar, s16})
        for (uint32_t sc : {0u, flatSc0})
          for (uint32_t data : {v16 << 8 | v32 << 24, v16 << 8, v32 << 24, 0u})
            survey.tryWords(0b110111u << 26 | op << 18 | segment << 14 | sc,
                            v8 | data | scalar << 16);
}

} // namespace

llvm::Expected<std::vector<IsaEntry>> surveyIsa(Arch arch) {
  auto disassembler = Disassembler::create(nameOf(arch));
  if (!disassembler)
    return disassembler.takeError();
  Survey survey(**disassembler);
  surveyScalar(survey);
  surveyVectorShort(survey);
  surveyVectorLong(survey);
  surveyMemory(survey);
  return std::move(survey.entries);
}

} // namespace tilec::sim
