// SPDX-License-Identifier: Apache-2.0
//
// One case for each message of the evaluator and the tracer: the id, and where the caret is.
#include "ScriptTesting.h"

#include "gtest/gtest.h"

using tilec::script::testing::eval;
using tilec::script::testing::kernel;
using tilec::script::testing::trace;

namespace {

/// `text` reports `id` at `place` (`line:column`, of the script).
void expectError(const std::string &output, const char *place, const char *id) {
  std::string first = output.substr(0, output.find('\n'));
  EXPECT_NE(first.find(std::string("t.py:") + place + ": error: "), std::string::npos) << output;
  EXPECT_NE(first.find(std::string("[") + id + "]"), std::string::npos) << output;
}

/// A kernel's body starts in line 6, column 9.
void expectBodyError(const char *body, const char *place, const char *id) {
  expectError(trace(kernel(body)), place, id);
}

TEST(Errors, Names) {
  expectBodyError("A[0, 0] = Bx", "6:19", "UndefinedName");
  EXPECT_NE(trace(kernel("A[0, 0] = rang")).find("did you mean `range`?"), std::string::npos);
  expectBodyError("if bx > 0:\n    x = 1\nA[0, 0] = x", "8:19", "NameOutOfFrame");
  expectBodyError("x = [1]\nfor i in range(2):\n    x = [2]\nA[0, 0] = x[0]", "9:19", "StaleName");
  expectBodyError("A[0, 0] = y\ny = 1", "6:19", "UnboundName");
  expectBodyError("x = T.alloc_var('int32')\nx = 'a'", "7:9", "RebindNonScalar");
}

TEST(Errors, CompileTimeAndRuntime) {
  expectBodyError("s = T.alloc_shared((bx, 4), 'float32')", "6:28", "RuntimeAsConstant");
  expectBodyError("A[0, 0] = A[0.5, 0]", "6:21", "IndexNotInteger");
  expectBodyError("A[0, 0] = A", "6:19", "BufferAsValue");
  expectBodyError("A[0, 0] = A + 1", "6:19", "WholeBuffer");
  expectBodyError("import math\nA[0, 0] = math.exp(A[0, 0])", "7:28", "RuntimeInMath");
  expectBodyError("if bx > 0:\n    return", "7:13", "ReturnInFrame");
  expectBodyError("return", "6:9", "ReturnInKernel");
  expectBodyError("for i in range(2):\n    pass\nelse:\n    pass", "9:13", "ElseOfRuntimeLoop");
  expectBodyError("for i in [1, 2]:\n    if bx > i:\n        break", "8:17", "JumpFromBranch");
  expectBodyError("break", "6:9", "JumpOutsideLoop");
  expectBodyError("if bx > 0:\n    raise ValueError('x')", "7:13", "RaiseAtRuntime");
  expectBodyError("x = [i for i in [1] if bx > i]", "6:32", "RuntimeCondition");
  expectBodyError("for i in T.Parallel(4) + 1:\n    pass", "6:18", "BadOperands");
  expectBodyError("x = list(T.serial(4))", "6:18", "LoopOutsideFor");
}

TEST(Errors, Buffers) {
  expectBodyError("A[0] = A[0, 0, 0]", "6:18", "TooManyIndices");
  expectBodyError("T.copy(A[0:8:2, :], B)", "6:18", "SliceStep");
  expectBodyError("T.copy(A[8:8, :], B)", "6:18", "EmptySlice");
  expectBodyError("x = A[0:8, :]\nT.copy(x[0:4, :], B)", "7:16", "SliceOfSlice");
  expectBodyError("s = T.alloc_shared((0, 4), 'float32')", "6:28", "BadShape");
  expectBodyError("s = T.alloc_shared((2 ** 40, 2 ** 40), 'float32')", "6:28", "ShapeTooLarge");
  expectBodyError("s = T.alloc_shared((4,), 'flot32')", "6:34", "UnknownDType");
  EXPECT_NE(trace(kernel("s = T.alloc_shared((4,), 'flot32')")).find("did you mean `float32`?"),
            std::string::npos);
  expectBodyError("s = T.alloc_shared((4,), 'float32x4')", "6:34", "VectorDType");
  expectBodyError("s = T.alloc_shared((4,), 'float32', scope='lds')", "6:51", "UnknownScope");
  expectBodyError("v = T.view(A, (64, 63))", "6:13", "ViewSize");
  expectBodyError("A[0:4, 0] += 1", "6:9", "WholeBuffer");
}

TEST(Errors, Vectors) {
  expectBodyError("x = T.Ramp(0, 1, 100)", "6:26", "BadArgumentValue");
  expectBodyError("A[0, 0] = T.Ramp(0, 1, 4)", "6:19", "WantedOther");
  expectBodyError("x = 1 if T.Ramp(0, 1, 4) else 2", "6:18", "WantedOther");
  expectBodyError("x = ~T.Broadcast(1.0, 4)", "6:13", "BadOperand");
  expectBodyError("x = T.Shuffle([A], [0])", "6:23", "WantedOther");
  expectBodyError("x = T.Shuffle([T.Ramp(0, 1, 2)], [2])", "6:42", "IndexOutOfRange");
  expectBodyError("x = T.alloc_var('float32x4')\nx = T.Ramp(0, 1, 2)", "7:9", "LaneCounts");
  expectBodyError("A[0, T.Ramp(0, 1, 4)] = A[1, 0:3]", "6:33", "LaneCounts");
  expectBodyError("x = T.vectorcombine('float32x4', A[0, 0], A[0, 1])", "6:13", "LaneCounts");
  expectBodyError("x = T.add2(A[0, 0], A[0, 1])", "6:20", "WantedOther");
  expectBodyError("T.stg64(A[0, 0], T.ldg128(A[0, 0]))", "6:26", "ReinterpretWidth");
  expectBodyError("x = T.reinterpret(T.Ramp(0, 1, 3), 'uint64')", "6:13", "ReinterpretWidth");
  expectBodyError("T.atomic_load(A[0, T.Ramp(0, 1, 2)])", "6:23", "WantedOther");
  expectBodyError("T.While(True)", "6:9", "RefusedIntrinsic");
}

TEST(Errors, Intrinsics) {
  expectBodyError("T.cpy(A, B)", "6:11", "UnknownIntrinsic");
  EXPECT_NE(trace(kernel("T.cpy(A, B)")).find("did you mean `copy`?"), std::string::npos);
  expectBodyError("T.tma_copy(A, B)", "6:9", "RefusedIntrinsic");
  expectBodyError("T.copy(A)", "6:9", "IntrinsicMissingArgument");
  expectBodyError("T.copy(A, B, 3)", "6:22", "IntrinsicTooManyArguments");
  expectBodyError("T.gemm(A, B, A, transpose_b=True)", "6:25", "IntrinsicUnknownKeyword");
  expectBodyError("T.copy(A, src=B, dst=A)", "6:19", "ArgumentTwice");
  expectBodyError("T.copy(A, 3)", "6:19", "WantedTile");
  expectBodyError("x = T.infinity('int32')", "6:24", "NoInfinity");
  expectBodyError("x = T.reinterpret(A[0, 0], 'float16')", "6:13", "ReinterpretWidth");
  expectBodyError("for i in T.Parallel(0):\n    pass", "6:29", "BadLoopExtent");
  expectBodyError("for i in T.serial(0, 4, 0):\n    pass", "6:33", "ZeroStep");
  expectBodyError("for i in T.Pipelined(4, num_stages=-1):\n    pass", "6:44", "BadArgumentValue");
  expectBodyError("x = T.get_thread_binding(3)", "6:13", "BadAxis");
  expectBodyError("with T.Kernel(1):\n    pass", "6:14", "NestedKernel");
  expectBodyError("for i, j in T.Parallel(4):\n    pass", "6:13", "UnpackCount");
  expectBodyError("from tilec import schedule\nfor i in schedule.ping_pong(T.serial(4)):\n    pass",
                  "7:37", "ScheduleWantsPipelined");
  expectBodyError("for i in [0] * 200000:\n    A[0, 0] = 1", "7:13", "TooManyStatements");
}

TEST(Errors, Kernels) {
  std::string head = "import tilelang\nimport tilelang.language as T\n";
  expectError(trace(head + "x = 1\n"), "1:1", "NoEntry");
  expectError(trace(head + "@T.prim_func\ndef f(A):\n    pass\n"), "4:7", "MissingAnnotation");
  expectError(trace(head + "@T.prim_func\ndef f(A: 3):\n    pass\n"), "4:10",
              "BadParameterAnnotation");
  expectError(trace(head + "@T.prim_func\ndef f():\n    pass\n"), "4:5", "NoLaunch");
  expectError(trace(head + "@tilelang.jit\ndef f():\n    return 1\n", "f()"), "4:5",
              "JitReturnsNoKernel");
  expectError(
      trace(head + "@T.prim_func\ndef f():\n    with T.Kernel(1, 2, 3, 4):\n        pass\n"),
      "5:10", "GridRank");
  expectError(trace(head + "@T.prim_func\ndef f():\n    with T.Kernel(-1):\n        pass\n"),
              "5:19", "BadGrid");
  expectError(trace(head + "@T.prim_func\ndef f():\n    with T.Kernel(1, threads=2048):\n"
                           "        pass\n"),
              "5:30", "BadThreads");
  expectError(trace(head + "@T.prim_func\ndef f():\n    T.clear(1)\n"), "5:5", "OutsideKernel");
  expectError(trace(head + "@tilelang.jit(out_idx=3)\ndef f():\n    @T.prim_func\n"
                           "    def main(A: T.Tensor((4,), 'float32')):\n"
                           "        with T.Kernel(1):\n            A[0] = 1\n    return main\n",
                    "f()"),
              "3:2", "BadOutIdx");
  expectError(trace(head + "def f():\n    return 1\n@T.prim_func\ndef g():\n    with T.Kernel(1):\n"
                           "        pass\n@T.prim_func\ndef h():\n    pass\n"),
              "6:5", "SeveralEntries");
  EXPECT_NE(trace(head, "1 + 1").find("[EntryNotKernel]"), std::string::npos);
  expectError(trace(head + "def f():\n    with T.Kernel(1):\n        pass\n", "f()"), "4:10",
              "KernelOutsideFunction");
}

TEST(Errors, Python) {
  struct {
    const char *expression, *id;
  } const cases[] = {
      {"1 // 0", "DivisionByZero"},
      {"1.0 % 0.0", "DivisionByZero"},
      {"1 << -1", "NegativeShift"},
      {"(-8) ** 0.5", "ComplexResult"},
      {"10.0 ** 400", "FloatOverflow"},
      {"10 ** 400 / 3", "FloatOverflow"},
      {"10 ** 400 + 0.5", "FloatOverflow"},
      {"math.exp(1000)", "FloatOverflow"},
      {"'abc'.index('d')", "NotInList"},
      {"len([1], x=2)", "UnknownKeyword"},
      {"[] + 1", "BadOperands"},
      {"-'a'", "BadOperand"},
      {"1 < 'a'", "BadComparison"},
      {"{[]: 1}", "Unhashable"},
      {"[1][2]", "IndexOutOfRange"},
      {"{}['k']", "KeyMissing"},
      {"(1)(2)", "NotCallable"},
      {"None[0]", "NotSubscriptable"},
      {"'a'.uper()", "NoAttribute"},
      {"int('x')", "BadConversion"},
      {"min([])", "EmptySequence"},
      {"range(1, 2, 0)", "ZeroStep"},
      {"[*3]", "NotIterable"},
      {"len(3)", "WantedOther"},
      {"f'{1:q}'", "BadFormatSpec"},
      {"[1].index(2)", "NotInList"},
      {"(lambda x: x)()", "MissingArgument"},
      {"(lambda x: x)(1, 2)", "TooManyArguments"},
      {"(lambda x: x)(y=1)", "UnknownKeyword"},
      {"abs(1, 2)", "WrongArgumentCount"},
      {"math.sqrt(-1)", "MathDomain"},
      {"fails()", "AssertionFailed"},
      {"raises()", "Raised"},
      {"unpacks()", "UnpackCount"},
      {"manages()", "NotContextManager"},
      {"assigns()", "CannotAssign"},
  };
  const char *module = "import math\n"
                       "def fails():\n    assert 1 == 2, f'{3}'\n"
                       "def raises():\n    raise ValueError('no')\n"
                       "def unpacks():\n    a, b = 1, 2, 3\n"
                       "def manages():\n    with 3 as x:\n        pass\n"
                       "def assigns():\n    math.pi = 3\n";
  for (auto [expression, id] : cases)
    EXPECT_NE(eval(expression, module).find(std::string("[") + id + "]"), std::string::npos)
        << expression << "\n"
        << eval(expression, module);
}

} // namespace
