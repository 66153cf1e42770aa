//===- ElfMutator.cpp - mutations that keep an ELF file an ELF file -------===//
//
// libFuzzer's hook: one to four fields of a header, section, segment, symbol, relocation, kernel
// descriptor or note get another value, or code words are changed. One time in eight the bytes are
// mutated blindly.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <cstring>
#include <vector>

// Of libFuzzer's library; RunFiles.cpp does without.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize)
    __attribute__((weak));

namespace {
namespace elf = llvm::ELF;

class Mutation {
public:
  Mutation(uint8_t *data, size_t size, unsigned seed) : data(data), size(size), state(seed) {}

  void run() {
    collect();
    for (uint64_t n = 1 + below(4); n > 0; --n)
      once();
  }

private:
  struct Range {
    size_t at, bytes;
  };
  uint8_t *data;
  size_t size;
  uint64_t state;
  std::vector<Range> tables, code; ///< headers and tables; instructions

  // splitmix64.
  uint64_t below(uint64_t bound) {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (z ^ (z >> 31)) % bound;
  }

  void add(std::vector<Range> &list, uint64_t at, uint64_t bytes) {
    if (at < size && bytes)
      list.push_back({static_cast<size_t>(at), std::min<size_t>(bytes, size - at)});
  }

  /// Where things are, by what the headers say now; a damaged header only makes the list shorter.
  void collect() {
    add(tables, 0, sizeof(elf::Elf64_Ehdr));
    elf::Elf64_Ehdr header;
    if (size < sizeof(header))
      return;
    std::memcpy(&header, data, sizeof(header));
    add(tables, header.e_phoff, sizeof(elf::Elf64_Phdr) * uint64_t(header.e_phnum));
    add(tables, header.e_shoff, sizeof(elf::Elf64_Shdr) * uint64_t(header.e_shnum));
    for (unsigned i = 0; i < header.e_shnum && i < 64; ++i) {
      elf::Elf64_Shdr section;
      uint64_t at = header.e_shoff + i * sizeof(section);
      if (at > size || size - at < sizeof(section))
        return;
      std::memcpy(&section, data + at, sizeof(section));
      bool isCode = section.sh_flags & elf::SHF_EXECINSTR;
      if (section.sh_type != elf::SHT_NOBITS)
        add(isCode ? code : tables, section.sh_offset, section.sh_size);
    }
  }

  void once() {
    bool inCode = !code.empty() && below(2);
    const std::vector<Range> &list = inCode ? code : tables;
    if (list.empty())
      return;
    Range range = list[below(list.size())];
    if (inCode)
      return changeWord(range);
    size_t width = size_t(1) << below(4);
    size_t at = range.at + below(range.bytes) / width * width;
    if (at + width > size)
      return;
    uint64_t value = interesting();
    if (below(3) == 0) { // near the old value
      uint64_t old = 0;
      std::memcpy(&old, data + at, width);
      value = old + below(17) - 8;
    }
    std::memcpy(data + at, &value, width);
  }

  uint64_t interesting() {
    const uint64_t values[] = {
        0,     1,          2,      4,          8,          0x7f,       0xff,        0x100,
        0xfff, 0x1000,     0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1u << 20,
        ~0ull, ~0ull >> 1, size,   size - 1,   size / 2,   ~0ull - 7,  1ull << 63,  0x20000000};
    return values[below(std::size(values))];
  }

  /// An instruction word: a bit flipped, a word from elsewhere, or a random one.
  void changeWord(Range range) {
    size_t words = range.bytes / 4;
    if (!words)
      return;
    size_t at = range.at + 4 * below(words), from = range.at + 4 * below(words);
    uint32_t word;
    std::memcpy(&word, data + at, 4);
    switch (below(4)) {
    case 0:
      word ^= 1u << below(32);
      break;
    case 1:
      std::memcpy(&word, data + from, 4);
      break;
    case 2:
      word = (word & 0xff000000) | static_cast<uint32_t>(below(1 << 24));
      break;
    default:
      word = static_cast<uint32_t>(below(1ull << 32));
    }
    std::memcpy(data + at, &word, 4);
  }
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  Mutation(data, size, seed).run();
  return size;
}
