//===- AutotuneTest.cpp - the configurations that a script proposes -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/Autotune.h"
#include "ScriptTesting.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::script;

namespace {

std::string configs(llvm::StringRef text, llvm::StringRef entry = "kernel(64)") {
  SourceManager sources;
  uint32_t file = sources.add("t.py", text.str());
  DiagnosticEngine diags(sources);
  auto list = listConfigs(sources, file, entry, Arch::Gfx950, diags);
  if (!list)
    return script::testing::messages(diags);
  std::string out;
  for (const KeywordTexts &config : *list) {
    for (const auto &[name, value] : config)
      out += name + "=" + value + " ";
    out += "\n";
  }
  return out;
}

constexpr const char *body = R"(
def kernel(N, block=32, dtype="float16"):
    return N
)";

TEST(Autotune, TakesAListOfDictionaries) {
  EXPECT_EQ(configs(std::string("import tilelang\n"
                                "@tilelang.autotune(configs=[{'block': 32, 'dtype': 'float16'}, "
                                "dict(block=64)], warmup=3)\n"
                                "@tilelang.jit(out_idx=[-1])") +
                    body),
            "block=32 dtype='float16' \nblock=64 \n");
}

TEST(Autotune, TakesWhatAFunctionReturns) {
  const char *text = R"(
import itertools
import tilelang

def get_configs():
    return [{"block": b, "tile": [b, 2 * t]} for b, t in itertools.product([16, 32], [1, 2])]

@tilelang.autotune(configs=%s)
@tilelang.jit
)";
  std::string expected = "block=16 tile=[16, 2] \nblock=16 tile=[16, 4] \n"
                         "block=32 tile=[32, 2] \nblock=32 tile=[32, 4] \n";
  for (const char *how : {"get_configs()", "get_configs"}) {
    std::string script = text;
    script.replace(script.find("%s"), 2, how);
    EXPECT_EQ(configs(script + body), expected) << how;
  }
}

TEST(Autotune, TakesThoseOfTheEntrysFunction) {
  std::string text = "import tilelang\n"
                     "@tilelang.autotune(configs=[dict(a=1)])\n"
                     "@tilelang.jit\n"
                     "def first(N):\n    return N\n"
                     "@tilelang.autotune(configs=[dict(b=2)])\n"
                     "@tilelang.jit\n"
                     "def second(N):\n    return N\n";
  EXPECT_EQ(configs(text, "second(3)"), "b=2 \n");
  EXPECT_EQ(configs(text, "first"), "a=1 \n");
  EXPECT_EQ(configs(text, "third(1)"), "");
  EXPECT_EQ(configs(std::string("import tilelang\n@tilelang.jit") + body), "");
}

TEST(Autotune, RefusesWhatIsNoListOfDictionaries) {
  std::string text = "import tilelang\n@tilelang.autotune(configs=[1, 2])\n@tilelang.jit";
  EXPECT_NE(configs(text + body)
                .find("t.py:2:28: error: the `configs` of `autotune` are no list of "
                      "dictionaries"),
            std::string::npos)
      << configs(text + body);
  text = "import tilelang\n@tilelang.autotune(configs=nothing)\n@tilelang.jit";
  EXPECT_NE(configs(text + body).find("nothing"), std::string::npos);
}

} // namespace
