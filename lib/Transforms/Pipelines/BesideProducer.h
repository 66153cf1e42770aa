//===- BesideProducer.h - what a round copies while a producer brings tiles -===//
//
// Takes a loop whose consumers wait for a producer's tiles and gather others themselves; those run
// a round ahead in a ring of their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/LoopMemory.h"

namespace tilec {

/// False, and nothing is changed, where the loop has no producer's tiles or gathers nothing that
/// copies can bring without registers.
bool gatherBesideProducer(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip);

} // namespace tilec
