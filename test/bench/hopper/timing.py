# SPDX-License-Identifier: Apache-2.0
"""Times of GPU work that takes turns, measured inside one process.

A contender is a function that queues its i-th run; runs rotate through copies of the data by themselves. Its runs of a
sample are captured into a CUDA graph, so that a slow launch from Python costs nothing, and the graphs of all contenders
are queued at once behind a kernel that spins, so that the GPU never waits for the host between two events.
"""

import random
import statistics

import torch

SPIN_CYCLES = 200_000  # about 0.1 ms: the host has queued a round by then
OVERWRITTEN = 256 << 20  # bytes, more than L2 has
HOPELESS = 1.3         # so many times as slow as the best candidate, and one is not timed further


def bootstrap(values, resamples=2000, seed=0):
    """95 % interval of the median."""
    generator = random.Random(seed)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(resamples))
    return medians[int(0.025 * resamples)], medians[int(0.975 * resamples)]


def ratios(ours, theirs):
    """How many times as fast ours is: median of the rounds' ratios and its interval."""
    each = [b / a for a, b in zip(ours, theirs)]
    low, high = bootstrap(each)
    return {"ratio": statistics.median(each), "ratio_low": low, "ratio_high": high}


class Timer:
    def __init__(self, seed=0):
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)  # graphs cannot be captured from the default stream
        self.random = random.Random(seed)
        self.events = []
        self.flood = None

    def capture(self, run, runs):
        run(0)  # whatever is loaded, chosen or allocated the first time
        self.stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin(capture_error_mode="relaxed")
        try:
            for i in range(runs):
                run(i)
        finally:
            graph.capture_end()
        return graph

    def turn(self, graphs):
        """Milliseconds of each graph, which run one after another."""
        while len(self.events) < 2 * len(graphs):
            self.events.append(torch.cuda.Event(enable_timing=True))
        torch.cuda._sleep(SPIN_CYCLES)
        for i, graph in enumerate(graphs):
            self.events[2 * i].record()
            graph.replay()
            self.events[2 * i + 1].record()
        self.stream.synchronize()
        return [self.events[2 * i].elapsed_time(self.events[2 * i + 1]) for i in range(len(graphs))]

    def once(self, run):
        """Milliseconds of a run, roughly."""
        graph = self.capture(run, 3)
        return min(self.turn([graph])[0] for _ in range(2)) / 3

    def fastest(self, candidates, sample_ms=1.0, finalists=3, turns=7):
        """The fastest of `candidates`, (label, run), and what became of all. One that fails is left out."""
        graphs, times, log, runs = {}, {}, {}, None
        for label, run in candidates:
            try:
                runs = runs or max(1, round(sample_ms / self.once(run)))
                graph = self.capture(run, runs)
                self.turn([graph])
                times[label] = self.turn([graph])[0] / runs
            except Exception as error:  # whatever a compiler or a driver thinks of
                if "CUDA error" in str(error):
                    raise
                log[label] = str(error).strip().splitlines()[0][:120] if str(error) else type(error).__name__
                continue
            log[label] = round(times[label] * 1e3, 3)
            if times[label] < HOPELESS * min(times.values()):
                graphs[label] = graph
        if not graphs:
            raise RuntimeError("no candidate works: " + "; ".join(f"{k}: {v}" for k, v in log.items()))
        last = sorted(graphs, key=times.get)[:finalists]
        if len(last) > 1:
            samples = {label: [] for label in last}
            for _ in range(turns):
                self.random.shuffle(last)
                for label, ms in zip(last, self.turn([graphs[label] for label in last])):
                    samples[label].append(ms / runs)
            times.update({label: statistics.median(samples[label]) for label in last})
            log.update({label: round(times[label] * 1e3, 3) for label in last})
        best = min(last, key=times.get)
        return best, dict(candidates)[best], log

    def alone(self, contenders, rounds):
        """Microseconds of one launch behind an overwrite of L2, {name: one a round}, in another order in every round."""
        if self.flood is None:
            self.flood = torch.empty(OVERWRITTEN // 4, device="cuda")
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        samples, names = {name: [] for name in contenders}, list(contenders)
        for turn in range(rounds + 2):  # the first two warm up
            self.random.shuffle(names)
            for name in names:
                self.flood.fill_(1.0)
                torch.cuda._sleep(SPIN_CYCLES // 2)
                begin.record()
                contenders[name](0)
                end.record()
                self.stream.synchronize()
                if turn >= 2:
                    samples[name].append(begin.elapsed_time(end) * 1e3)
        return samples

    def rounds(self, contenders, rounds, sample_ms=3.0, warm_ms=60.0):
        """Microseconds a run, {name: one a round}, of contenders {name: run} in another order in every round."""
        names = list(contenders)
        runs = max(1, round(sample_ms / self.once(contenders[names[0]])))
        graphs = {name: self.capture(contenders[name], runs) for name in names}
        for name in names:
            spent = 0
            while spent < warm_ms:
                spent += self.turn([graphs[name]])[0]
        samples = {name: [] for name in names}
        for _ in range(rounds):
            order = names[:]
            self.random.shuffle(order)
            for name, ms in zip(order, self.turn([graphs[name] for name in order])):
                samples[name].append(ms * 1e3 / runs)
        return samples, runs
