//===- tilec.cpp - compiles a script --------------------------------------===//
//
// A main over libtilec; lib/Driver/TilecMain.cpp is the tool.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec-c/Compile.h"

int main(int argc, char **argv) { return tilec_tool_main("tilec", argc, argv); }
