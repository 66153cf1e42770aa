//===- DiagId.cpp - every message by its id -------------------------------===//
//
// Takes an id, gives what its row of Diagnostics.def says.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Base/DiagId.h"

#include <cstddef>

namespace tilec {
namespace {

struct Row {
  const char *name;
  Severity severity;
  const char *format;
};
constexpr Row rows[] = {
#define TILEC_DIAG(Id, Sev, Text) {#Id, Severity::Sev, Text},
#include "tilec/Base/Diagnostics.def"
};

const Row &row(DiagId id) { return rows[static_cast<size_t>(id)]; }

} // namespace

std::string_view nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "";
}

std::string_view nameOf(DiagId id) { return row(id).name; }
Severity severityOf(DiagId id) { return row(id).severity; }
const char *formatOf(DiagId id) { return row(id).format; }

} // namespace tilec
