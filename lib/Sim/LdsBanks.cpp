//===- LdsBanks.cpp - what an LDS access costs in data cycles -------------===//
//
// Takes the addresses of an LDS instruction, gives the cycles it takes; the rules are measured
// (docs/simulators/simulator.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LdsBanks.h"

#include <algorithm>
#include <span>

namespace tilec::sim {
namespace {

/// Lanes `first` to `last`, both included.
constexpr uint64_t lanes(unsigned first, unsigned last) {
  return (last == 63 ? ~0ull : (1ull << (last + 1)) - 1) & ~((1ull << first) - 1);
}

constexpr uint64_t one64[] = {~0ull};
constexpr uint64_t two32[] = {lanes(0, 31), lanes(32, 63)};
constexpr uint64_t four16[] = {lanes(0, 15), lanes(16, 31), lanes(32, 47), lanes(48, 63)};
constexpr uint64_t eight8[] = {lanes(0, 7),   lanes(8, 15),  lanes(16, 23), lanes(24, 31),
                               lanes(32, 39), lanes(40, 47), lanes(48, 55), lanes(56, 63)};
// gfx942 b96 and b128, gfx950 b96.
constexpr uint64_t a0 = lanes(0, 3) | lanes(20, 23), a1 = lanes(4, 7) | lanes(16, 19),
                   a2 = lanes(8, 11) | lanes(28, 31), a3 = lanes(12, 15) | lanes(24, 27);
constexpr uint64_t eightSplit[] = {a0, a1, a2, a3, a0 << 32, a1 << 32, a2 << 32, a3 << 32};
// gfx950 b128.
constexpr uint64_t b0 = lanes(0, 3) | lanes(12, 15) | lanes(20, 27),
                   b1 = lanes(4, 11) | lanes(16, 19) | lanes(28, 31);
constexpr uint64_t fourSplit[] = {b0, b1, b0 << 32, b1 << 32};

struct Rule {
  unsigned banks;
  std::span<const uint64_t> phases;
};

// Writes: measured for b64 on gfx950 only; the other widths follow the same scheme of consecutive
// lanes, as CK-Tile's documentation says for b128. gfx950 b32 reads: one source says 64 banks in
// one phase (used here), another 32 banks.
Rule ruleFor(Arch arch, bool write, unsigned bytes) {
  if (write)
    return {32, bytes <= 4   ? std::span<const uint64_t>(two32)
                : bytes <= 8 ? std::span<const uint64_t>(four16)
                             : std::span<const uint64_t>(eight8)};
  if (arch == Arch::Gfx950) {
    if (bytes <= 4)
      return {64, one64};
    if (bytes <= 8)
      return {64, two32};
    return bytes <= 12 ? Rule{32, eightSplit} : Rule{64, fourSplit};
  }
  if (bytes <= 4)
    return {32, two32};
  return bytes <= 8 ? Rule{32, four16} : Rule{32, eightSplit};
}

} // namespace

LdsCost ldsCost(Arch arch, bool write, unsigned bytes, uint64_t mask, const uint64_t *addr) {
  Rule rule = ruleFor(arch, write, bytes);
  unsigned dwords = std::max(1u, bytes / 4);
  LdsCost cost;
  for (uint64_t phase : rule.phases) {
    uint32_t wanted[64 * 4];
    unsigned count = 0;
    for (uint64_t left = phase & mask; left; left &= left - 1)
      for (unsigned i = 0; i < dwords; ++i)
        wanted[count++] = static_cast<uint32_t>(addr[__builtin_ctzll(left)] / 4 + i);
    cost.phases += 1;
    std::sort(wanted, wanted + count);
    unsigned perBank[64] = {}, most = 0;
    for (unsigned i = 0; i < count; ++i)
      if (i == 0 || wanted[i] != wanted[i - 1]) // the same dword is given to all at once
        most = std::max(most, ++perBank[wanted[i] % rule.banks]);
    cost.conflicts += most ? most - 1 : 0;
  }
  return cost;
}

} // namespace tilec::sim
