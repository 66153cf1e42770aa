//===- PlanProduct.cpp - which strategy serves a product ------------------===//
//
// Asks the strategies of Strategies.def in order, or the one that is named, and gives the first
// plan.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Strategies/Strategies.h"

namespace tilec {

llvm::ArrayRef<ProductStrategy> productStrategies() {
  static const ProductStrategy table[] = {
#define TILEC_PRODUCT_STRATEGY(name) product::name,
#include "Roles/Strategies/Strategies.def"
#undef TILEC_PRODUCT_STRATEGY
  };
  return table;
}

std::string productStrategyNames() {
  std::string names = "auto";
  for (const ProductStrategy &strategy : productStrategies())
    names += ", " + strategy.name.str();
  return names;
}

bool isProductStrategy(llvm::StringRef name) {
  for (const ProductStrategy &strategy : productStrategies())
    if (strategy.name == name)
      return true;
  return false;
}

llvm::Expected<ProductPlan> planProduct(llvm::StringRef name, const ProductShape &shape) {
  for (const ProductStrategy &strategy : productStrategies()) {
    if (name != "auto" && name != strategy.name)
      continue;
    std::string reason = strategy.fits(shape);
    if (name == "auto" && (!reason.empty() || !strategy.suits(shape)))
      continue;
    if (!reason.empty())
      return llvm::createStringError("`" + strategy.name.str() + "` does not fit: " + reason);
    return strategy.plan(shape);
  }
  if (name == overlapScheduleName)
    return llvm::createStringError("`overlap` does not fit: it is for loops of two gemms with "
                                   "something between them");
  return llvm::createStringError("`%s` is no schedule; known: %s", name.str().c_str(),
                                 productStrategyNames().c_str());
}

} // namespace tilec
