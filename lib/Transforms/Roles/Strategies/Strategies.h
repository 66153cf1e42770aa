//===- Strategies.h - every strategy of products --------------------------===//
//
// A new strategy is a file here and a line in Strategies.def; nothing else changes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/ProductPlan.h"

namespace tilec::product {

#define TILEC_PRODUCT_STRATEGY(name) extern const ProductStrategy name;
#include "Roles/Strategies/Strategies.def"
#undef TILEC_PRODUCT_STRATEGY

} // namespace tilec::product
