//===- Reporter.cpp - collecting findings ---------------------------------===//
//
// Collects findings of many threads, and writes what happened where, in one form for all checks.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Reporter.h"

#include "CodeObjectImpl.h"
#include "Wave.h"

#include "llvm/Support/raw_ostream.h"

namespace tilec::sim {

llvm::StringRef nameOf(CheckKind kind) {
  switch (kind) {
  case CheckKind::OutOfBounds:
    return "out-of-bounds";
  case CheckKind::MissingWait:
    return "missing-wait";
  case CheckKind::LdsDmaNotWaited:
    return "lds-dma-not-waited";
  case CheckKind::LdsRace:
    return "lds-race";
  case CheckKind::GlobalRace:
    return "global-race";
  case CheckKind::EmptyWait:
    return "empty-wait";
  case CheckKind::WaitStates:
    return "wait-states";
  case CheckKind::Uninitialized:
    return "uninitialized";
  case CheckKind::Barrier:
    return "barrier";
  case CheckKind::Deadlock:
    return "deadlock";
  case CheckKind::EndlessLoop:
    return "endless-loop";
  case CheckKind::Limit:
    return "limit";
  case CheckKind::BadInstruction:
    return "bad-instruction";
  case CheckKind::Trap:
    return "trap";
  case CheckKind::BadProgram:
    return "bad-program";
  }
  return "";
}

bool Reporter::countAgain(CheckKind kind, FindingClass cls, uint64_t address) {
  std::lock_guard lock(mutex);
  auto found = known.find({address, {kind, cls}});
  if (found == known.end())
    return false;
  if (found->second < findings.size())
    ++findings[found->second].count;
  return true;
}

void Reporter::add(Finding finding) {
  std::lock_guard lock(mutex);
  if (finding.fatal)
    requestStop();
  Kind kind(finding.kind, finding.cls);
  auto [it, isNew] = known.insert({{finding.address, kind}, findings.size()});
  if (!isNew) {
    if (it->second < findings.size())
      ++findings[it->second].count;
    return;
  }
  if (kept[kind] >= maxFindings && !finding.fatal) {
    it->second = SIZE_MAX;
    ++dropped;
    errorsDropped += finding.cls == FindingClass::Error;
    return;
  }
  ++kept[kind];
  findings.push_back(std::move(finding));
}

void Reporter::addLdsUse(uint32_t pc, const LdsUse &use) {
  std::lock_guard lock(mutex);
  LdsUse &sum = ldsUse[pc];
  sum.executions += use.executions;
  sum.dataCycles += use.dataCycles;
  sum.conflicts += use.conflicts;
}

void Reporter::moveTo(RunResult &result) {
  std::lock_guard lock(mutex);
  result.findings = std::move(findings);
  result.findingsDropped = dropped;
  result.errorsDropped = errorsDropped;
}

void report(Wave &wave, const Instr &instr, CheckKind kind, FindingClass cls, bool fatal, int lane,
            const llvm::Twine &message) {
  Group &group = *wave.group;
  Engine &engine = *group.engine;
  if (fatal)
    group.stop = true;
  else if (engine.reporter->countAgain(kind, cls, instr.address))
    return;
  const auto &decoded = static_cast<const Decoded &>(*engine.program->at(instr.pc));
  Finding finding;
  finding.kind = kind;
  finding.cls = cls;
  finding.fatal = fatal;
  finding.address = instr.address;
  finding.where = engine.program->object().describeAddress(instr.address);
  llvm::raw_string_ostream os(finding.message);
  os << (cls == FindingClass::Error ? "error" : "lint") << ": " << nameOf(kind) << ": "
     << finding.where;
  if (!decoded.text.empty())
    os << ": `" << decoded.text << '`';
  os << ": work-group (" << group.id[0] << ',' << group.id[1] << ',' << group.id[2] << ") wave "
     << wave.index;
  if (lane >= 0)
    os << " lane " << lane;
  os << ": " << message;
  engine.reporter->add(std::move(finding));
}

bool RunResult::ok() const {
  if (!completed || errorsDropped)
    return false;
  for (const Finding &finding : findings)
    if (finding.cls == FindingClass::Error)
      return false;
  return true;
}

llvm::Error RunResult::toError() const {
  if (ok())
    return llvm::Error::success();
  std::string text;
  for (const Finding &finding : findings)
    if (finding.cls == FindingClass::Error)
      text += (text.empty() ? "" : "\n") + finding.message +
              (finding.count > 1 ? " (" + std::to_string(finding.count) + " times)" : "");
  if (errorsDropped)
    text += (text.empty() ? "" : "\n") + std::to_string(errorsDropped) +
            " more errors at other instructions";
  if (text.empty())
    text = "the kernel did not complete";
  return llvm::createStringError(text);
}

} // namespace tilec::sim
