//===- main.cpp - tilec-launch: run a compiled kernel on a GPU host -------===//
//
// Reads the command line and hands it to LaunchTool.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LaunchTool.h"

#include "tilec/Base/Version.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  tilec::launch::Options options;
  tilec::Messages messages("tilec-launch", argc, argv, /*failed=*/2);
  CLI::App app("Runs a compiled kernel on a GPU through the driver of this machine.\n"
               "Exit code: 0 done and every check passed, 1 a check failed, 2 it could not run.",
               "tilec-launch");
  messages.addOption(app);
  app.add_option("BINARY", options.binary, "cubin, PTX or hsaco")->required();
  app.add_option("--manifest", options.manifest, "launch manifest (default: BINARY.json)");
  app.add_option("--device", options.device, "cuda or hip (default: by the manifest's target)")
      ->check(CLI::IsMember({"cuda", "hip"}));
  app.add_option("--device-index", options.deviceIndex, "which GPU, from 0");
  app.add_option("--driver", options.driver, "driver library (default: the system's)");
  app.add_option("--arg", options.args, "NAME=randn|uniform|zeros|FILE.npy|NUMBER")
      ->allow_extra_args(false);
  app.add_option("--dim", options.dims, "NAME=N: a symbolic size")->allow_extra_args(false);
  app.add_option("--seed", options.seed, "seed of generated arguments");
  app.add_option("--save", options.saves, "NAME=FILE.npy: write a tensor after the run")
      ->allow_extra_args(false);
  app.add_option("--expect", options.expects, "NAME=FILE.npy: check a tensor after the run")
      ->allow_extra_args(false);
  app.add_option("--spread", options.spreads,
                 "NAME=FILE.npy: the spread of its rows (tilec-run --save-spread): the tolerance")
      ->allow_extra_args(false);
  app.add_flag("--bench", options.bench, "time the kernel");
  app.add_option("--vs", options.rivals,
                 "LIBRARY:FORM:NAMES: time a library on the same tensors in turns "
                 "(docs/deploy/runtime.md): "
                 "cublas:nt:A,B,C, cublaslt:nt:A,B,C, cudnn:bshd+causal:Q,K,V,O, copy:FROM,TO")
      ->allow_extra_args(false);
  app.add_option("--cublas", options.cublas, "FORM:A,B,C: the same as --vs=cublas:FORM:A,B,C");
  app.add_option("--vs-library,--cublas-library", options.rivalLibrary,
                 "library file of --vs (default: the system's)");
  app.add_option("--rounds", options.rounds, "with --bench: at least so many (default 31)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--flops", options.flops, "operations of a run, an expression over the dims");
  app.add_flag("--json", options.json, "print the report as JSON");
  app.set_version_flag("--version", tilec::versionOf("tilec-launch", ""));
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  return messages.finish(tilec::launch::run(options, messages));
}
