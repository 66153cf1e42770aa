//===- PlanTrial.h - one program with plans, compiled and timed -----------===//
//
// What a search for plans does with each candidate: machine code and what it says for or
// against the plans, the time of the model, and whether it computes what the program
// without plans computes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"
#include "tilec/Driver/PlanFile.h"
#include "tilec/Runtime/Arguments.h"

namespace tilec {

/// What the machine code of a program says for or against its plans.
struct CodeFacts {
  unsigned spills = 0, moves = 0, waitsForAll = 0, findings = 0, unproved = 0;
  std::string lostOrder{}; ///< what stands elsewhere than planned

  /// Why code with these facts is not taken where `base` was there before; "" if it is.
  std::string reasonAgainst(const CodeFacts &base) const;
};

/// Microseconds of one program with a scale of the model's latencies, by the strategies' plans and
/// by those that were found.
struct WithLatencies {
  double scale, strategies, found;
};

/// Why plans depend on what the model takes for latencies: with others they are more than a few
/// percent slower than the strategies'. "" where they are not.
std::string reasonAgainst(llvm::ArrayRef<WithLatencies> times);

/// What is wrong with results that should be those of `wanted` but for the order of sums; "" where
/// nothing is.
std::string differenceBetween(const rt::ArgumentSet &wanted, const rt::ArgumentSet &found);

/// The program of a file without plans, and what is asked of it with plans.
class PlanTrial {
public:
  /// `options`: without a cache or a schedule.
  PlanTrial(std::string file, CompileOptions options)
      : file(std::move(file)), options(std::move(options)) {}

  /// Compiles the program as it is and makes its arguments.
  rt::Status prepare(const rt::ArgumentRequest &request);

  /// How long the model looks: at all that it can, or at a few work-groups, some ten times as fast.
  enum class Clock { Whole, Quick };

  /// Microseconds in the model, all latencies times `latencies`. Fails with what is against the
  /// program: it does not compile, or its machine code is worse than that without plans. To be
  /// called in a child process: the arguments are not what they were, after it.
  rt::Result<double> timeOf(const PlanFile &plans, Clock clock, double latencies = 1);

  /// Runs some work-groups of both programs with the simulator's checks, memory as late as the ISA
  /// allows: "" where the results agree, else what is wrong.
  std::string differenceOf(const PlanFile &plans);

private:
  rt::Result<std::unique_ptr<Compilation>> compile(const PlanFile &plans) const;
  /// The arguments after some work-groups have run.
  rt::Result<rt::ArgumentSet> runSome(const PlanFile &plans) const;

  std::string file;
  CompileOptions options;
  CodeFacts base;
  rt::ArgumentSet arguments;
};

/// The first error that a compilation has reported.
std::string firstErrorOf(Compilation &compilation);

} // namespace tilec
