//===- EnvTest.cpp - scripts that use names of their host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Capi.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

using namespace capi_test;

namespace {

tilec_host_value value(tilec_host_kind kind) {
  tilec_host_value v{};
  v.kind = kind;
  return v;
}
tilec_host_value integer(int64_t i) {
  tilec_host_value v = value(TILEC_HOST_INT);
  v.integer = i;
  return v;
}
tilec_host_value named(tilec_host_kind kind, const char *name, uint64_t object = 0) {
  tilec_host_value v = value(kind);
  v.text = str(name);
  v.object = object;
  return v;
}

/// A host of a few names; objects are numbers from 1 on.
struct World {
  struct Function {
    const char *name, *text, *file;
    uint32_t line;
  };
  std::map<std::pair<uint64_t, std::string>, tilec_host_value> names, attributes;
  std::map<uint64_t, Function> functions;
  std::map<uint64_t, std::function<tilec_status(std::vector<tilec_host_value>, tilec_host_value &)>>
      calls;
  std::map<uint64_t, int> given; ///< how often each object is out
  std::vector<std::string> asked;
  int destroyed = 0;

  tilec_status give(decltype(names) &from, uint64_t object, tilec_str name, tilec_host_value *out) {
    asked.push_back(std::to_string(object) + "." + std::string(text(name)));
    auto it = from.find({object, std::string(text(name))});
    if (it == from.end())
      return TILEC_ERROR_ARGUMENT;
    *out = it->second;
    given[out->object] += out->object != 0;
    return TILEC_OK;
  }

  tilec_env env() {
    tilec_env e{};
    e.size = sizeof e;
    e.user = this;
    e.lookup = [](void *user, uint64_t scope, tilec_str name, tilec_host_value *out) {
      auto *world = static_cast<World *>(user);
      return world->give(world->names, scope, name, out);
    };
    e.attribute = [](void *user, uint64_t object, tilec_str name, tilec_host_value *out) {
      auto *world = static_cast<World *>(user);
      return world->give(world->attributes, object, name, out);
    };
    e.call = [](void *user, uint64_t object, const tilec_host_value *args, size_t count,
                const tilec_keyword *, size_t, tilec_host_value *out) {
      auto &calls = static_cast<World *>(user)->calls;
      auto it = calls.find(object);
      return it == calls.end() ? TILEC_ERROR_ARGUMENT : it->second({args, args + count}, *out);
    };
    e.source = [](void *user, uint64_t object, tilec_function_source *out) {
      auto &functions = static_cast<World *>(user)->functions;
      auto it = functions.find(object);
      if (it == functions.end())
        return TILEC_ERROR_ARGUMENT;
      out->name = str(it->second.name);
      out->text = str(it->second.text);
      out->file = str(it->second.file);
      out->first_line = it->second.line;
      return TILEC_OK;
    };
    e.release = [](void *user, uint64_t object) { --static_cast<World *>(user)->given[object]; };
    e.destroy = [](void *user) { ++static_cast<World *>(user)->destroyed; };
    return e;
  }
};

Program program(tilec_compiler *compiler, World &world, std::string_view source) {
  tilec_program *made = nullptr;
  tilec_env env = world.env();
  EXPECT_EQ(tilec_program_from_text(compiler, str("kernel.py"), str(source), &env, &made),
            TILEC_OK);
  return Program(made);
}

/// A world that has `T` and the body's names.
constexpr const char *kernelText = R"(@T.prim_func
def scale(X: T.Tensor((N,), dtype)):
    with T.Kernel(1, threads=32) as bx:
        for i in T.Parallel(N):
            X[i] = %s
)";
std::string kernel(const std::string &expression) {
  std::string text = kernelText;
  return text.replace(text.find("%s"), 2, expression);
}
World usual() {
  World world;
  world.names[{0, "T"}] = named(TILEC_HOST_MODULE, "tilelang.language");
  world.names[{0, "N"}] = integer(64);
  world.names[{0, "dtype"}] = named(TILEC_HOST_DTYPE, "float32");
  return world;
}
std::string tileIr(tilec_binary *binary) {
  tilec_str ir{};
  EXPECT_EQ(tilec_binary_stage(binary, "tile", &ir), TILEC_OK) << text(tilec_last_error());
  return std::string(text(ir));
}

