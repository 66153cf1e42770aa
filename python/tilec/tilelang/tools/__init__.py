# SPDX-License-Identifier: Apache-2.0
"""Tools of TileLang that draw or count; tilec has its own (`.stage("schedule.svg")`, `.stage("report")`)."""


def plot_layout(*_, **__):
    print("plot_layout: tilec draws no layouts of host code; see kernel.stage('tile-laid-out')")


class AnalysisResult:
    """What a kernel does in a run, and how long the device needs for it at least."""

    def __init__(self, total_flops, total_global_bytes, estimated_time):
        self.total_flops = total_flops
        self.total_global_bytes = total_global_bytes
        self.estimated_time = estimated_time
        self.expected_tflops = self.tflops = total_flops / estimated_time / 1e12 if estimated_time else None
        self.expected_bandwidth_GBps = total_global_bytes / estimated_time / 1e9 if estimated_time else None
        self.bandwidth_GBps = self.expected_bandwidth_GBps


class Analyzer:
    """Operations and bytes of a kernel from its manifest: of each tensor every byte once."""

    #: (operations, bytes) a second of the targets' chips: docs of their makers.
    _PEAKS = {"gfx942": (1307e12, 5.3e12), "gfx950": (2500e12, 8e12), "sm_80": (312e12, 2.0e12),
              "sm_89": (165e12, 1.01e12), "sm_90": (989e12, 3.35e12), "sm_90a": (989e12, 3.35e12),
              "sm_120": (210e12, 1.79e12)}  # fmt: skip

    @classmethod
    def analysis(cls, fn, device=None):
        from ..._jit import compile as compile_kernel

        kernel = compile_kernel(fn)
        flops = kernel.manifest.get("flops", 0)
        if not isinstance(flops, int):
            raise ValueError(f"the operations depend on sizes of the run: {flops}")
        total = 0
        for p in kernel.params:
            count = 1
            for extent in p.shape if p.is_tensor and p.is_used else (0,):
                count *= extent
            total += count * p.dtype.bits // 8
        peak, bandwidth = cls._PEAKS[kernel.target]
        return AnalysisResult(flops, total, max(flops / peak, total / bandwidth))
