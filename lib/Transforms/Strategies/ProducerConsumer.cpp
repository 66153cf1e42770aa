//===- ProducerConsumer.cpp - every block for itself ----------------------===//
//
// One warp copies, the warp groups multiply one tile together.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Strategies/Strategies.h"

namespace tilec::strategy {

static std::string fits(const ProductShape &) { return ""; }
static ProductPlan plan(const ProductShape &) { return {"producer_consumer"}; }

const Strategy producer_consumer = {.name = "producer_consumer",
                                    .summary = "one warp copies, the others multiply",
                                    .roles = {.fits = fits, .plan = plan}};

/// What loops of two gemms with something between them get, by its name: their form decides
/// (Roles/Overlap.cpp), a product has no shape for it. docs/machine-code/hopper.md.
static std::string isNoProduct(const ProductShape &) {
  return "it is for loops of two gemms with something between them";
}

const Strategy overlap = {.name = overlapScheduleName,
                          .summary = "one round's gemm beside what stands between two of another",
                          .roles = {.fits = isNoProduct}};

} // namespace tilec::strategy
