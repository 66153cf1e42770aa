//===- TuneShards.cpp - a search that many processes share ----------------===//
//
// A file is lines of JSON: a head wherever a process has begun to append, and one
// line an outcome, which belongs to the head before it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TuneShards.h"

#include "tilec/Runtime/Statistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace tilec {
namespace {

using Json = nlohmann::ordered_json;

constexpr int fileVersion = 1;

/// FNV-1a: the same everywhere, unlike std::hash and LLVM's, which is seeded.
uint64_t fnv1a(llvm::StringRef text, uint64_t hash = 0xcbf29ce484222325) {
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

struct RankNames {
  const char *rank, *count, *onHost;
};
/// What launchers of processes set. Those of MPI before Slurm's: under `mpirun` in a job of Slurm
/// every process sees the same variables of Slurm.
constexpr RankNames launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

std::optional<unsigned> number(GetEnv get, const char *name) {
  const char *text = get(name);
  unsigned value = 0;
  if (!text || llvm::StringRef(text).getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<Shard> fromLauncher(GetEnv get) {
  for (const RankNames &names : launchers) {
    std::optional<unsigned> rank = number(get, names.rank), count = number(get, names.count);
    if (rank && count && *rank < *count)
      return Shard{*rank, *count, number(get, names.onHost)};
  }
  return std::nullopt;
}

/// An array of jobs: its tasks are counted from any number in any steps.
std::optional<Shard> fromArray(GetEnv get) {
  std::optional<unsigned> id = number(get, "SLURM_ARRAY_TASK_ID"),
                          count = number(get, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !count)
    return std::nullopt;
  unsigned first = number(get, "SLURM_ARRAY_TASK_MIN").value_or(0);
  unsigned step = std::max(number(get, "SLURM_ARRAY_TASK_STEP").value_or(1), 1u);
  unsigned index = (*id - first) / step;
  if (*id < first || index >= *count)
    return std::nullopt;
  return Shard{index, *count, std::nullopt};
}

Json toJson(const SharedSearch &search) {
  return {{"version", fileVersion},
          {"script", search.script},
          {"entry", search.entry},
          {"target", search.target},
          {"device", search.device},
          {"candidates", search.candidates},
          {"space", llvm::utohexstr(search.space)}};
}

std::optional<SharedSearch> headIn(const Json &line) {
  if (!line.is_object() || line.value("version", Json()) != fileVersion)
    return std::nullopt;
  SharedSearch head;
  auto text = [&](const char *name) {
    return line.contains(name) && line[name].is_string() ? line[name].get<std::string>() : "";
  };
  head.script = text("script");
  head.entry = text("entry");
  head.target = text("target");
  head.device = text("device");
  if (!line.contains("candidates") || !line["candidates"].is_number_unsigned() ||
      llvm::StringRef(text("space")).getAsInteger(16, head.space))
    return std::nullopt;
  head.candidates = line["candidates"].get<size_t>();
  return head;
}

std::optional<TuneOutcome> outcomeIn(const Json &line) {
  if (!line.is_object() || !line.contains("place") || !line["place"].is_number_unsigned())
    return std::nullopt;
  std::optional<TuneOutcome> outcome = outcomeOf(line);
  if (outcome)
    outcome->place = line["place"].get<size_t>();
  return outcome;
}

/// All lines of one file. An error where it is of another search than `found` has.
rt::Status readFile(const std::string &path, std::optional<SharedSearch> &found,
                    std::vector<TuneOutcome> &outcomes) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return rt::Error{"cannot read `" + path + "`: " + buffer.getError().message()};
  bool hasHead = false;
  for (llvm::StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    llvm::StringRef text;
    std::tie(text, rest) = rest.split('\n');
    Json line = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
    if (std::optional<SharedSearch> head = headIn(line)) {
      if (found && *found != *head)
        return rt::Error{"`" + path + "` is of another search (" + head->entry + " of " +
                         head->script + ", " + head->target + ", " + head->device + ", " +
                         std::to_string(head->candidates) + " candidates) than " + found->entry +
                         " of " + found->script + ", " + found->target + ", " + found->device +
                         ", " + std::to_string(found->candidates) +
                         " candidates: give each search a folder of its own"};
      found = *head;
      hasHead = true;
    } else if (std::optional<TuneOutcome> outcome = outcomeIn(line); outcome && hasHead) {
      outcomes.push_back(std::move(*outcome));
    }
  }
  return rt::success();
}

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name.starts_with("results-") && name.ends_with(".jsonl"))
      files.push_back(it->path());
  }
  llvm::sort(files);
  return files;
}

