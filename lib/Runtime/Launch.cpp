//===- Launch.cpp - run a compiled kernel on a device ---------------------===//
//
// Takes an image, its manifest and arguments: copies, launches, times, compares with rivals, and
// brings results back.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Runtime/Launch.h"

#include "Bench.h"

#include "tilec/Runtime/Statistics.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace tilec::rt {
namespace {

// Bytes behind each tensor that a kernel must leave alone, and what they hold. Larger than any
// vector store; a power of two keeps allocations aligned.
constexpr int64_t guardBytes = 256;
constexpr uint8_t guardByte = 0xC3;

/// Device copies of all arguments and workspaces, ready to launch.
struct BufferSet {
  std::map<std::string, Buffer> buffers;
  std::vector<ParamBuffer> params; ///< one per launch
  std::vector<std::string> zeroed; ///< workspaces to clear before each run

  std::map<std::string, DeviceAddress> addresses() const {
    std::map<std::string, DeviceAddress> all;
    for (const auto &[name, buffer] : buffers)
      all[name] = buffer.address();
    return all;
  }
};

class Program {
public:
  Program(const Device &device, const Manifest &manifest, ArgumentSet &arguments)
      : device(device), manifest(manifest), arguments(arguments),
        guard(device.info().checksBounds ? 0 : guardBytes) {}

  Status prepare(std::span<const uint8_t> image) {
    Result<Module> loaded = device.load(image);
    if (!loaded) {
      Error error = loaded.error();
      if (!device.info().arch.empty() && manifest.target.find(device.info().arch) != 0)
        error.message += "; the binary was compiled for " + manifest.target;
      return error;
    }
    module = std::move(*loaded);
    for (const Launch &launch : manifest.launches) {
      Result<Kernel> kernel = module.kernel(launch.symbol);
      if (!kernel)
        return kernel.error();
      kernels.push_back(std::move(*kernel));
      Result<LaunchShape> shape = shapeOf(manifest, launch, arguments.dims);
      if (!shape)
        return shape.error();
      shapes.push_back(*shape);
    }
    Result<Stream> made = device.createStream();
    if (!made)
      return made.error();
    stream = std::move(*made);
    return success();
  }

  Stream &ownStream() { return stream; }
  void launchOneByOne() {
    for (LaunchShape &shape : shapes)
      shape.early = false;
  }

  /// Allocates and fills device memory for one set of arguments, or takes the tensors of another
  /// program's set, which has to live as long.
  Result<BufferSet> makeBuffers(const BufferSet *other = nullptr) {
    BufferSet set;
    for (const Argument &argument : arguments.list)
      if (argument.param.kind == ParamKind::Tensor && !other)
        if (Status s = uploadTensor(argument, set); !s)
          return inContext("argument `" + argument.param.name + "`", s.error());
    for (const Launch &launch : manifest.launches)
      for (const Param &param : launch.params)
        if (param.kind == ParamKind::Workspace)
          if (Status s = makeWorkspace(param, set); !s)
            return inContext("workspace `" + param.name + "`", s.error());
    std::map<std::string, DeviceAddress> addresses = set.addresses();
    if (other)
      addresses.merge(other->addresses());
    for (const Launch &launch : manifest.launches) {
      Result<ParamBuffer> params = packParams(device, launch, arguments, addresses);
      if (!params)
        return params.error();
      set.params.push_back(std::move(*params));
    }
    return set;
  }

  /// Queues all launches, on this program's stream or another one.
  Status start(BufferSet &set) { return start(set, stream); }
  Status start(BufferSet &set, Stream &stream) {
    for (const std::string &name : set.zeroed)
      if (Status s = set.buffers[name].fillBytes(0); !s)
        return s;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const auto &grid = shapes[i].grid;
      if (std::count(grid.begin(), grid.end(), 0) != 0)
        continue; // nothing to do; drivers refuse empty grids
      if (Status s = stream.launch(kernels[i], shapes[i], set.params[i]); !s)
        return s;
    }
    return success();
  }

