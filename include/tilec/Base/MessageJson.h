//===- MessageJson.h - messages for programs ------------------------------===//
//
// What `--diagnostics=json` prints: one JSON object a line (docs/reference/diagnostics.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DiagId.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Lines and columns count from 1, columns in bytes; the end is behind the last byte.
struct PlaceOfMessage {
  std::string_view file;
  uint32_t line, column, endLine, endColumn;
};

struct MessageFields {
  DiagId id;
  Severity severity;
  std::string_view text;
  std::optional<PlaceOfMessage> place;
  std::vector<MessageFields> notes;
};

/// The object on one line, without the line's end. Bytes that are no UTF-8 are replaced.
std::string jsonOf(const MessageFields &message);

/// What the message says to do: the part behind its last semicolon; empty where it has none.
std::string_view fixOf(std::string_view message);

} // namespace tilec