TEST(CapiEnv, GivesValuesAndModules) {
  World world = usual();
  world.names[{0, "factor"}] = value(TILEC_HOST_FLOAT);
  world.names[{0, "factor"}].real = 2.5;
  tilec_host_value sizes[2] = {integer(3), integer(7)};
  world.names[{0, "sizes"}] = value(TILEC_HOST_TUPLE);
  world.names[{0, "sizes"}].items = sizes;
  world.names[{0, "sizes"}].item_count = 2;
  world.names[{0, "wide"}] = named(TILEC_HOST_INT, "-1180591620717411303424"); // -2^70
  Compiler c = compiler();
  {
    Program p = program(c.get(), world, kernel("X[i] * factor + sizes[1] + wide // 2**68"));
    for (const char *target : {"gfx942", "sm_90a"}) {
      Binary binary = compile(p.get(), options(target));
      EXPECT_NE(tileIr(binary.get()).find("2.5"), std::string::npos);
    }
    EXPECT_EQ(world.destroyed, 0);
  }
  EXPECT_EQ(world.destroyed, 1);
  // The text's own names come first, Python's built-in ones are not asked for after a hit.
  EXPECT_EQ(std::count(world.asked.begin(), world.asked.end(), "0.scale"), 0);
}

// Functions are evaluated like the script, with their own names, on values of the kernel's run.
TEST(CapiEnv, EvaluatesFunctionsOfOtherFiles) {
  World world = usual();
  world.names[{0, "twice"}] = named(TILEC_HOST_FUNCTION, "twice", 1);
  world.functions[1] = {"twice", "def twice(x):\n    return helper(x) * two\n", "lib.py", 40};
  world.names[{1, "two"}] = integer(2);
  world.names[{1, "helper"}] = named(TILEC_HOST_FUNCTION, "helper", 2);
  world.functions[2] = {"<lambda>", "helper = lambda x: T.max(x, 0)\n", "lib.py", 90};
  world.names[{2, "T"}] = named(TILEC_HOST_MODULE, "tilelang.language");
  Compiler c = compiler();
  Program p = program(c.get(), world, kernel("twice(X[i])"));
  Binary binary = compile(p.get(), options("gfx950"));
  EXPECT_NE(tileIr(binary.get()).find("arith.max"), std::string::npos) << tileIr(binary.get());
  for (auto [object, count] : world.given)
    EXPECT_EQ(count, 0) << object;
}

TEST(CapiEnv, PlacesAreThoseOfTheHostsFiles) {
  World world = usual();
  world.names[{0, "first"}] = named(TILEC_HOST_FUNCTION, "first", 1);
  world.functions[1] = {"first", "def first(x):\n    return second(x)\n", "lib.py", 40};
  world.names[{1, "second"}] = named(TILEC_HOST_FUNCTION, "second", 2);
  world.functions[2] = {"second", "def second(x):\n    return x + missing\n", "lib.py", 90};
  Compiler c = compiler();
  Program p = program(c.get(), world, kernel("first(X[i])"));
  Binary binary = compile(p.get(), options("gfx950"), TILEC_ERROR_COMPILE);
  EXPECT_EQ(text(tilec_binary_log(binary.get())).substr(0, 13), "lib.py:91:16:");
  EXPECT_NE(text(tilec_binary_log(binary.get())).find("`missing` is not defined"),
            std::string_view::npos);
}

TEST(CapiEnv, CallsTheHost) {
  World world = usual();
  world.names[{0, "config"}] = named(TILEC_HOST_OBJECT, "config", 5);
  world.attributes[{5, "pick"}] = named(TILEC_HOST_OBJECT, "pick", 6);
  world.attributes[{5, "__getitem__"}] = named(TILEC_HOST_OBJECT, "item", 7);
  world.calls[6] = [](std::vector<tilec_host_value> args, tilec_host_value &out) {
    out = integer(args.at(0).integer + 1000);
    return TILEC_OK;
  };
  world.calls[7] = [](std::vector<tilec_host_value> args, tilec_host_value &out) {
    EXPECT_EQ(text(args.at(0).text), "bias");
    out = integer(77000);
    return TILEC_OK;
  };
  Compiler c = compiler();
  Program p = program(c.get(), world, kernel("X[i] + config.pick(N) + config['bias']"));
  std::string ir = tileIr(compile(p.get(), options("gfx950")).get());
  EXPECT_NE(ir.find("1.064000e+03"), std::string::npos) << ir;
  EXPECT_NE(ir.find("7.700000e+04"), std::string::npos) << ir;
  setenv("TILEC_PURE", "1", 1);
  Binary refused = compile(p.get(), options("gfx950"), TILEC_ERROR_COMPILE);
  unsetenv("TILEC_PURE");
  EXPECT_NE(text(tilec_binary_log(refused.get())).find("TILEC_PURE=1 forbids"),
            std::string_view::npos)
      << text(tilec_binary_log(refused.get()));
}

