//===- Wgmma.cpp - matrices of warp groups --------------------------------===//
//
// The four warps issue; the product is computed when the first of them waits for it,
// no earlier, from what shared memory holds then. Until then the accumulators are
// locked and the operands' bytes are being read.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Decode.h"
#include "Elements.h"
#include "WgmmaOperands.h"

using namespace llvm;

namespace tilec::ptx {

WarpGroup &Warp::group() { return block.groups[index / warpsPerGroup]; }

namespace {

/// Scale of D, and the descriptors, are the same in every lane.
bool uniform(Warp &warp, const Instruction &instr, const Operand &operand, const char *what,
             uint64_t &value) {
  Value lanes = warp.use(operand, allLanes, what);
  value = lanes[0];
  for (unsigned lane = 1; lane < warpLanes; ++lane)
    if (lanes[lane] != value)
      return warp.fail(instr, allLanes, what + Twine(" differs between the lanes")), false;
  return true;
}

/// Registers of the operand must be as wgmma wants them: fenced since they were written, and the
/// first of a kernel in any case.
bool fenced(Warp &warp, const Instruction &instr, const Operand &registers) {
  if (warp.fencedAt == 0)
    return warp.fail(instr, allLanes, "there was no wgmma.fence before the first wgmma"), false;
  for (const Operand &part : registers.parts) {
    const Register &reg = warp.reg(part.reg);
    if (reg.writtenAt > warp.fencedAt)
      return warp.fail(instr, allLanes,
                       "uses a register that was written since the last wgmma.fence"),
             false;
  }
  return true;
}

/// The accesses of an operand: checked for each warp, remembered once.
bool touch(Warp &warp, const Instruction &instr, const Descriptor &d, bool isKMajor, unsigned size,
           unsigned kBytes, Ty type, Epoch epoch, bool isFirst) {
  if (d.baseOffset != 0)
    return warp.fail(instr, allLanes, "a descriptor with a base offset is not known here"), false;
  // PTX ISA 9.0, "Matrix descriptor": the pattern of a swizzle repeats after 8 of its rows.
  if (d.swizzle && d.start % (coreRows * d.swizzle) >= d.swizzle)
    return warp.fail(instr, allLanes,
                     "a matrix swizzled over " + Twine(d.swizzle) +
                         " bytes starts at shared address " + Twine(d.start) +
                         ", which is inside of a pattern: its descriptor needs a base offset"),
           false;
  SharedMemory &shared = warp.block.shared;
  Access access{&warp.clock, epoch, true, warp.machine.options.checkOrder,
                warp.machine.program.hasSwaps};
  bool isGood = true;
  forChunks(d, isKMajor, size, kBytes, bytesOf(type), [&](unsigned, unsigned, uint32_t address) {
    if (!isGood)
      return;
    std::string problem = shared.checkRead(address, coreBytes, access);
    if (!problem.empty()) {
      warp.fail(instr, allLanes, problem);
      isGood = false;
    } else if (isFirst) {
      shared.noteRead(address, coreBytes, epoch);
    }
  });
  return isGood;
}

uint32_t agentOfGroup(Warp &warp) {
  return warp.block.warps[warp.index / warpsPerGroup * warpsPerGroup]->agentOf(WgmmaAgent);
}

Step multiply(Warp &warp, const Instruction &instr, uint32_t lanes) {
  if (lanes != allLanes ||
      warp.block.warps.size() < (warp.index / warpsPerGroup + 1) * warpsPerGroup) {
    warp.fail(instr, lanes, "needs all lanes of four warps");
    return Step::Next;
  }
  WarpGroup &group = warp.group();
  WgmmaOp op;
  op.instruction = &instr;
  op.group = warp.wgmmaCommits + 1;
  uint64_t accumulates = 0;
  if (!aInRegisters(instr) && !uniform(warp, instr, instr.args[1], "the descriptor of A", op.a))
    return Step::Next;
  if (!uniform(warp, instr, instr.args[2], "the descriptor of B", op.b) ||
      !uniform(warp, instr, instr.args[scaleArgument(instr)], "the scale of D", accumulates) ||
      !fenced(warp, instr, instr.args[0]))
    return Step::Next;
  op.accumulates = accumulates;
  unsigned w = warp.index % warpsPerGroup;

  uint64_t ordinal = warp.wgmmaIssued++;
  warp.hasOpenWgmma = true;
  bool isFirst = ordinal == group.computed + group.ops.size();
  if (isFirst)
    group.ops.push_back(op);
  WgmmaOp &shared = group.ops[ordinal - group.computed];
  if (shared.instruction != &instr || shared.a != op.a || shared.b != op.b ||
      shared.accumulates != op.accumulates || shared.group != op.group) {
    warp.fail(instr, lanes, "the warps of the group do not issue the same wgmma");
    return Step::Next;
  }
  shared.issued |= 1u << w;
  Epoch epoch = Epoch::make(agentOfGroup(warp), op.group);
  if (aInRegisters(instr)) {
    if (!fenced(warp, instr, instr.args[1]))
      return Step::Next;
    std::vector<uint32_t> &values = shared.aRegisters[w];
    for (const Operand &part : instr.args[1].parts) {
      Value value = warp.use(part, lanes, "an element of A");
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        values.push_back(uint32_t(value[lane]));
      warp.reg(part.reg).readUntil = op.group;
    }
  } else if (!touch(warp, instr, Descriptor(op.a), isKMajorA(instr), groupRows, instructionKBytes,
                    instr.aType, epoch, isFirst)) {
    return Step::Next;
  }
  if (instr.isSparse) {
    Value words = warp.use(instr.args[3], lanes, "the places of A");
    shared.places[w].clear();
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      shared.places[w].push_back(uint32_t(words[lane]));
    // PTX ISA 9.0 says so of A and the accumulators only; on an H100 products went wrong whose
    // words were written while they were in flight.
    warp.reg(instr.args[3].reg).readUntil = op.group;
  }
  if (!touch(warp, instr, Descriptor(op.b), isKMajorB(instr), instr.n, kBytesOfB(instr),
             instr.bType, epoch, isFirst))
    return Step::Next;
  for (const Operand &part : instr.args[0].parts)
    warp.reg(part.reg).lockedUntil = op.group;
  if (shared.issued == (1u << warpsPerGroup) - 1)
    ++warp.block.cluster.events;
  return Step::Next;
}

Step fence(Warp &warp, const Instruction &, uint32_t) {
  warp.fencedAt = warp.now;
  return Step::Next;
}

Step commit(Warp &warp, const Instruction &, uint32_t) {
  ++warp.wgmmaCommits;
  warp.hasOpenWgmma = false;
  return Step::Next;
}

/// Computes what the groups before the last `keep` hold, when all four warps have issued it.
Step wait(Warp &warp, const Instruction &instr, uint32_t lanes) {
  uint32_t keep = uint32_t(instr.args[0].offset);
  uint32_t done = warp.wgmmaCommits > keep ? warp.wgmmaCommits - keep : 0;
  if (done <= warp.wgmmaDone)
    return Step::Next;
  WarpGroup &group = warp.group();
  for (const WgmmaOp &op : group.ops) {
    if (op.group > done)
      break;
    if (op.issued != (1u << warpsPerGroup) - 1)
      return Step::Wait;
  }
  while (!group.ops.empty() && group.ops.front().group <= done) {
    WgmmaOp &op = group.ops.front();
    std::string problem = compute(warp.block, warp.index / warpsPerGroup, op);
    if (!problem.empty()) {
      warp.fail(*op.instruction, lanes, problem);
      return Step::Next;
    }
    group.ops.pop_front();
    ++group.computed;
  }
  warp.wgmmaDone = done;
  uint32_t &known = warp.clock.before[agentOfGroup(warp)];
  known = std::max(known, done);
  return Step::Next;
}

} // namespace

bool decodeWgmma(const Statement &s, Instruction &i) {
  if (s.opcode != "wgmma" || s.mods.empty())
    return false;
  i.meeting = Meeting::All;
  StringRef kind = s.mods[0];
  if (kind == "fence")
    i.run = fence;
  else if (kind == "commit_group")
    i.run = commit;
  else if (kind == "wait_group")
    i.run = i.args.size() == 1 ? wait : nullptr;
  if (kind != "mma_async")
    return i.run != nullptr;
  // wgmma.mma_async.sync.aligned.m64nNkK.D.A.B d, a, b, scale-d, scales and transpositions;
  // with `.sp` behind `mma_async` places and a selector stand in front of the scale.
  ArrayRef<StringRef> mods(s.mods);
  i.isSparse = mods.size() > 1 && mods[1] == "sp";
  if (i.isSparse)
    mods = mods.drop_front();
  if (mods.size() != 7 || i.args.size() < 4 + (i.isSparse ? 2 : 0))
    return false;
  StringRef shape = mods[3];
  unsigned n = 0, k = 0;
  if (!shape.consume_front("m64n") || shape.consumeInteger(10, n) || !shape.consume_front("k") ||
      shape.getAsInteger(10, k))
    return false;
  i.m = groupRows, i.n = n, i.k = k;
  i.type = parseType(mods[4]);
  i.aType = parseType(mods[5]);
  i.bType = parseType(mods[6]);
  i.mode2 = !i.args[1].parts.empty();
  // A sparse A is known of 16-bit floats in shared memory.
  if (i.isSparse && (i.mode2 || (i.aType != Ty::F16 && i.aType != Ty::BF16) ||
                     !i.args[3].parts.empty() || uint64_t(i.args[4].offset) > 1))
    return false;
  if (bytesOf(i.aType) == 0 || k * bytesOf(i.aType) != kBytesOfB(i) ||
      bytesOf(i.aType) != bytesOf(i.bType) || (i.type == Ty::S32) != isIntElement(i.aType) ||
      (i.mode2 && i.args[1].parts.size() != 4) ||
      i.args[0].parts.size() != n / 2 / accumulatorsPerRegister(i))
    return false;
  // Scales of A and B: 1, or -1, which is not known here; then the transpositions.
  size_t at = scaleArgument(i) + 1;
  if (i.type != Ty::S32) {
    if (i.args.size() < at + 2 || i.args[at].offset != 1 || i.args[at + 1].offset != 1)
      return false;
    at += 2;
  }
  if (i.aType == Ty::F16 || i.aType == Ty::BF16) {
    if (!i.mode2) {
      if (i.args.size() <= at)
        return false;
      i.mode |= i.args[at++].offset ? 1 : 0;
    }
    if (i.args.size() <= at)
      return false;
    i.mode |= i.args[at++].offset ? 2 : 0;
  }
  i.run = multiply;
  return at == i.args.size();
}

} // namespace tilec::ptx
