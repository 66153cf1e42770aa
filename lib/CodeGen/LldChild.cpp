//===- LldChild.cpp - ld.lld as a child process ---------------------------===//
//
// Takes an object, runs ld.lld on it in a process of its own, gives the hsaco: for objects with
// something that HsacoLinker.cpp does not know.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Subprocess.h"
#include "tilec/CodeGen/HsacoLinker.h"

#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace llvm;

namespace tilec::codegen {

static Expected<std::string> findLld() {
  if (const char *chosen = std::getenv("TILEC_LLD"); chosen && *chosen)
    return std::string(chosen);
  for (const char *name : {"ld.lld-22", "ld.lld"})
    if (auto found = sys::findProgramByName(name))
      return *found;
  return createStringError("ld.lld was not found; install lld or set TILEC_LLD to its path");
}

Expected<std::vector<uint8_t>> linkHsacoWithLld(ArrayRef<uint8_t> object) {
  auto lld = findLld();
  if (!lld)
    return lld.takeError();
  auto input = TemporaryFile::create(
      "o", StringRef(reinterpret_cast<const char *>(object.data()), object.size()));
  if (!input)
    return input.takeError();
  auto output = TemporaryFile::create("hsaco");
  if (!output)
    return output.takeError();
  auto result = runTool(
      *lld, {"--no-undefined", "-shared", "--threads=1", input->path(), "-o", output->path()});
  if (!result)
    return result.takeError();
  if (result->exitCode != 0)
    return createStringError("ld.lld failed: " + StringRef(result->output).trim());
  auto bytes = output->read();
  if (!bytes)
    return bytes.takeError();
  return std::vector<uint8_t>(bytes->begin(), bytes->end());
}

} // namespace tilec::codegen