// What the host cannot give is an error where it is needed, with the host's reason.
TEST(CapiEnv, SaysWhyThereIsNoValue) {
  World world = usual();
  world.names[{0, "config"}] = named(TILEC_HOST_OBJECT, "config", 5);
  world.calls[5] = [](std::vector<tilec_host_value>, tilec_host_value &out) {
    out = named(TILEC_HOST_STR, "ZeroDivisionError: division by zero");
    return TILEC_ERROR_IO;
  };
  world.names[{0, "bad"}] = value(static_cast<tilec_host_kind>(99));
  Compiler c = compiler();
  const struct {
    const char *expression, *says;
  } rows[] = {
      {"X[i] + config(1)", "ZeroDivisionError: division by zero"},
      {"X[i] + config(X[i])", "the host's to call"},
      {"X[i] + config.size", "has no attribute `size`"},
      {"X[i] + bad", "malformed value"},
      {"X[i] + nothing", "`nothing` is not defined"},
  };
  for (const auto &row : rows) {
    Program p = program(c.get(), world, kernel(row.expression));
    Binary binary = compile(p.get(), options("gfx950"), TILEC_ERROR_COMPILE);
    EXPECT_NE(text(tilec_binary_log(binary.get())).find(row.says), std::string_view::npos)
        << row.expression << "\n"
        << text(tilec_binary_log(binary.get()));
  }
  Program unused = program(c.get(), world, "unused = config(1)\n" + kernel("X[i] + 1"));
  compile(unused.get(), options("gfx950"));
}

// The cache knows a program by what its names came to.
TEST(CapiEnv, ValuesCountInTheKeyOfTheCache) {
  char folder[] = "/tmp/tilec-env-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  tilec_compiler_options cached{};
  cached.size = sizeof cached;
  cached.cache_dir = folder;
  tilec_compiler *made = nullptr;
  ASSERT_EQ(tilec_compiler_create(&cached, &made), TILEC_OK);
  Compiler c(made);
  World world = usual();
  auto image = [&](int64_t bias) {
    world.names[{0, "bias"}] = integer(bias);
    Program p = program(c.get(), world, kernel("X[i] + bias"));
    return std::string(text(tilec_binary_image(compile(p.get(), options("gfx950")).get())));
  };
  std::string one = image(1), two = image(2);
  EXPECT_NE(one, two);
  EXPECT_EQ(image(1), one);
  EXPECT_EQ(image(2), two);
  std::filesystem::remove_all(folder);
}

TEST(CapiEnv, RefusesAnEnvWithoutLookup) {
  Compiler c = compiler();
  World world = usual();
  tilec_env env = world.env();
  env.lookup = nullptr;
  tilec_program *made = nullptr;
  EXPECT_EQ(tilec_program_from_text(c.get(), str("a.py"), str(""), &env, &made),
            TILEC_ERROR_ARGUMENT);
  EXPECT_EQ(world.destroyed, 1);
}

TEST(CapiEnv, DefinesMathAndTunedParameters) {
  Compiler c = compiler();
  Program p = capi_test::program(c.get(), "folder/scale.py", R"script(
import tilelang.language as T
def scale(n, block=32):
    @T.prim_func
    def main(X: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=32) as bx:
            for i in T.Parallel(block):
                X[bx * block + i] = T.exp(X[bx * block + i]) + BIAS
    return main
)script");
  tilec_compile_options o = options("gfx950", "scale(128)");
  const char *defines[] = {"BIAS=5"};
  o.defines = defines;
  o.define_count = 1;
  o.tuned_json = R"json({"version": 1, "results": [{"script": "scale.py", "entry": "scale(128)",
    "target": "gfx950", "best": {"block": "64"}}]})json";
  std::string manifest(text(tilec_binary_manifest(compile(p.get(), o).get())));
  std::erase_if(manifest, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(manifest.find("\"grid\":[2,1,1]"), std::string::npos) << manifest;
  for (const char *bad : {"", "{}", "{\"version\": 1, \"results\": []}", "[", "{\"version\": 1}"}) {
    o.tuned_json = bad;
    tilec_binary *none = nullptr;
    EXPECT_EQ(tilec_compile(p.get(), &o, &none), TILEC_ERROR_ARGUMENT) << bad;
    EXPECT_NE(text(tilec_last_error()).find("tuned_json"), std::string_view::npos);
  }
  o.tuned_json = nullptr;
  o.math = "fast";
  compile(p.get(), o);
  o.math = "slow";
  tilec_binary *none = nullptr;
  EXPECT_EQ(tilec_compile(p.get(), &o, &none), TILEC_ERROR_ARGUMENT);
  EXPECT_NE(text(tilec_last_error()).find("default, fast, libs"), std::string_view::npos);
}

} // namespace
