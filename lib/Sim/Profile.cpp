//===- Profile.cpp - a timing as a page and as trace events ---------------===//
//
// The page is a template with the data as JSON in it: ProfilePage.inc draws, this file
// writes numbers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Profile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::sim {
namespace {

using llvm::json::Array;
using llvm::json::OStream;

constexpr char page[] =
#include "ProfilePage.inc"
    ;

/// Clocks from when the wave could have issued this instruction to when it could issue the next.
uint64_t clkOf(const WaveTimeline &wave, size_t event) {
  uint64_t next = event + 1 < wave.events.size() ? wave.events[event + 1].readyClk : wave.endClk;
  uint64_t ready = wave.events[event].readyClk;
  return next > ready ? next - ready : 0;
}

std::vector<uint64_t> clkByInstruction(const TimingTrace &trace) {
  std::vector<uint64_t> sums(trace.instructions.size());
  for (const WaveTimeline &wave : trace.waves)
    for (size_t i = 0; i < wave.events.size(); ++i)
      sums[wave.events[i].instruction] += clkOf(wave, i);
  return sums;
}

/// The first waves, whole work-groups, with at most `maxEvents` instructions.
size_t wavesToShow(const TimingTrace &trace, uint64_t maxEvents) {
  uint64_t events = 0;
  size_t shown = 0;
  for (size_t i = 0; i < trace.waves.size();) {
    size_t end = i;
    for (; end < trace.waves.size() && trace.waves[end].group == trace.waves[i].group; ++end)
      events += trace.waves[end].events.size();
    if (shown && events > maxEvents)
      break;
    shown = i = end;
  }
  return shown;
}

void writeSummary(const TimingResult &t, OStream &json) {
  json.attribute("kernel", t.trace.kernel);
  json.attribute("arch", std::string(nameOf(t.trace.arch)));
  json.attribute("clockGhz", t.clockGhz);
  json.attribute("kernelClk", t.kernelClk);
  json.attribute("microseconds", t.kernelMicroseconds());
  json.attribute("cuClk", static_cast<int64_t>(t.cuClk));
  json.attribute("groupsPerCu", t.groupsPerCu);
  json.attribute("activeCus", t.activeCus);
  json.attribute("groupsTimed", static_cast<int64_t>(t.groupsTimed));
  json.attribute("ldsConflictClk", static_cast<int64_t>(t.ldsConflictClk));
  json.attribute("l2HitRate", t.l2HitRate);
  json.attribute("infinityCacheHitRate", t.infinityCacheHitRate);
  json.attributeObject("utilisation", [&] {
    json.attribute("matrix", t.mfmaUtilisation);
    json.attribute("vector", t.valuUtilisation);
    json.attribute("LDS", t.ldsUtilisation);
    json.attribute("vector memory", t.memoryUtilisation);
  });
  auto names = [&](const char *key, unsigned count, auto nameOfIndex) {
    json.attributeArray(key, [&] {
      for (unsigned i = 0; i < count; ++i)
        json.value(nameOfIndex(i));
    });
  };
  names("kinds", numTimedKinds, [](unsigned i) { return nameOf(static_cast<TimedKind>(i)); });
  names("reasons", numStallReasons, [](unsigned i) { return nameOf(static_cast<StallReason>(i)); });
  json.attributeArray("stalls", [&] {
    for (uint64_t clk : t.stallByReason)
      json.value(static_cast<int64_t>(clk));
  });
}

/// [address, text, where, kind, executions, clk, stall, conflicts, bytes, stall by reason...]
void writeInstructions(const TimingTrace &trace, OStream &json) {
  std::vector<uint64_t> clk = clkByInstruction(trace);
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const TimedInstruction &instr = trace.instructions[i];
    json.array([&] {
      json.value(static_cast<int64_t>(instr.address));
      json.value(instr.text);
      json.value(instr.where);
      json.value(static_cast<int>(instr.kind));
      for (uint64_t number :
           {instr.executions, clk[i], instr.stallClk, instr.ldsConflictClk, instr.memoryBytes})
        json.value(static_cast<int64_t>(number));
      for (uint64_t stall : instr.stallByReason)
        json.value(static_cast<int64_t>(stall));
    });
  }
}

/// Events are flat: instruction, ready (after the one before), stall, reason, in flight.
void writeWave(const WaveTimeline &wave, OStream &json) {
  json.object([&] {
    json.attribute("group", static_cast<int64_t>(wave.group));
    json.attribute("wave", wave.wave);
    json.attribute("simd", wave.simd);
    json.attribute("start", static_cast<int64_t>(wave.startClk));
    json.attribute("end", static_cast<int64_t>(wave.endClk));
    json.attributeArray("events", [&] {
      uint64_t before = 0;
      for (const TimingEvent &event : wave.events) {
        json.value(event.instruction);
        json.value(static_cast<int64_t>(event.readyClk - before));
        json.value(static_cast<int64_t>(event.stallClk()));
        json.value(static_cast<int>(event.reason));
        json.value(static_cast<int64_t>(event.endClk) - static_cast<int64_t>(event.issueClk));
        before = event.readyClk;
      }
    });
  });
}

