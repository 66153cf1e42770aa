//===- TuneRecord.h - what a search has found -----------------------------===//
//
// Takes candidates (TuneSpace.h) with what measuring them gave, gives the best ones, the file of
// `--tune-results` and the parameters that `--tuned` takes from it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "TuneSpace.h"
#include "tilec/Base/Arch.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace tilec {

/// What became of a candidate. A failure is a result like any other.
enum class TuneStatus {
  Ok,
  Hopeless,     ///< timed shortly: far behind the best one so far
  CompileError, ///< the script, the compiler or the assembler refuses it
  LaunchError,  ///< the driver refuses it, or it faults
  Wrong,        ///< another result than it should have
  Timeout,      ///< did not end
  Crashed,      ///< took the measuring process with it
};
const char *nameOf(TuneStatus status);

struct TuneOutcome {
  TuneParameters parameters;
  TuneStatus status = TuneStatus::CompileError;
  std::string message; ///< of a failure, or which other candidate has the same code
  double us = 0;       ///< median, or the model's prediction; 0 when it was not timed
  int rounds = 0;      ///< in turns with the other best ones; 0: timed by itself
  unsigned registers = 0, spillBytes = 0;
  double ratio = 0; ///< of its time to that of the reference, timed in turns; 0: no reference
  size_t place = 0; ///< in the space, of shards
};

nlohmann::ordered_json toJson(const TuneOutcome &outcome);
/// What toJson gave; nothing where it is something else.
std::optional<TuneOutcome> outcomeOf(const nlohmann::ordered_json &object);

/// The at most `most` fastest that worked, if they are within a tenth of the fastest, by time.
/// Timed one after another it is only clear who is far behind: the clock of a GPU falls by several
/// percent while it gets warm.
std::vector<size_t> finalistsOf(const std::vector<const TuneOutcome *> &outcomes, size_t most = 4);

/// One search. The file of `--tune-results` is a list of them.
struct TuneRecord {
  std::string script, entry, target, device; ///< script: the file's name without folders
  std::vector<TuneOutcome> outcomes;
  size_t all = 0; ///< candidates; more than outcomes where the search was interrupted

  /// The fastest of those that were timed in turns, else of all. Null when nothing worked.
  const TuneOutcome *best() const;
};

/// Fails where saveRecord would fail, before there is anything to be lost.
rt::Status checkRecordFile(const std::string &path);

/// Puts the record into the file in place of an earlier one of the same script, entry, target and
/// device. The file is replaced as a whole.
rt::Status saveRecord(const std::string &path, const TuneRecord &record);

/// The best parameters that the file has for this script, entry and target. Fails when it has none.
/// Spaces in the entry do not count.
rt::Result<TuneParameters> tunedParameters(const std::string &path, const std::string &script,
                                           const std::string &entry, const std::string &target);

/// `--tuned`: puts the parameters that `path` has into the entry and the schedule. Nothing to do
/// for an empty path. The value is an error message, or empty.
std::string applyTuned(const std::string &path, const std::string &script, Arch arch,
                       std::string &entry, std::string &schedule);

} // namespace tilec
