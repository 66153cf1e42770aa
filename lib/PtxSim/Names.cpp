//===- Names.cpp - the names of a kernel while it is parsed ---------------===//
//
// Keeps scopes of registers, labels and variables, and fills in jumps when a label is known.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Names.h"

using namespace llvm;

namespace tilec::ptx {

static const std::map<StringRef, Special> specialNames = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::LaneId},
    {"%warpid", Special::WarpId},
    {"%cluster_ctarank", Special::ClusterCtaRank},
    {"%cluster_nctarank", Special::ClusterNctaRank},
    {"%cluster_ctaid.x", Special::ClusterCtaidX},
    {"%cluster_ctaid.y", Special::ClusterCtaidY},
    {"%cluster_ctaid.z", Special::ClusterCtaidZ},
    {"%cluster_nctaid.x", Special::ClusterNctaidX},
    {"%cluster_nctaid.y", Special::ClusterNctaidY},
    {"%cluster_nctaid.z", Special::ClusterNctaidZ},
    {"%clusterid.x", Special::ClusteridX},
    {"%clusterid.y", Special::ClusteridY},
    {"%clusterid.z", Special::ClusteridZ},
    {"%nclusterid.x", Special::NclusteridX},
    {"%nclusterid.y", Special::NclusteridY},
    {"%nclusterid.z", Special::NclusteridZ},
    {"%lanemask_lt", Special::LaneMaskLt},
    {"%lanemask_le", Special::LaneMaskLe},
    {"%lanemask_gt", Special::LaneMaskGt},
    {"%lanemask_ge", Special::LaneMaskGe},
    {"%lanemask_eq", Special::LaneMaskEq},
    {"%smid", Special::SmId},
    {"%clock", Special::Clock},
    {"%clock64", Special::Clock},
};

void Names::openBlock() {
  scopes.emplace_back();
  labels.emplace_back();
}

std::optional<Names::Label> Names::closeBlock() {
  std::vector<Use> open;
  for (Use &use : uses) {
    auto it = labels.back().find(use.label.name);
    if (it != labels.back().end())
      program.code[use.instruction].args[use.arg].offset = int64_t(it->second);
    else
      open.push_back(std::move(use));
  }
  uses = std::move(open);
  scopes.pop_back();
  labels.pop_back();
  if (scopes.empty() && !uses.empty())
    return uses.front().label;
  return std::nullopt;
}

uint32_t Names::newRegister(StringRef name, uint8_t bytes) {
  program.registerNames.push_back(name.str());
  program.registerBytes.push_back(bytes);
  return uint32_t(program.registerNames.size() - 1);
}

void Names::declareRegister(StringRef name, uint8_t bytes) {
  scopes.back()[name] = newRegister(name, bytes);
}

std::optional<uint32_t> Names::registerOf(StringRef name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto it = scope->find(name); it != scope->end())
      return it->second;
  return std::nullopt;
}

void Names::declareLabel(StringRef name) { labels.back()[name] = program.code.size(); }

void Names::useLabel(StringRef name, size_t arg, uint32_t line) {
  uses.push_back({{name.str(), line}, program.code.size(), arg});
}

uint32_t Names::constant(uint64_t value) {
  auto [it, isNew] = constants.try_emplace(value, 0);
  if (isNew)
    it->second = newRegister("");
  return it->second;
}

uint32_t Names::sharedAddress(uint64_t address, StringRef name) {
  auto [it, isNew] = sharedAddresses.try_emplace(address, 0);
  if (isNew)
    it->second = newRegister(name);
  return it->second;
}

std::optional<uint32_t> Names::special(StringRef name) {
  auto row = specialNames.find(name);
  if (row == specialNames.end())
    return std::nullopt;
  auto [it, isNew] = specials.try_emplace(row->second, 0);
  if (isNew)
    it->second = newRegister(name);
  return it->second;
}

void Names::finish() {
  for (auto &[value, reg] : constants)
    program.constants.push_back({reg, value});
  for (auto &[address, reg] : sharedAddresses)
    program.sharedAddresses.push_back({reg, address});
  for (auto &[special, reg] : specials)
    program.specials.push_back({reg, special});
  program.registers = uint32_t(program.registerNames.size());
}

} // namespace tilec::ptx
