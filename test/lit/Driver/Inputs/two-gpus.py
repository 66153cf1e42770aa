"""two-gpus.py FOLDER COMMAND...: runs the command as ranks 0 and 1 of a host at once, ends rank 1 by SIGKILL when it has an outcome
and starts it again; checks that each measured on the GPU of its number, and that nothing was lost."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]


def start(rank):
    environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


def outcomes(rank):
    path = folder / f"results-{rank}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if '"place"' in line and line.endswith("}")]


def killed():
    """Rank 1 with an outcome, ended before its search was; one that was faster than that is forgotten."""
    second = start(1)
    ends = time.monotonic() + 120
    while time.monotonic() < ends and not outcomes(1) and second.poll() is None:
        time.sleep(0.001)
    second.send_signal(signal.SIGKILL)
    if second.wait() == -signal.SIGKILL:
        return True
    (folder / "results-1.jsonl").unlink()
    return False


first = start(0)
assert any(killed() for _ in range(50)) and first.wait() == 0
before = (folder / "results-1.jsonl").read_text()
assert start(1).wait() == 0
assert (folder / "results-1.jsonl").read_text().startswith(before)
for rank, clock in ((0, 1.0), (1, 1.1)):
    assert len(outcomes(rank)) > 1, outcomes(rank)
    for found in outcomes(rank):
        threads = int(found["parameters"]["threads"])
        assert abs(found["us"] - clock * threads) < 0.01 * threads, (rank, found)
        assert abs(found["ratio"] - threads / 128) < 1e-3, (rank, found)
assert sorted(found["place"] for rank in (0, 1) for found in outcomes(rank)) == list(range(10))
