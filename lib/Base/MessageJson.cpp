//===- MessageJson.cpp - messages for programs ----------------------------===//
//
// Takes a message with its notes, gives a line of JSON (docs/reference/diagnostics.md has the
// fields).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/MessageJson.h"

#include "nlohmann/json.hpp"

namespace tilec {

std::string_view fixOf(std::string_view message) {
  // Code in backticks and remarks in parentheses may hold semicolons, too.
  bool isCode = false;
  int depth = 0;
  size_t fix = std::string_view::npos;
  for (size_t i = 0; i < message.size(); ++i) {
    isCode ^= message[i] == '`';
    if (!isCode)
      depth += (message[i] == '(') - (message[i] == ')');
    if (!isCode && depth <= 0 && message.substr(i, 2) == "; ")
      fix = i + 2;
  }
  return fix == std::string_view::npos ? std::string_view() : message.substr(fix);
}

static nlohmann::ordered_json objectOf(const MessageFields &message) {
  nlohmann::ordered_json object;
  object["id"] = nameOf(message.id);
  object["severity"] = nameOf(message.severity);
  object["text"] = message.text;
  if (std::string_view fix = fixOf(message.text); !fix.empty())
    object["fix"] = fix;
  if (const std::optional<PlaceOfMessage> &place = message.place) {
    object["file"] = place->file;
    object["line"] = place->line;
    object["column"] = place->column;
    object["end_line"] = place->endLine;
    object["end_column"] = place->endColumn;
  }
  for (const MessageFields &note : message.notes)
    object["notes"].push_back(objectOf(note));
  return object;
}

std::string jsonOf(const MessageFields &message) {
  return objectOf(message).dump(-1, ' ', /*ensure_ascii=*/false,
                                nlohmann::json::error_handler_t::replace);
}

} // namespace tilec
