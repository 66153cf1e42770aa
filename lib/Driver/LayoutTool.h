//===- LayoutTool.h - `tilec layout` --------------------------------------===//
//
// Takes the command line of `tilec layout`, gives its exit status.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

namespace tilec {

/// `tilec layout '#tile.shared<...>'`: where a layout puts elements, as text or as a page. Returns
/// the exit status.
int layoutMain(int argc, char **argv);

} // namespace tilec
