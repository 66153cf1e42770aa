//===- tilec.cpp - compiles a script ---===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Tools.h"

int main(int argc, char **argv) { return tilec::tilecMain(argc, argv); }
