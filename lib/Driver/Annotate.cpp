//===- Annotate.cpp - assembly with the script's lines between ------------===//
//
// Reads `.loc` and `.file` lines of assembly or PTX, or nvdisasm's comments about lines, and puts
// the script's line in front of what was made of it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Annotate.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

#include <map>

namespace tilec {
namespace {

class Annotator {
public:
  Annotator(const SourceManager &sources, Vendor vendor)
      : sources(sources), comment(vendor == Vendor::Amd ? ";" : "//") {}

  std::string run(llvm::StringRef assembly) {
    findFiles(assembly);
    while (!assembly.empty()) {
      auto [line, rest] = assembly.split('\n');
      assembly = rest;
      take(line);
    }
    return std::move(text);
  }

  /// nvdisasm's form: `//## File "/folder/gemm.py", line 24`.
  std::string runSass(llvm::StringRef sass) {
    while (!sass.empty()) {
      auto [line, rest] = sass.split('\n');
      sass = rest;
      llvm::StringRef word = line.trim();
      if (!word.consume_front("//## File \"")) {
        text += line;
        text += '\n';
        continue;
      }
      auto [name, place] = word.split('"');
      unsigned number = 0;
      if (place.consume_front(", line ") && !place.consumeInteger(10, number))
        sayLine(name, number);
    }
    return std::move(text);
  }

private:
  const SourceManager &sources;
  llvm::StringRef comment;
  std::map<unsigned, std::string> files; ///< the assembly's numbers
  std::string text;
  std::pair<std::string, unsigned> last; ///< file and line of the last comment
  bool isDebugSection = false;

  /// `.file 1 "/folder" "gemm.py"`. PTX has them at its end.
  void findFiles(llvm::StringRef assembly) {
    llvm::SmallVector<llvm::StringRef> lines;
    assembly.split(lines, '\n');
    for (llvm::StringRef line : lines) {
      line = line.trim();
      if (!line.consume_front(".file"))
        continue;
      unsigned number;
      line = line.ltrim();
      if (line.consumeInteger(10, number))
        continue;
      llvm::SmallVector<llvm::StringRef> quoted;
      line.split(quoted, '"');
      // Names stand between quotes; what follows the last one is a checksum.
      llvm::StringRef name;
      for (size_t i = 1; i < quoted.size() && i <= 3; i += 2)
        if (i == 1 || quoted[i - 1].trim().empty())
          name = quoted[i];
      files[number] = name.str();
    }
  }

  const SourceFile *fileOf(llvm::StringRef path) const {
    llvm::StringRef wanted = llvm::sys::path::filename(path);
    for (uint32_t f = 0; f < sources.fileCount(); ++f)
      if (sources.file(f).name() == path ||
          llvm::sys::path::filename(sources.file(f).name()) == wanted)
        return &sources.file(f);
    return nullptr;
  }

  void take(llvm::StringRef line) {
    llvm::StringRef word = line.trim();
    if (word.starts_with(".section")) {
      isDebugSection = word.contains(".debug_") && !word.ends_with("}");
      if (word.contains(".debug_"))
        return;
    } else if (isDebugSection && (word.starts_with(".text") || word.starts_with(".amdgpu"))) {
      isDebugSection = false;
    }
    if (isDebugSection) {
      // PTX closes the section's bracket; what follows is code again.
      if (word == "}")
        isDebugSection = false;
      return;
    }
    if (word.consume_front(".loc"))
      return takePlace(word.trim());
    if (word.starts_with(".file") || isDebugLabel(word) || word.starts_with(".cfi_"))
      return;
    text += line;
    text += '\n';
  }

  /// A label that only line tables name.
  static bool isDebugLabel(llvm::StringRef word) {
    for (llvm::StringRef name : {".Ltmp", "$L__tmp", ".Lfunc_begin", "$L__func_begin"})
      if (word.starts_with(name) && word.ends_with(":"))
        return true;
    return false;
  }

  /// What follows `.loc`: number of the file, line, column.
  void takePlace(llvm::StringRef place) {
    unsigned number, line;
    if (place.consumeInteger(10, number))
      return;
    place = place.ltrim();
    auto file = files.find(number);
    if (file != files.end() && !place.consumeInteger(10, line))
      sayLine(file->second, line);
  }

  void sayLine(llvm::StringRef path, unsigned line) {
    if (line == 0 || std::pair(path.str(), line) == last)
      return;
    last = {path.str(), line};
    const SourceFile *source = fileOf(path);
    if (!source)
      return;
    text += ("\t" + comment + " " + llvm::sys::path::filename(source->name()) + ":" +
             llvm::Twine(line) + ": " + source->line(line).trim() + "\n")
                .str();
  }
};

} // namespace

std::string annotated(llvm::StringRef assembly, const SourceManager &sources, Arch arch) {
  return Annotator(sources, vendorOf(arch)).run(assembly);
}

std::string annotatedSass(llvm::StringRef sass, const SourceManager &sources) {
  return Annotator(sources, Vendor::Nvidia).runSass(sass);
}

} // namespace tilec
