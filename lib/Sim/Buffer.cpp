//===- Buffer.cpp - buffer instructions -----------------------------------===//
//
// address = base + soffset + (raw) voffset + offset, or (stride, idxen or lane id) index
// * stride + ..., swizzled or not; CDNA3 ISA 9.1.5. The range check of a raw buffer is per dword: a
// dword whose offset + 4 exceeds num_records loads 0 and is not stored. Whether soffset counts is
// LaunchOptions::soffsetInRangeCheck.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "BufferAddress.h"
#include "Checker.h"
#include "Decode.h"
#include "GlobalAccess.h"

#include <cstring>

namespace tilec::sim {
namespace {

unsigned bytesOf(const Instr &i) { return i.op->aux & 0xff; }

/// Swizzled buffers: fields of 4 bytes of `index stride` records lie together.
constexpr uint32_t swizzleElement = 4;
uint64_t swizzledOffset(const BufferDescriptor &d, uint64_t index, uint64_t offset) {
  uint64_t indexStride = 8u << (d.word3 >> 21 & 3);
  return (index / indexStride * d.stride + offset / swizzleElement * swizzleElement) * indexStride +
         index % indexStride * swizzleElement + offset % swizzleElement;
}

} // namespace

BufferDescriptor bufferDescriptorOf(const Wave &wave, const Instr &instr) {
  const uint32_t *s = &wave.s[instr.src[2].reg];
  BufferDescriptor d;
  d.base = s[0] | static_cast<uint64_t>(s[1] & 0xffff) << 32;
  d.stride = s[1] >> 16 & 0x3fff;
  d.numRecords = s[2];
  d.word3 = s[3];
  d.addsLaneId = d.word3 >> 23 & 1;
  if (d.addsLaneId) // the data format then holds four more bits of the stride
    d.stride |= (d.word3 >> 15 & 15) << 14;
  d.swizzled = s[1] >> 31 && (instr.idxen || d.addsLaneId) && d.stride != 0;
  return d;
}

bool computeBufferAddresses(Wave &wave, const Instr &instr, unsigned bytes, MemOp &op) {
  op.instr = &instr;
  op.mask = wave.exec();
  BufferDescriptor d = bufferDescriptorOf(wave, instr);
  uint32_t soffset = scalar32(wave, instr.src[3]);
  const Operand &vaddr = instr.src[0];
  const uint32_t *index = instr.idxen ? wave.v[vaddr.reg] : nullptr;
  const uint32_t *voffset = instr.offen ? wave.v[vaddr.reg + (instr.idxen ? 1 : 0)] : nullptr;
  auto recordOf = [&](unsigned lane) {
    return (index ? index[lane] : 0) + static_cast<uint64_t>(d.addsLaneId ? lane : 0);
  };
  auto inRecordOf = [&](unsigned lane) {
    return static_cast<uint64_t>(voffset ? voffset[lane] : 0) + static_cast<uint32_t>(instr.offset);
  };
  bool structured = (index || d.addsLaneId) && d.stride != 0;
  if (structured) {
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      uint64_t record = recordOf(lane), inRecord = inRecordOf(lane);
      uint64_t at = inRecord + record * d.stride;
      bool outside = record >= d.numRecords;
      if (d.swizzled && !outside && op.mask >> lane & 1) {
        if (inRecord + bytes > d.stride || inRecord % swizzleElement + bytes > swizzleElement) {
          fault(wave, instr, CheckKind::BadInstruction,
                "an access that leaves the record or a dword of a swizzled buffer is not modelled");
          return false;
        }
        at = swizzledOffset(d, record, inRecord);
      }
      op.addr[lane] = d.base + soffset + at;
      op.zeroMask |= static_cast<uint64_t>(outside) << lane;
    }
  } else {
    // Nearly every buffer access of real code comes here; an index times no stride adds nothing.
    static constexpr Row zeros = {};
    const uint32_t *offsets = voffset ? voffset : zeros;
    auto constant = static_cast<uint32_t>(instr.offset);
    uint64_t checkedBytes = bytes < 4 ? bytes : 4;
    if (wave.group->engine->options->soffsetInRangeCheck)
      checkedBytes += soffset;
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      uint64_t at = static_cast<uint64_t>(offsets[lane]) + constant;
      op.addr[lane] = d.base + soffset + at;
      op.zeroMask |= static_cast<uint64_t>(at + checkedBytes > d.numRecords) << lane;
    }
  }
  op.zeroMask &= op.mask;
  return true;
}

