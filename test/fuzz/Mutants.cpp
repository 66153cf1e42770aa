//===- Mutants.cpp - every planted fault is found -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Mutants.h"

#include "Pool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::fuzz {
namespace {

/// What one mutant came to.
struct Fate {
  bool isDead = false;
  uint64_t seed = 0;
  unsigned rewritten = 0; ///< programs that it changed
  std::string how;
};

/// A compile error shows nothing, but for the check of tiles that are read before they are written:
/// it sees a clear that is missing.
bool showsFault(const Failure &failure) {
  if (failure.kind == "compile")
    return failure.message.find("nothing has written it") != std::string::npos;
  return llvm::is_contained({"run", "mismatch", "rounding", "nan"}, failure.kind);
}

Fate fateOf(const Mutant &mutant, const std::vector<uint64_t> &seeds) {
  Fate fate;
  RunOptions options;
  options.targets = *parseTargets("sim:gfx950,sim:gfx942");
  options.mutant = &mutant;
  options.verifyStages = false;
  for (uint64_t seed : seeds) {
    rt::Result<Program> program = parseProgram(generateProgram(seed));
    if (!program)
      return fate.how = program.error().message, fate;
    options.interleaveSeed = seed;
    RunReport report = runProgram(*program, options);
    fate.rewritten += report.isMutated;
    if (!report.isMutated || !report.failure || !showsFault(*report.failure))
      continue;
    // What fails anyway finds nothing.
    RunOptions sound = options;
    sound.mutant = nullptr;
    if (runProgram(*program, sound).failure)
      continue;
    fate.isDead = true;
    fate.seed = seed;
    fate.how = llvm::StringRef(report.failure->message).split('\n').first.substr(0, 90).str();
    fate.how = report.failure->kind + " on " + report.failure->device + ": " + fate.how;
    break;
  }
  return fate;
}

} // namespace

const std::vector<Mutant> &allMutants() {
  static const std::vector<Mutant> list = [] {
    std::vector<Mutant> out = tileMutants();
    llvm::append_range(out, waveMutants());
    llvm::append_range(out, llvmMutants());
    return out;
  }();
  return list;
}

const Mutant *findMutant(const std::string &name) {
  for (const Mutant &mutant : allMutants())
    if (mutant.name == name)
      return &mutant;
  return nullptr;
}

bool checkMutants(const std::vector<uint64_t> &seeds, unsigned jobs) {
  const std::vector<Mutant> &list = allMutants();
  PoolOptions pool;
  pool.jobs = jobs;
  pool.timeoutSeconds = 600;
  // The pool's seeds are mutants here; a verdict's failure is how the mutant
  // died.
  pool.work = [&](uint64_t index) {
    Fate fate = fateOf(list[index], seeds);
    Verdict verdict;
    verdict.seed = index;
    verdict.ms = fate.rewritten;
    verdict.failure =
        Failure{fate.isDead ? "dead" : "survived", std::to_string(fate.seed), fate.how};
    return verdict;
  };
  std::vector<Verdict> verdicts(list.size());
  pool.done = [&](const Verdict &verdict) { verdicts[verdict.seed] = verdict; };
  std::vector<uint64_t> indices(list.size());
  for (size_t i = 0; i < indices.size(); ++i)
    indices[i] = i;
  runPool(indices, pool);
  size_t dead = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const Failure &f = *verdicts[i].failure;
    dead += f.kind == "dead";
    llvm::outs() << llvm::formatv("{0,-26} ", list[i].name);
    if (f.kind == "dead")
      llvm::outs() << "seed " << f.device << ", " << unsigned(verdicts[i].ms)
                   << " programs: " << f.message;
    else
      llvm::outs() << "SURVIVED (" << f.kind << " " << f.message << "), "
                   << unsigned(verdicts[i].ms) << " programs changed";
    llvm::outs() << '\n';
  }
  llvm::outs() << dead << " of " << list.size() << " mutants die\n";
  return dead == list.size();
}

} // namespace tilec::fuzz
