//===- PythonValuesTest.cpp - the evaluator against CPython's values ------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ScriptTesting.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace tilec::script::testing {
namespace {

std::string textOf(const char *name) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(TILEC_TEST_DATA "/script/") + name);
  EXPECT_TRUE(buffer) << name;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

// test/data/script/values.txt: `EXPRESSION -> REPR` rows, made by CPython.
TEST(PythonValues, EveryRowHasTheValueThatCPythonGives) {
  std::string module = textOf("module.py"), rows = textOf("values.txt");
  size_t count = 0;
  for (llvm::StringRef rest = rows; !rest.empty();) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    if (line.empty() || line.starts_with("#"))
      continue;
    auto [expression, value] = line.rsplit(" -> ");
    EXPECT_EQ(eval(expression, module), value.str()) << expression.str();
    ++count;
  }
  EXPECT_GT(count, 700u);
}

} // namespace
} // namespace tilec::script::testing