  Status downloadOutputs(const BufferSet &set) {
    for (Argument &argument : arguments.list)
      if (argument.param.kind == ParamKind::Tensor)
        if (Status s = downloadTensor(argument, set.buffers.at(argument.param.name)); !s)
          return inContext("argument `" + argument.param.name + "`", s.error());
    return success();
  }

  Status runOnce(BufferSet &set) {
    if (Status s = start(set); !s)
      return s;
    Status s = stream.wait();
    return s ? s : inContext("run of `" + manifest.kernel + "`", s.error());
  }

  /// Tensors without workspaces, from `inputs`: all of an empty set, else those that runs change.
  Status uploadTensors(const ArgumentSet &inputs, BufferSet &set) {
    bool isEmpty = set.buffers.empty();
    for (const Argument &argument : inputs.list)
      if (argument.param.kind == ParamKind::Tensor &&
          (isEmpty || argument.param.access != Access::Read))
        if (Status s = uploadTensor(argument, set); !s)
          return inContext("argument `" + argument.param.name + "`", s.error());
    return success();
  }

  /// As many sets of tensors as timing rotates through.
  Status addTensors(std::vector<BufferSet> &sets) {
    if (sets.empty())
      if (Status s = uploadTensors(arguments, sets.emplace_back()); !s)
        return s;
    for (int count = setsForBench(sets.front()); static_cast<int>(sets.size()) < count;)
      if (Status s = uploadTensors(arguments, sets.emplace_back()); !s)
        return s;
    return success();
  }

  Status addBuffers(std::vector<BufferSet> &sets, int count) {
    while (static_cast<int>(sets.size()) < count) {
      Result<BufferSet> set = makeBuffers();
      if (!set)
        return set.error();
      sets.push_back(std::move(*set));
    }
    return success();
  }

  /// Enough sets that all of them together are at least twice the cache, at most 16 and at most
  /// 16 GiB.
  int setsForBench(const BufferSet &set) const {
    int64_t setBytes = 0;
    for (const auto &[name, buffer] : set.buffers)
      setBytes += buffer.bytes();
    if (setBytes == 0)
      return 1;
    int64_t wanted = 2 * device.info().cacheBytes / setBytes + 1;
    int64_t fits = std::max<int64_t>(1, (int64_t(16) << 30) / setBytes);
    return static_cast<int>(std::min<int64_t>({wanted, fits, 16}));
  }

  Result<Timing> time(const BenchOptions &options, std::vector<BufferSet> &sets);
  Result<CheckReport> agreementWith(const Rival &rival, BufferSet &set);

private:
  static int64_t storageBytesOf(const Argument &argument) {
    Result<int64_t> span = spanElems(argument.tensor.shape, argument.strides);
    return span ? storageBytes(argument.param.dtype, *span) : 0; // checked by makeArguments
  }

  /// Kernels change single elements of 4 bits by atomics on whole words.
  static int64_t reservedBytes(const Param &param, int64_t bytes) {
    return bitsOf(param.dtype) < 8 ? (bytes + 3) / 4 * 4 : bytes;
  }

  Status uploadTensor(const Argument &argument, BufferSet &set) {
    int64_t bytes = storageBytesOf(argument);
    Result<Buffer> buffer =
        device.allocate(reservedBytes(argument.param, bytes) + guard, argument.param.name);
    if (!buffer)
      return buffer.error();
    if (guard != 0)
      if (Status s = buffer->fillBytes(guardByte); !s)
        return s;
    if (argument.strides == rowMajorStrides(argument.tensor.shape)) {
      if (Status s = buffer->upload(argument.tensor.bytes.data(), bytes); !s)
        return s;
    } else {
      std::vector<uint8_t> storage(bytes, guardByte); // gaps between rows are guarded too
      scatter(argument.tensor, argument.strides, storage);
      if (Status s = buffer->upload(storage.data(), bytes); !s)
        return s;
    }
    if (argument.param.access == Access::Write)
      buffer->markUninitialized(bytes);
    set.buffers[argument.param.name] = std::move(*buffer);
    return success();
  }

