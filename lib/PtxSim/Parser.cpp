//===- Parser.cpp - PTX text to decoded kernels ---------------------------===//
//
// Grammar: PTX ISA 9.0, as far as a compiler writes it. Nested blocks `{ .reg ...; }`
// have names of their own; forward labels are filled in at the end of a kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Names.h"
#include "Tokens.h"
#include "tilec/PtxSim/PtxSim.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilec::ptx {
namespace {

/// Where the first shared variable lies: not at 0, which a program may take for null. The swizzles
/// of TMA and wgmma look at address bits, so it is a multiple of 1024.
constexpr uint32_t firstSharedAddress = 1024;
constexpr uint32_t dynamicSharedAlign = 1024;

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
      else if (word == ".file")
        parseFile(takeUntil('\n'));
      else if (word == ".section") // of debug information
        takeUntil('}');
      else if (word == ".global" || word == ".const")
        parseData(takeUntil(';'));
      else if (word.starts_with("."))
        takeUntil(';');
      else
        fail("`" + StringRef(text).substr(at, 30).take_until([](char c) { return isSpace(c); }) +
             "` is no PTX");
    }
    if (failed)
      return createStringError("PTX line " + Twine(failedLine) + ": " + message);
    auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(data));
    for (auto &kernel : kernels) {
      kernel->data = bytes;
      kernel->staticSharedBytes = alignTo(sharedEnd, dynamicSharedAlign);
      kernel->sourceFiles = sourceFiles;
    }
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

  /// Gives a shared variable its place.
  void parseShared(StringRef declaration) {
    std::optional<Variable> variable = parseVariable(declaration);
    if (!variable)
      return fail("`" + declaration.trim() + "` has no size");
    if (variable->isDynamic) {
      dynamicShared.push_back(variable->name.str());
      return;
    }
    sharedEnd = uint32_t(alignTo(sharedEnd, variable->align));
    shared[variable->name] = sharedEnd;
    sharedEnd += uint32_t(variable->bytes);
  }

  /// A table of the module: `.global .align 8 .b8 name[16] = {1, 2, ...}`, which kernels read.
  void parseData(StringRef declaration) {
    auto [head, list] = declaration.split('=');
    std::optional<Variable> variable = parseVariable(head);
    if (!variable || variable->isDynamic || !variable->each)
      return fail("`" + head.trim() + "` has no size");
    data.resize(alignTo(data.size(), variable->align));
    dataOffsets[variable->name] = dataWindow + data.size();
    uint64_t end = data.size() + variable->bytes;
    for (StringRef item : splitList(list.trim().trim("{}"))) {
      std::optional<uint64_t> value = parseNumber(item);
      if (!value || data.size() + variable->each > end)
        return fail("`" + item + "` is no value of `" + variable->name + "`");
      for (uint64_t i = 0; i < variable->each; ++i)
        data.push_back(uint8_t(*value >> (8 * i)));
    }
    data.resize(end);
  }

  /// Where a variable lies that is no shared one: in local memory, among the parameters or in the
  /// module's data.
  std::optional<uint64_t> placeOf(StringRef name) const {
    if (auto found = names->offsets.find(name); found != names->offsets.end())
      return found->second;
    if (auto found = dataOffsets.find(name); found != dataOffsets.end())
      return found->second;
    return std::nullopt;
  }

  /// `.file 1 "gemm.py"`, anywhere.
  void parseFile(StringRef statement) {
    auto [number, name] = statement.drop_front(StringRef(".file").size()).trim().split(' ');
    uint32_t file = 0;
    if (!number.getAsInteger(10, file))
      sourceFiles[file] = name.trim().split('"').second.split('"').first.str();
  }

  /// `.loc 1 27 9`: of the instructions that follow.
  void parseLoc(StringRef statement) {
    SmallVector<StringRef> words;
    SplitString(statement, words);
    if (words.size() < 3 || words[1].getAsInteger(10, sourceFile) ||
        words[2].getAsInteger(10, sourceLine))
      sourceLine = 0;
  }

  void parseFunction(std::vector<std::unique_ptr<Program>> &kernels, bool isEntry) {
    takeWord();
    sourceLine = 0;
    program = std::make_unique<Program>();
    names.emplace(*program);
    uint32_t dynamicBase = alignTo(sharedEnd, dynamicSharedAlign);
    for (const std::string &name : dynamicShared)
      shared[name] = dynamicBase;
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
    uint64_t end = 0;
    for (StringRef declaration : declarations) {
      std::optional<Variable> variable = parseVariable(declaration);
      if (!variable)
        return fail("`" + declaration.trim() + "` is no parameter");
      end = alignTo(end, variable->align);
      names->offsets[variable->name] = end;
      end += variable->bytes;
    }
    program->paramBytes = uint32_t(end);
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
        names->openBlock();
        ++at;
      } else if (c == '}') {
        ++at;
        if (std::optional<Names::Label> label = names->closeBlock()) {
          line = label->line;
          fail("`" + label->name + "` is not declared");
        }
        if (!names->isOpen())
          break;
      } else if (c == ';') {
        ++at;
      } else if (c == '.') {
        parseDirective();
      } else {
        parseStatement();
      }
    }
    if (names->isOpen())
      fail("the kernel has no end");
    names->finish();
    markSwapLoops(*program);
  }

  void parseDirective() {
    StringRef word = peekWord();
    StringRef statement = takeUntil(word == ".loc" || word == ".file" ? '\n' : ';');
    if (word == ".loc")
      return parseLoc(statement);
    if (word == ".file")
      return parseFile(statement);
    if (word == ".shared")
      return fail("shared variables inside of a kernel are not known here");
    if (word == ".local")
      return parseLocal(statement);
    if (word == ".pragma")
      return parsePragma(statement);
    if (word != ".reg")
      return;
    statement = statement.drop_front(word.size()).ltrim();
    StringRef type = statement.take_until([](char c) { return isSpace(c); });
    uint8_t bytes = uint8_t(bytesOf(parseType(type.drop_front())));
    SmallVector<StringRef> items;
    statement.drop_front(type.size()).split(items, ',', -1, false);
    for (StringRef name : items) {
      name = name.trim();
      auto [base, count] = name.split('<');
      unsigned n = 0;
      if (count.empty()) {
        names->declareRegister(name, bytes);
      } else if (count.split('>').first.getAsInteger(10, n) || n > 1'000'000) {
        fail("`" + name + "` is no register");
      } else {
        for (unsigned i = 0; i < n; ++i)
          names->declareRegister((base + Twine(i)).str(), bytes);
      }
    }
  }

  /// `.pragma "used_bytes_mask 0xf0f"`: of the load that follows (PTX ISA 9.0, 12.3). The others
  /// say nothing about what a program means.
  void parsePragma(StringRef statement) {
    StringRef quoted = statement.split('"').second.split('"').first.trim();
    if (quoted.consume_front("used_bytes_mask") && quoted.trim().getAsInteger(0, usedBytes))
      fail("`" + statement.trim() + "` has no mask");
  }

  void parseLocal(StringRef declaration) {
    std::optional<Variable> variable = parseVariable(declaration);
    if (!variable)
      return fail("`" + declaration.trim() + "` has no size");
    program->localBytes = uint32_t(alignTo(program->localBytes, variable->align));
    names->offsets[variable->name] = program->localBytes;
    program->localBytes += uint32_t(variable->bytes);
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
      names->declareLabel(word);
      at = colon + 1;
      return;
    }
    Instruction instruction;
    instruction.line = line;
    instruction.sourceFile = sourceFile;
    instruction.sourceLine = sourceLine;
    instruction.usedBytes = std::exchange(usedBytes, ~0ull);
    StringRef statement = takeUntil(';').trim();
    instruction.text = squeezed(statement);
    if (statement.consume_front("@")) {
      instruction.isGuardNegated = statement.consume_front("!");
      StringRef guard = statement.take_while(isNameChar);
      statement = statement.drop_front(guard.size()).ltrim();
      if (std::optional<uint32_t> reg = names->registerOf(guard))
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
    program->hasGridFences |= instruction.isGridFence;
    program->hasOrderedAccesses |= instruction.isOrderedAccess;
    program->hasSwaps |= parsed.has("cas");
    program->code.push_back(std::move(instruction));
  }

  void parseOperands(StringRef list, Instruction &instruction) {
    for (StringRef one : splitList(list)) {
      instruction.args.push_back(parseOperand(one, &instruction));
      if (failed)
        return;
    }
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
    if (std::optional<uint32_t> reg = names->registerOf(token)) {
      operand.reg = *reg;
      return operand;
    }
    if (std::optional<uint64_t> value = parseNumber(token)) {
      operand.reg = names->constant(*value);
      operand.offset = int64_t(*value);
      return operand;
    }
    if (std::optional<uint32_t> reg = names->special(token)) {
      operand.reg = *reg;
      return operand;
    }
    StringRef base = token.split('+').first.trim();
    if (auto variable = shared.find(base); variable != shared.end()) {
      uint64_t address = variable->second + uint64_t(parseSum(token).offset);
      operand.reg = names->sharedAddress(address, token);
      return operand;
    }
    if (std::optional<uint64_t> place = placeOf(base)) {
      operand.reg = names->constant(*place + uint64_t(parseSum(token).offset));
      return operand;
    }
    if (instruction) { // a label, perhaps further down
      names->useLabel(token, instruction->args.size(), line);
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
    if (std::optional<uint32_t> reg = names->registerOf(base))
      operand.reg = *reg;
    else if (auto variable = shared.find(base); variable != shared.end())
      operand.reg = names->sharedAddress(variable->second, base);
    else if (std::optional<uint64_t> place = placeOf(base))
      operand.reg = names->constant(*place);
    else if (std::optional<uint64_t> value = parseNumber(base))
      operand.reg = names->constant(*value);
    else
      fail("`" + base + "` is not declared");
    return operand;
  }

  std::string text;
  size_t at = 0;
  uint32_t line = 1, failedLine = 0;
  bool failed = false;
  std::string message;
  uint32_t sourceFile = 0, sourceLine = 0; ///< of the last `.loc`
  uint64_t usedBytes = ~0ull;              ///< of the last pragma, for the next instruction
  std::map<uint32_t, std::string> sourceFiles;

  StringMap<uint64_t> shared; ///< addresses of shared variables
  std::vector<std::string> dynamicShared;
  uint32_t sharedEnd = firstSharedAddress;
  std::vector<uint8_t> data; ///< tables of the module
  StringMap<uint64_t> dataOffsets;

  std::unique_ptr<Program> program;
  std::optional<Names> names;
};

} // namespace

std::string Program::placeOf(const Instruction &instruction) const {
  std::string place = "PTX line " + utostr(instruction.line);
  auto file = sourceFiles.find(instruction.sourceFile);
  if (instruction.sourceLine == 0 || file == sourceFiles.end())
    return place;
  return place + " (" + file->second + ":" + utostr(instruction.sourceLine) + ")";
}

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