uint64_t lanesOutOfRange(const Wave &wave, const Instr &instr) {
  BufferDescriptor d = bufferDescriptorOf(wave, instr);
  if (instr.idxen || (d.addsLaneId && d.stride != 0))
    return 0;
  const uint32_t *offsets = instr.offen ? wave.v[instr.src[0].reg] : nullptr;
  uint64_t result = 0;
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    uint64_t at = uint64_t(offsets ? offsets[lane] : 0) + static_cast<uint32_t>(instr.offset);
    result |= static_cast<uint64_t>(at >= d.numRecords) << lane;
  }
  return result;
}

namespace {

/// Wide accesses are checked dword by dword: lanes that straddle the end are done one by one here.
/// Returns the lanes that do.
uint64_t straddlers(Wave &wave, const Instr &instr, const MemOp &op) {
  unsigned bytes = bytesOf(instr);
  BufferDescriptor d = bufferDescriptorOf(wave, instr);
  if (bytes <= 4 || ((instr.idxen || d.addsLaneId) && d.stride))
    return 0;
  uint32_t soffset = scalar32(wave, instr.src[3]);
  bool withSoffset = wave.group->engine->options->soffsetInRangeCheck;
  uint64_t result = 0;
  forEachActiveLane(op.mask & ~op.zeroMask, [&](unsigned lane) {
    uint64_t offset = op.addr[lane] - d.base - (withSoffset ? 0 : soffset);
    result |= static_cast<uint64_t>(offset + bytes > d.numRecords) << lane;
  });
  return result;
}
/// Dwords of a straddling lane that are in range.
unsigned dwordsInRange(const Wave &wave, const Instr &instr, const MemOp &op, unsigned lane) {
  BufferDescriptor d = bufferDescriptorOf(wave, instr);
  bool withSoffset = wave.group->engine->options->soffsetInRangeCheck;
  uint64_t offset = op.addr[lane] - d.base - (withSoffset ? 0 : scalar32(wave, instr.src[3]));
  return static_cast<unsigned>((d.numRecords - offset) / 4);
}

/// A dword form of the same instruction, for straddling lanes: one lane, one dword.
using Perform = void (*)(Wave &, MemOp &);

const OpInfo *dwordForm(const Instr &instr) {
  static const OpInfo *load = findOp("buffer_load_dword"), *store = findOp("buffer_store_dword"),
                      *dma = findOp("buffer_load_dword_lds");
  return instr.flags & isLdsDma ? dma : instr.flags & isStore ? store : load;
}

// A straddling lane is rare (a ragged last row): it is issued as single dwords of its own.
struct SplitInstrs;
void issueStraddlers(Wave &wave, const Instr &instr, MemOp &op, uint64_t lanes, Perform perform) {
  // The split dwords run at once in either memory mode: their counter effect is the wide form's.
  Instr single = instr;
  single.op = dwordForm(instr);
  forEachActiveLane(lanes, [&](unsigned lane) {
    unsigned valid = dwordsInRange(wave, instr, op, lane);
    for (unsigned i = 0; i < bytesOf(instr) / 4; ++i) {
      MemOp part;
      part.instr = &single;
      part.mask = 1ull << lane;
      part.zeroMask = i < valid ? 0 : part.mask;
      part.addr[lane] = op.addr[lane] + 4 * i;
      part.data[0][lane] = op.data[i][lane];
      part.checkId = wave.checker ? wave.checker->currentAccess : 0;
      part.ldsBase = op.ldsBase + lane * bytesOf(instr) + 4 * i - lane * 4;
      if (!(instr.flags & (isStore | isLdsDma)))
        single.dst[0].reg = static_cast<uint16_t>(instr.dst[0].reg + i);
      part.perform = perform;
      performNow(wave, part);
    }
  });
}

/// Wide accesses of a swizzled buffer: its dwords lie apart. As straddlers, they run at once.
void issueByDwords(Wave &wave, const Instr &instr, Perform perform) {
  if (instr.flags & isAtomic)
    return fault(wave, instr, CheckKind::BadInstruction,
                 "64-bit atomics on swizzled buffers are not modelled");
  Instr single = instr;
  single.op = dwordForm(instr);
  unsigned words = bytesOf(instr) / 4;
  for (unsigned i = 0; i < words; ++i) {
    MemOp part;
    single.offset = instr.offset + static_cast<int32_t>(4 * i);
    if (!computeBufferAddresses(wave, single, 4, part))
      return;
    if (instr.flags & isStore)
      __builtin_memcpy(part.data[0], wave.v[instr.src[1].reg + i], sizeof(Row));
    if (!(instr.flags & (isStore | isLdsDma)))
      single.dst[0].reg = static_cast<uint16_t>(instr.dst[0].reg + i);
    part.checkId = wave.checker ? wave.checker->currentAccess : 0;
    part.perform = perform;
    if (!(instr.flags & isLdsDma)) {
      performNow(wave, part);
      continue;
    }
    // A lane's dwords lie together in LDS, unlike those of the lanes of a dword form.
    forEachActiveLane(part.mask, [&](unsigned lane) {
      MemOp one = part;
      one.mask = 1ull << lane;
      one.ldsBase = ldsDmaBase(wave, instr) + lane * 4 * words + 4 * i - lane * 4;
      performNow(wave, one);
    });
  }
}

template <Perform perform> void execBuffer(Wave &wave, const Instr &instr) {
  if (bytesOf(instr) > 4 && bufferDescriptorOf(wave, instr).swizzled)
    return issueByDwords(wave, instr, perform);
  MemOp op;
  if (!computeBufferAddresses(wave, instr, bytesOf(instr), op))
    return;
  if (instr.flags & isLdsDma)
    op.ldsBase = ldsDmaBase(wave, instr);
  if (instr.flags & isStore)
    readData(wave, instr.src[1], instr.src[1].dwords, op);
  op.perform = perform;
  if (uint64_t split = instr.flags & isAtomic ? 0 : straddlers(wave, instr, op)) {
    issueStraddlers(wave, instr, op, split, perform);
    op.mask &= ~split;
  }
  issue(wave, op);
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags,
                     uint32_t aux) {
  return memoryRow(name, exec, form, flags | isVmem | readsExec, aux);
}
constexpr OpInfo load(const char *name, unsigned bytes, Format format) {
  return row(name, execBuffer<performLoad>, "d023", isLoad, packAccess(bytes, format));
}
constexpr OpInfo store(const char *name, unsigned bytes, Format format) {
  return row(name, execBuffer<performStore>, "1023", isStore, packAccess(bytes, format));
}
constexpr OpInfo dma(const char *name, unsigned bytes, Format format) {
  return row(name, execBuffer<performLdsDma>, "023", isLoad | isLdsDma | readsM0,
             packAccess(bytes, format));
}
constexpr OpInfo atomic(const char *name, unsigned bytes, AtomicOp op) {
  return row(name, execBuffer<performAtomic>, "1023", isLoad | isStore | isAtomic,
             packAtomicAccess(bytes, op));
}

using enum Format;
using enum AtomicOp;
const OpInfo table[] = {
#define TILEC_LOAD(Name, Bytes, Format) load("buffer_load_" Name, Bytes, Format),
#define TILEC_STORE(Name, Bytes, Format) store("buffer_store_" Name, Bytes, Format),
#define TILEC_DMA(Name, Bytes, Format) dma("buffer_load_" Name "_lds", Bytes, Format),
#define TILEC_ATOMIC(Name, Bytes, Op) atomic("buffer_atomic_" Name, Bytes, Op),
#define TILEC_ATOMIC_BITS(Name, Op)                                                                \
  atomic("buffer_atomic_" Name, 4, Op), atomic("buffer_atomic_" Name "_x2", 8, Op),
#include "Accesses.def"
};

} // namespace

llvm::ArrayRef<OpInfo> bufferOps() { return table; }

} // namespace tilec::sim
