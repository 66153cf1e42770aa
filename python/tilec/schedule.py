# SPDX-License-Identifier: Apache-2.0
"""Schedules of pipelined loops: `for k in schedule.ping_pong(T.Pipelined(...))`. For kernels only."""

_NAMES = ("ping_pong", "interleave", "single", "producer_consumer", "cluster_m", "cluster_n",
          "ping_pong_cluster_m", "ping_pong_cluster_n", "overlap", "exact", "auto", "sched_barrier",
          "setprio")  # fmt: skip


def _make(name):
    def function(*_, **__):
        raise RuntimeError(f"schedule.{name} is for kernels; here is Python that runs on the host")

    function.__name__ = name
    function.__tilec_name__ = f"tilec.schedule.{name}"
    return function


for _name in _NAMES:
    globals()[_name] = _make(_name)
