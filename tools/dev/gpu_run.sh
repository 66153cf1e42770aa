#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Comes with a folder of `./dev gpu-pack`; `./dev gpu-run [OPTIONS]` runs every kernel in it on this
# machine's GPU, checks the results and says PASS or FAIL. OPTIONS go to tilec-launch (--bench,
# --json, --device-index N).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

[[ ${1:-} == gpu-run ]] || { echo "usage: ./dev gpu-run [tilec-launch options]" >&2; exit 2; }
shift
failed=()
count=1
echo "== runtime conformance"
export TILEC_CONFORMANCE_DIR=.
if ! tests=$(./RuntimeTests --gtest_brief=1 --gtest_filter='*Conformance*/Cuda:*Conformance*/Hip'); then
  echo "$tests"
  failed+=(conformance)
elif grep -q '^\[  PASSED  \] 0 tests' <<<"$tests"; then
  echo "FAIL: there is no CUDA or HIP driver on this machine"
  exit 1
else
  sed -n 's/^\[  PASSED  \] //p' <<<"$tests"
fi
while IFS= read -r line; do
  # kernels.txt was written with printf %q.
  eval "words=($line)"
  count=$((count + 1))
  echo "== ${words[0]%.bin}"
  ./tilec-launch "${words[@]}" "$@" || failed+=("${words[0]%.bin}")
done <kernels.txt
if ((${#failed[@]})); then
  echo "FAIL: ${#failed[@]} of $count: ${failed[*]}"
  exit 1
fi
echo "PASS: $((count - 1)) kernels"