  Status makeWorkspace(const Param &param, BufferSet &set) {
    Result<int64_t> bytes = param.bytes.evaluate(arguments.dims);
    if (!bytes)
      return bytes.error();
    if (param.zeroed && std::count(set.zeroed.begin(), set.zeroed.end(), param.name) == 0)
      set.zeroed.push_back(param.name);
    auto it = set.buffers.find(param.name);
    if (it != set.buffers.end() && it->second.bytes() >= *bytes)
      return success(); // launches share workspaces of one name
    Result<Buffer> buffer = device.allocate(reservedBytes(param, *bytes), param.name);
    if (!buffer)
      return buffer.error();
    // Not zero: a kernel that relies on zeros it did not ask for must not pass by luck.
    if (Status s = buffer->fillBytes(0xA5); !s)
      return s;
    buffer->markUninitialized(*bytes);
    set.buffers[param.name] = std::move(*buffer);
    return success();
  }

  Status downloadTensor(Argument &argument, const Buffer &buffer) {
    int64_t bytes = storageBytesOf(argument);
    if (guard != 0)
      if (Status s = checkGuard(buffer, bytes); !s)
        return s;
    if (argument.param.access == Access::Read)
      return success();
    if (argument.strides == rowMajorStrides(argument.tensor.shape))
      return buffer.download(argument.tensor.bytes.data(), bytes);
    std::vector<uint8_t> storage(bytes);
    if (Status s = buffer.download(storage.data(), bytes); !s)
      return s;
    gather(storage, argument.strides, argument.tensor);
    return checkGaps(argument, storage);
  }

  /// What strides step over must be as it was uploaded.
  static Status checkGaps(const Argument &argument, const std::vector<uint8_t> &storage) {
    std::vector<uint8_t> expected(storage.size(), guardByte);
    scatter(argument.tensor, argument.strides, expected);
    auto [found, wanted] = std::mismatch(storage.begin(), storage.end(), expected.begin());
    if (found == storage.end())
      return success();
    return Error{"the kernel wrote between its elements, at byte " +
                 std::to_string(found - storage.begin())};
  }

  Status checkGuard(const Buffer &buffer, int64_t bytes) const {
    std::vector<uint8_t> behind(guard);
    if (Status s = buffer.download(behind.data(), guard, bytes); !s)
      return s;
    for (int64_t i = 0; i < guard; ++i)
      if (behind[i] != guardByte)
        return Error{"the kernel wrote past its end: byte " + std::to_string(bytes + i) + " of " +
                     std::to_string(bytes)};
    return success();
  }

  const Device &device;
  const Manifest &manifest;
  ArgumentSet &arguments;
  const int64_t guard;
  Stream stream;
  Module module;
  std::vector<Kernel> kernels;
  std::vector<LaunchShape> shapes;
};

/// What the rival computes from the arguments of `set`, against ours, which has been downloaded.
Result<CheckReport> Program::agreementWith(const Rival &rival, BufferSet &set) {
  const Argument *ours = arguments.find(rival.result);
  if (!ours || ours->param.kind != ParamKind::Tensor)
    return Error{"there is no tensor `" + rival.result + "`"};
  if (ours->strides != rowMajorStrides(ours->tensor.shape))
    return Error{"tensor `" + rival.result + "` is strided: only dense ones are compared"};
  Buffer &buffer = set.buffers.at(rival.result);
  int64_t bytes = storageBytesOf(*ours);
  // Neither what we left there nor anything plausible may pass for the rival's work.
  std::vector<uint8_t> poison(bytes, 0xFF);
  if (Status s = buffer.upload(poison.data(), bytes); !s)
    return s.error();
  for (const Status &s : {rival.run(set.addresses(), stream.raw()), stream.wait()})
    if (!s)
      return s.error();
  HostTensor theirs = ours->tensor;
  if (Status s = buffer.download(theirs.bytes.data(), bytes); !s)
    return s.error();
  return compare(ours->tensor, theirs, rowTolerance(theirs, rival.tolerance));
}

