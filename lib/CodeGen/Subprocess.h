//===- Subprocess.h - run a tool on temporary files -----------------------===//
//
// Takes a program and arguments, gives its exit status and output; files that it needs are removed
// with their object.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>

namespace tilec::codegen {

/// A file in the system's temporary folder that is removed with the object.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix, llvm::StringRef contents);
  TemporaryFile(TemporaryFile &&other) noexcept : filePath(std::move(other.filePath)) {
    other.filePath.clear();
  }
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  llvm::StringRef path() const { return filePath; }
  llvm::Expected<std::string> read() const;

private:
  explicit TemporaryFile(llvm::StringRef path) : filePath(path) {}
  llvm::SmallString<128> filePath;
};

struct ToolResult {
  int exitCode;
  std::string output; ///< standard output and error together
};

/// Runs `program` and waits. Fails when it cannot be started or dies by a signal.
llvm::Expected<ToolResult> runTool(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> args);

} // namespace tilec::codegen
