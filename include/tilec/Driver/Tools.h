//===- Tools.h - the command-line tools as functions ----------------------===//
//
// Each returns the process's exit status: 0, 1 for an error that was printed, 2 for
// a command line that makes no sense.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

namespace tilec {

/// `tilec FILE --target=ARCH [--entry CALL] [--emit=KIND] [-o OUT]`
int tilecMain(int argc, char **argv);
/// `tilec-run FILE --target=ARCH --device=cpu|sim|cuda|hip [--check] [--bench] ...`
int tilecRunMain(int argc, char **argv);

} // namespace tilec
