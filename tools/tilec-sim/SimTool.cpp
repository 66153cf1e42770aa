//===- SimTool.cpp - the tilec-sim program --------------------------------===//
//
// Takes a code object, a kernel, a grid and arguments by number, runs or times it, and prints what
// was found.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTool.h"

#include "ManifestRun.h"

#include "tilec/Base/DType.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Sim/IsaSurvey.h"
#include "tilec/Sim/Profile.h"
#include "tilec/Target/Residency.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

#include <cstring>
#include <optional>

#include <unistd.h>

namespace tilec::sim {

using llvm::StringRef;

void sayFindings(const Messages &messages, const RunResult &result) {
  for (const Finding &finding : result.findings) {
    // A finding's text begins with its class, which is the message's severity.
    StringRef text = StringRef(finding.message).split(": ").second;
    messages.say(finding.cls == FindingClass::Error ? DiagId::DeviceFault
                                                    : DiagId::SimulatorFinding,
                 (text + (finding.count > 1 ? llvm::formatv(" ({0} times)", finding.count).str()
                                            : std::string()))
                     .str());
  }
  if (result.findingsDropped)
    messages.say(result.errorsDropped ? DiagId::DeviceFault : DiagId::SimulatorFinding,
                 llvm::formatv("{0} more findings at other instructions", result.findingsDropped));
}

bool wantsTiming(const ToolOptions &options) {
  return options.timing || !options.timingJson.empty() || !options.profile.empty() ||
         !options.trace.empty();
}

namespace {

std::optional<Dim3> parseDim(StringRef text) {
  Dim3 dim = {1, 1, 1};
  llvm::SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  if (parts.empty() || parts.size() > 3)
    return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].trim().getAsInteger(10, dim[i]) || dim[i] == 0)
      return std::nullopt;
  return dim;
}

/// One `--arg`: the bytes that go into the segment, and the buffer behind a pointer.
struct Argument {
  std::vector<uint8_t> bytes;
  std::optional<uint64_t> buffer;
  rt::NpyArray array; ///< what the buffer was made from
};

class Arguments {
public:
  explicit Arguments(Memory &memory) : memory(memory) {}
  std::vector<Argument> list;

  /// The buffers hold again what they held before the kernel ran.
  void restore() {
    for (const Argument &argument : list)
      if (argument.buffer)
        llvm::cantFail(memory.write(*argument.buffer, argument.array.bytes));
  }

  /// An error message, or empty.
  std::string add(StringRef spec) {
    if (spec.ends_with(".npy")) {
      auto array = rt::readNpy(spec.str());
      if (!array)
        return array.error().message;
      return addBuffer(std::move(*array), spec);
    }
    auto [kind, value] = spec.split(':');
    if (kind == "raw") {
      auto contents = rt::readFile(value.str());
      if (!contents)
        return contents.error().message;
      rt::NpyArray array{
          "|u1", {static_cast<int64_t>(contents->size())}, {contents->begin(), contents->end()}};
      return addBuffer(std::move(array), value);
    }
    if (kind == "zeros" || kind == "uninit")
      return addBytes(kind, value);
    if (kind == "ptr")
      return addPointer(value);
    if (kind == "bytes")
      return addHex(value);
    return addScalar(kind, value);
  }

private:
  Memory &memory;

