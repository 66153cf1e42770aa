//===- ControlSlice.cpp - which instructions decide where waves go --------===//
//
// Backwards over the code: the registers that branches need, then those that their
// definitions need, to a fixed point.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ControlSlice.h"

#include "../CodeObjectImpl.h"

#include <algorithm>
#include <bitset>
#include <map>

namespace tilec::sim {
namespace {

using RegSet = std::bitset<numRegs>;
constexpr RegRange execRange = {regSgpr0 + sgprExec, 2};

void add(RegSet &set, RegRange range) {
  for (unsigned i = 0; i < range.count && range.first + i < numRegs; ++i)
    set.set(range.first + i);
}

/// What the analysis knows of an instruction.
struct Node {
  const Instr *instr = nullptr;
  RegSet uses, defs, kills;
  uint32_t next[2] = {}; ///< pcs
  unsigned numNext = 0;
  bool decides = false; ///< it belongs to the slice whatever others need
  bool sliced = false;
  bool allLanes = false; ///< EXEC is what it was when the wave started
  RegSet needed;         ///< before it
};

bool isVector(const Instr &instr) { return instr.flags & (isValu | isVmem | isLds); }

/// What makes the order of instructions, or what is behind a register number, unknown.
bool isOpaque(llvm::StringRef name) {
  return name.starts_with("s_setpc") || name.starts_with("s_swappc") ||
         name.starts_with("s_call") || name.contains("_fork") || name.contains("_join") ||
         name.contains("gpr_idx") || name.contains("movrel") || name == "s_setvskip" ||
         name.starts_with("s_rfe");
}

/// Some bits or lanes of the destination keep what they held.
bool keepsPartOfResult(const Instr &instr, bool allLanes) {
  llvm::StringRef name = instr.op->name;
  if (instr.flags & (preservesHigh | readsDst) && !(instr.flags & isMfma))
    return true;
  if (instr.sdwa || instr.dpp != DppKind::None || name.starts_with("v_writelane"))
    return true;
  return isVector(instr) && !allLanes && !(instr.flags & ignoresExec);
}

class Analysis {
public:
  Analysis(const Program &program, uint32_t entryPc) : program(program), entryPc(entryPc) {}

  std::string run() {
    discover();
    if (!opaque.empty())
      return opaque;
    followExec();
    for (auto &[pc, node] : nodes)
      findRegisters(node);
    while (propagate())
      ;
    std::string whyNot = unanswerable();
    return whyNot.empty() || !passOverDetours() ? whyNot : unanswerable();
  }
  const std::map<uint32_t, Node> &all() const { return nodes; }

private:
  void discover() {
    std::vector<uint32_t> work{entryPc};
    while (!work.empty() && opaque.empty()) {
      uint32_t pc = work.back();
      work.pop_back();
      auto [entry, isNew] = nodes.try_emplace(pc);
      if (!isNew)
        continue;
      Node &node = entry->second;
      const Instr &instr = *(node.instr = program.at(pc));
      if (!instr.op) { // exec reports what is wrong with it
        node.decides = true;
        continue;
      }
      llvm::StringRef name = instr.op->name;
      if (isOpaque(name))
        opaque = name.str() + " at " + std::to_string(pc * 4);
      if (name.starts_with("s_endpgm") || name == "s_trap") {
        node.decides = true;
        continue;
      }
      if (instr.flags & isBranch)
        node.next[node.numNext++] = instr.target;
      if (name != "s_branch")
        node.next[node.numNext++] = instr.next;
      node.decides = (instr.flags & isBranch) || name.starts_with("s_setreg");
      work.insert(work.end(), node.next, node.next + node.numNext);
    }
  }

  static bool changesExec(const Instr &instr) {
    if (instr.flags & writesExec)
      return true;
    for (unsigned i = 0; i < instr.numDefs; ++i)
      if (instr.defs[i].overlaps(execRange))
        return true;
    return false;
  }

  /// Where no path has written EXEC, lanes that are off never were on.
  void followExec() {
    std::map<uint32_t, bool> changed; // before the instruction
    std::vector<std::pair<uint32_t, bool>> work{{entryPc, false}};
    while (!work.empty()) {
      auto [pc, now] = work.back();
      work.pop_back();
      auto [entry, isNew] = changed.try_emplace(pc, now);
      if (!isNew && (entry->second || !now))
        continue;
      entry->second = now;
      const Node &node = nodes[pc];
      bool after = now || (node.instr->op && changesExec(*node.instr));
      for (unsigned i = 0; i < node.numNext; ++i)
        work.push_back({node.next[i], after});
    }
    for (auto &[pc, node] : nodes)
      node.allLanes = !changed[pc];
  }

