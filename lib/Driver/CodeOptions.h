//===- CodeOptions.h - how code is made, on a tool's command line ---------===//
//
// Takes a tool's command line and two texts, adds the options that fill them: `tilec` and
// `tilec-run` have them with one meaning.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/ScheduleNames.h"

#include <CLI/CLI.hpp>

#include <string>

namespace tilec {

inline void addCodeOptions(CLI::App &app, std::string &schedule, std::string &math) {
  app.add_option("--schedule", schedule,
                 "strategy of every matrix loop; AMD: " + listOfSchedules(Arch::Gfx950) +
                     "; Hopper: " + listOfSchedules(Arch::Sm90a));
  app.add_option("--math", math,
                 "how functions of f32 are computed: default, fast (the hardware's approximations) "
                 "or libs (ROCm's device libraries, CUDA's libdevice)")
      ->check(CLI::IsMember({"default", "fast", "libs"}));
}

} // namespace tilec
