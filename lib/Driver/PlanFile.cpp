//===- PlanFile.cpp - plans of loops as a file ----------------------------===//
//
// Takes the text of a plan file and the loops of a kernel, gives each loop its plan, or an error at
// the line that has it; and writes such a text.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/PlanFile.h"

#include "tilec/Target/Target.h"
#include "tilec/Transforms/BodyOrder.h"
#include "tilec/Transforms/LoopGraphs.h"
#include "tilec/Transforms/ScheduleNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace tilec {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string PlanFile::str() const {
  std::string result = "plan " + name + " for " + target + " model " + model + "\n";
  for (const std::string &comment : comments)
    result += "# " + comment + "\n";
  if (!layouts.atoms.empty())
    result += "atoms " + layouts.atoms + "\n";
  if (layouts.swizzle != 0)
    result += "swizzle " + std::to_string(layouts.swizzle) + "\n";
  for (const PlannedLoop &loop : loops) {
    result += "loop " + loop.kernel + " graph " + llvm::utohexstr(loop.graph, true, 16) + "\n";
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(loop.text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : lines)
      result += "  " + line.str() + "\n";
  }
  return result;
}

namespace {

/// The plan of a loop as its kind wants it; "" where it can be parsed.
std::string faultOf(llvm::StringRef text) {
  if (text.ltrim().starts_with("order"))
    return llvm::toString(BodyOrder::parse(text).takeError());
  return llvm::toString(SchedulePlan::parse(text).takeError());
}

class Parser {
public:
  Parser(const SourceManager &sources, uint32_t file, DiagnosticEngine &diags)
      : source(sources.file(file)), file(file), diags(diags) {}

  std::optional<PlanFile> run() {
    llvm::SmallVector<llvm::StringRef> lines;
    source.text().split(lines, '\n');
    for (auto [n, whole] : llvm::enumerate(lines)) {
      number = static_cast<unsigned>(n + 1);
      llvm::StringRef line = whole.split('#').first.trim();
      if (!line.empty() && !take(line, whole))
        return std::nullopt;
    }
    if (!hasHeader)
      return fail(1, headerRule), std::nullopt;
    for (const PlannedLoop &loop : result.loops)
      if (!checkText(loop))
        return std::nullopt;
    return std::move(result);
  }

private:
  static constexpr llvm::StringLiteral headerRule =
      "a file of plans begins with `plan NAME for TARGET model HASH`";
  static constexpr llvm::StringLiteral loopRule =
      "a loop begins with `loop KERNEL graph HASH`, and `atoms large`, `atoms small` and `swizzle "
      "N` "
      "stand in front of the first";

  bool fail(unsigned line, const llvm::Twine &text) {
    uint32_t begin = source.offsetOf({line, 1});
    diags.report(DiagId::UnknownSchedule, Span{file, begin, begin + length(line)}, text.str());
    return false;
  }
  uint32_t length(unsigned line) const { return static_cast<uint32_t>(source.line(line).size()); }

  bool takeLayout(llvm::ArrayRef<llvm::StringRef> words) {
    if (words.size() != 2)
      return false;
    if (words[0] == "atoms" && (words[1] == "large" || words[1] == "small")) {
      result.layouts.atoms = words[1];
      return true;
    }
    return words[0] == "swizzle" && !words[1].getAsInteger(10, result.layouts.swizzle) &&
           result.layouts.swizzle >= 0;
  }

  bool take(llvm::StringRef line, llvm::StringRef whole) {
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    if (!hasHeader) {
      hasHeader =
          words.size() == 6 && words[0] == "plan" && words[2] == "for" && words[4] == "model";
      if (!hasHeader)
        return fail(number, headerRule);
      result.name = words[1];
      result.target = words[3];
      result.model = words[5];
      return true;
    }
    if (words[0] == "loop") {
      PlannedLoop loop;
      bool isGood = words.size() == 4 && words[2] == "graph" && words[3].size() == 16 &&
                    !words[3].getAsInteger(16, loop.graph);
      if (!isGood)
        return fail(number, loopRule);
      loop.kernel = words[1];
      loop.line = number;
      result.loops.push_back(std::move(loop));
      return true;
    }
    if (result.loops.empty())
      return takeLayout(words) || fail(number, loopRule);
    PlannedLoop &loop = result.loops.back();
    if (loop.textLine == 0)
      loop.textLine = number;
    // Lines that hold nothing are kept as such, so that numbers of lines are the file's.
    loop.text.append(number - loop.textLine - llvm::StringRef(loop.text).count('\n'), '\n');
    whole.consume_front("  ");
    loop.text += whole.rtrim().str() + "\n";
    return true;
  }

