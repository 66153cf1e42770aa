//===- Parser.h - tokens to syntax tree -----------------------------------===//
//
// The grammar of Python 3.12 without `match` and type parameters, which are refused by
// name. `yield`, `await` and `async` parse, for host code beside the kernels, and fail
// when they are evaluated. The first error ends the parse.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/Ast.h"
#include "tilec/Support/Diagnostics.h"

#include <memory>

namespace tilec::script {

/// The tree of a whole file; null after an error, which has been reported.
std::unique_ptr<ast::Module> parseModule(const SourceManager &sources, uint32_t file,
                                         DiagnosticEngine &diags);
/// A file that holds one expression.
std::unique_ptr<ast::Module> parseExpression(const SourceManager &sources, uint32_t file,
                                             DiagnosticEngine &diags);

} // namespace tilec::script
