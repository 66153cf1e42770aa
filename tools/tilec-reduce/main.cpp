//===- main.cpp - tilec-reduce: a smaller script that still fails ---------===//
//
// Takes a script and a command that says whether it still fails, gives the smallest script that
// Reduce.cpp finds.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Reduce.h"

#include "tilec/Base/Version.h"
#include "tilec/Messages/Messages.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Script/ModuleFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace {

struct Arguments {
  std::string file, output, message;
  std::vector<std::string> command;
  int status = -1;
  unsigned timeout = 60;
  tilec::ReduceOptions options;
  bool quiet = false;
};

/// A folder of its own for the candidates, with the modules that the script imports.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (!folder.empty())
      (void)llvm::sys::fs::remove_directories(folder);
  }

  bool make(const std::string &script, const std::string &text) {
    if (llvm::sys::fs::createUniqueDirectory("reduce", folder))
      return false;
    tilec::script::ModuleReader read =
        tilec::script::readModulesBelow(llvm::sys::path::parent_path(script));
    for (const tilec::script::ImportedModule &module : tilec::script::importedModules(text, read)) {
      std::string copy = path(module.path);
      if (llvm::sys::fs::create_directories(llvm::sys::path::parent_path(copy)) ||
          !tilec::rt::writeFile(copy, module.file.text))
        return false;
    }
    return true;
  }

  std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> out = folder;
    llvm::sys::path::append(out, name);
    return out.str().str();
  }

private:
  llvm::SmallString<128> folder;
};

/// Runs the command on candidates, which it finds in a file that replaces `{}`.
class Command {
public:
  Command(const Arguments &args, std::string program, std::string scratch)
      : args(args), program(std::move(program)), scratch(std::move(scratch)) {}

  static constexpr int cannotRun =
      -1; ///< as llvm::sys::ExecuteAndWait says it, -2 of a crash or a timeout
  static constexpr int notSaid = -3; ///< the message is not printed

  /// The exit status on `text`, or one of these; a timeout is a crash.
  int run(const std::string &text) {
    if (!tilec::rt::writeFile(scratch, text))
      return cannotRun;
    std::string printed = scratch + ".out";
    std::vector<std::string> words;
    for (std::string word : args.command) {
      if (size_t at = word.find("{}"); at != std::string::npos)
        word.replace(at, 2, scratch);
      words.push_back(word);
    }
    std::vector<llvm::StringRef> list(words.begin(), words.end());
    llvm::StringRef none, out = printed;
    int status =
        llvm::sys::ExecuteAndWait(program, list, std::nullopt, {none, out, out}, args.timeout);
    auto buffer = llvm::MemoryBuffer::getFile(printed);
    isSaid = buffer && (*buffer)->getBuffer().contains(args.message);
    (void)llvm::sys::fs::remove(printed);
    return isSaid ? status : notSaid;
  }

  bool isSaid = false; ///< in the last run

private:
  const Arguments &args;
  std::string program, scratch;
};

int reduce(const Arguments &args, const tilec::Messages &messages) {
  using tilec::DiagId;
  auto failure = [&](const std::string &text) {
    return messages.failure(DiagId::NothingToReduce, text);
  };
  auto buffer = llvm::MemoryBuffer::getFile(args.file, /*IsText=*/true);
  if (!buffer)
    return messages.failure(DiagId::CannotRead,
                            "cannot read " + args.file + ": " + buffer.getError().message());
  std::string text = (*buffer)->getBuffer().str();
  if (!tilec::parsesAsScript(text))
    return failure(args.file + " does not parse; only scripts that parse are reduced");
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(args.command[0]);
  if (!program)
    return messages.failure(DiagId::CommandLine,
                            "cannot find the command `" + args.command[0] + "`");
  if (llvm::none_of(args.command,
                    [](const std::string &word) { return word.find("{}") != std::string::npos; }))
    return messages.failure(DiagId::CommandLine,
                            "the command does not name the file: write {} where it stands");
  Scratch scratch;
  if (!scratch.make(args.file, text))
    return messages.failure(DiagId::CannotWrite, "cannot make a temporary folder");
  Command command(args, *program, scratch.path("candidate.py"));
  int wanted = args.status >= 0 ? args.status : command.run(text);
  if (wanted == Command::cannotRun)
    return failure("the command cannot be run: `" + args.command[0] + "`");
  if (wanted == Command::notSaid)
    return failure("the command does not print `" + args.message + "` on " + args.file);
  auto has = [&](const std::string &candidate) { return command.run(candidate) == wanted; };
  if (wanted == 0 && args.status < 0 && args.message.empty())
    return failure("the command does not fail on " + args.file + "; give --status or --message");
  if (!has(text))
    return failure("the command does not end with " +
                   (wanted < 0 ? "the same crash" : "status " + std::to_string(wanted)) +
                   (args.message.empty() ? "" : " and that message") + " on " + args.file);
  tilec::ReduceResult result = tilec::reduceScript(text, has, args.options);
  llvm::errs() << "tilec-reduce: " << text.size() << " to " << result.text.size() << " bytes in "
               << result.tries << " tries\n";
  if (args.output.empty())
    llvm::outs() << result.text;
  else if (tilec::rt::Status status = tilec::rt::writeFile(args.output, result.text); !status)
    return messages.failure(DiagId::CannotWrite, status.error().message);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments args;
  tilec::Messages messages("tilec-reduce", argc, argv);
  CLI::App app{"tilec-reduce: makes a script smaller while a command keeps failing on it\n"
               "  tilec-reduce FILE [-o OUT] -- COMMAND... {} ..."};
  app.set_version_flag("--version", tilec::versionOf("tilec-reduce", LLVM_VERSION_STRING));
  messages.addOption(app);
  app.add_option("FILE", args.file, "a script that parses")->required();
  app.add_option("COMMAND", args.command, "a command; {} is the candidate's file")->required();
  app.add_option("-o", args.output, "where the smallest script goes; standard output when absent");
  app.add_option("--status", args.status,
                 "the exit status to keep; the one of the whole file when absent");
  app.add_option("--message", args.message, "what the command must print");
  app.add_option("--timeout", args.timeout, "seconds for one run of the command");
  app.add_option("--max-tries", args.options.maxTries, "runs of the command at most");
  app.add_option("--max-seconds", args.options.maxSeconds, "start no new run after this long");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  return messages.finish(llvm::outs(), reduce(args, messages));
}
