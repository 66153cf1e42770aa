//===- RivalSpec.h - what the options of all rivals have in common --------===//
//
// Takes the texts behind `--vs=`, gives their parts and the tensors that they name.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Arguments.h"

namespace tilec::rt {

/// The parts between separators; of an empty text one empty part.
inline std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

inline Result<const Argument *> tensorNamed(const std::string &name, const ArgumentSet &arguments) {
  const Argument *argument = arguments.find(name);
  if (!argument || argument->param.kind != ParamKind::Tensor)
    return Error{"there is no tensor `" + name + "`"};
  return argument;
}

} // namespace tilec::rt
