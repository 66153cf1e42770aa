"""limited.py KIB|full COMMAND...: runs it where files may not grow beyond so many KiB, or with a standard output that is full."""
import resource
import signal
import subprocess
import sys


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing fails
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]) * 1024,) * 2)


if sys.argv[1] == "full":
    with open("/dev/full", "w") as full:
        sys.exit(subprocess.run(sys.argv[2:], stdout=full).returncode)
sys.exit(subprocess.run(sys.argv[2:], preexec_fn=limit).returncode)