  std::string addBuffer(rt::NpyArray array, StringRef name) {
    auto address = memory.allocate(array.bytes.size(), name);
    if (!address)
      return llvm::toString(address.takeError());
    llvm::cantFail(memory.write(*address, array.bytes));
    Argument argument;
    argument.buffer = *address;
    argument.array = std::move(array);
    pointTo(argument, *address);
    list.push_back(std::move(argument));
    return "";
  }
  static void pointTo(Argument &argument, uint64_t address) {
    argument.bytes.resize(8);
    std::memcpy(argument.bytes.data(), &address, 8);
  }
  /// `zeros` or `uninit`, whose bytes a kernel must write before it reads them.
  std::string addBytes(StringRef kind, StringRef value) {
    uint64_t size;
    if (value.getAsInteger(0, size) || size > memory.limitBytes)
      return kind.str() + ":BYTES wants a number of bytes, not `" + value.str() + "`";
    std::string error =
        addBuffer({"|u1", {static_cast<int64_t>(size)}, std::vector<uint8_t>(size)}, kind);
    if (error.empty() && kind == "uninit")
      llvm::cantFail(memory.markUninitialized(*list.back().buffer, size));
    return error;
  }
  std::string addPointer(StringRef value) {
    auto [index, offset] = value.split('+');
    size_t number;
    uint64_t bytes = 0;
    if (index.getAsInteger(10, number) || number >= list.size() || !list[number].buffer ||
        (!offset.empty() && offset.getAsInteger(0, bytes)))
      return "ptr:N+BYTES wants an earlier buffer argument, not `" + value.str() + "`";
    Argument argument;
    pointTo(argument, *list[number].buffer + bytes);
    list.push_back(std::move(argument));
    return "";
  }
  std::string addHex(StringRef value) {
    std::string decoded;
    if (!llvm::tryGetFromHex(value, decoded) || value.size() % 2 != 0)
      return "bytes:HEX wants an even number of hexadecimal digits, not `" + value.str() + "`";
    list.push_back({{decoded.begin(), decoded.end()}, std::nullopt, {}});
    return "";
  }
  std::string addScalar(StringRef kind, StringRef value) {
    static const std::pair<StringRef, const char *> names[] = {
        {"i8", "int8"},     {"u8", "uint8"},      {"i16", "int16"},   {"u16", "uint16"},
        {"i32", "int32"},   {"u32", "uint32"},    {"i64", "int64"},   {"u64", "uint64"},
        {"f16", "float16"}, {"bf16", "bfloat16"}, {"f32", "float32"}, {"f64", "float64"}};
    for (auto [shortName, name] : names) {
      if (kind != shortName)
        continue;
      DType type = *parseDType(name);
      uint64_t bits;
      double number;
      if (isFloat(type)) {
        if (value.getAsDouble(number))
          return "`" + value.str() + "` is not a number";
        bits = encodeFloat(type, number);
      } else {
        int64_t integer;
        if (value.getAsInteger(0, integer) && value.getAsInteger(0, bits))
          return "`" + value.str() + "` is not an integer";
        bits = value.getAsInteger(0, integer) ? bits : encodeInt(type, integer);
      }
      Argument argument;
      argument.bytes.resize(bytesOf(type));
      std::memcpy(argument.bytes.data(), &bits, argument.bytes.size());
      list.push_back(std::move(argument));
      return "";
    }
    return "`" + kind.str() + (value.empty() ? "" : ":" + value.str()) +
           "` is no argument; write FILE.npy, raw:FILE, zeros:BYTES, uninit:BYTES, ptr:N+BYTES, "
           "bytes:HEX or "
           "TYPE:VALUE";
  }
};

/// Without argument metadata: the arguments at given offsets.
std::optional<std::vector<uint8_t>> placeAt(StringRef offsets, const Arguments &args,
                                            uint32_t kernargBytes) {
  llvm::SmallVector<StringRef, 16> parts;
  offsets.split(parts, ',');
  if (parts.size() != args.list.size())
    return std::nullopt;
  std::vector<uint8_t> bytes(kernargBytes);
  for (size_t i = 0; i < parts.size(); ++i) {
    uint32_t at;
    const auto &value = args.list[i].bytes;
    if (parts[i].trim().getAsInteger(0, at) || at > (1u << 20))
      return std::nullopt;
    if (bytes.size() < at + value.size())
      bytes.resize(at + value.size());
    std::memcpy(bytes.data() + at, value.data(), value.size());
  }
  return bytes;
}

void printKernels(const CodeObject &object) {
  llvm::outs() << std::string(nameOf(object.arch())) << '\n';
  for (const KernelInfo &k : object.kernels()) {
    llvm::outs() << k.name << ": " << k.vgprs << " VGPRs";
    if (k.firstAgpr)
      llvm::outs() << " (a0 is number " << k.firstAgpr << ")";
    llvm::outs() << ", " << k.sgprs << " SGPRs, " << k.ldsBytes << " bytes LDS, " << k.scratchBytes
                 << " bytes scratch, " << k.kernargBytes << " bytes arguments";
    if (k.maxBlockThreads)
      llvm::outs() << ", at most " << k.maxBlockThreads << " work-items";
    llvm::outs() << '\n';
    for (const ArgInfo &arg : k.args)
      llvm::outs() << "  " << llvm::format("%4u", arg.offsetBytes) << "  "
                   << llvm::format("%2u", arg.sizeBytes) << "  " << arg.valueKind
                   << (arg.name.empty() ? "" : " ") << arg.name << '\n';
  }
}

