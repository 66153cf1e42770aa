//===- Parser.cpp - PTX text to decoded kernels ---------------------------===//
//
// Grammar: PTX ISA 9.0, as far as a compiler writes it. Nested blocks `{ .reg ...; }`
// have names of their own; forward labels are filled in at the end of a kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "tilec/PtxSim/PtxSim.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace llvm;

namespace tilec::ptx {
namespace {

/// Where the first shared variable lies: not at 0, which a program may take for null. The swizzles
/// of TMA and wgmma look at address bits, so it is a multiple of 1024.
constexpr uint32_t firstSharedAddress = 1024;
constexpr uint32_t dynamicSharedAlign = 1024;

std::string withoutComments(StringRef text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      if (i < text.size())
        out += '\n';
    } else if (text.substr(i).starts_with("/*")) {
      size_t end = text.find("*/", i);
      for (; i < std::min(end, text.size()); ++i)
        if (text[i] == '\n')
          out += '\n';
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

const std::map<StringRef, Special> specialNames = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::LaneId},
    {"%warpid", Special::WarpId},
    {"%cluster_ctarank", Special::ClusterCtaRank},
    {"%cluster_nctarank", Special::ClusterNctaRank},
    {"%cluster_ctaid.x", Special::ClusterCtaidX},
    {"%cluster_ctaid.y", Special::ClusterCtaidY},
    {"%cluster_ctaid.z", Special::ClusterCtaidZ},
    {"%cluster_nctaid.x", Special::ClusterNctaidX},
    {"%cluster_nctaid.y", Special::ClusterNctaidY},
    {"%cluster_nctaid.z", Special::ClusterNctaidZ},
    {"%clusterid.x", Special::ClusteridX},
    {"%clusterid.y", Special::ClusteridY},
    {"%clusterid.z", Special::ClusteridZ},
    {"%nclusterid.x", Special::NclusteridX},
    {"%nclusterid.y", Special::NclusteridY},
    {"%nclusterid.z", Special::NclusteridZ},
    {"%lanemask_lt", Special::LaneMaskLt},
    {"%lanemask_le", Special::LaneMaskLe},
    {"%lanemask_gt", Special::LaneMaskGt},
    {"%lanemask_ge", Special::LaneMaskGe},
    {"%lanemask_eq", Special::LaneMaskEq},
    {"%smid", Special::SmId},
    {"%clock", Special::Clock},
    {"%clock64", Special::Clock},
};

bool isNameChar(char c) { return isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

class Parser {
public:
  explicit Parser(StringRef original) : text(withoutComments(original)) {}

  Error run(std::vector<std::unique_ptr<Program>> &kernels) {
    while (!failed && skipSpace()) {
      StringRef word = peekWord();
      if (word == ".version" || word == ".target" || word == ".address_size")
        takeUntil('\n');
      else if (word == ".entry" || word == ".func")
        parseFunction(kernels, word == ".entry");
      else if (word == ".visible" || word == ".weak" || word == ".extern")
        takeWord();
      else if (word == ".shared")
        parseShared(takeUntil(';'));
      else if (word.starts_with("."))
        takeUntil(';');
      else
        fail("`" + StringRef(text).substr(at, 30).take_until([](char c) { return isSpace(c); }) +
             "` is no PTX");
    }
    if (failed)
      return createStringError("PTX line " + Twine(failedLine) + ": " + message);
    for (auto &kernel : kernels)
      kernel->staticSharedBytes = alignTo(sharedEnd, dynamicSharedAlign);
    return Error::success();
  }

private:
  void fail(const Twine &why) {
    if (failed)
      return;
    failed = true;
    message = why.str();
    failedLine = line;
  }

  bool skipSpace() {
    while (at < text.size() && isSpace(text[at]))
      line += text[at++] == '\n';
    return at < text.size();
  }
  StringRef peekWord() {
    size_t end = at;
    while (end < text.size() && isNameChar(text[end]))
      ++end;
    return StringRef(text).slice(at, end);
  }
  StringRef takeWord() {
    StringRef word = peekWord();
    at += word.size();
    skipSpace();
    return word;
  }
  /// What stands before `end`, which is consumed too.
  StringRef takeUntil(char end) {
    size_t found = text.find(end, at);
    if (found == std::string::npos) {
      fail(Twine("`") + Twine(end) + "` is missing");
      found = text.size();
    }
    StringRef taken = StringRef(text).slice(at, found);
    line += taken.count('\n') + (end == '\n');
    at = std::min(found + 1, text.size());
    return taken;
  }

  /// `.align 16 .b8 name[128]`, `[]` for the dynamic part; gives it a place.
  void parseShared(StringRef declaration) {
    SmallVector<StringRef> words;
    declaration.split(words, ' ', -1, false);
    unsigned align = 1, elementBytes = 1;
    for (size_t i = 0; i < words.size(); ++i) {
      StringRef word = words[i].trim();
      if (word == ".align" && i + 1 < words.size())
        words[++i].trim().getAsInteger(10, align);
      else if (word.starts_with("."))
        elementBytes = std::max(1u, bytesOf(parseType(word.drop_front())));
      else if (!word.empty()) {
        auto [name, rest] = word.split('[');
        uint64_t count = 1;
        bool isDynamic = rest.starts_with("]");
        if (!rest.empty() && !isDynamic && rest.split(']').first.getAsInteger(10, count))
          return fail("`" + word + "` has no size");
        if (isDynamic) {
          dynamicShared.push_back(name.str());
        } else {
          sharedEnd = alignTo(sharedEnd, std::max(1u, align));
          symbols[name] = sharedEnd;
          sharedEnd += uint32_t(count * elementBytes);
        }
      }
    }
  }

  void parseFunction(std::vector<std::unique_ptr<Program>> &kernels, bool isEntry) {
    takeWord();
    program = std::make_unique<Program>();
    scopes.assign(1, {});
    labels.assign(1, {});
    fixups.clear();
    constants.clear();
    sharedAddresses.clear();
    specials.clear();
    params.clear();
    locals.clear();
    uint32_t dynamicBase = alignTo(sharedEnd, dynamicSharedAlign);
    for (const std::string &name : dynamicShared)
      symbols[name] = dynamicBase;
    if (!isEntry && text[at] == '(')
      takeUntil(')'), skipSpace(); // the results
    program->name = takeWord().str();
    if (skipSpace() && text[at] == '(') {
      ++at;
      parseParams(takeUntil(')'));
    }
    parseHead();
    if (failed)
      return;
    if (text[at] == ';') { // a declaration
      ++at;
      return;
    }
    parseBody();
    if (isEntry)
      kernels.push_back(std::move(program));
  }

  void parseParams(StringRef list) {
    SmallVector<StringRef> declarations;
    list.split(declarations, ',', -1, false);
    uint32_t end = 0;
    for (StringRef declaration : declarations) {
      SmallVector<StringRef> words;
      declaration.trim().split(words, ' ', -1, false);
      uint32_t bytes = 0, align = 0;
      bool isPointer = false;
      StringRef name;
      uint64_t count = 1;
      for (size_t i = 0; i < words.size(); ++i) {
        StringRef word = words[i].trim();
        if (word == ".ptr")
          isPointer = true;
        else if (word == ".align" && i + 1 < words.size()) {
          uint32_t value = 0;
          words[++i].trim().getAsInteger(10, value);
          align = isPointer ? align : value; // else of what it points to
        } else if (word.starts_with("."))
          bytes = std::max(bytes, bytesOf(parseType(word.drop_front())));
        else if (!word.empty())
          name = word.split('[').first,
          word.split('[').second.split(']').first.getAsInteger(10, count);
      }
      end = alignTo(end, std::max({1u, align, count == 1 ? bytes : 1u}));
      params[name] = end;
      end += uint32_t(bytes * count);
    }
    program->paramBytes = end;
  }

  /// The directives between the parameters and the body.
  void parseHead() {
    while (skipSpace() && text[at] == '.') {
      StringRef word = takeWord();
      std::array<uint32_t, 3> numbers = {1, 1, 1};
      for (unsigned i = 0; i < 3 && at < text.size() && isDigit(text[at]); ++i) {
        peekWord().getAsInteger(10, numbers[i]);
        takeWord();
        if (at < text.size() && text[at] == ',')
          ++at, skipSpace();
      }
      if (word == ".reqntid")
        program->block = numbers;
      else if (word == ".maxntid")
        program->maxBlock = numbers;
      else if (word == ".reqnctapercluster")
        program->cluster = numbers;
    }
    if (at >= text.size() || (text[at] != '{' && text[at] != ';'))
      fail("a kernel's body is missing");
  }

  void parseBody() {
    ++at; // {
    while (!failed && skipSpace()) {
      char c = text[at];
      if (c == '{') {
        scopes.emplace_back();
        labels.emplace_back();
        ++at;
      } else if (c == '}') {
        ++at;
        resolve();
        scopes.pop_back();
        labels.pop_back();
        if (scopes.empty())
          break;
      } else if (c == ';') {
        ++at;
      } else if (c == '.') {
        parseDirective();
      } else {
        parseStatement();
      }
    }
    if (!scopes.empty())
      fail("the kernel has no end");
    for (auto &[value, reg] : constants)
      program->constants.push_back({reg, value});
    for (auto &[address, reg] : sharedAddresses)
      program->sharedAddresses.push_back({reg, address});
    for (auto &[special, reg] : specials)
      program->specials.push_back({reg, special});
    program->registers = program->registerNames.size();
  }

  /// Fills in the labels that the innermost block declares.
  void resolve() {
    std::vector<Fixup> open;
    for (Fixup &fixup : fixups) {
      auto it = labels.back().find(fixup.name);
      if (it != labels.back().end())
        program->code[fixup.instruction].args[fixup.arg].offset = it->second;
      else
        open.push_back(fixup);
    }
    fixups = std::move(open);
    if (labels.size() == 1 && !fixups.empty()) {
      line = fixups.front().line;
      fail("`" + fixups.front().name + "` is not declared");
    }
  }

  void parseDirective() {
    StringRef word = peekWord();
    StringRef statement = takeUntil(word == ".loc" || word == ".file" ? '\n' : ';');
    if (word == ".shared")
      return fail("shared variables inside of a kernel are not known here");
    if (word == ".local")
      return parseLocal(statement);
    if (word != ".reg")
      return; // .pragma and the like
    statement = statement.drop_front(word.size()).ltrim();
    StringRef type = statement.take_until([](char c) { return isSpace(c); });
    registerBytes = uint8_t(bytesOf(parseType(type.drop_front())));
    statement = statement.drop_front(type.size());
    SmallVector<StringRef> names;
    statement.split(names, ',', -1, false);
    for (StringRef name : names) {
      name = name.trim();
      auto [base, count] = name.split('<');
      unsigned n = 0;
      if (count.empty()) {
        scopes.back()[name] = newRegister(name);
      } else if (count.split('>').first.getAsInteger(10, n) || n > 1'000'000) {
        fail("`" + name + "` is no register");
      } else {
        for (unsigned i = 0; i < n; ++i) {
          std::string numbered = (base + Twine(i)).str();
          scopes.back()[numbered] = newRegister(numbered);
        }
      }
    }
  }

  void parseLocal(StringRef statement) {
    SmallVector<StringRef> words;
    statement.split(words, ' ', -1, false);
    uint32_t align = 1, bytes = 1;
    for (size_t i = 1; i < words.size(); ++i) {
      StringRef word = words[i].trim();
      uint64_t count = 1;
      if (word == ".align" && i + 1 < words.size()) {
        words[++i].trim().getAsInteger(10, align);
      } else if (word.starts_with(".")) {
        bytes = std::max(1u, bytesOf(parseType(word.drop_front())));
      } else if (!word.empty()) {
        word.split('[').second.split(']').first.getAsInteger(10, count);
        program->localBytes = alignTo(program->localBytes, std::max(1u, align));
        locals[word.split('[').first] = program->localBytes;
        program->localBytes += uint32_t(bytes * count);
      }
    }
  }

  uint32_t newRegister(StringRef name) {
    program->registerNames.push_back(name.str());
    program->registerBytes.push_back(registerBytes);
    return program->registerNames.size() - 1;
  }
  uint32_t constant(uint64_t value) {
    auto [it, isNew] = constants.try_emplace(value, 0);
    if (isNew)
      it->second = newRegister("");
    return it->second;
  }
  uint32_t sharedAddress(uint64_t address, StringRef name) {
    auto [it, isNew] = sharedAddresses.try_emplace(address, 0);
    if (isNew)
      it->second = newRegister(name);
    return it->second;
  }

  void parseStatement() {
    size_t end = at;
    while (end < text.size() && isNameChar(text[end]))
      ++end;
    StringRef word = StringRef(text).slice(at, end);
    size_t colon = end;
    while (colon < text.size() && (text[colon] == ' ' || text[colon] == '\t'))
      ++colon;
    if (!word.empty() && colon + 1 < text.size() && text[colon] == ':' && text[colon + 1] != ':') {
      labels.back()[word] = program->code.size();
      at = colon + 1;
      return;
    }
    Instruction instruction;
    instruction.line = line;
    StringRef statement = takeUntil(';').trim();
    instruction.text = squeezed(statement);
    if (statement.consume_front("@")) {
      instruction.isGuardNegated = statement.consume_front("!");
      StringRef guard = statement.take_while(isNameChar);
      statement = statement.drop_front(guard.size()).ltrim();
      if (std::optional<uint32_t> reg = lookup(guard))
        instruction.guard = *reg;
      else
        return fail("`" + guard + "` is no register");
    }
    StringRef opcode = statement.take_until([](char c) { return isSpace(c); });
    StringRef rest = statement.drop_front(opcode.size()).trim();
    parseOperands(rest, instruction);
    Statement parsed;
    StringRef name = opcode;
    SmallVector<StringRef, 12> pieces;
    name.split(pieces, '.', -1, false);
    if (pieces.empty())
      return fail("`" + statement.take_front(30) + "` is no instruction");
    parsed.opcode = pieces.front();
    parsed.mods.assign(pieces.begin() + 1, pieces.end());
    if (!decode(parsed, instruction) && program->problem.empty())
      program->problem =
          ("PTX line " + Twine(instruction.line) + ": `" + instruction.text + "` is not known here")
              .str();
    program->ordersBlocks |= instruction.ordersBlocks;
    program->code.push_back(std::move(instruction));
  }

  static std::string squeezed(StringRef statement) {
    std::string out;
    for (char c : statement)
      if (!isSpace(c))
        out += c;
      else if (!out.empty() && out.back() != ' ')
        out += ' ';
    constexpr size_t most = 110;
    if (out.size() > most)
      out = out.substr(0, most - 3) + "...";
    return out;
  }

  std::optional<uint32_t> lookup(StringRef name) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto it = scope->find(name); it != scope->end())
        return it->second;
    return std::nullopt;
  }

