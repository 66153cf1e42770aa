//===- Run.h - run a compiled program on any device and check it ----------===//
//
// Takes a compilation and arguments; runs them on the cpu device and gives what every tensor must
// hold, or how a device's results differ from that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"
#include "tilec/Reference/Reference.h"
#include "tilec/Runtime/Arguments.h"
#include "tilec/Runtime/Check.h"
#include "tilec/Runtime/Launch.h"

namespace tilec {

/// Runs the program on the cpu device. The arguments' tensors are read and written in place.
rt::Status runOnCpu(Compilation &compilation, rt::ArgumentSet &arguments);

/// What a tensor that the program writes must hold afterwards, by the agreement rule.
struct Expected {
  std::string name;
  rt::HostTensor value;
  std::vector<double> spread; ///< E of each row; empty for what is compared bit for bit
  bool isExact = false;
};

/// Runs the reference, and for computed floats the two runs whose distance is their spread
/// (docs/deploy/launch-manifest.md). `before` are the arguments as a device gets them.
rt::Result<std::vector<Expected>> expectedResults(Compilation &compilation,
                                                  const rt::ArgumentSet &before);

struct TensorCheck {
  std::string name;
  DType dtype;
  rt::CheckReport report;
};

/// Compares the tensors that the program writes with the reference, by the agreement rule.
/// `before` are the arguments as they were given to the device, `after` as it left them.
rt::Result<std::vector<TensorCheck>> checkAgainstCpu(Compilation &compilation,
                                                     const rt::ArgumentSet &before,
                                                     const rt::ArgumentSet &after);

} // namespace tilec
