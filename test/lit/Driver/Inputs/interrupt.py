"""interrupt.py COMMAND...: runs it, interrupts it (SIGINT) after a second, and passes its output on; fails unless it ends by
itself with an error soon after."""
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:])
time.sleep(1)
process.send_signal(signal.SIGINT)
sys.exit(process.wait(timeout=60) != 1)
