//===- ProducerConsumer.cpp - every block for itself ----------------------===//
//
// One warp copies, the warp groups multiply one tile together.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Strategies/Strategies.h"

namespace tilec::product {

static std::string fits(const ProductShape &) { return ""; }
static bool suits(const ProductShape &) { return true; }
static ProductPlan plan(const ProductShape &) { return {"producer_consumer"}; }

const ProductStrategy producer_consumer = {
    "producer_consumer", "one warp copies, the others multiply", fits, suits, plan};

} // namespace tilec::product