/// What went wrong, or an empty text.
std::pair<DiagId, std::string> save(StringRef spec, const Arguments &args, const Memory &memory) {
  auto [index, path] = spec.split('=');
  size_t number;
  if (index.getAsInteger(10, number) || path.empty() || number >= args.list.size() ||
      !args.list[number].buffer)
    return {DiagId::RunArgument,
            "--save wants N=FILE with a buffer argument N, not `" + spec.str() + "`"};
  const Argument &argument = args.list[number];
  std::vector<uint8_t> bytes(argument.array.bytes.size());
  llvm::cantFail(memory.read(*argument.buffer, bytes));
  if (!path.ends_with(".npy")) {
    auto written =
        rt::writeFile(path.str(), {reinterpret_cast<char *>(bytes.data()), bytes.size()});
    return {DiagId::CannotWrite, written ? "" : written.error().message};
  }
  // Same element type and shape as the file that the buffer came from.
  static const std::pair<const char *, DType> types[] = {
      {"f4", DType::F32},  {"f2", DType::F16}, {"f8", DType::F64}, {"i1", DType::I8},
      {"i2", DType::I16},  {"i4", DType::I32}, {"i8", DType::I64}, {"u1", DType::U8},
      {"u2", DType::U16},  {"u4", DType::U32}, {"u8", DType::U64}, {"b1", DType::Bool},
      {"V2", DType::BF16}, {"V1", DType::U8}};
  for (auto [descr, type] : types)
    if (StringRef(argument.array.descr).ends_with(descr)) {
      rt::HostTensor tensor(type, argument.array.shape);
      tensor.bytes = std::move(bytes);
      auto written = rt::writeNpy(path.str(), tensor);
      return {DiagId::CannotWrite, written ? "" : written.error().message};
    }
  return {DiagId::CannotWrite, "cannot write element type `" + argument.array.descr + "`"};
}

void showProgress(const Progress &p) {
  llvm::errs() << '\r' << p.doneGroups << " of " << p.totalGroups << " work-groups, "
               << p.instructions / 1000000 << " M instructions";
  if (p.doneGroups == p.totalGroups)
    llvm::errs() << '\n';
}

/// What all launches of a run are told.
LaunchOptions launchOptions(const ToolOptions &options) {
  LaunchOptions launch = options.launch;
  launch.checks = options.checks == "none" ? Checks::None : Checks::All;
  launch.memoryMode = options.memoryMode == "strict" ? MemoryMode::Strict : MemoryMode::Eager;
  launch.soffsetInRangeCheck = options.rangeCheck == "with-soffset";
  launch.fp8ScaleOrder = options.fp8ScaleOrder == "refuse"       ? Fp8ScaleOrder::Refuse
                         : options.fp8ScaleOrder == "contiguous" ? Fp8ScaleOrder::Contiguous
                                                                 : Fp8ScaleOrder::Split;
  if (!options.quiet && isatty(STDERR_FILENO))
    launch.progress = showProgress;
  return launch;
}

/// `--timing`: the model. Returns the exit code.
int runTiming(const ToolOptions &options, const LaunchOptions &launch, const CodeObject &object,
              StringRef kernel, Dim3 grid, Dim3 block, const std::vector<uint8_t> &kernarg,
              Memory &memory) {
  TimingOptions timing = options.timingOptions;
  timing.warm = !options.cold;
  timing.keepEvents = !options.profile.empty() || !options.trace.empty();
  auto result = timeKernel(object, kernel, grid, block, kernarg, memory, launch, timing);
  if (!result) {
    options.messages->say(DiagId::DeviceFault, llvm::toString(result.takeError()));
    return 1;
  }
  return writeTiming(options, object, *result);
}