void summarize(const Times &times, Timing &timing) {
  timing.runsPerSample = times.runsPerSample;
  timing.samples = static_cast<int>(times.samples.size());
  timing.medianMs = median(times.samples);
  timing.minMs = *std::min_element(times.samples.begin(), times.samples.end());
  timing.maxMs = *std::max_element(times.samples.begin(), times.samples.end());
}

Result<Timing> Program::time(const BenchOptions &options, std::vector<BufferSet> &sets) {
  Timing timing;
  std::vector<Contender> contenders;
  contenders.push_back([&](size_t run) { return start(sets[run % sets.size()]); });
  timing.bufferSets = static_cast<int>(sets.size());
  for (const Rival &rival : options.rivals) {
    RivalTiming entry;
    entry.name = rival.name;
    entry.version = rival.version;
    Contender contender = [&](size_t run) {
      return rival.run(sets[run % sets.size()].addresses(), stream.raw());
    };
    if (rival.algorithms != 1) {
      Result<int> best =
          fastestOf(device, stream, rival.algorithms, rival.choose, contender, entry.algorithms);
      if (!best)
        return inContext(rival.name, best.error());
      entry.algorithm = *best;
    }
    if (!rival.result.empty()) {
      Result<CheckReport> agreement = agreementWith(rival, sets.front());
      if (!agreement)
        return inContext(rival.name, agreement.error());
      entry.agreement = std::move(*agreement);
    }
    contenders.push_back(std::move(contender));
    timing.rivals.push_back(std::move(entry));
  }
  Result<std::vector<Times>> times = timeInRounds(device, stream, contenders, options);
  if (!times)
    return times.error();
  const std::vector<double> &ours = times->front().samples;
  summarize(times->front(), timing);
  for (size_t i = 0; i < timing.rivals.size(); ++i) {
    const std::vector<double> &theirs = (*times)[i + 1].samples;
    std::vector<double> ratios;
    for (size_t round = 0; round < ours.size(); ++round)
      ratios.push_back(theirs[round] / ours[round]);
    RivalTiming &entry = timing.rivals[i];
    entry.medianMs = median(theirs);
    entry.ratio = median(ratios);
    Interval interval = bootstrapMedian(ratios);
    entry.low = interval.low;
    entry.high = interval.high;
  }
  return timing;
}

/// Kernels never touch a tensor without elements, and frameworks give null for it: so does a run,
/// lest a kernel that reads there passes because there is something.
bool isEmpty(const ArgumentSet &arguments, const std::string &tensor) {
  const Argument *argument = arguments.find(tensor);
  return argument && argument->tensor.elemCount() == 0;
}

/// Copies the low bytes of `value` to their place.
void store(ParamBuffer &buffer, const Param &param, uint64_t value) {
  std::memcpy(&buffer.bytes[param.offset], &value, param.size);
}

} // namespace

Result<TensorMapRequest> tensorMapOf(const Param &param, const ArgumentSet &arguments,
                                     DeviceAddress address) {
  TensorMapRequest request;
  request.address = address;
  request.elementBits = bitsOf(param.dtype);
  request.isFloat = isFloat(param.dtype);
  request.isSigned = isSigned(param.dtype);
  request.isBrainFloat = param.dtype == DType::BF16;
  request.box = param.map.box;
  request.swizzleBytes = param.map.swizzle;
  request.im2col = param.map.im2col;
  for (const DimExpr &expr : param.map.dims) {
    Result<int64_t> extent = expr.evaluate(arguments.dims);
    if (!extent)
      return extent.error();
    request.dims.push_back(*extent);
  }
  for (const DimExpr &expr : param.map.strides) {
    Result<int64_t> stride = expr.evaluate(arguments.dims);
    if (!stride)
      return stride.error();
    int64_t bytes = storageBytes(param.dtype, *stride);
    if (bytes % 16 != 0) // cuTensorMapEncodeTiled would answer CUDA_ERROR_INVALID_VALUE
      return Error{"its rows are " + std::to_string(bytes) +
                   " bytes apart, a tensor map wants a multiple of 16"};
    request.strideBytes.push_back(bytes);
  }
  Result<int64_t> promotion = param.map.l2Promotion.evaluate(arguments.dims);
  if (!promotion)
    return promotion.error();
  request.l2PromotionBytes = *promotion;
  return request;
}

