//===- CodeObjectImpl.h - a loaded image and its decoded programs ---------===//
//
// What is behind sim::CodeObject: its bytes, its kernels, and their instructions, decoded when
// they are first met.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Disassembler.h"
#include "Instruction.h"
#include "tilec/Sim/Simulator.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace tilec::sim {

/// An instruction with what reports need to know about it.
struct Decoded : Instr {
  std::string text;  ///< assembler text
  std::string error; ///< why it cannot be executed; exec then reports this
};

/// The part of a kernel's descriptor that decides how its code reads.
struct ProgramKey {
  uint32_t firstAgpr, numVgprs;
  auto operator<=>(const ProgramKey &) const = default;
};

/// Decoded code of one object for kernels with the same register split. Instructions are decoded
/// when first reached; at() may be called from several threads.
class Program {
public:
  Program(const class CodeObjectImpl &object, ProgramKey key);
  /// Never null: what cannot be decoded is an instruction that reports so.
  const Instr *at(uint32_t pc) const {
    if (pc < numSlots)
      if (const Decoded *found = slots[pc].load(std::memory_order_acquire))
        return found;
    return decodeAt(pc);
  }
  Arch arch() const;
  const CodeObjectImpl &object() const { return owner; }

private:
  const Instr *decodeAt(uint32_t pc) const;
  Decoded decode(uint32_t pc) const;

  const CodeObjectImpl &owner;
  ProgramKey key;
  uint32_t numSlots;
  std::unique_ptr<std::atomic<const Decoded *>[]> slots;
  mutable std::mutex mutex;
  mutable std::deque<Decoded> storage;
};

/// What the hardware sets up a wave from.
struct KernelSetup {
  uint32_t entryPc = 0;   ///< in dwords of the image
  uint32_t codeBytes = 0; ///< size of the kernel's symbol; 0 when unknown
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;
  uint16_t preload = 0;
  uint32_t numVgprs = 0, accumOffset = 0;
};

class CodeObjectImpl {
public:
  Arch arch;
  std::vector<uint8_t> image;                            ///< by virtual address from 0
  std::vector<std::pair<uint64_t, uint64_t>> executable; ///< ranges of `image`
  std::vector<KernelInfo> kernels;
  std::vector<KernelSetup> setups; ///< parallel to `kernels`
  std::vector<uint8_t> elf;        ///< kept for debug information
  /// Of a relocatable object: where its sections went.
  struct Place {
    uint64_t begin, end, section;
  };
  std::vector<Place> places;
  std::unique_ptr<Disassembler> disassembler;
  mutable std::mutex disassemblerMutex;

  bool isExecutable(uint64_t address) const {
    for (auto [begin, end] : executable)
      if (address >= begin && address < end)
        return true;
    return false;
  }
  const Program &programFor(const KernelSetup &setup) const;
  /// `kernel+0x10`, and ` (file.c:12)` when debug information tells.
  std::string describeAddress(uint64_t address) const;
  /// Debug information names this compiler as its producer.
  bool isOwn() const;
  CodeObjectImpl();
  ~CodeObjectImpl();

private:
  std::string sourceLine(uint64_t address) const;
  void readDebugInfo() const;
  struct DebugInfo;
  mutable std::unique_ptr<DebugInfo> debugInfo; ///< made at the first report
  mutable std::mutex debugMutex;
  mutable std::mutex programsMutex;
  mutable std::map<ProgramKey, std::unique_ptr<Program>> programs;
};

} // namespace tilec::sim
