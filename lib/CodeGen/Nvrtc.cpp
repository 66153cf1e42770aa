//===- Nvrtc.cpp - PTX to cubin in process, by NVRTC ----------------------===//
//
// NVRTC takes CUDA C++ only. Each kernel of the PTX becomes a CUDA kernel with the
// same parameters whose body is one asm statement with the PTX body: whole-program
// compilation, so setmaxnreg counts, and the SASS of ptxas. The parameter names in
// the body fit, because NVRTC names parameters as LLVM does (<kernel>_param_<n>).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "PtxAssemblers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace llvm;

namespace tilec::codegen {

/// The few functions of nvrtc.h that are needed; the signatures have not changed since CUDA 11.
class Nvrtc {
public:
  using Program = void *;
  void *library = nullptr;
  int (*createProgram)(Program *, const char *, const char *, int, const char *const *,
                       const char *const *) = nullptr;
  int (*destroyProgram)(Program *) = nullptr;
  int (*compileProgram)(Program, int, const char *const *) = nullptr;
  int (*logSize)(Program, size_t *) = nullptr;
  int (*log)(Program, char *) = nullptr;
  int (*cubinSize)(Program, size_t *) = nullptr;
  int (*cubin)(Program, char *) = nullptr;

  bool bind();
};

bool Nvrtc::bind() {
  auto get = [this](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  return get(createProgram, "nvrtcCreateProgram") && get(destroyProgram, "nvrtcDestroyProgram") &&
         get(compileProgram, "nvrtcCompileProgram") && get(logSize, "nvrtcGetProgramLogSize") &&
         get(log, "nvrtcGetProgramLog") && get(cubinSize, "nvrtcGetCUBINSize") &&
         get(cubin, "nvrtcGetCUBIN");
}

static bool isSwitchedOff() {
  const char *chosen = std::getenv("TILEC_NVRTC");
  return chosen && StringRef(chosen) == "none";
}

static std::vector<std::string> candidates() {
  if (const char *chosen = std::getenv("TILEC_NVRTC"); chosen && *chosen)
    return {chosen};
  std::vector<std::string> paths;
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    paths.push_back(std::string(home) + "/lib64/libnvrtc.so");
  for (const char *path :
       {"/usr/local/cuda/lib64/libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
    paths.push_back(path);
  return paths;
}

Expected<std::shared_ptr<Nvrtc>> loadNvrtc() {
  static std::mutex mutex;
  static std::shared_ptr<Nvrtc> loaded; // never unloaded: NVRTC keeps threads and atexit handlers
  std::lock_guard<std::mutex> lock(mutex);
  if (isSwitchedOff())
    return createStringError("NVRTC is switched off by TILEC_NVRTC=none");
  if (loaded)
    return loaded;
  auto nvrtc = std::make_shared<Nvrtc>();
  for (const std::string &path : candidates()) {
    nvrtc->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (nvrtc->library && nvrtc->bind())
      return loaded = nvrtc;
  }
  return createStringError("NVRTC was not found: set TILEC_NVRTC to the path of libnvrtc.so");
}

std::string findNvrtc() {
  if (isSwitchedOff())
    return "";
  for (const std::string &path : candidates())
    if (sys::path::has_parent_path(path) && sys::fs::exists(path))
      return path;
  // The loader's path: only loading tells which file that is.
  Expected<std::shared_ptr<Nvrtc>> nvrtc = loadNvrtc();
  if (!nvrtc) {
    consumeError(nvrtc.takeError());
    return "";
  }
  Dl_info where;
  return dladdr(reinterpret_cast<void *>((*nvrtc)->compileProgram), &where) ? where.dli_fname : "";
}

namespace {

struct PtxKernel {
  std::string name;
  StringRef parameters, attributes, body;
};

struct PtxModule {
  std::vector<PtxKernel> kernels;
  std::vector<StringRef> sharedVariables; ///< module-scope declarations, static
  std::vector<std::pair<std::string, unsigned>> dynamicShared; ///< name, alignment
};

std::string withoutComments(StringRef ptx) {
  std::string text;
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  for (StringRef line : lines)
    text += (line.split("//").first.rtrim() + "\n").str();
  return text;
}

Error cannotWrap(const Twine &what) {
  return createStringError("NVRTC cannot take this PTX (" + what + "); ptxas can");
}

/// Everything between the braces of the kernel that starts at `text`, braces included.
StringRef bracedBlock(StringRef text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{')
      ++depth;
    else if (text[i] == '}' && --depth == 0)
      return text.take_front(i + 1);
  }
  return "";
}

Error parseShared(StringRef line, PtxModule &module) {
  // .extern .shared .align 1024 .b8 smem[];
  StringRef rest = line;
  unsigned align = 1;
  rest.consume_front(".extern .shared ");
  if (rest.consume_front(".align ") && rest.consumeInteger(10, align))
    return cannotWrap(line);
  auto [type, name] = rest.trim().split(' ');
  if (type != ".b8" || !name.consume_back("[];"))
    return cannotWrap(line);
  module.dynamicShared.push_back({name.str(), align});
  return Error::success();
}

Expected<PtxModule> parsePtx(StringRef text) {
  PtxModule module;
  while (!text.empty()) {
    StringRef line = text.take_until([](char c) { return c == '\n'; });
    StringRef trimmed = line.trim();
    if (trimmed.starts_with(".visible .entry ")) {
      StringRef head = text.substr(text.find(".entry ") + strlen(".entry "));
      PtxKernel kernel;
      auto [name, afterName] = head.split('(');
      kernel.name = name.trim().str();
      auto [parameters, afterParameters] = afterName.split(')');
      kernel.parameters = parameters;
      size_t brace = afterParameters.find('{');
      if (brace == StringRef::npos)
        return cannotWrap("a kernel without a body");
      kernel.attributes = afterParameters.take_front(brace);
      kernel.body = bracedBlock(afterParameters.substr(brace));
      if (kernel.body.empty())
        return cannotWrap("unbalanced braces");
      text = StringRef(kernel.body.end(), text.end() - kernel.body.end());
      module.kernels.push_back(kernel);
      continue;
    }
    if (trimmed.starts_with(".extern .shared ")) {
      if (Error error = parseShared(trimmed, module))
        return error;
    } else if (trimmed.starts_with(".shared ")) {
      module.sharedVariables.push_back(trimmed);
    } else if (!trimmed.empty() && !trimmed.starts_with(".version") &&
               !trimmed.starts_with(".target") && !trimmed.starts_with(".address_size")) {
      return cannotWrap("`" + trimmed.take_front(60) + "` at module scope");
    }
    text = text.substr(std::min(line.size() + 1, text.size()));
  }
  return module;
}

/// A C++ parameter of the same size and alignment as one line of the PTX parameter list.
Expected<std::string> parameter(StringRef line, unsigned index) {
  SmallVector<StringRef> words;
  line.split(words, ' ', -1, /*KeepEmpty=*/false);
  std::string name = "p" + std::to_string(index);
  if (words.size() >= 5 && words[0] == ".param" && words[1] == ".align" && words[3] == ".b8") {
    StringRef bytes = words[4].split('[').second.split(']').first;
    return "const __grid_constant__ TilecBytes<" + words[2].str() + "," + bytes.str() + "> " + name;
  }
  StringRef type = words.size() < 3 ? ""
                                    : StringSwitch<StringRef>(words[1])
                                          .Cases({".u64", ".b64", ".s64"}, "unsigned long long")
                                          .Cases({".u32", ".b32", ".s32"}, "unsigned")
                                          .Cases({".u16", ".b16", ".s16"}, "unsigned short")
                                          .Cases({".u8", ".b8", ".s8"}, "unsigned char")
                                          .Case(".f32", "float")
                                          .Case(".f64", "double")
                                          .Default("");
  if (type.empty())
    return cannotWrap("parameter `" + line + "`");
  return (type + " " + name).str();
}

/// The launch bounds and cluster attributes in CUDA's spelling.
Expected<std::string> attributes(StringRef text) {
  unsigned threads = 0, blocks = 0, clusterRank = 0;
  std::string result;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [name, value] = line.trim().split(' ');
    if (name.empty())
      continue;
    SmallVector<StringRef> parts;
    value.split(parts, ',');
    SmallVector<unsigned> numbers;
    for (StringRef part : parts)
      if (unsigned number; !part.trim().getAsInteger(10, number))
        numbers.push_back(number);
    if ((name == ".maxntid" || name == ".reqntid") && !numbers.empty()) {
      threads = 1;
      for (unsigned number : numbers)
        threads *= number;
    } else if (name == ".minnctapersm" && !numbers.empty()) {
      blocks = numbers[0];
    } else if (name == ".maxclusterrank" && !numbers.empty()) {
      clusterRank = numbers[0];
    } else if (name == ".maxnreg" && !numbers.empty()) {
      result += "__maxnreg__(" + std::to_string(numbers[0]) + ") ";
    } else if (name == ".reqnctapercluster" && !numbers.empty()) {
      numbers.resize(3, 1);
      result += "__cluster_dims__(" + std::to_string(numbers[0]) + "," +
                std::to_string(numbers[1]) + "," + std::to_string(numbers[2]) + ") ";
    } else if (name != ".explicitcluster") {
      return cannotWrap("kernel attribute `" + name + "`");
    }
  }
  if (threads) {
    result += "__launch_bounds__(" + std::to_string(threads);
    if (blocks || clusterRank)
      result += "," + std::to_string(std::max(blocks, 1u));
    if (clusterRank)
      result += "," + std::to_string(clusterRank);
    result += ") ";
  }
  return result;
}

void appendQuoted(std::string &source, StringRef text) {
  for (char c : text) {
    if (c == '%')
      source += "%%";
    else if (c == '\n')
      source += "\\n\"\n\"";
    else if (c == '\\' || c == '"')
      (source += '\\') += c;
    else
      source += c == '\t' ? ' ' : c;
  }
}

/// A kernel's name where C++ has another use for it: then one of the same length, which the strings
/// of the cubin get back (restoreName).
std::string nameInCpp(StringRef name) {
  static const StringRef taken[] = {
      "main",      "alignas",   "alignof",  "and",      "asm",      "auto",     "bool",
      "break",     "case",      "catch",    "char",     "class",    "const",    "constexpr",
      "continue",  "decltype",  "default",  "delete",   "do",       "double",   "else",
      "enum",      "explicit",  "export",   "extern",   "false",    "float",    "for",
      "friend",    "goto",      "if",       "inline",   "int",      "long",     "mutable",
      "namespace", "new",       "noexcept", "not",      "nullptr",  "operator", "or",
      "private",   "protected", "public",   "register", "return",   "short",    "signed",
      "sizeof",    "static",    "struct",   "switch",   "template", "this",     "throw",
      "true",      "try",       "typedef",  "typeid",   "typename", "union",    "unsigned",
      "using",     "virtual",   "void",     "volatile", "while",    "xor"};
  std::string other = name.str();
  if (is_contained(taken, name))
    other.back() = '_';
  return other;
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// In the tables of strings of a cubin: names of sections end with the kernel's.
Error restoreName(std::vector<uint8_t> &cubin, StringRef other, StringRef name) {
  using File = object::ELFFile<object::ELF64LE>;
  StringRef bytes(reinterpret_cast<const char *>(cubin.data()), cubin.size());
  Expected<File> file = File::create(bytes);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_STRTAB)
      continue;
    StringRef table = bytes.substr(section.sh_offset, section.sh_size);
    std::string wanted = other.str() + '\0';
    for (size_t at = table.find(wanted); at != StringRef::npos; at = table.find(wanted, at + 1))
      if (at == 0 || table[at - 1] == '\0' || table[at - 1] == '.')
        std::copy(name.begin(), name.end(), cubin.begin() + section.sh_offset + at);
  }
  return Error::success();
}

Expected<std::string> wrap(const PtxModule &module) {
  std::string source = "template <int A, int N> struct alignas(A) TilecBytes { char bytes[N]; };\n";
  for (auto &[name, align] : module.dynamicShared)
    source += "extern __shared__ __align__(" + std::to_string(align) + ") char " + name + "[];\n";
  for (const PtxKernel &kernel : module.kernels) {
    auto bounds = attributes(kernel.attributes);
    if (!bounds)
      return bounds.takeError();
    source += "extern \"C\" __global__ void " + *bounds + nameInCpp(kernel.name) + "(";
    SmallVector<StringRef> lines;
    kernel.parameters.split(lines, ',', -1, /*KeepEmpty=*/false);
    unsigned index = 0;
    for (StringRef line : lines) {
      if (line.trim().empty())
        continue;
      auto declared = parameter(line.trim(), index);
      if (!declared)
        return declared.takeError();
      source += (index++ ? ", " : "") + *declared;
    }
    source += ") {\n  asm volatile(\"{\\n\"\n\"";
    for (StringRef shared : module.sharedVariables)
      appendQuoted(source, (shared + "\n").str());
    std::string body = kernel.body.str();
    if (std::string other = nameInCpp(kernel.name); other != kernel.name)
      replaceAll(body, kernel.name + "_param_", other + "_param_");
    appendQuoted(source, body);
    source += "\\n}\" :: ";
    // Without any operand NVRTC would leave `%%` as it is; naming the dynamic array declares it.
    source += "\"r\"(0)";
    for (auto &[name, align] : module.dynamicShared)
      source += ", \"l\"(" + name + ")";
    source += " : \"memory\");\n}\n";
  }
  return source;
}

} // namespace

Expected<Cubin> compileWithNvrtc(const Nvrtc &nvrtc, StringRef ptx, Arch arch) {
  std::string text = withoutComments(ptx);
  auto module = parsePtx(text);
  if (!module)
    return module.takeError();
  auto source = wrap(*module);
  if (!source)
    return source.takeError();
  Nvrtc::Program program = nullptr;
  if (int code = nvrtc.createProgram(&program, source->c_str(), "tilec.cu", 0, nullptr, nullptr))
    return createStringError("nvrtcCreateProgram failed with code %d", code);
  std::string chip = "--gpu-architecture=" + std::string(tilec::nameOf(arch));
  const char *options[] = {chip.c_str(), "--ptxas-options=-v"};
  int code = nvrtc.compileProgram(program, std::size(options), options);
  Cubin cubin;
  size_t bytes = 0;
  if (nvrtc.logSize(program, &bytes) == 0 && bytes > 1) {
    cubin.log.resize(bytes);
    nvrtc.log(program, cubin.log.data());
    cubin.log.resize(bytes - 1); // the size counts a NUL
  }
  if (code == 0 && nvrtc.cubinSize(program, &bytes) == 0) {
    cubin.bytes.resize(bytes);
    code = nvrtc.cubin(program, reinterpret_cast<char *>(cubin.bytes.data()));
  }
  nvrtc.destroyProgram(&program);
  if (code != 0)
    return createStringError("NVRTC refused the PTX (code %d): %s", code, cubin.log.c_str());
  for (const PtxKernel &kernel : module->kernels)
    if (std::string other = nameInCpp(kernel.name); other != kernel.name)
      if (Error error = restoreName(cubin.bytes, other, kernel.name))
        return error;
  return cubin;
}

} // namespace tilec::codegen
