//===- Strategies.h - every strategy --------------------------------------===//
//
// A new strategy is a file here and a line in Strategies.def; nothing else changes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/Strategy.h"

namespace tilec::strategy {

#define TILEC_STRATEGY(name) extern const Strategy name;
#include "Strategies/Strategies.def"
#undef TILEC_STRATEGY

/// What `ping_pong` says of roles: teams of warp groups (Teams.cpp).
std::string teamsFit(const ProductShape &shape);
bool teamsSuit(const ProductShape &shape);
ProductPlan planTeams(const ProductShape &shape);

} // namespace tilec::strategy
