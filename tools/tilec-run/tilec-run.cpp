//===- tilec-run.cpp - compiles a script and runs it ---===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Tools.h"

int main(int argc, char **argv) { return tilec::tilecRunMain(argc, argv); }
