//===- GuardedReads.h - reads of lanes that take part, side by side -----------===//
//
// Takes the IR of a function as it goes to NVIDIA's code generator, gives reads of what nobody
// writes that lanes leave out by a mask in front of what uses the first of them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// How many words of a thread are read together. Eight pieces of 16 bytes: 1024 threads have 128
/// KiB in flight, twice what a multiprocessor of an H200 takes to keep its memory busy.
constexpr unsigned wordsOfGuardedReads = 32;

/// Whether the call is a read by a mask (`maskedLoad` of Lower/NVPTX) of what no kernel writes.
bool isGuardedConstantRead(const llvm::CallBase &call);

/// ptxas starts reads together that stand in one block, but none of those with a predicate: what
/// uses one waits for it before the next begins. Pooling and convolutions, whose loops over the
/// window are written out, have many in a row.
struct GatherGuardedReads : llvm::PassInfoMixin<GatherGuardedReads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
