//===- Planted.h - kernels with planted bugs ------------------------------===//
//
// Negative control: the PTX of compiled kernels is broken in ways that matter, one at a
// time. The whole kernels must pass with several seeds, each broken one must be found by
// a few. A change that does not apply any more fails the test: the kernel has changed,
// and the mutant with it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tilec::ptx::test {

/// A compiled script of this repository.
struct Subject {
  const char *file;
  std::string entry;
  std::string schedule = "";
};

struct Mutant {
  const char *name;
  const Subject *subject;
  const char *pattern; ///< ECMAScript, of the PTX
  const char *with;
  int which = 0; ///< the match that is replaced, counted from 1; 0: every one
};

void PrintTo(const Mutant &mutant, std::ostream *os);

class Planted : public ::testing::TestWithParam<Mutant> {};

/// A test parameter's name.
inline std::string nameOf(const ::testing::TestParamInfo<Mutant> &info) { return info.param.name; }

/// Expects that the kernel is right whatever the order.
void expectSound(const Subject &subject, uint64_t seeds = 4);

// A test of an mbarrier in its loop: $1 the result, $2 the barrier, $3 the parity.
#define TILEC_WAIT                                                                                 \
  "mbarrier\\.try_wait\\.parity\\.shared\\.b64 (%p\\d+), (\\[[^\\]]+\\]), (%r\\d+);"
#define TILEC_NO_WAIT "setp.eq.b32 $1, $3, $3;"

} // namespace tilec::ptx::test
