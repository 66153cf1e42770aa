//===- MemoryPath.cpp - LDS and vector memory of one CU -------------------===//
//
// Takes accesses of a CU, gives when LDS, L1 and what is behind them answer.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MemoryPath.h"

#include <algorithm>
#include <cmath>

namespace tilec::sim {
namespace {

uint64_t roundUp(double clk) { return static_cast<uint64_t>(std::ceil(clk - 1e-9)); }

constexpr unsigned sectorBytes = 64;

} // namespace

// ---- LDS

uint64_t LdsPath::acceptsAt(unsigned simd, uint64_t clk) const {
  const std::deque<uint64_t> &queue = starts[simd / 2];
  auto size = static_cast<size_t>(c.ldsQueue);
  return queue.size() < size ? clk : std::max(clk, queue[queue.size() - size]);
}

uint64_t LdsPath::issue(unsigned simd, uint64_t clk, TimedKind kind, unsigned bytesPerLane,
                        const RecordedAccess &access) {
  bool write = kind == TimedKind::LdsWrite;
  double path = write ? c.ldsWriteDwordClk * (1 + bytesPerLane / 4.0)
                      : bytesPerLane * static_cast<double>(numLanes) / c.ldsReadPathBytes;
  double conflicts = access.ldsConflictClk * c.ldsConflictClk;
  uint64_t data = std::max<uint64_t>(1, access.ldsClk - access.ldsConflictClk + roundUp(conflicts));
  takeArrivals(std::max(clk, pathFree[simd]));
  uint64_t start = std::max({clk, pathFree[simd], dataFree});
  dataFree = start + data;
  pathFree[simd] = std::max(start + roundUp(path), dataFree);
  busyClk += data;
  conflictClk += roundUp(conflicts);
  std::deque<uint64_t> &queue = starts[simd / 2];
  queue.push_back(start);
  if (queue.size() > static_cast<size_t>(c.ldsQueue))
    queue.pop_front();
  return pathFree[simd] + static_cast<uint64_t>(write ? c.ldsWriteLatencyClk : c.ldsLatencyClk);
}

/// Writes that arrived before `clk`, or before the data path is free, go first.
void LdsPath::takeArrivals(uint64_t clk) {
  while (!arrivals.empty() && arrivals.begin()->first <= std::max(clk, dataFree)) {
    dataFree = std::max(dataFree, arrivals.begin()->first) + arrivals.begin()->second;
    arrivals.erase(arrivals.begin());
  }
}

uint64_t LdsPath::writeFromMemory(uint64_t clk, unsigned dataClk) {
  arrivals.emplace(clk, dataClk);
  busyClk += dataClk;
  return clk + dataClk;
}

// ---- vector memory

VectorMemoryPath::VectorMemoryPath(const TimingConstants &c, const MemoryShare &share,
                                   const MemoryUses &uses)
    : c(c), share(share), uses(uses),
      l1(static_cast<uint64_t>(c.l1Bytes), 64, static_cast<unsigned>(c.lineBytes)) {}

uint64_t VectorMemoryPath::acceptsAt(uint64_t clk) const {
  double backlog = addressFree - c.vmemQueueClk;
  return backlog > static_cast<double>(clk) ? roundUp(backlog) : clk;
}

bool VectorMemoryPath::missesL1(const RecordedAccess &access, const uint64_t *lines, bool load) {
  bool missing = !load; // stores and atomics go through
  for (uint32_t i = 0; i < access.lineCount; ++i) {
    uint64_t filled;
    missing |= !l1.touch(lines[i], 0, filled);
  }
  return missing;
}

double VectorMemoryPath::reserve(double &server, double from, double bytes, double rate) {
  if (bytes <= 0)
    return from;
  server = std::max(server, from) + bytes / rate;
  return server;
}

/// The L1 has room only for what is under way: when there is some for `moved` more bytes.
double VectorMemoryPath::roomAt(double start, unsigned moved) {
  auto forget = [&] {
    inFlightBytes -= inFlight.front().second;
    inFlight.pop_front();
  };
  while (!inFlight.empty() && static_cast<double>(inFlight.front().first) <= start)
    forget();
  while (!inFlight.empty() && inFlightBytes + moved > static_cast<uint64_t>(c.l1InFlightBytes)) {
    start = std::max(start, static_cast<double>(inFlight.front().first));
    forget();
  }
  return start;
}

/// When lines that leave the L1 at `from` and the L2 port at `served` are back.
double VectorMemoryPath::fetch(double from, double served, const Instr &instr, uint32_t lines) {
  double done = served + c.l2LatencyClk;
  auto found = uses.find(instr.pc);
  if (found == uses.end() || found->second.lines == 0)
    return done;
  const MemoryUse &use = found->second;
  auto perLine = [&](uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(use.lines) * lines;
  };
  double missed = perLine(use.l2Misses), cold = perLine(use.infinityMisses) * share.hbmFraction;
  l2Lines += lines;
  l2Misses += missed;
  infinityMisses += cold;
  double fromInfinity =
      reserve(infinityFree, from, missed * c.lineBytes, share.infinityBytesPerClk);
  double fromHbm = reserve(hbmFree, from, cold * c.lineBytes, share.hbmBytesPerClk);
  double slower = std::max(fromInfinity, fromHbm);
  done = std::max(done, slower + c.l2LatencyClk);

  // Fractions of the executions wait for a fill: they are spread evenly.
  double executions = static_cast<double>(std::max<uint64_t>(1, use.executions));
  Debt &debt = debts[instr.pc];
  debt.late += static_cast<double>(use.lateExecutions) / executions;
  debt.cold += static_cast<double>(use.coldExecutions) / executions * share.hbmFraction;
  bool isCold = debt.cold >= 1, isLate = debt.late >= 1;
  debt.cold -= isCold;
  debt.late = isCold ? std::max(0.0, debt.late - 1) : debt.late - isLate;
  if (isCold)
    return std::max(done, slower + c.l2LatencyClk + share.hbmExtraClk);
  return isLate ? std::max(done, fromInfinity + c.l2LatencyClk + share.infinityExtraClk) : done;
}

/// When an atomic that reaches the L2 at `served` has been done there: the adders take so many
/// dwords a clock, and operations on one address wait for each other, whichever CU they come from.
double VectorMemoryPath::atomic(double served, const Instr &instr, const RecordedAccess &access,
                                uint64_t line) {
  double dwords = access.lanes * std::max(1u, (instr.op->aux & 0xff) / 4);
  double done = reserve(addersFree, served, dwords, share.atomicDwordsPerClk);
  auto found = uses.find(instr.pc);
  double sharers = 1;
  if (found != uses.end() && found->second.atomicLines)
    sharers = static_cast<double>(found->second.atomicSharers) /
              static_cast<double>(found->second.atomicLines) / share.places;
  double &turn = addressTurns[line];
  turn = std::max(turn, served) + access.sameAddress * c.atomicTurnClk * std::max(1.0, sharers);
  return std::max(done, turn);
}

uint64_t VectorMemoryPath::issue(uint64_t clk, const Instr &instr, const RecordedAccess &access,
                                 const uint64_t *lines) {
  bool isAtomicOp = instr.flags & isAtomic;
  bool load = (instr.flags & isLoad) && !isAtomicOp;
  unsigned moved = access.sectors * sectorBytes;
  double address = std::max(c.vmemAddressClk, moved / c.l2BytesPerClk);
  if (instr.flags & isLdsDma)
    address = std::max(address, c.ldsDmaDwordClk);
  double start = std::max(static_cast<double>(clk), addressFree);
  if (load)
    start = roomAt(start, moved);
  addressFree = start + address;
  busyClk += roundUp(address);
  double done = addressFree + c.l1LatencyClk;
  if (missesL1(access, lines, load)) {
    bytes += moved;
    double served = reserve(l2Free, addressFree, moved, c.l2BytesPerClk);
    if (isAtomicOp && access.lineCount)
      served = atomic(served, instr, access, lines[0]);
    done = fetch(addressFree, served, instr, access.lineCount);
    if (load) {
      inFlight.emplace_back(roundUp(done), moved);
      inFlightBytes += moved;
    }
  }
  uint64_t end = roundUp(done);
  lastDone = std::max(lastDone, end);
  return end;
}

} // namespace tilec::sim
