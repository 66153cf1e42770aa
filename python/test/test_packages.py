# SPDX-License-Identifier: Apache-2.0
"""How the package is made."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="a pack for GPU hosts has no sources of the package")

#: Where the two projects differ: their folders.
FOLDERS = {'backend-path = ["python"]': 'backend-path = ["."]', 'readme = "python/README.md"': 'readme = "README.md"',
           'wheel.packages = ["python/tilec"]': 'wheel.packages = ["tilec"]', 'testpaths = ["python/test"]': 'testpaths = ["test"]',
           'cmake.source-dir = "python"': None}  # fmt: skip


def lines(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def test_both_projects_are_the_same():
    outer = [FOLDERS.get(line, line) for line in lines(ROOT / "pyproject.toml")]
    assert [line for line in outer if line is not None] == lines(ROOT / "python/pyproject.toml")


def test_without_the_compiler_compiling_says_so(monkeypatch):
    import kernels

    import tilec
    from tilec import _compile

    monkeypatch.setattr(_compile, "_stamp", None)
    monkeypatch.setitem(sys.modules, "tilec._compiler", None)  # import is an ImportError then
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(tilec.NoCompilerError, match="tilec-runtime.*LLVM and MLIR 22.*does not compile"):
        kernels.matmul(48, 48, 48)


def test_build_tools_are_pinned_with_hashes():
    wanted = re.search(r"requires = \[(.*)\]", (ROOT / "python/pyproject.toml").read_text())[1]
    pinned = (ROOT / "python/requirements-build.txt").read_text()
    for name in re.findall(r'"([a-z-]+)', wanted):
        assert re.search(rf"^{name}==\S+ --hash=sha256:[0-9a-f]{{64}}", pinned, re.M), name


def test_a_wheel_without_the_compiler_is_one_of_tilec_runtime(tmp_path, capsys):
    pytest.importorskip("scikit_build_core", reason="requirements-build.txt is not installed")
    import zipfile

    sys.path.insert(0, str(ROOT / "python"))
    try:
        import tilec_build
    finally:
        sys.path.pop(0)
    path = tmp_path / "tilec-0.1.0-cp312-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tilec/__init__.py", "")
        wheel.writestr("tilec-0.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tilec\nVersion: 0.1.0\nSummary: compiles\n\nName: tilec\n")
        wheel.writestr("tilec-0.1.0.dist-info/RECORD", "")
    with zipfile.ZipFile(path) as wheel:
        name = tilec_build._as_runtime(wheel, str(path), str(tmp_path))
    assert name == "tilec_runtime-0.1.0-cp312-abi3-linux_x86_64.whl" and not path.exists()
    assert "not compiled" in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert set(wheel.namelist()) == {
            "tilec/__init__.py", "tilec_runtime-0.1.0.dist-info/METADATA", "tilec_runtime-0.1.0.dist-info/RECORD"
        }  # fmt: skip
        text = wheel.read("tilec_runtime-0.1.0.dist-info/METADATA").decode()
        assert text.count("Name: tilec-runtime\n") == 1 and text.endswith("\nName: tilec\n") and "does not compile" in text
        record = wheel.read("tilec_runtime-0.1.0.dist-info/RECORD").decode().splitlines()
        assert len(record) == 3 and record[0].startswith("tilec/__init__.py,sha256=") and record[2].endswith("RECORD,,")
