//===- Warp.cpp - registers, blocks and clusters --------------------------===//
//
// Makes warps and blocks, reads and writes registers, and reports what has no value.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

namespace {

uint64_t specialOf(const Warp &warp, Special special, unsigned lane) {
  const Block &block = warp.block;
  const LaunchConfig &config = warp.machine.config;
  const Dim3 &size = config.block, &grid = config.grid, &cluster = config.cluster;
  unsigned thread = warp.index * warpLanes + lane;
  unsigned axis = 0;
  auto isAxis = [&](Special x) {
    axis = unsigned(special) - unsigned(x);
    return axis < 3;
  };
  const Dim3 inBlock = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
  if (isAxis(Special::TidX))
    return inBlock[axis];
  if (isAxis(Special::NtidX))
    return size[axis];
  if (isAxis(Special::CtaidX))
    return block.id[axis];
  if (isAxis(Special::NctaidX))
    return grid[axis];
  if (isAxis(Special::ClusterCtaidX))
    return block.id[axis] % cluster[axis];
  if (isAxis(Special::ClusterNctaidX))
    return cluster[axis];
  if (isAxis(Special::ClusteridX))
    return block.id[axis] / cluster[axis];
  if (isAxis(Special::NclusteridX))
    return grid[axis] / cluster[axis];
  switch (special) {
  case Special::LaneId:
    return lane;
  case Special::WarpId:
    return warp.index;
  case Special::ClusterCtaRank:
    return block.rank;
  case Special::ClusterNctaRank:
    return block.cluster.blocks.size();
  case Special::LaneMaskLt:
    return (1u << lane) - 1;
  case Special::LaneMaskLe:
    return (2u << lane) - 1;
  case Special::LaneMaskGt:
    return ~uint32_t((2ull << lane) - 1);
  case Special::LaneMaskGe:
    return ~((1u << lane) - 1);
  case Special::LaneMaskEq:
    return 1u << lane;
  default:
    return 0;
  }
}

} // namespace

Warp::Warp(Block &block, unsigned index)
    : block(block), machine(block.machine), index(index),
      agent((block.rank * block.machine.warpsPerBlock() + index) * agentsPerWarp),
      clock(block.machine.agents() + 1), registerCount(registersAtLaunch(block.machine.threads())),
      localBytes(block.machine.program.localBytes), registers(block.machine.program.registers) {
  clock.before[agent] = 1;
  unsigned threads = machine.threads() - std::min(machine.threads(), index * warpLanes);
  live = threads >= warpLanes ? allLanes : (1u << threads) - 1;
  for (auto [reg, value] : machine.program.constants) {
    std::fill_n(registers[reg].lanes, warpLanes, value);
    registers[reg].setDefined();
  }
  localMemory.resize(size_t(localBytes) * warpLanes);
  localKnown.resize(localMemory.size());
}

void Warp::fillSpecials() {
  for (auto [reg, special] : machine.program.specials) {
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      registers[reg].lanes[lane] = specialOf(*this, special, lane);
    registers[reg].setDefined();
  }
  for (auto [reg, address] : machine.program.sharedAddresses) {
    std::fill_n(registers[reg].lanes, warpLanes,
                address | uint64_t(block.rank) << clusterRankShift);
    registers[reg].setDefined();
  }
}

std::string Warp::nameOf(uint32_t reg) const { return machine.program.registerNames[reg]; }

Value Warp::in(const Operand &operand) {
  static const uint64_t zeros[warpLanes] = {};
  static const uint8_t noBytes[warpLanes] = {};
  if (operand.reg == Operand::none)
    return {zeros, 0, noBytes};
  const Register &reg = registers[operand.reg];
  if (reg.lockedUntil > wgmmaDone)
    fail(*current, currentLanes,
         "reads " + nameOf(operand.reg) +
             ", an accumulator of a wgmma that nothing has waited for");
  if (!operand.isNegated)
    return {reg.lanes, reg.defined, reg.bytes};
  uint64_t *copy = negated[nextNegated++ % std::size(negated)];
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    copy[lane] = reg.lanes[lane] ^ 1;
  return {copy, reg.defined, reg.bytes};
}

