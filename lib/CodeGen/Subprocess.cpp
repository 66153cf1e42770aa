//===- Subprocess.cpp - run a tool on temporary files ---------------------===//
//
// Starts a program with its output in temporary files; Subprocess.h has the types.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Subprocess.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec::codegen {

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix) { return create(suffix, ""); }

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix, StringRef contents) {
  int descriptor = -1;
  SmallString<128> path;
  if (std::error_code code = sys::fs::createTemporaryFile("tilec", suffix, descriptor, path))
    return createStringError("cannot create a temporary file: " + code.message());
  TemporaryFile file(path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  if (stream.has_error()) {
    std::string text = stream.error().message();
    stream.clear_error();
    return createStringError("cannot write `" + path.str() + "`: " + text);
  }
  return file;
}

TemporaryFile::~TemporaryFile() {
  if (!filePath.empty()) {
    // Whoever cleans the temporary folder will find what could not be removed.
    [[maybe_unused]] std::error_code ignored = sys::fs::remove(filePath);
  }
}

Expected<std::string> TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(filePath, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!buffer)
    return createStringError("cannot read `" + filePath.str() +
                             "`: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Expected<ToolResult> runTool(StringRef program, ArrayRef<StringRef> args) {
  Expected<TemporaryFile> log = TemporaryFile::create("log");
  if (!log)
    return log.takeError();
  SmallVector<StringRef, 16> all{program};
  all.append(args.begin(), args.end());
  std::optional<StringRef> redirects[] = {StringRef(""), log->path(), log->path()};
  std::string message;
  int code = sys::ExecuteAndWait(program, all, std::nullopt, redirects, /*SecondsToWait=*/0,
                                 /*MemoryLimit=*/0, &message);
  constexpr int bySignal = -2;
  if (code == bySignal)
    return createStringError("`" + program + "` was ended by a signal: " + message);
  if (code < 0)
    return createStringError("cannot run `" + program + "`: " + message);
  Expected<std::string> output = log->read();
  if (!output)
    return output.takeError();
  return ToolResult{code, std::move(*output)};
}

} // namespace tilec::codegen
