#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a folder for a GPU host with CPython 3.12 or newer and torch, and nothing else of ours: the Python
# package (stable ABI, libraries stripped), TileLang's files, and run.sh, which runs them.
#
# usage: python_pack.sh -o DIR --upstream CHECKOUT [--include FOLDER] [--site FOLDER] [BUILD]
#   --include  has Python.h of 3.12 or newer; default: that of $PYTHON (python3.12)
#   --site     pure Python packages that TileLang's files need and the host may not have (einops)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out= upstream= include= site= build=$root/build
while (($#)); do
  case $1 in
    -o) out=$2; shift 2 ;;
    --upstream) upstream=$2; shift 2 ;;
    --include) include=$2; shift 2 ;;
    --site) site=$2; shift 2 ;;
    *) build=$1; shift ;;
  esac
done
[[ -n $out && -d $upstream ]] || { sed -n '6,9p' "${BASH_SOURCE[0]}" >&2; exit 2; }
if [[ -z $include ]]; then
  include=$("${PYTHON:-python3.12}" -c 'import sysconfig; print(sysconfig.get_path("include"))')
fi
nanobind=$("$root/.cache/python/bin/python" -c 'import nanobind, os; print(os.path.dirname(nanobind.__file__))')

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
# Debian keeps pyconfig.h two folders up.
includes=(-I"$include" -I"$include/.." -I"$nanobind/include" -I"$nanobind/ext/robin_map/include"
  -I"$root/include" -I"$root/python/src")
flags=(-O2 -fPIC -std=c++20 -fvisibility=hidden -fno-strict-aliasing -ffunction-sections -fdata-sections
  -DPy_LIMITED_API=0x030C0000 -DNDEBUG -DNB_COMPACT_ASSERTIONS)
link=(-shared -static-libstdc++ -static-libgcc -Wl,--gc-sections -s '-Wl,-rpath,$ORIGIN/_lib')
compile() { ${CXX:-g++} "${flags[@]}" "${includes[@]}" -c "$1" -o "$objects/$(basename "$1" .cpp).o"; }
compile "$nanobind/src/nb_combined.cpp"
for file in Compiler Env Runtime Launcher Tensors; do compile "$root/python/src/$file.cpp"; done

mkdir -p "$out"
rm -rf "$out/package" && mkdir -p "$out/package"
(cd "$root/python" && tar c --exclude=__pycache__ tilec) | tar x -C "$out/package"
mkdir -p "$out/package/tilec/_lib"
for name in tilec tilec-runtime; do
  strip -o "$out/package/tilec/_lib/lib$name.so.0" "$(realpath "$build/lib/lib$name.so.0")"
done
libs=$out/package/tilec/_lib
${CXX:-g++} "${link[@]}" "$objects"/{nb_combined,Compiler,Env}.o "$libs/libtilec.so.0" -o "$out/package/tilec/_compiler.abi3.so"
${CXX:-g++} "${link[@]}" "$objects"/{nb_combined,Runtime,Launcher,Tensors}.o "$libs/libtilec-runtime.so.0" \
  -o "$out/package/tilec/_runtime.abi3.so"
[[ -z $site ]] || cp -r "$site/." "$out/package/"

# One file each: hosts are given few and small ones.
tar c -C "$out/package" . | xz -T0 -3 >"$out/package.tar.xz"
tar c -C "$upstream" examples testing/python | xz -T0 -3 >"$out/upstream.tar.xz"
rm -rf "$out/package"
cp "$root/test/tools/python_corpus.py" "$root"/test/bench/{python_launch.py,cold_start.py,launch_floor.c} "$out/"
strip -o "$out/tilec-run" "$build/bin/tilec-run"
mkdir -p "$out/hopper" && cp "$root/test/bench/two_gpus.py" "$out/" && cp "$root/test/bench/hopper/gemm.py" "$out/hopper/"
mkdir -p "$out/examples/04-attention"
cp "$root/examples/gemm.py" "$out/examples/" && cp "$root/examples/04-attention/attention.py" "$out/examples/04-attention/"
mkdir -p "$out/test" && cp "$root"/python/test/*.py "$out/test/"
cat >"$out/run.sh" <<'RUN'
#!/usr/bin/env bash
# usage: run.sh unpack | smoke | test | launch | cold | examples OUT.jsonl [ARGUMENTS] | tests OUT.jsonl [ARGUMENTS]
#        run.sh two-gpus FOLDER [ARGUMENTS]
#        run.sh their-wheels FOLDER | their-tests OUT.jsonl [ARGUMENTS]
# The last line's: TileLang's own package from wheels, and its tests with that, for comparing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=${TILEC_PACK_WORK:-/tmp/tilec-pack}
if [[ ! -f $work/ready ]]; then
  mkdir -p "$work/package" "$work/upstream"
  tar xJf package.tar.xz -C "$work/package"
  tar xJf upstream.tar.xz -C "$work/upstream"
  touch "$work/ready"
fi
export PYTHONPATH=$work/package${PYTHONPATH:+:$PYTHONPATH} TILEC_QUIET=1
export TILEC_CACHE_DIR=${TILEC_CACHE_DIR:-$work/cache}
python=${PYTHON:-python3}
verb=$1; shift
case $verb in
  unpack) ;;
  smoke) "$python" test/gpu_smoke.py "$@" ;;
  test) "$python" -m pytest -q -p no:cacheprovider test "$@" ;;
  launch) "$python" python_launch.py "$@" ;;
  cold) "$python" cold_start.py "$@" ;;
  two-gpus) LD_LIBRARY_PATH=$work/package/tilec/_lib "$python" two_gpus.py ./tilec-run "$@" --python ;;
  examples | tests) out=$1; shift
    "$python" python_corpus.py run --upstream "$work/upstream" --out "$out" --kind "$verb" "$@" ;;
  their-wheels) "$python" -m pip install -q --no-index --no-deps --no-compile --target "$work/theirs" "$1"/*.whl ;;
  their-tests) out=$1; shift
    PYTHONPATH=$work/theirs "$python" python_corpus.py run --upstream "$work/upstream" --out "$out" --kind tests --theirs "$@" ;;
esac
RUN
chmod +x "$out/run.sh"
du -sh "$out"