Value Warp::use(const Operand &operand, uint32_t lanes, const char *what) {
  Value value = in(operand);
  if (uint32_t without = lanes & ~value.defined)
    fail(*current, without,
         Twine(what) + " is taken from " + nameOf(operand.reg) + ", where nothing was written");
  return value;
}

void Warp::out(const Operand &operand, uint32_t lanes, const uint64_t *values, uint32_t defined) {
  uint8_t bytes[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    bytes[lane] = defined >> lane & 1 ? 0xff : 0;
  outBytes(operand, lanes, values, bytes);
}

void Warp::outBytes(const Operand &operand, uint32_t lanes, const uint64_t *values,
                    const uint8_t *bytes) {
  if (operand.reg == Operand::none)
    return;
  Register &reg = registers[operand.reg];
  if (reg.lockedUntil > wgmmaDone)
    return fail(*current, lanes,
                "writes " + nameOf(operand.reg) +
                    ", an accumulator of a wgmma that nothing has waited for");
  if (reg.readUntil > wgmmaDone)
    return fail(*current, lanes,
                "writes " + nameOf(operand.reg) +
                    ", which a wgmma reads that nothing has waited for");
  if (lanes == allLanes) {
    std::memcpy(reg.lanes, values, sizeof reg.lanes);
    std::memcpy(reg.bytes, bytes, sizeof reg.bytes);
  } else {
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      if (lanes >> lane & 1) {
        reg.lanes[lane] = values[lane];
        reg.bytes[lane] = bytes[lane];
      }
  }
  reg.defined = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    reg.defined |= uint32_t(reg.bytes[lane] == 0xff) << lane;
  reg.writtenAt = now;
}

bool Warp::sleeps() const { return sleepsSince == block.cluster.events; }

void Warp::fail(const Instruction &instruction, uint32_t lanes, const Twine &what) {
  if (!machine.fault.empty())
    return;
  std::string where = machine.program.placeOf(instruction) + ": `" + instruction.text +
                      "` in block (" + utostr(block.id[0]) + ", " + utostr(block.id[1]) + ", " +
                      utostr(block.id[2]) + "), warp " + utostr(index);
  if (lanes != live && lanes != 0)
    where += popcount(lanes) == 1 ? ", lane " + utostr(countr_zero(lanes))
                                  : ", lanes 0x" + utohexstr(lanes, true);
  machine.fault = where + ": " + what.str();
}

Block::Block(Cluster &cluster, Machine &machine, unsigned rank, Dim3 id)
    : cluster(cluster), machine(machine), rank(rank), id(id),
      shared(machine.program.staticSharedBytes + machine.config.sharedBytes),
      visits(machine.agents()) {
  unsigned count = machine.warpsPerBlock();
  for (unsigned i = 0; i < count; ++i)
    warps.push_back(std::make_unique<Warp>(*this, i));
  groups.resize((count + warpsPerGroup - 1) / warpsPerGroup);
}

bool Block::isDone() const { return liveWarps() == 0; }

std::string Block::problemOfReturning() const {
  if (!isDone() || !machine.options.checkOrder)
    return "";
  for (uint32_t agent = 0; agent < visits.size(); ++agent)
    if (visits[agent] > left.before[agent])
      return "returns with its block, whose shared memory " + nameOfAgent(agent) +
             " uses: nothing says that this is over";
  return "";
}

unsigned Block::liveWarps() const {
  unsigned count = 0;
  for (const auto &warp : warps)
    count += warp->live != 0;
  return count;
}

Cluster::Cluster(Machine &machine, Dim3 id, uint32_t index)
    : machine(machine), id(id), index(index) {
  const Dim3 &size = machine.config.cluster;
  for (uint32_t z = 0; z < size[2]; ++z)
    for (uint32_t y = 0; y < size[1]; ++y)
      for (uint32_t x = 0; x < size[0]; ++x)
        blocks.push_back(std::make_unique<Block>(
            *this, machine, unsigned(blocks.size()),
            Dim3{id[0] * size[0] + x, id[1] * size[1] + y, id[2] * size[2] + z}));
  for (auto &block : blocks)
    for (auto &warp : block->warps)
      warp->fillSpecials();
}

bool Cluster::isDone() const {
  for (const auto &block : blocks)
    if (!block->isDone())
      return false;
  return landings.empty();
}

} // namespace tilec::ptx