  /// Plans say `line N: ...` of their own text.
  bool checkText(const PlannedLoop &loop) {
    if (loop.text.empty())
      return fail(loop.line, "the loop has no plan: `schedule ...` or `order ...` and its steps");
    std::string fault = faultOf(loop.text);
    if (fault.empty())
      return true;
    llvm::StringRef rest = fault;
    unsigned at = 0;
    if (!rest.consume_front("line ") || rest.consumeInteger(10, at) || !rest.consume_front(": "))
      return fail(loop.textLine, fault);
    return fail(loop.textLine + at - 1, rest);
  }

  const SourceFile &source;
  uint32_t file;
  DiagnosticEngine &diags;
  unsigned number = 0;
  bool hasHeader = false;
  PlanFile result;
};

} // namespace

std::optional<PlanFile> PlanFile::parse(const SourceManager &sources, uint32_t file,
                                        DiagnosticEngine &diags) {
  return Parser(sources, file, diags).run();
}

std::string planFileOf(llvm::StringRef word, llvm::StringRef script, Arch arch) {
  if (word.ends_with(".plan"))
    return word.str();
  if (word.empty() || scheduleProblem(word, arch).empty())
    return "";
  llvm::SmallString<128> path(llvm::sys::path::parent_path(script));
  llvm::sys::path::append(path, word + ".plan");
  return llvm::sys::fs::exists(path) ? path.str().str() : "";
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::string modelVersion() { return TILEC_MODEL_VERSION; }

namespace {

llvm::Error give(LoopGraph &loop, const std::string &text) {
  bool isOrder = llvm::StringRef(text).ltrim().starts_with("order");
  if (isOrder == loop.shape.has_value())
    return llvm::createStringError(isOrder ? "a matrix loop has a `schedule`, not an `order`"
                                           : "this loop has an `order`, not a `schedule`");
  if (isOrder) {
    llvm::Expected<BodyOrder> order = BodyOrder::parse(text);
    return order ? LoopBody(loop.op).apply(*order) : order.takeError();
  }
  llvm::Expected<SchedulePlan> plan = SchedulePlan::parse(text);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = checkSchedule(*plan, *loop.shape))
    return error;
  mlir::cast<wave::PipelineOp>(loop.op).setPlan(text);
  return llvm::Error::success();
}

} // namespace

bool arePlansFor(const PlanFile &plans, Arch arch) {
  return plans.target == nameOf(arch) && plans.model == modelVersion();
}

bool givePlans(mlir::ModuleOp module, Arch arch, const PlanFile &plans, uint32_t file,
               DiagnosticEngine &diags) {
  const SourceFile &source = diags.sourceManager().file(file);
  auto spanOf = [&](unsigned line) {
    uint32_t begin = source.offsetOf({line, 1});
    return Span{file, begin, begin + static_cast<uint32_t>(source.line(line).size())};
  };
  auto remark = [&](unsigned line, const llvm::Twine &text) {
    diags.add({DiagId::IrRemark, Severity::Remark, spanOf(line), text.str()});
  };
  if (!arePlansFor(plans, arch)) {
    remark(1, "not used: the plans are for " + plans.target + " and model " + plans.model +
                  ", this is " + llvm::StringRef(nameOf(arch)) + " and model " + modelVersion() +
                  "; loops keep their strategies");
    return true;
  }
  std::vector<bool> isUsed(plans.loops.size());
  for (LoopGraph &loop : loopGraphsOf(module, targetInfo(arch)))
    for (auto [n, planned] : llvm::enumerate(plans.loops)) {
      if (planned.graph != loop.hash)
        continue;
      isUsed[n] = true;
      if (llvm::Error error = give(loop, planned.text)) {
        diags.report(DiagId::PlanImpossible, spanOf(planned.line),
                     llvm::toString(std::move(error)));
        return false;
      }
      break;
    }
  for (auto [n, planned] : llvm::enumerate(plans.loops))
    if (!isUsed[n])
      remark(planned.line, "not used: no loop has this graph; the strategy plans it");
  return true;
}

} // namespace tilec