  static void findRegisters(Node &node) {
    const Instr &instr = *node.instr;
    if (!instr.op)
      return;
    for (unsigned i = 0; i < instr.numUses; ++i)
      add(node.uses, instr.uses[i]);
    llvm::StringRef name = instr.op->name;
    if ((isVector(instr) && !(instr.flags & ignoresExec)) || (instr.flags & readsExec) ||
        name.starts_with("s_cbranch_exec"))
      add(node.uses, execRange);
    for (unsigned i = 0; i < instr.numDefs; ++i)
      add(node.defs, instr.defs[i]);
    if (instr.flags & writesExec)
      add(node.defs, execRange);
    if (!keepsPartOfResult(instr, node.allLanes)) {
      node.kills = node.defs;
      return;
    }
    node.uses |= node.defs;
    if (isVector(instr)) // scalar results of vector instructions are whole
      for (unsigned reg = regSgpr0; reg < numRegs; ++reg)
        if (node.defs[reg])
          node.kills.set(reg);
  }

  bool propagate() {
    bool changed = false;
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
      Node &node = it->second;
      RegSet after;
      for (unsigned i = 0; i < node.numNext; ++i)
        after |= nodes[node.next[i]].needed;
      node.sliced = node.decides || (after & node.defs).any();
      RegSet before = node.sliced ? (after & ~node.kills) | node.uses : after;
      changed |= before != node.needed;
      node.needed = before;
    }
    return changed;
  }

  using Detour = std::vector<uint32_t>;

  /// The way behind a branch that is not taken, where it leads to the branch's target, has no
  /// branches and no other way in, and other waves do not see it; empty where it is not like that.
  Detour detourOf(uint32_t pc, const std::map<uint32_t, unsigned> &waysTo) const {
    const Node &branch = nodes.at(pc);
    if (!branch.instr->op || !(branch.instr->flags & isBranch) || branch.numNext != 2)
      return {};
    Detour detour;
    for (uint32_t at = branch.next[1]; at != branch.next[0];) {
      const Node &node = nodes.at(at);
      bool isJump = node.instr->op && node.instr->op->name == llvm::StringRef("s_branch");
      if (node.numNext != 1 || waysTo.at(at) != 1 || (node.decides && !isJump) ||
          node.instr->op->name == llvm::StringRef("s_barrier"))
        return {};
      detour.push_back(at);
      at = node.next[0];
    }
    return detour;
  }

  /// Takes branches over detours out of the slice: all waves are counted as going the longer way.
  /// False where there are none, or where a detour has a part in where waves go.
  bool passOverDetours() {
    std::map<uint32_t, unsigned> waysTo;
    for (const auto &[pc, node] : nodes)
      for (unsigned i = 0; i < node.numNext; ++i)
        ++waysTo[node.next[i]];
    std::vector<uint32_t> passed;
    for (auto &[pc, node] : nodes)
      if (Detour detour = detourOf(pc, waysTo); !detour.empty()) {
        node.decides = false;
        passed.push_back(pc);
        passed.insert(passed.end(), detour.begin(), detour.end());
      }
    if (passed.empty())
      return false;
    for (auto &[pc, node] : nodes) {
      node.needed.reset();
      node.sliced = false;
    }
    while (propagate())
      ;
    return llvm::none_of(passed, [&](uint32_t pc) {
      const Node &node = nodes[pc];
      return node.sliced && !node.decides; // s_branch only decides
    });
  }

  /// An instruction of the slice that needs what skipped ones would have left in memory.
  std::string unanswerable() const {
    for (const auto &[pc, node] : nodes) {
      if (!node.sliced || !node.instr->op)
        continue;
      const Instr &instr = *node.instr;
      llvm::StringRef name = instr.op->name;
      bool crossLane = name.contains("permute") || name.contains("swizzle");
      bool lds = (instr.flags & (isLds | isFlat)) && !crossLane && !name.starts_with("global_");
      if (lds || (instr.flags & isAtomic) || name.starts_with("scratch_"))
        return name.str() + " at " + std::to_string(pc * 4);
    }
    return {};
  }

  const Program &program;
  uint32_t entryPc;
  std::map<uint32_t, Node> nodes;
  std::string opaque;
};

} // namespace

ControlSlice::ControlSlice(const Program &program, uint32_t entryPc) {
  Analysis analysis(program, entryPc);
  reason = analysis.run();
  const auto &nodes = analysis.all();
  runs.resize(nodes.rbegin()->first + 1);
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const auto &[pc, node] = *it;
    if (node.sliced || !node.instr->op)
      continue;
    // What is skipped never branches but over a detour, so the run goes on with the next address.
    Run rest = skippedFrom(node.instr->next);
    runs[pc] = {rest.count + 1, rest.count ? rest.next : node.instr->next,
                rest.matrixPasses + node.instr->passes};
  }
}

} // namespace tilec::sim
