//===- Contained.cpp - survive fatal errors inside LLVM -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Contained.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <string>

using namespace llvm;

namespace tilec::codegen {

static thread_local std::string *fatalText = nullptr;

static void onFatalError(void *, const char *reason, bool) {
  // With a handler installed LLVM prints nothing itself.
  if (!fatalText) {
    std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return;
  }
  *fatalText = reason;
  if (CrashRecoveryContext *context = CrashRecoveryContext::GetCurrent())
    context->HandleExit(1); // does not return
}

void installFatalErrorHandler() {
  CrashRecoveryContext::Enable();
  install_fatal_error_handler(onFatalError);
}

Error runContained(function_ref<void()> body, bool &crashed) {
  std::string text;
  fatalText = &text;
  CrashRecoveryContext context;
  crashed = !context.RunSafely(body);
  fatalText = nullptr;
  if (!crashed)
    return Error::success();
  if (text.empty())
    return createStringError("LLVM crashed (signal %d)", context.RetCode - 128);
  return createStringError(StringRef(text).trim());
}

} // namespace tilec::codegen
