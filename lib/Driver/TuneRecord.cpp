//===- TuneRecord.cpp - what a search has found ---------------------------===//
//
// Outcomes and records as JSON and back, the file of `--tune-results`, which is replaced as a
// whole, and what `--tuned` takes from it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TuneRecord.h"

#include "tilec/Driver/Tuned.h"
#include "tilec/Runtime/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace tilec {
namespace {

constexpr int fileVersion = 1;

constexpr std::pair<TuneStatus, const char *> statusNames[] = {
    {TuneStatus::Ok, "ok"},
    {TuneStatus::Hopeless, "hopeless"},
    {TuneStatus::CompileError, "compile error"},
    {TuneStatus::LaunchError, "launch error"},
    {TuneStatus::Wrong, "wrong result"},
    {TuneStatus::Timeout, "timeout"},
    {TuneStatus::Crashed, "crashed"},
};

std::string withoutSpaces(const std::string &text) {
  std::string result;
  llvm::copy_if(text, std::back_inserter(result), [](char c) { return !llvm::isSpace(c); });
  return result;
}

rt::Result<nlohmann::ordered_json> parseResults(const std::string &text, const std::string &where) {
  nlohmann::ordered_json file = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!file.is_object() || file.value("version", 0) != fileVersion || !file["results"].is_array())
    return rt::Error{where + " is no file of tuning results (version " +
                     std::to_string(fileVersion) + ")"};
  return file;
}

rt::Result<nlohmann::ordered_json> readFile(const std::string &path) {
  rt::Result<std::string> text = rt::readFile(path);
  if (!text)
    return text.error();
  return parseResults(*text, path);
}

bool isFor(const nlohmann::ordered_json &record, const std::string &script,
           const std::string &entry, const std::string &target) {
  return record.is_object() && record.value("script", "") == script &&
         withoutSpaces(record.value("entry", "")) == withoutSpaces(entry) &&
         record.value("target", "") == target;
}

nlohmann::ordered_json toJson(const TuneParameters &parameters) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto &[name, value] : parameters)
    object[name] = value;
  return object;
}

nlohmann::ordered_json toJson(const TuneRecord &record) {
  nlohmann::ordered_json object;
  object["script"] = record.script;
  object["entry"] = record.entry;
  object["target"] = record.target;
  object["device"] = record.device;
  const TuneOutcome *best = record.best();
  object["best"] = best ? toJson(best->parameters) : nlohmann::ordered_json();
  if (best)
    object["best_us"] = best->us;
  object["candidates"] = nlohmann::ordered_json::array();
  for (const TuneOutcome &outcome : record.outcomes)
    object["candidates"].push_back(toJson(outcome));
  return object;
}

} // namespace

const char *nameOf(TuneStatus status) {
  return llvm::find_if(statusNames, [=](auto &row) { return row.first == status; })->second;
}

nlohmann::ordered_json toJson(const TuneOutcome &outcome) {
  nlohmann::ordered_json object;
  object["parameters"] = toJson(outcome.parameters);
  object["status"] = nameOf(outcome.status);
  if (outcome.us > 0)
    object["us"] = outcome.us;
  if (outcome.ratio > 0)
    object["ratio"] = outcome.ratio;
  if (outcome.rounds)
    object["rounds"] = outcome.rounds;
  if (outcome.registers)
    object["registers"] = outcome.registers;
  if (outcome.spillBytes)
    object["spill_bytes"] = outcome.spillBytes;
  if (!outcome.message.empty())
    object["message"] = outcome.message;
  return object;
}

std::optional<TuneOutcome> outcomeOf(const nlohmann::ordered_json &object) {
  if (!object.is_object() || !object.contains("parameters") || !object["parameters"].is_object() ||
      !object.contains("status") || !object["status"].is_string())
    return std::nullopt;
  TuneOutcome outcome;
  for (const auto &[name, value] : object["parameters"].items()) {
    if (!value.is_string())
      return std::nullopt;
    outcome.parameters.emplace_back(name, value.get<std::string>());
  }
  auto row =
      llvm::find_if(statusNames, [&](auto &known) { return object["status"] == known.second; });
  if (row == std::end(statusNames))
    return std::nullopt;
  outcome.status = row->first;
  auto numberOf = [&](const char *name) {
    return object.contains(name) && object[name].is_number() ? object[name].get<double>() : 0.0;
  };
  outcome.us = numberOf("us");
  outcome.ratio = numberOf("ratio");
  outcome.rounds = static_cast<int>(numberOf("rounds"));
  outcome.registers = static_cast<unsigned>(numberOf("registers"));
  outcome.spillBytes = static_cast<unsigned>(numberOf("spill_bytes"));
  if (object.contains("message") && object["message"].is_string())
    outcome.message = object["message"].get<std::string>();
  return outcome;
}

