//===- PipelineLists.cpp - order, stage and group of T.Pipelined ----------===//
//
// The pipeliner starts copies some iterations early and leaves the other statements in
// order. Lists that ask for this are followed; what else they ask for is told.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tilec {
using script::argument;
using script::IntrinsicId;
using script::StmtKind;

namespace {

/// The parts that a schedule moves: the statements, or what `group` makes of them.
using Parts = SmallVector<SmallVector<const script::Stmt *, 2>>;

bool isTileCopy(const script::Stmt *s) {
  const auto *call = llvm::dyn_cast<script::TileCallStmt>(s);
  if (!call || call->call->id != IntrinsicId::Copy)
    return false;
  const script::Argument &src = argument(*call->call, "src"), &dst = argument(*call->call, "dst");
  return src.region && dst.region && src.region->buffer->scope == script::Scope::Global &&
         dst.region->buffer->scope == script::Scope::Shared;
}

/// What the lists ask for beyond copies that run ahead; empty when that is all. `ahead`: by how
/// many iterations, if they say it.
llvm::StringRef unusualWish(const Parts &parts, const script::LoopHints &hints,
                            std::optional<int64_t> &ahead) {
  constexpr int64_t open = -1; // left to the compiler
  int64_t copyStage = open, otherStage = open, lastPlace = open;
  for (auto [n, part] : llvm::enumerate(parts)) {
    bool copies = llvm::all_of(part, isTileCopy);
    if (int64_t stage = hints.stage.empty() ? open : hints.stage[n]; stage != open) {
      int64_t &common = copies ? copyStage : otherStage;
      if (common != open && common != stage)
        return copies ? "its copies are in different stages"
                      : "its statements other than copies are in different stages";
      common = stage;
    }
    if (int64_t place = hints.order.empty() ? open : hints.order[n]; place != open && !copies) {
      if (place < lastPlace)
        return "it reorders statements other than copies";
      lastPlace = place;
    }
  }
  if (copyStage != open && otherStage != open) {
    if (copyStage > otherStage)
      return "its copies come after their uses";
    ahead = otherStage - copyStage;
  }
  return "";
}

} // namespace

/// Of lists that ask for no more than copies that run ahead, the one that changes nothing.
void Importer::remarkLists(const script::ForStmt *s, std::optional<int64_t> ahead) {
  const script::LoopHints &hints = s->hints;
  auto say = [&](llvm::StringRef name, llvm::StringRef why) {
    diags.report(DiagId::HintIgnored, s->headSpan, name, why);
  };
  if (hints.order.empty() && hints.stage.empty())
    say("group", "neither `order` nor `stage` says anything of its groups");
  else if (hints.stage.empty())
    say("order", "copies run ahead as `num_stages` says, and all else stays in order");
  else if (hints.numStages != 0 && ahead && hints.numStages != *ahead + 1)
    say("stage", "copies run ahead as `num_stages` says");
}

void Importer::pipelineLists(const script::ForStmt *s, int64_t &stages) {
  const script::LoopHints &hints = s->hints;
  // 0: steps in series; 1: no second slot.
  stages = s->loop == script::LoopKind::Pipelined ? hints.numStages : 1;
  if (hints.order.empty() && hints.stage.empty() && hints.group.empty())
    return;
  SmallVector<const script::Stmt *> statements;
  for (const script::Stmt *inner : s->body)
    if (inner->kind != StmtKind::Let && inner->kind != StmtKind::Alloc)
      statements.push_back(inner);
  Parts parts;
  if (hints.group.empty()) {
    for (const script::Stmt *inner : statements)
      parts.push_back({inner});
  } else {
    llvm::SmallBitVector seen(statements.size());
    for (llvm::ArrayRef<int64_t> row : hints.group) {
      parts.emplace_back();
      for (int64_t n : row) {
        if (n < 0 || n >= int64_t(statements.size()) || seen[n]) {
          fail(DiagId::PipelineGroup, s->headSpan, statements.size());
          return;
        }
        seen.set(n);
        parts.back().push_back(statements[n]);
      }
    }
    if (!seen.all()) {
      fail(DiagId::PipelineGroup, s->headSpan, statements.size());
      return;
    }
  }
  for (auto [name, list] : {std::pair("order", hints.order), std::pair("stage", hints.stage)})
    if (!list.empty() && list.size() != parts.size()) {
      fail(DiagId::PipelineList, s->headSpan, name, list.size(), parts.size(),
           hints.group.empty() ? "statements" : "groups");
      return;
    }
  llvm::SmallBitVector places(parts.size());
  for (int64_t place : hints.order) {
    if (place < -1 || place >= int64_t(parts.size()) || (place >= 0 && places[place])) {
      fail(DiagId::PipelineOrder, s->headSpan, parts.size() - 1);
      return;
    }
    if (place >= 0)
      places.set(place);
  }
  for (int64_t stage : hints.stage)
    if (stage < -1) {
      fail(DiagId::PipelineStage, s->headSpan, stage);
      return;
    }
  std::optional<int64_t> ahead;
  if (llvm::StringRef wish = unusualWish(parts, hints, ahead); !wish.empty()) {
    diags.report(DiagId::PipelineNotApplied, s->headSpan, wish);
    return;
  }
  remarkLists(s, ahead);
  if (hints.numStages == 0)
    stages = ahead.value_or(0) + 1;
}

} // namespace tilec
