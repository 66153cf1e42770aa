//===- IntrinsicTable.cpp - Intrinsics.def as data ------------------------===//
//
// Intrinsics.def, Math.def and Refused.def as tables that are asked by name or id; signatures are
// parsed once.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"

namespace tilec::script {
namespace {

struct Row {
  llvm::StringRef name;
  IntrinsicKind kind;
  llvm::StringRef signature;
};
constexpr Row rows[] = {
#define TILEC_INTRINSIC(Id, Name, Kind, Signature) {Name, IntrinsicKind::Kind, Signature},
#include "tilec/Script/Intrinsics.def"
};
constexpr size_t rowCount = std::size(rows);

struct Pair {
  llvm::StringRef name, other;
};
constexpr Pair aliases[] = {
#define TILEC_INTRINSIC_ALIAS(Name, Target) {Name, Target},
#include "tilec/Script/Intrinsics.def"
};
constexpr Pair refused[] = {
#define TILEC_INTRINSIC_REFUSED(Name, Instead) {Name, Instead},
#include "tilec/Script/Refused.def"
};
constexpr Pair wantMbarriers[] = {
#define TILEC_INTRINSIC_MBARRIERS(Name, Instead) {Name, Instead},
#include "tilec/Script/Refused.def"
};

struct IgnoredRow {
  IntrinsicId id;
  IgnoredHint hint;
};
constexpr IgnoredRow ignored[] = {
#define TILEC_IGNORED(Id, Keyword, Why) {IntrinsicId::Id, {Keyword, Why}},
#include "tilec/Script/Ignored.def"
};

/// Hints say that they change nothing, but for those that ask for what is so anyway.
constexpr bool areHintsSaid() {
  for (size_t i = 0; i < rowCount; ++i) {
    auto id = static_cast<IntrinsicId>(i);
    bool isSaid = rows[i].kind != IntrinsicKind::Hint || id == IntrinsicId::CopiesCommit ||
                  id == IntrinsicId::CopiesWait;
    for (const IgnoredRow &row : ignored)
      isSaid |= row.id == id;
    if (!isSaid)
      return false;
  }
  return true;
}
static_assert(areHintsSaid(), "a function of kind Hint has no row in Ignored.def");

struct MathRow {
  llvm::StringRef name;
  unsigned arity;
};
constexpr MathRow mathRows[] = {
#define TILEC_MATH(Id, Name, Arity) {Name, Arity},
#include "tilec/Script/Math.def"
};
// Other spellings of functions of Math.def. The fast forms are the same function here: which
// instructions a function becomes is the pass configuration's business.
constexpr Pair mathAliases[] = {
    {"__exp", "exp"},     {"__exp10", "exp10"},   {"__log", "log"}, {"__log2", "log2"},
    {"__log10", "log10"}, {"__sin", "sin"},       {"__cos", "cos"}, {"__tan", "tan"},
    {"fabs", "abs"},      {"nearbyint", "round"}, {"power", "pow"},
};

/// `a, b=None, *, c='x'`. The text is ours, so it is well formed.
Signature parse(llvm::StringRef text) {
  Signature out;
  bool keywordOnly = false;
  while (!text.empty()) {
    auto [item, rest] = text.split(',');
    text = rest.ltrim();
    item = item.trim();
    if (item == "*") {
      keywordOnly = true;
      continue;
    }
    Signature::Parameter p;
    p.variadic = item.consume_front("*");
    std::tie(p.name, p.defaultText) = item.split('=');
    p.keywordOnly = keywordOnly;
    keywordOnly |= p.variadic;
    out.parameters.push_back(p);
    out.names.push_back(p.name);
  }
  return out;
}

struct Tables {
  llvm::StringMap<IntrinsicId> byName;
  llvm::StringMap<MathFn> mathByName;
  llvm::SmallVector<Signature> signatures;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<llvm::StringRef> known; ///< those that are refused, too

