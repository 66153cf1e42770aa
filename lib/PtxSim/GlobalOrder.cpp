//===- GlobalOrder.cpp - who uses which word of global memory -------------===//
//
// Takes accesses to global memory with their clocks, says which of them nothing puts in an order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "GlobalOrder.h"

#include "Shared.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;

namespace tilec::ptx {

GlobalOrder::Word &GlobalOrder::word(uint64_t address) {
  uint64_t page = address / pageBytes;
  if (page != lastPage) {
    std::unique_ptr<Page> &known = pages[page];
    if (!known)
      known = std::make_unique<Page>();
    last = known.get();
    lastPage = page;
  }
  return (*last)[address % pageBytes / wordBytes];
}

static std::string place(uint64_t address) { return "0x" + utohexstr(address, true); }

/// The access to the word at `at`, of which it may take a part.
static Epoch epochAt(uint64_t at, uint64_t address, uint32_t bytes, const GlobalAccess &access) {
  bool isPart = at < address || at + 4 > address + bytes;
  return isPart && access.epoch.touch() == Touch::Whole ? access.epoch.as(Touch::Part)
                                                        : access.epoch;
}

std::string GlobalOrder::read(uint64_t address, uint32_t bytes, const GlobalAccess &access) {
  for (uint64_t at = address / wordBytes * wordBytes; at < address + bytes; at += wordBytes) {
    Word &w = word(at);
    Epoch epoch = epochAt(at, address, bytes, access);
    if (w.writer != nobody) {
      if (access.isConstant)
        return "reads " + place(at) + " as a constant (.nc), which this launch has written";
      bool needsOrder = clash(w.written, epoch, false, hasSwaps);
      if (w.writer != access.cluster && needsOrder && w.writeMeetings == access.meetings)
        return "reads " + place(at) +
               ", which another block writes: nothing says that the write comes first";
      if (w.writer == access.cluster && needsOrder && !access.clock->knows(w.written))
        return "reads " + place(at) + ", which " + nameOfAgent(w.written.agent()) +
               " writes: nothing says that the write comes first";
    }
    bool isFirst = w.reader == nobody || w.readMeetings != access.meetings;
    if (w.reader != access.cluster)
      w.reader = isFirst ? access.cluster : several;
    w.read = epoch;
    w.readMeetings = access.meetings;
  }
  return "";
}

std::string GlobalOrder::write(uint64_t address, uint32_t bytes, const GlobalAccess &access,
                               const uint8_t *before, const uint8_t *after) {
  for (uint64_t at = address / wordBytes * wordBytes; at < address + bytes; at += wordBytes) {
    Word &w = word(at);
    Epoch epoch = epochAt(at, address, bytes, access);
    uint64_t first = std::max(at, address), end = std::min(at + wordBytes, address + bytes);
    bool isSame = after && std::memcmp(before + (first - address), after + (first - address),
                                       size_t(end - first)) == 0;
    if (!isSame && w.writer != nobody && clash(w.written, epoch, true, hasSwaps)) {
      bool isOrdered = w.writeMeetings != access.meetings;
      if (w.writer != access.cluster && !isOrdered)
        return "writes " + place(at) + ", which another block writes too";
      if (w.writer == access.cluster && !access.clock->knows(w.written))
        return "writes " + place(at) + ", which " + nameOfAgent(w.written.agent()) +
               " writes too: nothing says which comes first";
    }
    if (!isSame && w.reader != nobody && clash(w.read, epoch, false, hasSwaps)) {
      bool isOrdered = w.readMeetings != access.meetings;
      if (w.reader != access.cluster && !isOrdered)
        return "writes " + place(at) +
               ", which another block reads: nothing says that the read is over";
      if (w.reader == access.cluster && !access.clock->knows(w.read))
        return "writes " + place(at) + ", which " + nameOfAgent(w.read.agent()) +
               " reads: nothing says that the read is over";
    }
    if (!isSame)
      w.reader = nobody;
    w.writer = access.cluster;
    w.written = epoch;
    w.writeMeetings = access.meetings;
  }
  return "";
}

} // namespace tilec::ptx