std::string describe(const RivalTiming &rival, int rounds) {
  char text[256];
  std::snprintf(
      text, sizeof text, "%-8s median %.2f us, ours is %.3f times as fast [%.3f, %.3f] (%d rounds)",
      rival.name.c_str(), rival.medianMs * 1e3, rival.ratio, rival.low, rival.high, rounds);
  std::string line = text;
  if (rival.algorithms > 1)
    line += ", algorithm " + std::to_string(rival.algorithm) + " of " +
            std::to_string(rival.algorithms);
  if (!rival.version.empty())
    line += ", version " + rival.version;
  if (rival.agreement && !rival.agreement->passed())
    line += "; RESULTS DIFFER in " + std::to_string(rival.agreement->mismatchCount) + " of " +
            std::to_string(rival.agreement->elemCount) + " elements";
  return line;
}

/// Of all tensors that the launch's parameters name, without gaps between rows.
static int64_t tensorBytesOf(const Launch &launch, const DimValues &dims) {
  int64_t bytes = 0;
  for (const Param &param : launch.params) {
    if (param.kind != ParamKind::Tensor)
      continue;
    DimExpr elements(1);
    for (const DimExpr &extent : param.shape)
      elements = elements * extent;
    if (Result<int64_t> count = elements.evaluate(dims))
      bytes += storageBytes(param.dtype, *count);
  }
  return bytes;
}

Result<LaunchShape> shapeOf(const Manifest &manifest, const Launch &launch, const DimValues &dims) {
  LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    Result<int64_t> extent = launch.grid[axis].evaluate(dims);
    if (!extent)
      return inContext("grid of `" + launch.symbol + "`", extent.error());
    if (*extent < 0)
      return Error{"grid of `" + launch.symbol + "`: `" + launch.grid[axis].str() + "` is " +
                   std::to_string(*extent)};
    shape.grid[axis] = *extent;
  }
  shape.block = launch.block;
  shape.cluster = launch.cluster;
  shape.sharedBytes = launch.sharedBytes;
  shape.early = launch.early;
  shape.cooperative = launch.cooperative;
  shape.tensorBytes = tensorBytesOf(launch, dims);
  // The manifest has the products of all launches in one number.
  if (manifest.flops && manifest.launches.size() == 1)
    if (Result<int64_t> flops = manifest.flops->evaluate(dims))
      shape.flops = *flops;
  return shape;
}

Result<ParamBuffer> packParams(const Device &device, const Launch &launch,
                               const ArgumentSet &arguments,
                               const std::map<std::string, DeviceAddress> &addresses) {
  ParamBuffer buffer;
  buffer.bytes.resize(launch.paramBytes());
  if (const Param *barrier = launch.barrier())
    buffer.barrier = addresses.at(barrier->name);
  for (const Param &param : launch.params) {
    buffer.offsets.push_back(param.offset);
    const std::string &source = param.kind == ParamKind::TensorMap ? param.map.of : param.name;
    switch (param.kind) {
    case ParamKind::Tensor:
    case ParamKind::Workspace:
      store(buffer, param, isEmpty(arguments, source) ? 0 : addresses.at(source));
      break;
    case ParamKind::Scalar:
      store(buffer, param, arguments.find(source)->scalarBits);
      break;
    case ParamKind::Dim:
    case ParamKind::Stride: {
      auto it = arguments.dims.find(source);
      if (it == arguments.dims.end())
        return Error{"parameter `" + source + "` of `" + launch.symbol + "` has no value: give " +
                     "--dim " + source + "=N"};
      store(buffer, param, static_cast<uint64_t>(it->second));
      break;
    }
    case ParamKind::TensorMap: {
      Result<TensorMapRequest> request = tensorMapOf(param, arguments, addresses.at(source));
      if (!request)
        return inContext("tensor map `" + param.name + "`", request.error());
      if (std::count(request->dims.begin(), request->dims.end(), 0) != 0)
        break; // cuTensorMapEncodeTiled refuses it; the kernel does not read it
      Result<std::array<uint8_t, 128>> map = device.encodeTensorMap(*request);
      if (!map)
        return inContext("tensor map `" + param.name + "`", map.error());
      std::memcpy(&buffer.bytes[param.offset], map->data(), map->size());
      break;
    }
    }
  }
  return buffer;
}

