//===- Tune.h - search the parameters of a kernel -------------------------===//
//
// docs/tune/tuning.md has what users see.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "TuneRecord.h"
#include "TuneShards.h"

#include "tilec/Driver/Compile.h"
#include "tilec/Runtime/Arguments.h"

#include <functional>

namespace tilec {

struct TuneRequest {
  std::string file;
  CompileOptions compile;         ///< `entry` without the parameters
  std::string device;             ///< sim, cuda or hip
  std::vector<std::string> space; ///< of `--tune`: NAME=V1,V2 or configs
  rt::ArgumentRequest arguments;
  bool check = false; ///< every candidate against the cpu reference
  double timeoutSeconds = 60;
  unsigned threads = 0; ///< compile so many at once; 0: one a core
  std::function<void(const std::string &)> progress;
  /// Only the candidates of one shard, whose outcomes go into `folder`.
  std::optional<Shard> shard;
  std::string folder;
  size_t finalists = 4; ///< how many are timed in turns at the end
};

/// Compiles every candidate, then measures those that compile, one after another. Fails when the
/// space is empty or makes no sense; candidates that fail are in the record.
rt::Result<TuneRecord> tune(const TuneRequest &request);

/// What the shards in `request.folder` have found. On a GPU the fastest are compiled and timed in
/// turns.
rt::Result<TuneRecord> mergeShards(const TuneRequest &request);

/// The record as a table: the best ones first, then what failed and why.
std::string printRecord(const TuneRecord &record);

} // namespace tilec
