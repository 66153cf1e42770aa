"""interrupt.py SIGNAL COMMAND...: runs it, sends it SIGINT or SIGTERM after a second, and passes its output on; fails unless it ends by
itself with an error soon after, and leaves no process behind."""
import os
import signal
import subprocess
import sys
import time


def children_of(pid):
    found = []
    for task in os.listdir("/proc"):
        try:
            with open(f"/proc/{task}/stat") as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == pid:
            found += [int(task), *children_of(int(task))]
    return found


process = subprocess.Popen(sys.argv[2:])
time.sleep(1)
children = children_of(process.pid)
process.send_signal(getattr(signal, sys.argv[1]))
ended = process.wait(timeout=60)
left = [pid for pid in children if os.path.exists(f"/proc/{pid}")]
print("left behind:", left)
sys.exit(ended != 1 or bool(left))
