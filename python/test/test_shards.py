# SPDX-License-Identifier: Apache-2.0
"""A search that processes share, from Python. No kernel is run: a clock says what each takes."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from tilec.errors import Error
from tilec.tilelang.autotuner import shards, tuner

CONFIGS = [{"block": b, "stages": s} for b in (16, 32, 48, 64, 96) for s in (1, 2, 3)]


def cost(config):
    return 10 + abs(config["block"] - 48) + config["stages"]


class Clock:
    """Kernels of configurations: a run takes `cost`, on a GPU that is `factor` as slow."""

    def __init__(self, factor=1.0):
        self.factor = factor
        self.made = []

    def make(self, config):
        if config["block"] == 16 and config["stages"] == 1:
            raise RuntimeError("too small")
        self.made.append(config)
        clock = self

        class Kernel:
            latency = config_ = ref_latency = None
            params = ()

            def get_profiler(self, *_):
                return self

            def do_bench(self, **_):
                return cost(config) * clock.factor

            def _get_inputs(self):
                return []

        return Kernel()


def tune(folder, shard=None, clock=None):
    clock = clock or Clock()
    settings = tuner._Settings(shard=shard, folder=folder)
    return tuner.tune(clock.make, CONFIGS, settings, what="a kernel")


def test_four_shards_find_what_one_process_finds(tmp_path):
    alone = tuner.tune(Clock().make, CONFIGS, tuner._Settings())
    for i in range(4):
        # Clocks 10 % apart: what counts are ratios.
        tune(tmp_path, f"{i}/4", Clock(1.0 + 0.1 * (i % 2)))
    merged = tune(tmp_path, clock=Clock(1.3))
    assert merged.config == alone.config == {"block": 48, "stages": 1}
    assert len(merged.trials) == len(CONFIGS)
    ratios = {r["config"]: r["ratio"] for log in [logs(tmp_path)] for r in log.values() if "ratio" in r}
    first = cost(CONFIGS[1])  # the first one that works is the reference
    assert all(abs(ratios[shards._text(c)] - cost(c) / first) < 1e-9 for c in CONFIGS[1:])


def logs(folder):
    return shards.Log(folder, "a kernel", CONFIGS).read()


def test_a_part_is_no_result(tmp_path):
    tune(tmp_path, "1/4")
    with pytest.raises(Error, match="of 15 configurations have a result"):
        tune(tmp_path)


def test_a_restart_measures_only_what_is_missing(tmp_path):
    tune(tmp_path, "0/1")
    name = next(tmp_path.glob("*/results-0.jsonl"))
    text = name.read_bytes()
    lines = text.splitlines(True)
    name.write_bytes(b"".join(lines[:6]) + lines[6][:10])
    clock = Clock()
    tune(tmp_path, "0/1", clock)
    assert sorted(logs(tmp_path)) == list(range(15)) and name.read_bytes().startswith(b"".join(lines[:6]))
    # Five were known; of the others each once, beside the reference and the best.
    assert len(clock.made) <= 10 + 2 + 1


def test_a_killed_process_loses_nothing(tmp_path):
    program = textwrap.dedent(
        """
        import sys, time
        sys.path.insert(0, sys.argv[1])
        import test_shards as t
        class Slow(t.Clock):
            def make(self, config):
                time.sleep(0.05)
                return super().make(config)
        print("ready", flush=True)
        t.tune(sys.argv[2], "auto", Slow())
        """
    )
    env = {**os.environ, "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "7", "SLURM_ARRAY_TASK_COUNT": "1"}
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"):
        env.pop(name, None)
    process = subprocess.Popen([sys.executable, "-c", program, os.path.dirname(__file__), str(tmp_path)], env=env,
                               stdout=subprocess.PIPE)  # fmt: skip
    while len(logs(tmp_path)) < 3 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = logs(tmp_path)
    assert 3 <= len(before) < 15
    tune(tmp_path, "0/1")
    after = logs(tmp_path)
    assert len(after) == 15 and all(after[k] == v for k, v in before.items())
    assert tune(tmp_path).config == {"block": 48, "stages": 1}


def test_which_shard_this_is():
    def of(env, text="auto"):
        return shards.parse_shard(text, env)

    array = {"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10",
             "SLURM_ARRAY_TASK_STEP": "2"}  # fmt: skip
    step = {"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "8"}
    assert of(array) == (1, 4) and of(step) == (5, 8) and of({**array, **step}) == (13, 32)
    assert of({**step, "OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3"}) == (2, 3)
    assert of({"RANK": "3", "WORLD_SIZE": "4"}) == (3, 4) and of({}, "2/4") == of({}, (2, 4)) == (2, 4)
    for bad in ("4/4", "1", "a/b", "-1/2", 3):
        with pytest.raises(ValueError, match="shard="):
            of({}, bad)
    with pytest.raises(ValueError, match="nothing in the environment"):
        of({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"})
    with pytest.raises(ValueError, match="needs a folder"):
        tuner.tune(Clock().make, CONFIGS, tuner._Settings(shard="0/2"))
