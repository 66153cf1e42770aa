# SPDX-License-Identifier: Apache-2.0
"""Objects of the interpreter in kernels: they compare, and are true or not, as Python says."""

import dataclasses
import enum
import linecache
import os
import subprocess
import sys

import numpy as np
import pytest

import tilec
import tilec.language as T


class Mode(enum.Enum):
    SUM = "sum"
    MAX = "max"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass(frozen=True)
class Config:
    mode: Mode = Mode.SUM
    size: int = 4


class Ordered:
    """Equal and in order by its value, like numbers; none else has __eq__ that looks at numbers."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Ordered) else other)

    def __lt__(self, other):
        return self.value < (other.value if isinstance(other, Ordered) else other)

    def __gt__(self, other):
        return self.value > (other.value if isinstance(other, Ordered) else other)

    def __bool__(self):
        return self.value != 0


class Refuses:
    def __eq__(self, other):
        raise KeyError("not to be compared")


config, other = Config(), Config(Mode.MAX, 4)
modes, table = [Mode.MAX, Mode.SUM], {Mode.SUM: 5.0, Mode.MAX: 6.0}
three, four, nothing, refuses = Ordered(3), Ordered(4), Ordered(0), Refuses()

QUESTIONS = [
    "config.mode == Mode.SUM", "config.mode == Mode.MAX", "config.mode != Mode.SUM", "config.mode != Mode.MAX",
    "config.mode is Mode.SUM", "config.mode is Mode.MAX", "config.mode is not Mode.SUM", "config.mode is None",
    "config.mode == None", "config.mode == 'sum'", "'sum' == config.mode", "config.mode.value == 'sum'",
    "config.mode in (Mode.SUM, Mode.MAX)", "config.mode in modes", "other.mode in [Mode.SUM]",
    "config.mode not in modes", "Mode('sum') == config.mode", "Mode['MAX'] is config.mode",
    "modes.index(Mode.SUM) == 1", "table[config.mode] == 5.0", "table[Mode.MAX] == 6.0",
    "config == Config()", "config == other", "config != other", "config in [other, Config()]", "[config] == [Config()]",
    "(config, 1) == (Config(), 2)", "[config, [other]] != [Config(), [other]]", "[config] == []",
    "three == Ordered(3)", "three == four", "three == 3", "3 == three", "4 == three", "three != 3", "three < four",
    "three > four", "3 < four", "5 < four", "four > 3.5", "(True if three else False)", "(True if nothing else False)",
    "not nothing", "nothing or Level.LOW == 1", "isinstance(config.mode, Mode)", "isinstance(config, Mode)",
    "isinstance(config, (Mode, Config))", "isinstance(three, int)", "isinstance(3, Mode)", "isinstance(three, object)",
    "Level.LOW < Level.HIGH", "config is config",
]  # fmt: skip


def kernel_of(expression):
    text = f"""@T.prim_func
def main(B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = 1.0 if {expression} else 2.0
"""
    name = f"<question {expression}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = dict(globals())
    exec(compile(text, name, "exec"), space)
    return tilec.compile(space["main"], target="gfx950")


def run(kernel):
    out = np.zeros(64, np.float32)
    kernel(out)
    return out


@pytest.mark.parametrize("expression", QUESTIONS)
def test_questions_have_the_answers_of_python(expression):
    assert np.all(run(kernel_of(expression)) == (1.0 if eval(expression) else 2.0))


def test_an_answer_that_changes_is_another_kernel(monkeypatch):
    assert np.all(run(kernel_of("config.mode == Mode.SUM")) == 1.0)
    monkeypatch.setitem(globals(), "config", other)
    assert np.all(run(kernel_of("config.mode == Mode.SUM")) == 2.0)
    assert np.all(run(kernel_of("three == four")) == 2.0)
    monkeypatch.setitem(globals(), "four", Ordered(3))
    assert np.all(run(kernel_of("three == four")) == 1.0)
    monkeypatch.setattr(three, "value", 4)
    assert np.all(run(kernel_of("three == four")) == 2.0)


def test_kernels_that_compare_objects_are_kept_on_the_disk(tmp_path):
    program = """
import sys
sys.path.insert(0, sys.argv[1])
import tilec, test_comparisons as t
seen = []
tilec.on_compile(seen.append)
t.config = t.Config(t.Mode[sys.argv[2]])
print(t.run(t.kernel_of("config.mode == Mode.SUM and config in (other, Config())"))[0].item(), len(seen))
"""
    env = {**os.environ, "TILEC_CACHE_DIR": str(tmp_path)}

    def run(mode):
        command = [sys.executable, "-c", program, os.path.dirname(__file__), mode]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()

    assert [run(mode) for mode in ("SUM", "SUM", "MAX", "MAX", "SUM")] == [
        ["1.0", "1"], ["1.0", "0"], ["2.0", "1"], ["2.0", "0"], ["1.0", "0"]
    ]  # fmt: skip


def test_errors_of_a_comparison_are_the_cause():
    with pytest.raises(tilec.CompileError) as found:
        kernel_of("refuses == three")
    assert "not to be compared" in str(found.value) and isinstance(found.value.__cause__, KeyError)


def test_what_has_no_answer_is_an_error():
    with pytest.raises(tilec.CompileError, match="OpaqueValue"):
        kernel_of("config < other")  # neither has an order


def test_carets_stand_below_what_they_mean():
    with pytest.raises(tilec.CompileError) as found:
        kernel_of("'äöü 日本' == unbekannt")
    lines = str(found.value).splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip().startswith("^"))
    line = lines[at - 1]
    before = line[: line.index("unbekannt")]
    assert lines[at].index("^") == len(before) + 2, "two letters are two places wide"
    assert lines[at].count("~") == len("unbekannt") - 1
