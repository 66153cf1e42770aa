# SPDX-License-Identifier: Apache-2.0
"""A search that many processes share, as `tilec-run --shard` does (docs/tune/tuning.md).

Each process measures the configurations whose hash is its own and appends what it finds to a file of
its own; who starts again goes on behind what the files have. Times are ratios to one reference: the
first configuration that works, which every process times beside its own.
"""

import json
import os
import statistics

from ...errors import Error

_VERSION = 1
_ROUNDS = 3
_HOPELESS = 1.3

#: (rank, size) of launchers; MPI before Slurm, whose variables are the same for all under mpirun.
_LAUNCHERS = (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
              ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"), ("RANK", "WORLD_SIZE"),
              ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))  # fmt: skip


def _number(env, name, default=None):
    text = env.get(name, "")
    return int(text) if text.isdigit() else default


def parse_shard(text, env=os.environ):
    """(index, count) of "2/4", of a pair, or of "auto": MPI, torchrun, Slurm's steps and arrays."""
    if text != "auto":
        try:
            index, count = map(int, text.split("/") if isinstance(text, str) else text)
        except (TypeError, ValueError):
            index, count = 0, 0
        if not 0 <= index < count:
            raise ValueError(f"shard={text!r}: write 'auto', or 'INDEX/COUNT' with INDEX from 0 to COUNT - 1")
        return index, count
    found = None
    for rank, size in _LAUNCHERS:
        index, count = _number(env, rank), _number(env, size)
        if index is not None and count is not None and index < count:
            found = index, count
            break
    task, tasks = _number(env, "SLURM_ARRAY_TASK_ID"), _number(env, "SLURM_ARRAY_TASK_COUNT")
    if task is not None and tasks is not None:
        step = max(_number(env, "SLURM_ARRAY_TASK_STEP", 1), 1)
        place = (task - _number(env, "SLURM_ARRAY_TASK_MIN", 0)) // step
        if 0 <= place < tasks:
            index, count = found or (0, 1)
            return place * count + index, tasks * count
    if found is None:
        raise ValueError("shard='auto': nothing in the environment says which process this is (MPI's and "
                         "torchrun's variables, SLURM_ARRAY_TASK_ID, those of srun); write shard='0/4'")  # fmt: skip
    return found


def _hash(text, value=0xCBF29CE484222325):
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def _text(config):
    return ", ".join(f"{k}={config[k]}" for k in sorted(config, key=str))


def shard_of(config, count):
    value = _hash(_text(config))
    return (value ^ (value >> 32)) % count


class Log:
    """The folder of one search: what all processes have found, and the file of this one."""

    def __init__(self, folder, identity, configs):
        space = _hash("\n".join(map(_text, configs)))
        self.head = {"version": _VERSION, "search": identity, "candidates": len(configs), "space": f"{space:x}"}
        self.folder = os.path.join(os.fspath(folder), f"{_hash(json.dumps(self.head)):016x}")
        self._file = None

    def open(self, index):
        os.makedirs(self.folder, exist_ok=True)
        self._file = open(os.path.join(self.folder, f"results-{index}.jsonl"), "ab+")
        self._file.seek(0, os.SEEK_END)
        if self._file.tell():
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":  # a line that was cut off is not to swallow the next one
                self._file.write(b"\n")
        self._line(self.head)

    def close(self):
        if self._file is not None:
            self._file.close()

    def append(self, place, config, **found):
        self._line({"place": place, "config": _text(config), **found})

    def _line(self, row):
        self._file.write(json.dumps(row).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def read(self):
        """Place -> row, of all files; of two for one place the first."""
        rows = {}
        names = sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else ()
        for name in names:
            if not (name.startswith("results-") and name.endswith(".jsonl")):
                continue
            with open(os.path.join(self.folder, name), "rb") as file:
                for line in file:
                    try:
                        row = json.loads(line)
                    except ValueError:
                        continue
                    if isinstance(row, dict) and isinstance(row.get("place"), int):
                        rows.setdefault(row["place"], row)
        return rows

    def least_ratio(self):
        return min((r["ratio"] for r in self.read().values() if r.get("status") == "ok"), default=None)


def measure_share(log, configs, settings, candidate):
    """Measures what is this process's and in no file. `candidate(config)` gives a function that
    measures it once, in milliseconds, or raises."""
    index, count = parse_shard(settings.shard)
    log.open(index)
    try:
        known = log.read()
        own = [i for i, c in enumerate(configs) if shard_of(c, count) == index and i not in known]
        reference = _reference(configs, candidate) if own else None
        for i in own:
            try:
                run = candidate(configs[i])
                status, ms, ratio = _beside(run, reference, log)
                log.append(i, configs[i], status=status, ms=ms, ratio=ratio)
            except Exception as error:
                log.append(i, configs[i], status="failed", message=str(error).strip()[:2000])
    finally:
        log.close()


def _reference(configs, candidate):
    for config in configs:
        try:
            run = candidate(config)
            run()
            return run
        except Exception:
            continue
    return None


def _beside(run, reference, log):
    """Times in turns with the reference."""
    if reference is None:
        raise Error("no configuration works")
    pairs = []
    for number in range(_ROUNDS):
        pairs.append((run(), reference()))
        ratio = statistics.median(a / b for a, b in pairs)
        least = log.least_ratio() if number == 0 else None
        if least is not None and ratio > least * _HOPELESS:
            return "hopeless", pairs[-1][0], ratio
    return "ok", statistics.median(a for a, _ in pairs), ratio


def finalists(log, configs, most, whole=True):
    """Places of the fastest, best first. Error where files are missing, or nothing works."""
    rows = log.read()
    if whole and len(rows) < len(configs):
        raise Error(f"{len(rows)} of {len(configs)} configurations have a result in {log.folder}: a shard has not "
                    "ended, or was never started")  # fmt: skip
    good = sorted((r["ratio"], place) for place, r in rows.items() if r.get("status") == "ok")
    if not good:
        reasons = "\n".join(f"  {r['config']}: {r.get('message', r.get('status'))}" for r in list(rows.values())[:8])
        raise Error(f"none of the {len(rows)} configurations that have a result works:\n{reasons}")
    return [place for ratio, place in good if ratio <= 1.1 * good[0][0]][:most]