Result<Timing> launchProgram(const Device &device, const Manifest &manifest,
                             std::span<const uint8_t> image, ArgumentSet &arguments,
                             const BenchOptions &bench) {
  Program program(device, manifest, arguments);
  if (Status s = program.prepare(image); !s)
    return s.error();
  std::vector<BufferSet> sets;
  if (Status s = program.addBuffers(sets, 1); !s)
    return s.error();
  if (Status s = program.runOnce(sets.front()); !s)
    return s.error();
  // More sets are made from the inputs, so before the outputs come back.
  if (bench.enabled)
    if (Status s = program.addBuffers(sets, program.setsForBench(sets.front())); !s)
      return s.error();
  if (Status s = program.downloadOutputs(sets.front()); !s)
    return s.error();
  return bench.enabled ? program.time(bench, sets) : Timing{};
}

struct Trials::State {
  Device device;
  ArgumentSet &arguments;
  std::vector<BufferSet> sets; ///< tensors; workspaces are a program's own
};

Trials::Trials(Device device, ArgumentSet &arguments)
    : state(new State{std::move(device), arguments, {}}) {}
Trials::~Trials() = default;

Status Trials::run(const Alternative &alternative, ArgumentSet &results) {
  Program program(state->device, *alternative.manifest, results);
  if (Status s = program.prepare(alternative.image); !s)
    return s;
  // What a run before this one wrote is written anew.
  if (state->sets.empty())
    state->sets.emplace_back();
  if (Status s = program.uploadTensors(state->arguments, state->sets.front()); !s)
    return s;
  Result<BufferSet> set = program.makeBuffers(&state->sets.front());
  if (!set)
    return set.error();
  if (Status s = program.runOnce(*set); !s)
    return s;
  return program.downloadOutputs(state->sets.front());
}

Result<std::vector<std::vector<double>>>
Trials::timeInTurns(const std::vector<Alternative> &programs, int rounds, double warmUpMs) {
  struct Entry {
    Program program;
    std::vector<BufferSet> sets;
  };
  std::vector<std::unique_ptr<Entry>> entries;
  std::vector<Contender> contenders;
  std::vector<std::vector<double>> samples;
  for (const Alternative &alternative : programs) {
    entries.emplace_back(
        new Entry{Program(state->device, *alternative.manifest, state->arguments), {}});
    Entry &entry = *entries.back();
    if (Status s = entry.program.prepare(alternative.image); !s)
      return s.error();
    entry.program.launchOneByOne();
    if (Status s = entry.program.addTensors(state->sets); !s)
      return s.error();
    for (const BufferSet &tensors : state->sets) {
      Result<BufferSet> set = entry.program.makeBuffers(&tensors);
      if (!set)
        return set.error();
      entry.sets.push_back(std::move(*set));
    }
    contenders.push_back([&entry, &stream = entries.front()->program.ownStream()](size_t run) {
      return entry.program.start(entry.sets[run % entry.sets.size()], stream);
    });
  }
  if (entries.empty())
    return samples;
  BenchOptions options;
  options.warmUpMs = warmUpMs, options.sampleMs = 4, options.targetMs = 0;
  options.minSamples = options.maxSamples = rounds;
  auto times =
      timeInRounds(state->device, entries.front()->program.ownStream(), contenders, options);
  if (!times)
    return times.error();
  for (Times &each : *times) {
    for (double &ms : each.samples)
      ms *= 1e3;
    samples.push_back(std::move(each.samples));
  }
  return samples;
}

} // namespace tilec::rt
