//===- Flat.cpp - global, flat and scratch instructions -------------------===//
//
// global: VGPR pair, or SGPR pair + 32-bit VGPR offset; flat: VGPR pair, may name LDS
// or scratch by aperture; scratch: per-lane private memory, offset from VGPR, SGPR and
// the instruction.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "GlobalAccess.h"

namespace tilec::sim {
namespace {

enum class Segment { Global, Flat, Scratch };

template <Segment segment> void computeAddresses(Wave &wave, const Instr &instr, MemOp &op) {
  op.instr = &instr;
  op.mask = wave.exec();
  const Operand &vaddr = instr.src[0], &saddr = instr.src[2];
  auto offset = static_cast<uint64_t>(static_cast<int64_t>(instr.offset));
  if constexpr (segment == Segment::Scratch) {
    uint32_t base = saddr.isSgpr() ? wave.s[saddr.reg] : 0;
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      uint32_t at = base + (vaddr.isVgpr() ? wave.v[vaddr.reg][lane] : 0);
      op.addr[lane] = privateAperture | static_cast<uint32_t>(at + instr.offset);
    }
  } else if (saddr.isSgpr()) {
    uint64_t base = wave.pair(saddr.reg) + offset;
    for (unsigned lane = 0; lane < numLanes; ++lane)
      op.addr[lane] = base + wave.v[vaddr.reg][lane];
  } else {
    const uint32_t *low = wave.v[vaddr.reg], *high = wave.v[vaddr.reg + 1];
    for (unsigned lane = 0; lane < numLanes; ++lane)
      op.addr[lane] = (low[lane] | static_cast<uint64_t>(high[lane]) << 32) + offset;
  }
}

using Perform = void (*)(Wave &, MemOp &);
template <Segment segment, Perform perform> void execFlat(Wave &wave, const Instr &instr) {
  MemOp op;
  computeAddresses<segment>(wave, instr, op);
  if (instr.flags & isLdsDma)
    op.ldsBase = ldsDmaBase(wave, instr);
  if (instr.flags & isStore)
    readData(wave, instr.src[1], instr.src[1].dwords, op);
  op.perform = perform;
  issue(wave, op);
}

constexpr OpInfo row(const char *name, ExecFn exec, const char *form, uint32_t flags,
                     uint32_t aux) {
  return memoryRow(name, exec, form, flags | isVmem | readsExec, aux);
}

using enum Format;
using enum AtomicOp;
#define SEGMENTS(Name, Perform, GlobalForm, FlatForm, Flags, Aux)                                  \
  row("global_" Name, execFlat<Segment::Global, Perform>, GlobalForm, Flags, Aux),                 \
      row("flat_" Name, execFlat<Segment::Flat, Perform>, FlatForm, (Flags) | isFlat, Aux)

const OpInfo table[] = {
#define TILEC_LOAD(Name, Bytes, Fmt)                                                               \
  SEGMENTS("load_" Name, performLoad, "d02", "d0", isLoad, packAccess(Bytes, Fmt)),                \
      row("scratch_load_" Name, execFlat<Segment::Scratch, performLoad>, "d02", isLoad,            \
          packAccess(Bytes, Fmt)),
#define TILEC_STORE(Name, Bytes, Fmt)                                                              \
  SEGMENTS("store_" Name, performStore, "012", "01", isStore, packAccess(Bytes, Fmt)),             \
      row("scratch_store_" Name, execFlat<Segment::Scratch, performStore>, "012", isStore,         \
          packAccess(Bytes, Fmt)),
#define TILEC_DMA(Name, Bytes, Fmt)                                                                \
  row("global_load_lds_" Name, execFlat<Segment::Global, performLdsDma>, "02",                     \
      isLoad | isLdsDma | readsM0, packAccess(Bytes, Fmt)),                                        \
      row("scratch_load_lds_" Name, execFlat<Segment::Scratch, performLdsDma>, "02",               \
          isLoad | isLdsDma | readsM0, packAccess(Bytes, Fmt)),
#define ATOMIC(Name, Bytes, Op)                                                                    \
  SEGMENTS("atomic_" Name, performAtomic, "012", "01", isLoad | isStore | isAtomic,                \
           packAtomicAccess(Bytes, Op))
#define TILEC_ATOMIC(Name, Bytes, Op) ATOMIC(Name, Bytes, Op),
#define TILEC_ATOMIC_BITS(Name, Op) ATOMIC(Name, 4, Op), ATOMIC(Name "_x2", 8, Op),
#include "Accesses.def"
};

} // namespace

llvm::ArrayRef<OpInfo> flatOps() { return table; }

} // namespace tilec::sim
