//===- TypedBuffer.cpp - buffer accesses with a data format ---------------===//
//
// buffer_*_format takes its format and the order of components from the descriptor,
// tbuffer_*_format its format from the instruction (CDNA3 ISA 9.1). What the documents
// leave open is a fault where it decides: how values that a format cannot hold are
// rounded or clamped, components that a format lacks, packed formats such as 10_11_11.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BufferAddress.h"
#include "Decode.h"
#include "GlobalAccess.h"

#include <cmath>
#include <cstring>
#include <optional>

namespace tilec::sim {
namespace {

// OpInfo::aux, beside 4 times the components
constexpr uint32_t isD16 = 1 << 8, isHigh = 1 << 9, formatInInstr = 1 << 10;
unsigned componentsOf(const Instr &instr) { return (instr.op->aux & 0xff) / 4; }

enum NumberFormat : uint32_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Reserved, Float };

struct Format {
  unsigned components = 0, bits = 0; ///< of equal size, the first at the lowest address
  NumberFormat number = Unorm;
  /// What each register gets: 0 and 1 are constants, 4 to 7 components.
  unsigned select[4] = {4, 5, 6, 7};
  unsigned bytes() const { return components * bits / 8; }
};

/// The descriptor's bits: component selection 11:0, number format 14:12, data format 18:15.
uint32_t formatWordOf(const Wave &wave, const Instr &instr) {
  constexpr uint32_t asTheyAre = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  if (instr.op->aux & formatInInstr)
    return asTheyAre | (instr.simm >> 4 & 7) << 12 | (instr.simm & 15) << 15;
  return bufferDescriptorOf(wave, instr).word3 & 0x7ffff;
}

/// Nothing for formats that are not modelled.
std::optional<Format> formatOf(uint32_t word) {
  struct Shape {
    uint8_t components = 0, bits = 0;
  };
  // BUF_DATA_FORMAT_*; those of unequal components have none.
  constexpr Shape shapes[16] = {{}, {1, 8}, {1, 16}, {2, 8},  {1, 32}, {2, 16}, {},      {},
                                {}, {},     {4, 8},  {2, 32}, {4, 16}, {3, 32}, {4, 32}, {}};
  uint32_t data = word >> 15 & 15, number = word >> 12 & 7;
  Format format;
  format.components = shapes[data].components;
  format.bits = shapes[data].bits;
  format.number = static_cast<NumberFormat>(number);
  for (unsigned i = 0; i < 4; ++i)
    format.select[i] = word >> 3 * i & 7;
  bool exists = format.components != 0 && number != Reserved &&
                !(format.bits == 8 && number == Float) &&
                !(format.bits == 32 && number != Uint && number != Sint && number != Float);
  return exists ? std::optional(format) : std::nullopt;
}

// ---- one component ------------------------------------------------------------------------------

std::optional<uint32_t> exactHalf(float value) {
  uint32_t half = f16FromF32(value);
  return f32FromF16(half) == value ? std::optional(half) : std::nullopt;
}

/// Register bits of a component; nothing where that is not published.
std::optional<uint32_t> decode(uint32_t raw, const Format &format, bool d16) {
  unsigned bits = format.bits;
  if (bits == 32)
    return d16 ? std::nullopt : std::optional(raw);
  int32_t extended = signExtend(raw, bits);
  uint32_t top = (1u << bits) - 1;
  float value = 0;
  switch (format.number) {
  case Uint:
    return raw;
  case Sint:
    return static_cast<uint32_t>(extended) & (d16 ? 0xffffu : ~0u);
  case Float:
    return d16 ? raw : bitsOf(f32FromF16(raw));
  case Uscaled:
    value = static_cast<float>(raw);
    break;
  case Sscaled:
    value = static_cast<float>(extended);
    break;
  case Unorm: // between the ends a division is rounded
    if (raw != 0 && raw != top)
      return std::nullopt;
    value = raw ? 1 : 0;
    break;
  case Snorm: {
    int32_t most = static_cast<int32_t>(top >> 1);
    if (extended != 0 && extended != most && extended > -most)
      return std::nullopt;
    value = extended == 0 ? 0 : extended > 0 ? 1 : -1;
    break;
  }
  case Reserved:
    return std::nullopt;
  }
  return d16 ? exactHalf(value) : std::optional(bitsOf(value));
}

/// Memory bits of a register's component; nothing where the format cannot hold it exactly.
std::optional<uint32_t> encode(uint32_t reg, const Format &format, bool d16) {
  unsigned bits = format.bits;
  if (bits == 32)
    return d16 ? std::nullopt : std::optional(reg);
  uint32_t top = (1u << bits) - 1;
  int32_t most = static_cast<int32_t>(top >> 1);
  float value = d16 ? f32FromF16(reg) : f32Of(reg);
  auto integer = [&](float low, float high) -> std::optional<uint32_t> {
    if (!(value >= low && value <= high) || value != std::trunc(value))
      return std::nullopt;
    return static_cast<uint32_t>(static_cast<int32_t>(value)) & top;
  };
  switch (format.number) {
  case Uint:
    return reg <= top ? std::optional(reg) : std::nullopt;
  case Sint: {
    int32_t number = d16 ? signExtend(reg, 16) : static_cast<int32_t>(reg);
    return number >= -most - 1 && number <= most
               ? std::optional(static_cast<uint32_t>(number) & top)
               : std::nullopt;
  }
  case Float:
    return d16 ? std::optional(reg) : exactHalf(value);
  case Uscaled:
    return integer(0, static_cast<float>(top));
  case Sscaled:
    return integer(static_cast<float>(-most - 1), static_cast<float>(most));
  case Unorm:
    return value == 0 || value == 1 ? std::optional(value == 0 ? 0 : top) : std::nullopt;
  case Snorm:
    if (value != 0 && value != 1 && value != -1)
      return std::nullopt;
    return static_cast<uint32_t>(value == 0 ? 0 : value > 0 ? most : -most) & top;
  case Reserved:
    return std::nullopt;
  }
  return std::nullopt;
}

// ---- accesses -----------------------------------------------------------------------------------

void notPublished(Wave &wave, const Instr &instr, const char *what) {
  fault(wave, instr, CheckKind::BadInstruction, what);
}

/// The value of register number `at` of a lane whose bytes are `from`; null: out of range.
std::optional<uint32_t> component(const Format &format, unsigned at, const uint8_t *from,
                                  bool d16) {
  unsigned select = format.select[at];
  if (select == 0)
    return 0;
  if (select == 1) {
    bool isInteger = format.number == Uint || format.number == Sint;
    return isInteger ? 1u : d16 ? f16FromF32(1) : bitsOf(1.0f);
  }
  if (!from)
    return 0;
  uint32_t raw = 0;
  std::memcpy(&raw, from + (select - 4) * format.bits / 8, format.bits / 8);
  return decode(raw, format, d16);
}

/// Calls give(lane, number of the register, value) for what the lanes load.
template <class Give> void loadComponents(Wave &wave, MemOp &op, Give give) {
  const Instr &instr = *op.instr;
  Format format = *formatOf(op.format);
  bool d16 = instr.op->aux & isD16;
  forEachActiveLane(op.mask, [&](unsigned lane) {
    const uint8_t *from = nullptr;
    if (!(op.zeroMask >> lane & 1))
      from = hostOf(wave, op, lane, op.addr[lane], format.bytes(), Touch::Read);
    for (unsigned i = 0; i < componentsOf(instr); ++i) {
      std::optional<uint32_t> value = component(format, i, from, d16);
      if (!value)
        return notPublished(wave, instr,
                            "how this value of the buffer's format is converted is not published");
      give(lane, i, *value);
    }
  });
}

void performTypedLoad(Wave &wave, MemOp &op) {
  unsigned reg = op.instr->dst[0].reg;
  uint32_t aux = op.instr->op->aux;
  loadComponents(wave, op, [&](unsigned lane, unsigned i, uint32_t value) {
    if (!(aux & isD16)) {
      wave.v[reg + i][lane] = value;
      return;
    }
    uint32_t &half = wave.v[reg + i / 2][lane];
    bool high = aux & isHigh || i % 2;
    half = high ? (half & 0xffff) | value << 16 : (half & 0xffff0000u) | (value & 0xffff);
  });
}
void performTypedLdsDma(Wave &wave, MemOp &op) {
  loadComponents(wave, op, [&](unsigned lane, unsigned, uint32_t value) {
    if (uint8_t *to = ldsAt(wave, op, lane, op.ldsBase + 4ull * lane, 4, true))
      std::memcpy(to, &value, 4);
  });
}

void performTypedStore(Wave &wave, MemOp &op) {
  const Instr &instr = *op.instr;
  Format format = *formatOf(op.format);
  uint32_t aux = instr.op->aux;
  forEachActiveLane(op.mask & ~op.zeroMask, [&](unsigned lane) {
    uint8_t element[16];
    for (unsigned i = 0; i < componentsOf(instr); ++i) {
      uint32_t value = aux & isD16 ? op.data[i / 2][lane] : op.data[i][lane];
      if (aux & isD16)
        value = aux & isHigh || i % 2 ? value >> 16 : value & 0xffff;
      std::optional<uint32_t> raw = encode(value, format, aux & isD16);
      if (!raw)
        return notPublished(wave, instr,
                            "the buffer's format cannot hold this value, and how it is rounded or "
                            "clamped is not published");
      std::memcpy(element + i * format.bits / 8, &*raw, format.bits / 8);
    }
    if (uint8_t *to = hostOf(wave, op, lane, op.addr[lane], format.bytes(), Touch::Write))
      std::memcpy(to, element, format.bytes());
  });
}

/// What is wrong with the format for this instruction; null when nothing is.
const char *problemOf(const Instr &instr, const Format &format) {
  unsigned wanted = componentsOf(instr);
  bool isStoring = instr.flags & isStore;
  for (unsigned i = 0; i < wanted; ++i) {
    unsigned select = format.select[i];
    if (isStoring ? select != 4 + i : select == 2 || select == 3)
      return "this selection of components is not modelled";
    if (select >= 4 && select - 4 >= format.components)
      return "what a component is that the format lacks is not published";
  }
  if (isStoring && wanted != format.components)
    return "a store of other components than the format has is not modelled";
  return nullptr;
}

using Perform = void (*)(Wave &, MemOp &);
template <Perform perform> void execTyped(Wave &wave, const Instr &instr) {
  uint32_t formatWord = formatWordOf(wave, instr);
  std::optional<Format> format = formatOf(formatWord);
  if (!format)
    return notPublished(wave, instr, "this data format is not modelled");
  if (const char *problem = problemOf(instr, *format))
    return notPublished(wave, instr, problem);
  BufferDescriptor d = bufferDescriptorOf(wave, instr);
  if (d.addsLaneId)
    return notPublished(wave, instr,
                        "a descriptor that adds the lane id has no data format for this");
  MemOp op;
  if (!computeBufferAddresses(wave, instr, format->bytes(), op))
    return;
  if (!(instr.idxen && d.stride)) { // a raw buffer is checked in bytes
    bool partly = false;
    uint32_t soffset = scalar32(wave, instr.src[3]);
    uint64_t checkedFrom =
        d.base + (wave.group->engine->options->soffsetInRangeCheck ? 0 : soffset);
    forEachActiveLane(op.mask & ~op.zeroMask, [&](unsigned lane) {
      partly |= op.addr[lane] - checkedFrom + format->bytes() > d.numRecords;
    });
    if (partly)
      return notPublished(wave, instr, "an element that is partly in range is not modelled");
  }
  if (instr.flags & isLdsDma)
    op.ldsBase = ldsDmaBase(wave, instr);
  if (instr.flags & isStore)
    readData(wave, instr.src[1], instr.src[1].dwords, op);
  op.format = formatWord;
  op.perform = perform;
  issue(wave, op);
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags,
                     uint32_t aux) {
  return memoryRow(name, exec, form, flags | isVmem | readsExec, aux);
}

#define BOTH(Name, Components, Aux)                                                                \
  row("buffer_load_format_" Name, execTyped<performTypedLoad>, "d023", isLoad,                     \
      4 * (Components) | (Aux)),                                                                   \
      row("buffer_store_format_" Name, execTyped<performTypedStore>, "1023", isStore,              \
          4 * (Components) | (Aux))
#define ALL(Name, Components, Aux)                                                                 \
  BOTH(Name, Components, Aux),                                                                     \
      row("tbuffer_load_format_" Name, execTyped<performTypedLoad>, "d023", isLoad,                \
          4 * (Components) | (Aux) | formatInInstr),                                               \
      row("tbuffer_store_format_" Name, execTyped<performTypedStore>, "1023", isStore,             \
          4 * (Components) | (Aux) | formatInInstr)

const OpInfo table[] = {
    ALL("x", 1, 0),
    ALL("xy", 2, 0),
    ALL("xyz", 3, 0),
    ALL("xyzw", 4, 0),
    ALL("d16_x", 1, isD16),
    ALL("d16_xy", 2, isD16),
    ALL("d16_xyz", 3, isD16),
    ALL("d16_xyzw", 4, isD16),
    BOTH("d16_hi_x", 1, isD16 | isHigh),
    row("buffer_load_format_x_lds", execTyped<performTypedLdsDma>, "023",
        isLoad | isLdsDma | readsM0, 4),
};

} // namespace

llvm::ArrayRef<OpInfo> typedBufferOps() { return table; }

} // namespace tilec::sim
