//===- Contained.cpp - survive fatal errors inside LLVM -------------------===//
//
// Takes a function, runs it so that a fatal error or a signal inside LLVM comes back as an error,
// with the host's signals as they were.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/Contained.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define TILEC_HAS_LEAK_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILEC_HAS_LEAK_SANITIZER 1
#endif
#endif
#ifdef TILEC_HAS_LEAK_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

using namespace llvm;

namespace tilec::codegen {

namespace {

/// What LLVM allocates while this lives is no leak for the sanitizer: an abandoned compile cannot
/// give it back.
struct NoLeakReports {
#ifdef TILEC_HAS_LEAK_SANITIZER
  NoLeakReports() { __lsan_disable(); }
  ~NoLeakReports() { __lsan_enable(); }
#endif
};

} // namespace

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

namespace {

std::atomic<bool> hostHasSignals = false;

/// The signals that CrashRecoveryContext::Enable takes over, as they were.
class SavedSignals {
public:
  SavedSignals() {
    for (size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], nullptr, &before[i]);
  }
  void restore() {
    for (size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &before[i], nullptr);
  }

private:
  // llvm/lib/Support/CrashRecoveryContext.cpp, "Signals".
  static constexpr int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  struct sigaction before[std::size(signals)];
};

} // namespace

void leaveSignalsToHost() { hostHasSignals = true; }

void installFatalErrorHandler() {
  SavedSignals saved;
  CrashRecoveryContext::Enable(); // also what makes runContained come back from fatal errors
  if (hostHasSignals)
    saved.restore();
  install_fatal_error_handler(onFatalError);
}

Error runContained(function_ref<void()> body, bool &crashed) {
  std::string text;
  std::string *outer = std::exchange(fatalText, &text);
  [[maybe_unused]] NoLeakReports quiet;
  CrashRecoveryContext context;
  crashed = !context.RunSafely(body);
  fatalText = outer;
  if (!crashed)
    return Error::success();
  if (text.empty())
    return createStringError("LLVM crashed (signal %d)", context.RetCode - 128);
  return createStringError(StringRef(text).trim());
}

} // namespace tilec::codegen
