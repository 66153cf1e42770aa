//===- tilec-run.cpp - compiles a script and runs it ----------------------===//
//
// A main over libtilec; lib/Driver/TilecRunMain.cpp is the tool.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec-c/Compile.h"

int main(int argc, char **argv) { return tilec_tool_main("tilec-run", argc, argv); }
