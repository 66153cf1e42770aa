//===- IgnoredHints.cpp - what is said and changes nothing ----------------===//
//
// Takes the bound arguments of a call, says of each hint that Ignored.def has that it is dropped,
// where its author asks for something by it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Lanes.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::script {

static constexpr llvm::StringRef ofPasses = "it is for passes of TileLang's";

Value Evaluator::defaultOf(llvm::StringRef text) {
  if (text == "None")
    return Value::none();
  if (text == "True" || text == "False")
    return Value::boolean(text == "True");
  if (text.starts_with("'"))
    return heap.str(text.drop_front().drop_back().str());
  int64_t number = 0;
  text.getAsInteger(10, number);
  return Value::small(number);
}

/// Of one line in a loop that is traced several times once.
void Evaluator::remarkIgnored(const BoundArgs &args) {
  const Signature &signature = signatureOf(args.id);
  for (const IgnoredHint &hint : ignoredHintsOf(args.id)) {
    if (hint.keyword.empty()) {
      remarkOnce(DiagId::HintIgnored, args.calleeSpan, "T." + nameOf(args.id).str(), hint.why);
      continue;
    }
    size_t n = args.indexOf(hint.keyword);
    const Value &value = args.values[n];
    llvm::StringRef usual = signature.parameters[n].defaultText;
    bool asksForNothing = value.is(ValueKind::None) ||
                          (value.isSequence() && value.items().empty()) ||
                          (!usual.empty() && same(value, defaultOf(usual)));
    if (args.given[n] && !asksForNothing)
      remarkOnce(DiagId::HintIgnored, args.spans[n], hint.keyword, hint.why);
  }
  if (llvm::is_contained(signature.names, annotationsKeyword))
    remarkAnnotations(args[annotationsKeyword], args.spanOf(annotationsKeyword));
}

void Evaluator::remarkAnnotations(const Value &value, Span span) {
  if (!value.is(ValueKind::None))
    remarkOnce(DiagId::HintIgnored, span, annotationsKeyword, ofPasses);
}

/// Of `@tilelang.jit`'s options those that the language does not read. "auto" asks for nothing.
void Evaluator::remarkIgnoredOption(llvm::StringRef name, const Value &value, Span span) {
  bool asksForNothing = value.is(ValueKind::None) ||
                        (value.is(ValueKind::Bool) && !value.boolean()) ||
                        (value.isSequence() && value.items().empty()) ||
                        (value.is(ValueKind::Str) && value.str() == "auto");
  if (asksForNothing)
    return;
  llvm::StringRef why = llvm::StringSwitch<llvm::StringRef>(name)
                            .Case("compile_flags", "no other compiler is called")
                            .Case("execution_backend", "who loads the code object launches it")
                            .Case("target_host", "there is no code for the host")
                            .Case("debug_root_path", "`--emit` writes what each stage has made")
                            .Case("verbose", "`--remarks` and `--emit=report` say what is made")
                            .Default("`jit` has no such option here");
  remark(DiagId::HintIgnored, span, name, why);
}

/// Of upstream's options those that ask for something, and nothing here knows them.
void Evaluator::remarkIgnoredConfig(llvm::StringRef key, const Value &value, Span span) {
  constexpr llvm::StringRef known[] = {"tl.enable_fast_math", // lib/Import asks for these
                                       "tl.disable_thread_storage_sync"};
  bool isOff = value.is(ValueKind::None) || (value.is(ValueKind::Bool) && !value.boolean());
  if (!isOff && !llvm::is_contained(known, key))
    remark(DiagId::HintIgnored, span, key, ofPasses);
}

} // namespace tilec::script