/// The files that line tables of the timed instructions name, as far as they can be read here.
std::map<std::string, std::string> sourcesOf(const TimingTrace &trace) {
  std::map<std::string, std::string> sources;
  for (const TimedInstruction &instr : trace.instructions) {
    StringRef where = instr.where;
    auto [file, line] = where.substr(where.rfind('(') + 1).rsplit(':');
    if (where.rfind('(') == StringRef::npos || sources.contains(file.str()))
      continue;
    auto text = rt::readFile(file.str());
    sources[file.str()] = text ? *text : "";
  }
  std::erase_if(sources, [](const auto &entry) { return entry.second.empty(); });
  return sources;
}

std::string occupancyOf(const CodeObject &object, StringRef kernel) {
  const KernelInfo *info = object.findKernel(kernel);
  if (!info || !info->maxBlockThreads)
    return "";
  // Accumulators are counted in `vgprs`, behind the others.
  unsigned agprs = info->firstAgpr ? info->vgprs - info->firstAgpr : 0;
  return describe(residencyOf(object.arch(),
                              {info->vgprs - agprs, agprs, info->ldsBytes, info->maxBlockThreads}));
}

} // namespace

int writeTiming(const ToolOptions &options, const CodeObject &object, const TimingResult &result) {
  result.print(llvm::outs());
  auto writeTo = [&](const std::string &path, auto write) {
    if (path.empty())
      return 0;
    std::string text;
    llvm::raw_string_ostream os(text);
    write(os);
    auto written = rt::writeFile(path, text);
    return written ? 0 : options.messages->failure(DiagId::CannotWrite, written.error().message);
  };
  using Stream = llvm::raw_ostream;
  ProfileOptions page;
  page.sources = sourcesOf(result.trace);
  page.occupancy = occupancyOf(object, result.trace.kernel);
  if (int code = writeTo(options.timingJson, [&](Stream &os) { result.writeJson(os); }))
    return code;
  if (int code = writeTo(options.profile, [&](Stream &os) { writeProfile(result, os, page); }))
    return code;
  return writeTo(options.trace, [&](Stream &os) { writeTrace(result, os); });
}

/// What the simulator refuses of a chip's instructions.
static int printIsaCoverage(const std::string &chip, const Messages &messages) {
  auto entries = surveyIsa(*parseArch(chip));
  if (!entries)
    return messages.failure(DiagId::CodeGenerator, llvm::toString(entries.takeError()));
  size_t refused = 0;
  for (const IsaEntry &entry : *entries) {
    if (entry.refused.empty())
      continue;
    llvm::outs() << entry.name << ": `" << entry.text << "`: " << entry.refused << '\n';
    ++refused;
  }
  llvm::outs() << chip << ": " << entries->size() << " mnemonics, " << entries->size() - refused
               << " executed, " << refused << " refused\n";
  return 0;
}

/// `--coverage`: what a run would refuse of the object.
static int printCoverage(const CodeObject &object) {
  size_t count = 0;
  for (const KernelInfo &kernel : object.kernels()) {
    CodeObject::Coverage coverage = object.coverage(kernel);
    for (const std::string &line : coverage.unsupported)
      llvm::outs() << line << '\n';
    llvm::outs() << kernel.name << ": " << coverage.unsupported.size() << " of "
                 << coverage.instructions << " instructions are not known\n";
    count += coverage.unsupported.size();
  }
  return count ? 1 : 0;
}

/// The argument segment of a kernel that is run without a manifest.
static llvm::Expected<std::vector<uint8_t>> kernargOf(const ToolOptions &options,
                                                      const KernelInfo &kernel,
                                                      const Arguments &args, Dim3 grid,
                                                      Dim3 block) {
  if (!options.rawKernarg.empty()) {
    auto placed = placeAt(options.rawKernarg, args, kernel.kernargBytes);
    if (!placed)
      return llvm::createStringError("--kernarg wants one offset for each --arg");
    return std::move(*placed);
  }
  std::vector<std::vector<uint8_t>> values;
  for (const Argument &argument : args.list)
    values.push_back(argument.bytes);
  return makeKernarg(kernel, values, grid, block, options.launch.dynamicLdsBytes);
}

