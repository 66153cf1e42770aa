"""into-pipe.py PIPE COMMAND...: runs it while PIPE, a new named pipe, can be written; prints what came, and whether it still is one."""
import os
import stat
import subprocess
import sys

os.mkfifo(sys.argv[1])
pipe = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
subprocess.run(sys.argv[2:], check=True)
print("still a pipe:", stat.S_ISFIFO(os.stat(sys.argv[1]).st_mode))
print(os.read(pipe, 1 << 16).decode())
