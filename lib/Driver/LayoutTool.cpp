//===- LayoutTool.cpp - `tilec layout` ------------------------------------===//
//
// Reads one layout attribute from the command line and prints or draws it through LayoutsPage.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LayoutTool.h"

#include "LayoutsPage.h"

#include "tilec/Base/DType.h"
#include "tilec/Messages/Messages.h"
#include "tilec/Runtime/Npy.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace mlir;

namespace tilec {
namespace {

struct Arguments {
  std::string layout, target = "gfx950", dtype = "bfloat16", output;
};

int show(const Arguments &args, const Messages &messages) {
  std::optional<Arch> arch = parseArch(args.target);
  if (!arch)
    return messages.usageError("unknown target `" + args.target + "`; tilec --list-targets");
  std::optional<DType> dtype = parseDType(args.dtype);
  if (!dtype)
    return messages.usageError("`" + args.dtype +
                               "` is no dtype; write one as in scripts, such "
                               "as float16");
  DialectRegistry registry;
  registry.insert<tile::TileDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    said += (said.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  Attribute attribute = parseAttribute(args.layout, &context);
  std::optional<LayoutPicture> picture =
      attribute ? pictureOf(attribute, bitsOf(*dtype), *arch) : std::nullopt;
  if (isa_and_nonnull<tile::FragmentLayoutAttr, tile::SharedLayoutAttr>(attribute) && !picture)
    return messages.usageError(
        "the layout cannot be drawn: its extents must be at least 1, a row may "
        "have 32768 elements, and all lanes and waves 2^24 registers");
  if (!picture)
    return messages.usageError(
        "`" + args.layout + "` is no layout" + (said.empty() ? "" : ": " + said) +
        "; write one as --emit=tile-laid-out prints them: #tile.shared<shape = [16, 64] pitch = 64 "
        "vec = 8 rows_per_phase = 1 phases = 8>");
  if (args.output.empty() || args.output == "-") {
    llvm::outs() << printLayout(*picture);
    llvm::outs().flush();
    return 0;
  }
  picture->name = "layout";
  picture->type = args.dtype;
  if (rt::Status status = rt::writeFile(args.output, drawLayouts("layout", *picture)); !status)
    return messages.failure(DiagId::CannotWrite, status.error().message);
  return 0;
}

} // namespace

int layoutMain(int argc, char **argv) {
  Arguments args;
  Messages messages("tilec layout", argc, argv);
  CLI::App app{"tilec layout: which lane holds which element of a fragment, which bank an element "
               "of a shared tile is in",
               "tilec layout"};
  messages.addOption(app);
  app.add_option("LAYOUT", args.layout,
                 "#tile.fragment<...> or #tile.shared<...>, as "
                 "--emit=tile-laid-out prints them")
      ->required();
  app.add_option("--target", args.target, "whose banks (gfx950)");
  app.add_option("--dtype", args.dtype, "of the elements of a shared tile (bfloat16)");
  app.add_option("-o,--output", args.output, "FILE.html: as a page; default: text");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  return show(args, messages);
}

} // namespace tilec
