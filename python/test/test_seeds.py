# SPDX-License-Identifier: Apache-2.0
"""The host code of the seed programs as it stands, but for its sizes, on simulated GPUs ($TILEC_SEEDS)."""

import glob
import os
import re
import runpy
import sys

import pytest

import tilec.testing

# The seeds' host code makes and compares tensors of torch, which the package itself does not need.
torch = pytest.importorskip("torch", reason="the seeds' host code uses torch, which is not installed")
pytestmark = pytest.mark.skipif(not os.environ.get("TILEC_SEEDS"), reason="$TILEC_SEEDS is not set")


@pytest.fixture
def dropin(monkeypatch):
    """`import tilelang` is tilec's, as with the folder of `python -m tilec.dropin`."""
    from tilec import _alias

    before = {name for name in sys.modules if name.split(".")[0] == "tilelang"}
    finders = list(sys.meta_path)
    _alias.install()
    yield
    sys.meta_path[:] = finders
    for name in [n for n in sys.modules if n.split(".")[0] == "tilelang" and n not in before]:
        del sys.modules[name]


def blocks(number):
    (path,) = glob.glob(os.path.join(os.environ["TILEC_SEEDS"], f"{number}_*.txt"))
    with open(path) as file:
        return re.findall(r"```python\n(.*?)```", file.read(), re.S)


def run(tmp_path, text, target):
    file = tmp_path / "program.py"
    file.write_text(re.sub(r"\b1024\b", "128", text).replace("128, 128, 128, 128, 128, 32", "128, 128, 128, 64, 64, 32"))
    with tilec.testing.on_simulator(target):
        return runpy.run_path(str(file), run_name="__main__")


@pytest.mark.parametrize("target", ["gfx950", "sm_90a"])
def test_products_with_lower_and_the_old_profiler(tmp_path, dropin, target, capsys):
    seed = blocks("002")
    kernel = next(b for b in seed if "def matmul(" in b)
    uses = [b for b in seed if "Profiler(" in b and "def " not in b]
    assert len(uses) == 2
    text = kernel + uses[0] + "rt_mod, params = artifact.rt_mod, artifact.params\n" + uses[1]
    run(tmp_path, text, target)
    said = capsys.readouterr().out
    assert "Results match!" in said and "with T.Kernel" in said
    assert ("s_endpgm" if target == "gfx950" else ".visible .entry") in said


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_a_factory_called_in_main(tmp_path, dropin, target):
    text = blocks("000")[0]
    # What the seed has as a comment behind the call.
    comment = re.search(r"    # import torch\n(?:    # .*\n)+", text)[0]
    text = text.replace(comment, comment.replace("    # ", "    "))
    made = run(tmp_path, text, target)
    want = made["A"].float() @ made["B"].float()
    torch.testing.assert_close(made["C"].float(), want, rtol=1e-2, atol=1e-1)
