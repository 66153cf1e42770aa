//===- Ptxas.cpp - PTX to cubin by ptxas, and what its log says -----------===//
//
// Takes PTX, runs ptxas on it, gives the cubin, and from the log registers, spills and what ptxas
// says about wgmma.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "PtxAssemblers.h"
#include "Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace llvm;

namespace tilec::codegen {

std::optional<std::string> findToolkitTool(StringRef name, const char *variable) {
  if (const char *chosen = std::getenv(variable); chosen && *chosen) {
    if (StringRef(chosen) == "none")
      return std::nullopt;
    return std::string(chosen);
  }
  SmallVector<std::string, 2> homes;
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    homes.push_back(home);
  homes.push_back("/usr/local/cuda"); // where NVIDIA's installers put the toolkit
  for (const std::string &home : homes) {
    SmallString<128> path(home);
    sys::path::append(path, "bin", name);
    if (sys::fs::can_execute(path))
      return std::string(path.str());
  }
  if (auto found = sys::findProgramByName(name))
    return *found;
  return std::nullopt;
}

std::optional<std::string> findPtxas() { return findToolkitTool("ptxas", "TILEC_PTXAS"); }

Expected<Cubin> runPtxas(StringRef ptxas, StringRef ptx, Arch arch, bool withLines) {
  auto input = TemporaryFile::create("ptx", ptx);
  if (!input)
    return input.takeError();
  auto output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  std::string chip = "-arch=" + std::string(tilec::nameOf(arch));
  SmallVector<StringRef> arguments = {"-v", chip, "-o", output->path(), input->path()};
  if (withLines)
    arguments.push_back("-lineinfo");
  auto result = runTool(ptxas, arguments);
  if (!result)
    return result.takeError();
  // The temporary file's name says nothing to the reader.
  std::string log = std::move(result->output);
  for (size_t at;
       (at = log.find(input->path().data(), 0, input->path().size())) != std::string::npos;)
    log.replace(at, input->path().size(), "PTX");
  StringRef said = StringRef(log).trim();
  if (result->exitCode != 0 && said.empty())
    return createStringError("`" + ptxas + "` ended with exit status " + Twine(result->exitCode) +
                             " and said nothing");
  if (result->exitCode != 0)
    return createStringError("ptxas refused the PTX (exit status " + Twine(result->exitCode) +
                             "): " + said);
  auto bytes = output->read();
  if (!bytes)
    return bytes.takeError();
  if (bytes->empty())
    return createStringError("`" + ptxas + "` ended with exit status 0 and wrote no cubin" +
                             (said.empty() ? Twine() : ": " + said));
  return Cubin{std::vector<uint8_t>(bytes->begin(), bytes->end()), std::move(log)};
}

/// The number that stands before `what` in `line`, as in "16 bytes spill stores".
static unsigned numberBefore(StringRef line, StringRef what) {
  size_t at = line.find(what);
  if (at == StringRef::npos)
    return 0;
  StringRef before = line.take_front(at).rtrim();
  StringRef digits = before.take_back(before.size() - before.find_last_not_of("0123456789") - 1);
  unsigned value = 0;
  digits.getAsInteger(10, value);
  return value;
}

void readPtxasLog(StringRef log, Image &image) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  KernelFacts *current = nullptr;
  for (StringRef line : lines) {
    // "Compiling entry function 'k' for 'sm_90a'", then "Function properties for k" and a line of
    // numbers, then "Used 168 registers, ...". Device functions have properties of their own.
    size_t entry = line.find("Compiling entry function '");
    size_t properties = line.find("Function properties for ");
    if (entry != StringRef::npos || properties != StringRef::npos) {
      StringRef name = entry != StringRef::npos
                           ? line.substr(entry).split('\'').second.split('\'').first
                           : line.substr(properties).rsplit(' ').second.trim();
      current = nullptr;
      for (KernelFacts &kernel : image.kernels)
        if (kernel.name == name)
          current = &kernel;
    } else if (current && line.contains("bytes stack frame")) {
      current->scratchBytesPerLane = numberBefore(line, "bytes stack frame");
      current->spillStoreBytes = numberBefore(line, "bytes spill stores");
      current->spillLoadBytes = numberBefore(line, "bytes spill loads");
    } else if (current && line.contains(" registers")) {
      current->registers = numberBefore(line, " registers");
      current->sharedBytes = numberBefore(line, "bytes smem");
    }
    if (line.contains("warning"))
      image.notes.push_back({Note::Warning, line.trim().str()});
  }
}

std::vector<std::string> wgmmaNotices(StringRef log) {
  std::vector<std::string> notices;
  SmallVector<StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    size_t at = line.find("(C75");
    if (at != StringRef::npos && line.size() > at + 6 && isDigit(line[at + 4]) &&
        isDigit(line[at + 5]))
      notices.push_back(line.substr(at).trim().str());
  }
  return notices;
}

} // namespace tilec::codegen
