//===- HostPieces.h - texts of the host's functions -----------------------===//
//
// Takes the text of a function of the host, parses it once as a file of its own, and keeps it for
// messages.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ModuleScope.h"

#include "tilec/Script/Host.h"
#include "tilec/Support/Diagnostics.h"

namespace tilec::script {

/// Functions of the host that are evaluated like the script: each is a file of one statement.
class HostPieces {
public:
  HostPieces(SourceManager &sources, Host &host) : host(host), sources(sources) {}

  struct Piece {
    std::string name;                    ///< of the function
    std::unique_ptr<ast::Module> module; ///< null when it does not parse
    std::optional<Diagnostic> error;     ///< then why
    mutable ModuleScope scope;
  };
  /// Null for a function without text.
  const Piece *find(uint64_t function);

  Host &host;

private:
  SourceManager &sources;
  llvm::DenseMap<uint64_t, std::unique_ptr<Piece>> pieces;
};

} // namespace tilec::script
