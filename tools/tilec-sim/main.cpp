//===- main.cpp - tilec-sim's command line --------------------------------===//
//
// Reads the command line and hands it to SimTool or ManifestRun.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "SimTool.h"

#include "tilec/Base/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  tilec::Messages messages("tilec-sim", argc, argv, /*failed=*/2);
  tilec::sim::ToolOptions options(messages);
  CLI::App app(
      "Runs a kernel of a gfx942 or gfx950 code object on the host and checks it.\n"
      "With OBJECT.json, which tilec writes beside a code object, grid, block and arguments\n"
      "are known; without it --grid, --block and --arg say them.\n"
      "docs/simulators/simulator.md has the details.");
  app.set_version_flag("--version", tilec::versionOf("tilec-sim", LLVM_VERSION_STRING));
  messages.addOption(app);
  app.add_option("object", options.object, "ELF code object (hsaco)");
  app.add_option("--isa-coverage", options.isaCoverage,
                 "list the instructions of a chip that the simulator refuses, and why; no object")
      ->check(CLI::IsMember({"gfx942", "gfx950"}));
  app.add_flag("--list", options.list, "show the kernels, their resources and arguments");
  app.add_flag("--coverage", options.coverage, "list the instructions that a run would refuse");
  app.add_option("--kernel", options.kernel, "kernel to run; default: the only one");
  app.add_option("--manifest", options.manifest,
                 "launch manifest: grid, block and arguments (default: OBJECT.json, if it is there "
                 "and neither --grid nor --block is given)");
  app.add_option("--dim", options.dims, "with a manifest: NAME=N, a symbolic dimension")
      ->allow_extra_args(false);
  app.add_option("--data-seed", options.seed, "with a manifest: of the generated arguments");
  app.add_option("--grid", options.grid, "work-groups: X,Y,Z (1)");
  app.add_option("--block", options.block, "work-items of a work-group: X,Y,Z (64)");
  app.add_option(
      "--arg", options.args,
      "with a manifest: NAME=randn|uniform|zeros|FILE.npy|NUMBER; else an argument, in order: "
      "FILE.npy | raw:FILE | zeros:BYTES | uninit:BYTES | ptr:N+BYTES (into "
      "the "
      "buffer of argument N) | TYPE:VALUE with TYPE i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 "
      "f32 f64 | bytes:HEX");
  app.add_option("--kernarg", options.rawKernarg,
                 "offsets of the arguments in the segment, comma-separated (objects without "
                 "argument metadata)");
  app.add_option("--save", options.saves,
                 "N=FILE.npy: write the buffer of argument N after the run; with a manifest "
                 "NAME=FILE.npy");
  app.add_option("--checks", options.checks, "none or all")->check(CLI::IsMember({"none", "all"}));
  app.add_option("--memory", options.memoryMode,
                 "eager: effects at issue; strict: at the covering wait")
      ->check(CLI::IsMember({"eager", "strict"}));
  app.add_option("--range-check", options.rangeCheck,
                 "whether soffset counts in buffer range checks")
      ->check(CLI::IsMember({"with-soffset", "without-soffset"}));
  app.add_option(
         "--fp8-scale-order", options.fp8ScaleOrder,
         "which k the 8-bit elements of scaled matrix instructions have, where the scales of "
         "a row differ")
      ->check(CLI::IsMember({"refuse", "contiguous", "split"}));
  app.add_flag("--timing-lints", options.launch.timingHazardsAreLints,
               "for code tuned on hardware: missing waits, races and wait states are lints");
  app.add_flag("--lds-conflicts", options.launch.countLdsConflicts,
               "show what each LDS instruction cost in data cycles and bank conflicts");
  app.add_option("--seed", options.launch.interleaveSeed, "wave interleave; 0: round robin");
  app.add_option("--slice", options.launch.sliceInstructions, "instructions of a wave's turn")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--threads", options.launch.threads, "host threads; 0: one a core");
  app.add_option("--dynamic-lds", options.launch.dynamicLdsBytes,
                 "bytes on top of the kernel's own");
  app.add_option("--max-instructions", options.launch.maxInstructionsPerGroup,
                 "of one work-group before the run is called endless");
  app.add_option("--max-memory", options.maxMemoryBytes,
                 "bytes of device memory (1MB, 2GB ...); a code object's image counts too")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--max-seconds", options.launch.maxSeconds,
                 "host seconds before the run is called endless; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--max-findings", options.launch.maxFindings, "reports to keep of each kind");
  app.add_flag(
      "--timing", options.timing,
      "model the time on hardware: replays the work-groups that share a compute unit, prints "
      "cycles, utilisation and stalls; the run with its checks comes first, but for "
      "--checks=none");
  app.add_option("--timing-json", options.timingJson, "with --timing: write all of it as JSON");
  app.add_option(
      "--profile", options.profile,
      "FILE.html: --timing as a page with the waves' timeline and the annotated assembly");
  app.add_option("--trace", options.trace,
                 "FILE.json: --timing as trace events for Perfetto or chrome://tracing");
  app.add_option("--timing-rounds", options.timingOptions.roundsPerCu,
                 "work-groups to replay on each place of the compute unit")
      ->check(CLI::Range(1, 1000));
  app.add_option("--clock", options.timingOptions.clockGhz,
                 "clock in GHz; 0: the target's sustained")
      ->check(CLI::Range(0.0, 10.0));
  app.add_flag("--cold", options.cold, "caches hold nothing of an earlier run");
  app.add_flag("--quiet", options.quiet, "no progress line");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  return messages.finish(llvm::outs(), tilec::sim::runTool(options));
}