rt::Status readFolder(const std::string &folder, std::optional<SharedSearch> &found,
                      std::vector<TuneOutcome> &outcomes) {
  for (const std::string &path : filesIn(folder))
    if (rt::Status s = readFile(path, found, outcomes); !s)
      return s;
  // Of two for one candidate (a shard that was started twice at once) the first.
  std::map<size_t, TuneOutcome> byPlace;
  for (TuneOutcome &outcome : outcomes)
    byPlace.try_emplace(outcome.place, std::move(outcome));
  outcomes.clear();
  for (auto &[place, outcome] : byPlace)
    outcomes.push_back(std::move(outcome));
  return rt::success();
}

} // namespace

rt::Result<Shard> parseShard(const std::string &text, GetEnv get) {
  if (text == "auto") {
    std::optional<Shard> array = fromArray(get), process = fromLauncher(get);
    if (!array && !process)
      return rt::Error{"--shard=auto: nothing in the environment says which process this is (MPI's "
                       "and torchrun's variables, SLURM_ARRAY_TASK_ID, those of srun); write "
                       "--shard=0/4"};
    Shard one = process.value_or(Shard());
    if (!array)
      return one;
    return Shard{array->index * one.count + one.index, array->count * one.count, one.onHost};
  }
  auto [index, count] = llvm::StringRef(text).split('/');
  Shard shard;
  if (index.getAsInteger(10, shard.index) || count.getAsInteger(10, shard.count) ||
      shard.index >= shard.count)
    return rt::Error{"--shard=" + text +
                     ": write auto, or INDEX/COUNT with INDEX from 0 to COUNT - 1"};
  return shard;
}

unsigned shardOf(const TuneParameters &parameters, unsigned count) {
  // FNV's low bits alone are poor: fold the high ones in.
  uint64_t hash = fnv1a(describe(parameters));
  return static_cast<unsigned>((hash ^ (hash >> 32)) % count);
}

uint64_t hashOf(const std::vector<TuneParameters> &space) {
  uint64_t hash = fnv1a("");
  for (const TuneParameters &parameters : space)
    hash = fnv1a(describe(parameters) + "\n", hash);
  return hash;
}

void useRatios(std::vector<TuneOutcome> &outcomes) {
  std::vector<double> references;
  for (const TuneOutcome &outcome : outcomes)
    if (outcome.ratio > 0)
      references.push_back(outcome.us / outcome.ratio);
  if (references.empty())
    return;
  double reference = rt::median(references);
  for (TuneOutcome &outcome : outcomes)
    if (outcome.ratio > 0)
      outcome.us = outcome.ratio * reference;
}

rt::Result<SharedOutcomes> readShards(const std::string &folder) {
  std::optional<SharedSearch> search;
  SharedOutcomes all;
  if (rt::Status s = readFolder(folder, search, all.outcomes); !s)
    return s.error();
  if (!search)
    return rt::Error{"`" + folder + "` has no results-*.jsonl of --shard"};
  all.search = *search;
  return all;
}

ShardLog::~ShardLog() { close(file); }

rt::Result<std::unique_ptr<ShardLog>> ShardLog::open(const std::string &folder, const Shard &shard,
                                                     const SharedSearch &search) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return rt::Error{"cannot make the folder `" + folder + "`: " + error.message()};
  std::optional<SharedSearch> expected = search;
  std::vector<TuneOutcome> known;
  if (rt::Status s = readFolder(folder, expected, known); !s)
    return s.error();
  std::string path = folder + "/results-" + std::to_string(shard.index) + ".jsonl";
  int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return rt::Error{"cannot write `" + path + "`: " + std::strerror(errno)};
  std::unique_ptr<ShardLog> log(new ShardLog(folder, file));
  log->before = std::move(known);
  // A line that was cut off is not to swallow the next one.
  char last = '\n';
  off_t size = lseek(file, 0, SEEK_END);
  if (size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n')
    if (rt::Status s = log->appendLine(""); !s)
      return s.error();
  if (rt::Status s = log->appendLine(toJson(search).dump()); !s)
    return s.error();
  return log;
}

rt::Status ShardLog::appendLine(const std::string &text) {
  std::string line = text + "\n";
  for (size_t done = 0; done < line.size();) {
    ssize_t count = write(file, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return rt::Error{"cannot write into `" + folder + "`: " + std::strerror(errno)};
    done += static_cast<size_t>(count);
  }
  fsync(file);
  return rt::success();
}

rt::Status ShardLog::append(const TuneOutcome &outcome) {
  Json line = toJson(outcome);
  line["place"] = outcome.place;
  return appendLine(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

double ShardLog::bestRatio() const {
  std::optional<SharedSearch> search;
  std::vector<TuneOutcome> outcomes;
  if (!readFolder(folder, search, outcomes))
    return 0;
  double best = 0;
  for (const TuneOutcome &outcome : outcomes)
    if (outcome.status == TuneStatus::Ok && outcome.ratio > 0 &&
        (best == 0 || outcome.ratio < best))
      best = outcome.ratio;
  return best;
}

} // namespace tilec