/// The lines of the files that the instructions come from: [name, lines].
void writeSources(const TimingTrace &trace, const ProfileOptions &options, OStream &json) {
  for (const auto &[name, text] : options.sources) {
    bool isUsed = llvm::any_of(trace.instructions, [&](const TimedInstruction &instr) {
      return llvm::StringRef(instr.where).contains("(" + name + ":");
    });
    if (!isUsed)
      continue;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n');
    json.array([&] {
      json.value(llvm::json::fixUTF8(name));
      json.array([&] {
        for (llvm::StringRef line : lines)
          json.value(llvm::json::fixUTF8(line));
      });
    });
  }
}

std::string dataOf(const TimingResult &timing, const ProfileOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os);
  json.object([&] {
    writeSummary(timing, json);
    json.attribute("occupancy", options.occupancy);
    json.attribute("advice", adviceFor(timing));
    json.attributeArray("sources", [&] { writeSources(timing.trace, options, json); });
    json.attributeArray("instructions", [&] { writeInstructions(timing.trace, json); });
    json.attribute("wavesInAll", static_cast<int64_t>(timing.trace.waves.size()));
    json.attributeArray("waves", [&] {
      size_t shown = wavesToShow(timing.trace, options.maxEvents);
      for (size_t i = 0; i < shown; ++i)
        writeWave(timing.trace.waves[i], json);
    });
  });
  return text;
}

// ---- trace events ------------------------------------------------------------------------------

bool isMemory(TimedKind kind) {
  switch (kind) {
  case TimedKind::VmemLoad:
  case TimedKind::VmemStore:
  case TimedKind::LdsDma:
  case TimedKind::Atomic:
  case TimedKind::Smem:
    return true;
  default:
    return false;
  }
}

class TraceWriter {
public:
  TraceWriter(const TimingResult &timing, OStream &json) : timing(timing), json(json) {}

  void write() {
    uint64_t group = ~0ull;
    for (const WaveTimeline &wave : timing.trace.waves) {
      if (wave.group != group)
        name(wave, "process_name", "work-group " + std::to_string(wave.group));
      group = wave.group;
      name(wave, "thread_name",
           "wave " + std::to_string(wave.wave) + ", SIMD " + std::to_string(wave.simd));
      for (size_t i = 0; i < wave.events.size(); ++i)
        writeEvent(wave, i);
    }
  }

private:
  const TimingResult &timing;
  OStream &json;
  int64_t nextId = 1;

  double microseconds(uint64_t clk) const {
    return static_cast<double>(clk) / timing.clockGhz / 1000;
  }

  void place(const WaveTimeline &wave, const char *phase) {
    json.attribute("ph", phase);
    json.attribute("pid", static_cast<int64_t>(wave.group));
    json.attribute("tid", wave.wave);
  }
  void name(const WaveTimeline &wave, const char *what, const std::string &text) {
    json.object([&] {
      json.attribute("name", what);
      place(wave, "M");
      json.attributeObject("args", [&] { json.attribute("name", text); });
    });
  }
  void slice(const WaveTimeline &wave, llvm::StringRef text, llvm::StringRef category,
             uint64_t beginClk, uint64_t clk, const TimedInstruction &instr) {
    json.object([&] {
      json.attribute("name", text);
      json.attribute("cat", category);
      place(wave, "X");
      json.attribute("ts", microseconds(beginClk));
      json.attribute("dur", microseconds(clk));
      json.attributeObject("args", [&] {
        json.attribute("where", instr.where);
        json.attribute("clk", static_cast<int64_t>(clk));
      });
    });
  }
  void asynchronous(const WaveTimeline &wave, const char *phase, uint64_t clk,
                    const TimedInstruction &instr) {
    json.object([&] {
      json.attribute("name", instr.text);
      json.attribute("cat", "in flight");
      place(wave, phase);
      json.attribute("id", nextId);
      json.attribute("ts", microseconds(clk));
    });
  }
  void writeEvent(const WaveTimeline &wave, size_t index) {
    const TimingEvent &event = wave.events[index];
    const TimedInstruction &instr = timing.trace.instructions[event.instruction];
    uint64_t stall = event.stallClk(), clk = clkOf(wave, index);
    if (stall)
      slice(wave, "stall: " + nameOf(event.reason).str(), "stall", event.readyClk, stall, instr);
    if (clk > stall)
      slice(wave, instr.text, nameOf(instr.kind), event.issueClk, clk - stall, instr);
    if (isMemory(instr.kind) && event.endClk > event.issueClk) {
      asynchronous(wave, "b", event.issueClk, instr);
      asynchronous(wave, "e", event.endClk, instr);
      ++nextId;
    }
  }
};

} // namespace

void writeProfile(const TimingResult &timing, llvm::raw_ostream &os,
                  const ProfileOptions &options) {
  constexpr llvm::StringRef mark = "/*DATA*/null";
  auto [before, after] = llvm::StringRef(page).split(mark);
  os << before;
  // A `<` would let a kernel's name end the script.
  for (char c : dataOf(timing, options))
    if (c == '<')
      os << "\\u003c";
    else
      os << c;
  os << after;
}

void writeTrace(const TimingResult &timing, llvm::raw_ostream &os) {
  OStream json(os);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] { TraceWriter(timing, json).write(); });
  });
  os << '\n';
}

} // namespace tilec::sim
