//===- TuneShards.h - a search that many processes share ------------------===//
//
// Every process takes the candidates whose hash is its own, and appends what it
// finds to a file of its own in a folder that all see. There are no messages and
// no locks: who starts again goes on behind what the files have, and a last step
// reads them all. Times are kept as ratios to one reference candidate, which
// every process times beside its own: GPUs of unequal clocks compare by them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "TuneRecord.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tilec {

struct Shard {
  unsigned index = 0, count = 1;
  /// Which process of this host it is, where the launcher says so: its GPU.
  std::optional<unsigned> onHost;
};

/// The value of an environment variable; null where it is not set.
using GetEnv = llvm::function_ref<const char *(const char *)>;

/// `2/4` (counted from 0), or `auto`: what MPI, torchrun or Slurm (array jobs, too) say in the
/// environment.
rt::Result<Shard> parseShard(const std::string &text, GetEnv get);

/// Which of `count` shards a candidate belongs to: always the same, on every host.
unsigned shardOf(const TuneParameters &parameters, unsigned count);

/// What the files of one search have in common.
struct SharedSearch {
  std::string script, entry, target, device;
  size_t candidates = 0;
  uint64_t space = 0; ///< hash of all candidates

  bool operator==(const SharedSearch &) const = default;
};
uint64_t hashOf(const std::vector<TuneParameters> &space);

/// What the files in a folder say.
struct SharedOutcomes {
  SharedSearch search;
  /// By their place in the space, each once; `us` as it was measured.
  std::vector<TuneOutcome> outcomes;
};
/// Lines that were cut off when a process was killed are left out. Fails where files are of
/// different searches, and where there are none.
rt::Result<SharedOutcomes> readShards(const std::string &folder);

/// Makes the times of different clocks comparable: each becomes its ratio times the median time of
/// the reference.
void useRatios(std::vector<TuneOutcome> &outcomes);

/// One process's file.
class ShardLog {
public:
  ~ShardLog();
  ShardLog(const ShardLog &) = delete;
  /// Makes the folder where there is none. Fails where it has files of another search.
  static rt::Result<std::unique_ptr<ShardLog>> open(const std::string &folder, const Shard &shard,
                                                    const SharedSearch &search);

  /// What all files had when this was opened.
  const std::vector<TuneOutcome> &known() const { return before; }
  /// Safe on the disk when it returns.
  rt::Status append(const TuneOutcome &outcome);
  /// The least ratio of all files as they are now; 0 where there is none. An old answer only costs
  /// time.
  double bestRatio() const;

private:
  ShardLog(std::string folder, int file) : folder(std::move(folder)), file(file) {}
  rt::Status appendLine(const std::string &text);

  std::string folder;
  int file;
  std::vector<TuneOutcome> before;
};

} // namespace tilec