void printCounters(const std::string &kernel, const RunResult &result) {
  const RunCounters &c = result.counters;
  llvm::outs() << kernel << ": " << (result.ok() ? "ok" : "FAILED") << ", " << c.groups
               << " work-groups, " << c.waves << " waves, " << c.instructions
               << " wave instructions, " << c.mfma << " MFMA, "
               << llvm::format("%.3f s, %.2f M instructions/s\n", c.seconds,
                               static_cast<double>(c.instructions) / c.seconds / 1e6);
}

/// Kernel, grid, block and arguments are those of the command line.
static int runByHand(const ToolOptions &options, const CodeObject &object) {
  const Messages &messages = *options.messages;
  std::string name = options.kernel;
  if (name.empty() && object.kernels().size() == 1)
    name = object.kernels()[0].name;
  const KernelInfo *kernel = object.findKernel(name);
  if (!kernel)
    return messages.usageError(name.empty()
                                   ? "the object has several kernels: choose one with --kernel"
                                   : "the object has no kernel `" + name + "`; see --list");
  auto grid = parseDim(options.grid.empty() ? "1" : options.grid);
  auto block = parseDim(options.block.empty() ? "64" : options.block);
  if (!grid || !block)
    return messages.usageError("--grid and --block want X,Y,Z with sizes of at least 1");

  Memory memory;
  memory.limitBytes = options.maxMemoryBytes;
  Arguments args(memory);
  for (const std::string &spec : options.args)
    if (std::string error = args.add(spec); !error.empty())
      return messages.failure(DiagId::RunArgument, "--arg " + spec + ": " + error);
  auto kernarg = kernargOf(options, *kernel, args, *grid, *block);
  if (!kernarg)
    return messages.failure(DiagId::RunArgument, llvm::toString(kernarg.takeError()));

  if (wantsTiming(options) && !options.saves.empty())
    return messages.usageError("--timing runs a part of the grid only: there is nothing to --save");
  LaunchOptions launch = launchOptions(options);
  // The model looks at a part of the grid, and at nothing but time.
  if (wantsTiming(options) && launch.checks == Checks::None)
    return runTiming(options, launch, object, name, *grid, *block, *kernarg, memory);
  auto result = run(object, name, *grid, *block, *kernarg, memory, launch);
  if (!result)
    return messages.failure(DiagId::DeviceFault, llvm::toString(result.takeError()));
  sayFindings(messages, *result);
  if (wantsTiming(options)) {
    args.restore();
    int code = runTiming(options, launch, object, name, *grid, *block, *kernarg, memory);
    if (!result->ok())
      llvm::outs() << name << ": FAILED\n";
    return code ? code : result->ok() ? 0 : 1;
  }
  for (const std::string &spec : options.saves)
    if (auto [id, error] = save(spec, args, memory); !error.empty())
      return messages.failure(id, error);
  for (const LdsUse &use : result->ldsUse)
    llvm::outs() << use.where << ": `" << use.text << "`: " << use.executions << " times, "
                 << llvm::format(
                        "%.2f data cycles, %.2f of them conflicts\n",
                        static_cast<double>(use.dataCycles) / static_cast<double>(use.executions),
                        static_cast<double>(use.conflicts) / static_cast<double>(use.executions));
  printCounters(name, *result);
  return result->ok() ? 0 : 1;
}

int runTool(const ToolOptions &options) {
  const Messages &messages = *options.messages;
  if (!options.isaCoverage.empty())
    return printIsaCoverage(options.isaCoverage, messages);
  if (options.object.empty())
    return messages.usageError("give a code object (hsaco); --help has the options");
  auto contents = rt::readFile(options.object);
  if (!contents)
    return messages.failure(DiagId::CannotRead, contents.error().message);
  auto object = CodeObject::load(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(contents->data()), contents->size()),
      std::min<uint64_t>(options.maxMemoryBytes, 128ull << 20));
  if (!object)
    return messages.failure(DiagId::ImageFault,
                            options.object + ": " + llvm::toString(object.takeError()));
  if (options.list) {
    printKernels(**object);
    return 0;
  }
  if (options.coverage)
    return printCoverage(**object);
  if (std::optional<std::string> manifest = manifestOf(options))
    return runManifest(options, *manifest, *contents, **object, launchOptions(options));
  return runByHand(options, **object);
}

} // namespace tilec::sim
