//===- ManifestRun.h - tilec-sim on what tilec wrote ----------------------===//
//
// Takes the options of tilec-sim, says whether a manifest can be used, and runs by it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "SimTool.h"

#include <optional>

namespace tilec::sim {

/// The manifest's file, where one is to be used: it is named, or lies beside the object and nothing
/// on the command line says grid, block or arguments by number.
std::optional<std::string> manifestOf(const ToolOptions &options);

/// Runs or times all launches of a manifest. Returns the exit code.
int runManifest(const ToolOptions &options, const std::string &manifest, const std::string &image,
                const CodeObject &object, const LaunchOptions &launch);

} // namespace tilec::sim
