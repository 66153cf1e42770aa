# SPDX-License-Identifier: Apache-2.0
"""The package's own lists of targets are the library's."""

import os
import types

import pytest

from tilec import _compiler, _targets
from tilec.tilelang.carver.arch import driver
from tilec.tilelang.tools import Analyzer


def test_names_are_the_librarys():
    assert list(_targets.TARGETS) == list(_compiler.targets())


def test_figures_are_there_for_each():
    assert set(driver._FACTS) == set(_targets.TARGETS)
    assert set(Analyzer._PEAKS) == set(_targets.TARGETS)


@pytest.mark.parametrize("capability, name", [((8, 0), "sm_80"), ((8, 6), "sm_80"), ((8, 9), "sm_89"), ((9, 0), "sm_90a"),
                                              ((10, 0), "sm_90"), ((12, 0), "sm_120"), ((12, 1), "sm_120")])
def test_a_gpu_has_the_target_that_it_runs(capability, name):
    assert _targets.of_capability(*capability) == name


def test_tools_of_nvidia_are_found_with_triton(monkeypatch, tmp_path):
    tools = tmp_path / "backends/nvidia/bin"
    tools.mkdir(parents=True)
    for tool in ("ptxas", "nvdisasm"):
        (tools / tool).touch(mode=0o755)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: types.SimpleNamespace(submodule_search_locations=[str(tmp_path)]))
    monkeypatch.setattr(_targets, "_is_installed", lambda tool: tool == "ptxas")
    for variable in ("TILEC_PTXAS", "TILEC_NVDISASM"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    _targets.find_assembler()
    assert "TILEC_PTXAS" not in os.environ and os.environ["TILEC_NVDISASM"] == str(tools / "nvdisasm")
