//===- RecorderState.h - what a recorder knows of values and frames -------===//
//
// The frames that are open, the values that were handed out, and the loads in them that a later
// write would change.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Build/Recorder.h"

namespace tilec::build {

using namespace script;

/// Buffers that an expression reads, by root, with the count of writes when it was made.
struct Recorder::Loads {
  unsigned root, writes;
};

struct Recorder::Frame {
  enum Kind { Module, Function, Launch, Loop, If, Else, While, Lambda } kind;
  Span span;
  bool isOpen = true;
  Frame *parent = nullptr;
  /// A list: what turns out to be needed as a name is inserted where it was made.
  std::list<const ast::Stmt *> statements;
  const ast::Expr *head = nullptr; ///< launch, loop, condition
  const ast::Expr *target = nullptr;
  ast::Body thenBody;              ///< Else
  std::vector<ast::Param> formals; ///< Lambda
};

struct Recorder::Value {
  /// Null of a value that was never made.
  const ast::Expr *expr = nullptr;
  Frame *frame = nullptr; ///< the innermost one that it depends on
  Frame *madeIn = nullptr;
  std::list<const ast::Stmt *>::iterator after; ///< the last statement when it was made
  bool hasStatement = false;                    ///< else it was made at the frame's begin
  unsigned size = 1;                            ///< nodes
  unsigned uses = 0;
  /// A scalar that is computed: it may become a name.
  bool isComputed = false;
  llvm::SmallVector<Loads, 2> loads;
  int root = -1; ///< of a buffer
};

} // namespace tilec::build