  Tables() {
    for (size_t i = 0; i < rowCount; ++i) {
      byName[rows[i].name] = static_cast<IntrinsicId>(i);
      signatures.push_back(parse(rows[i].signature));
      names.push_back(rows[i].name);
    }
    for (const Pair &a : aliases) {
      byName[a.name] = byName.lookup(a.other);
      names.push_back(a.name);
    }
    for (size_t i = 0; i < std::size(mathRows); ++i) {
      mathByName[mathRows[i].name] = static_cast<MathFn>(i);
      names.push_back(mathRows[i].name);
    }
    for (const Pair &a : mathAliases)
      mathByName[a.name] = mathByName.lookup(a.other);
    known = names;
    for (const Pair &r : refused)
      known.push_back(r.name);
  }
};

const Tables &tables() {
  static const Tables instance;
  return instance;
}

} // namespace

std::optional<IntrinsicId> findIntrinsic(llvm::StringRef name) {
  auto it = tables().byName.find(name);
  return it == tables().byName.end() ? std::nullopt : std::optional(it->second);
}

std::optional<MathFn> findMathFn(llvm::StringRef name) {
  auto it = tables().mathByName.find(name);
  return it == tables().mathByName.end() ? std::nullopt : std::optional(it->second);
}

unsigned arityOf(MathFn fn) { return mathRows[static_cast<size_t>(fn)].arity; }

llvm::StringRef refusedIntrinsic(llvm::StringRef name, bool hasMbarriers) {
  auto insteadOf = [&](llvm::ArrayRef<Pair> list) {
    const Pair *row = llvm::find_if(list, [&](const Pair &r) { return r.name == name; });
    return row == list.end() ? llvm::StringRef() : row->other;
  };
  llvm::StringRef instead = hasMbarriers ? llvm::StringRef() : insteadOf(wantMbarriers);
  return instead.empty() ? insteadOf(refused) : instead;
}

llvm::SmallVector<IgnoredHint> ignoredHintsOf(IntrinsicId id) {
  llvm::SmallVector<IgnoredHint> hints;
  for (const IgnoredRow &row : ignored)
    if (row.id == id)
      hints.push_back(row.hint);
  return hints;
}

IntrinsicKind kindOf(IntrinsicId id) { return rows[static_cast<size_t>(id)].kind; }

bool isOfThreads(IntrinsicId id) {
  switch (id) {
  case IntrinsicId::SyncWarp:
  case IntrinsicId::ShflSync:
  case IntrinsicId::ShflXor:
  case IntrinsicId::ShflDown:
  case IntrinsicId::ShflUp:
  case IntrinsicId::AnySync:
  case IntrinsicId::AllSync:
  case IntrinsicId::BallotSync:
  case IntrinsicId::Ballot:
  case IntrinsicId::ActiveMask:
  case IntrinsicId::SyncThreadsCount:
  case IntrinsicId::SyncThreadsAnd:
  case IntrinsicId::SyncThreadsOr:
  case IntrinsicId::MatchAnySync:
  case IntrinsicId::MatchAllSync:
  case IntrinsicId::WarpReduceSum:
  case IntrinsicId::WarpReduceMax:
  case IntrinsicId::WarpReduceMin:
  case IntrinsicId::WarpReduceBitAnd:
  case IntrinsicId::WarpReduceBitOr:
  case IntrinsicId::ShuffleElect:
  case IntrinsicId::LaneIdx:
  case IntrinsicId::WarpIdx:
  case IntrinsicId::WarpGroupIdx:
    return true;
  default:
    return false;
  }
}

bool isAtomic(IntrinsicId id) { return nameOf(id).starts_with("atomic_"); }

const Signature &signatureOf(IntrinsicId id) {
  return tables().signatures[static_cast<size_t>(id)];
}
llvm::ArrayRef<llvm::StringRef> intrinsicNames() { return tables().names; }
llvm::ArrayRef<llvm::StringRef> knownNames() { return tables().known; }

llvm::StringRef nameOf(IntrinsicId id) { return rows[static_cast<size_t>(id)].name; }
llvm::StringRef nameOf(MathFn fn) { return mathRows[static_cast<size_t>(fn)].name; }
llvm::ArrayRef<llvm::StringRef> parametersOf(IntrinsicId id) { return signatureOf(id).names; }

const Argument &argument(const Call &call, llvm::StringRef name) {
  llvm::ArrayRef<llvm::StringRef> names = parametersOf(call.id);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return call.args[i];
  llvm_unreachable("the signature has no such parameter");
}

} // namespace tilec::script