  void parseOperands(StringRef list, Instruction &instruction) {
    for (StringRef one : splitList(list)) {
      instruction.args.push_back(parseOperand(one, &instruction));
      if (failed)
        return;
    }
  }

  /// At the commas outside of brackets.
  static SmallVector<StringRef> splitList(StringRef list) {
    SmallVector<StringRef> items;
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= list.size(); ++i) {
      if (i < list.size() && (list[i] == '{' || list[i] == '['))
        ++depth;
      if (i < list.size() && (list[i] == '}' || list[i] == ']'))
        --depth;
      if (i == list.size() || (list[i] == ',' && depth == 0)) {
        if (StringRef item = list.slice(start, i).trim(); !item.empty())
          items.push_back(item);
        start = i + 1;
      }
    }
    return items;
  }

  Operand parseOperand(StringRef token, Instruction *instruction) {
    Operand operand;
    if (token.consume_front("{")) {
      for (StringRef part : splitList(token.rsplit('}').first))
        operand.parts.push_back(parseOperand(part, nullptr));
      return operand;
    }
    if (token.consume_front("[")) {
      SmallVector<StringRef> pieces = splitList(token.rsplit(']').first);
      if (pieces.empty())
        return fail("an address is empty"), operand;
      operand = parseSum(pieces[0]);
      operand.isAddress = true;
      if (pieces.size() > 1)
        operand.parts = parseOperand(pieces[1], nullptr).parts;
      return operand;
    }
    if (token.contains('|')) {
      auto [first, second] = token.split('|');
      operand.parts = {parseOperand(first.trim(), nullptr), parseOperand(second.trim(), nullptr)};
      return operand;
    }
    if (token == "_")
      return operand;
    operand.isNegated = token.consume_front("!");
    if (std::optional<uint32_t> reg = lookup(token)) {
      operand.reg = *reg;
      return operand;
    }
    if (std::optional<uint64_t> value = parseNumber(token)) {
      operand.reg = constant(*value);
      operand.offset = int64_t(*value);
      return operand;
    }
    if (auto it = specialNames.find(token); it != specialNames.end()) {
      auto [known, isNew] = specials.try_emplace(it->second, 0);
      if (isNew)
        known->second = newRegister(token);
      operand.reg = known->second;
      return operand;
    }
    StringRef base = token.split('+').first.trim();
    if (auto shared = symbols.find(base); shared != symbols.end()) {
      operand.reg = sharedAddress(shared->second + uint64_t(parseSum(token).offset), token);
      return operand;
    }
    if (std::optional<uint64_t> symbol = symbolAddress(base)) {
      operand.reg = constant(*symbol + uint64_t(parseSum(token).offset));
      return operand;
    }
    if (instruction) { // a label, perhaps further down
      fixups.push_back({token.str(), program->code.size(), instruction->args.size(), line});
      return operand;
    }
    fail("`" + token + "` is not declared");
    return operand;
  }

  /// `base`, `base+4`, `base+-4`, `64`.
  Operand parseSum(StringRef token) {
    Operand operand;
    auto [base, more] = token.split('+');
    base = base.trim();
    more = more.trim();
    if (!more.empty()) {
      std::optional<uint64_t> value = parseNumber(more);
      if (!value)
        fail("`" + token + "` is no address");
      else
        operand.offset = int64_t(*value);
    }
    if (std::optional<uint32_t> reg = lookup(base))
      operand.reg = *reg;
    else if (auto shared = symbols.find(base); shared != symbols.end())
      operand.reg = sharedAddress(shared->second, base);
    else if (std::optional<uint64_t> symbol = symbolAddress(base))
      operand.reg = constant(*symbol);
    else if (std::optional<uint64_t> value = parseNumber(base))
      operand.reg = constant(*value);
    else
      fail("`" + base + "` is not declared");
    return operand;
  }

  std::optional<uint64_t> symbolAddress(StringRef name) const {
    if (auto it = params.find(name); it != params.end())
      return it->second;
    if (auto it = locals.find(name); it != locals.end())
      return it->second;
    return std::nullopt;
  }

  static std::optional<uint64_t> parseNumber(StringRef token) {
    uint64_t value = 0;
    if (token.size() > 2 && token[0] == '0' && (token[1] == 'f' || token[1] == 'd')) {
      if (token.drop_front(2).getAsInteger(16, value))
        return std::nullopt;
      return value;
    }
    bool isNegative = token.consume_front("-");
    token.consume_back("U");
    if (token.getAsInteger(0, value))
      return std::nullopt;
    return isNegative ? 0 - value : value;
  }

  struct Fixup {
    std::string name;
    size_t instruction, arg;
    uint32_t line;
  };

  std::string text;
  size_t at = 0;
  uint32_t line = 1, failedLine = 0;
  bool failed = false;
  std::string message;

  StringMap<uint64_t> symbols; ///< shared variables
  StringMap<uint64_t> params, locals;
  std::vector<std::string> dynamicShared;
  uint32_t sharedEnd = firstSharedAddress;

  std::unique_ptr<Program> program;
  std::vector<StringMap<uint32_t>> scopes;
  std::vector<StringMap<size_t>> labels;
  std::vector<Fixup> fixups;
  uint8_t registerBytes = 8; ///< of those that are being declared
  std::map<uint64_t, uint32_t> constants, sharedAddresses;
  std::map<Special, uint32_t> specials;
};

} // namespace

Module::Module() = default;
Module::~Module() = default;

Expected<std::unique_ptr<Module>> Module::parse(StringRef text) {
  std::unique_ptr<Module> module(new Module());
  if (Error error = Parser(text).run(module->kernels))
    return error;
  return module;
}

const Program *Module::find(StringRef kernel) const {
  for (const auto &program : kernels)
    if (program->name == kernel)
      return program.get();
  return nullptr;
}

std::vector<std::string> Module::names() const {
  std::vector<std::string> all;
  for (const auto &program : kernels)
    all.push_back(program->name);
  return all;
}

} // namespace tilec::ptx
