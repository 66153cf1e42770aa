//===- Strategies.h - every strategy of Hopper ----------------------------===//
//
// A new strategy is a file here and a line in Strategies.def; nothing else changes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/ProductPlan.h"

namespace tilec::product {

#define TILEC_PRODUCT_STRATEGY(name) extern const ProductStrategy name;
#include "Hopper/Strategies/Strategies.def"
#undef TILEC_PRODUCT_STRATEGY

} // namespace tilec::product