std::vector<size_t> finalistsOf(const std::vector<const TuneOutcome *> &outcomes, size_t most) {
  constexpr double factor = 1.1;
  std::vector<size_t> order;
  for (auto [i, outcome] : llvm::enumerate(outcomes))
    if (outcome->status == TuneStatus::Ok)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(outcomes[a]->us, a) < std::pair(outcomes[b]->us, b);
  });
  order.resize(std::min(order.size(), most));
  llvm::erase_if(order,
                 [&](size_t i) { return outcomes[i]->us > factor * outcomes[order[0]]->us; });
  return order;
}

const TuneOutcome *TuneRecord::best() const {
  const TuneOutcome *best = nullptr;
  auto isBetter = [&](const TuneOutcome &outcome) {
    if (!best || (outcome.rounds > 0) != (best->rounds > 0))
      return !best || outcome.rounds > 0;
    return outcome.us < best->us;
  };
  for (const TuneOutcome &outcome : outcomes)
    if (outcome.status == TuneStatus::Ok && isBetter(outcome))
      best = &outcome;
  return best;
}

rt::Status checkRecordFile(const std::string &path) {
  if (llvm::sys::fs::exists(path)) {
    if (rt::Result<nlohmann::ordered_json> read = readFile(path); !read)
      return read.error();
  }
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (std::error_code error =
          llvm::sys::fs::access(folder.empty() ? "." : folder, llvm::sys::fs::AccessMode::Write))
    return rt::Error{"cannot write `" + path + "`: " + error.message()};
  return rt::success();
}

rt::Status saveRecord(const std::string &path, const TuneRecord &record) {
  nlohmann::ordered_json file;
  if (llvm::sys::fs::exists(path)) {
    rt::Result<nlohmann::ordered_json> read = readFile(path);
    if (!read)
      return read.error();
    file = std::move(*read);
  } else {
    file["version"] = fileVersion;
    file["results"] = nlohmann::ordered_json::array();
  }
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (nlohmann::ordered_json &other : file["results"])
    if (!isFor(other, record.script, record.entry, record.target) ||
        other.value("device", "") != record.device)
      results.push_back(std::move(other));
  results.push_back(toJson(record));
  file["results"] = std::move(results);
  std::string text =
      file.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return rt::writeFile(path, text);
}

static rt::Result<TuneParameters> parametersIn(const rt::Result<nlohmann::ordered_json> &file,
                                               const std::string &path, const std::string &script,
                                               const std::string &entry,
                                               const std::string &target) {
  if (!file)
    return file.error();
  const nlohmann::ordered_json *chosen = nullptr;
  for (const nlohmann::ordered_json &record : file->at("results"))
    if (isFor(record, script, entry, target) && record.contains("best") &&
        record["best"].is_object())
      chosen = &record["best"]; // of several devices the one that was tuned last
  if (!chosen)
    return rt::Error{path + " has no result for `" + entry + "` of " + script + " and " + target};
  TuneParameters parameters;
  for (const auto &[name, value] : chosen->items()) {
    if (!isParameterName(name) || !value.is_string())
      return rt::Error{path + ": `" + name + "` is no parameter with its text"};
    parameters.emplace_back(name, value.get<std::string>());
  }
  return parameters;
}

rt::Result<TuneParameters> tunedParameters(const std::string &path, const std::string &script,
                                           const std::string &entry, const std::string &target) {
  return parametersIn(readFile(path), path, script, entry, target);
}

static std::string apply(const rt::Result<TuneParameters> &parameters, std::string &entry,
                         std::string &schedule) {
  if (!parameters)
    return parameters.error().message;
  auto call = withParameters(entry, *parameters);
  if (!call)
    return call.error().message;
  entry = *call;
  if (std::string found = scheduleOf(*parameters); !found.empty())
    schedule = found;
  return "";
}

std::string applyTuned(const std::string &path, const std::string &script, Arch arch,
                       std::string &entry, std::string &schedule) {
  if (path.empty())
    return "";
  std::string problem = apply(tunedParameters(path, llvm::sys::path::filename(script).str(), entry,
                                              std::string(nameOf(arch))),
                              entry, schedule);
  return problem.empty() ? "" : "--tuned: " + problem;
}

std::string applyTunedText(const std::string &text, const std::string &where,
                           const std::string &script, Arch arch, std::string &entry,
                           std::string &schedule) {
  std::string problem = apply(
      parametersIn(parseResults(text, where), where, script, entry, std::string(nameOf(arch))),
      entry, schedule);
  return problem.empty() ? "" : where + ": " + problem;
}

} // namespace tilec
