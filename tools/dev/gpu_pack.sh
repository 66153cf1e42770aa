#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: gpu_pack.sh TOOLS [-o DIR] [--target=ARCH] KERNEL...
#
# Makes a folder that runs kernels on a GPU host without LLVM: tilec-launch, the runtime's tests,
# binaries, manifests, expected results, and the script `dev` whose verb gpu-run does everything. Inputs are not packed:
# the host makes the same ones from the seed. A KERNEL is one word:
#
#   examples/gemm.py
#   'examples/gemm.py --entry "gemm(512, 512, 512)" --dim m=512 --arg s=2 --seed 3 --bench'
#
# --no-check leaves the reference out, for sizes that the cpu reference takes too long for; --name
# names the files. Other options are tilec's and tilec-run's, which tilec-launch shares.
set -euo pipefail

tools=$1
shift
out=gpu-pack
target=sm_90a
kernels=()
while (($#)); do
  case $1 in
    -o) out=${2:?-o wants a folder}; shift ;;
    --target=*) target=${1#--target=} ;;
    -*) echo "gpu-pack: unknown option $1" >&2; exit 2 ;;
    *) kernels+=("$1") ;;
  esac
  shift
done
((${#kernels[@]})) || { echo "gpu-pack: name at least one kernel" >&2; exit 2; }

rm -rf -- "$out"
mkdir -p "$out"
cp "$tools/tilec-launch" "$out/"
# The runtime's own suite, to be run on the host's driver first.
cp "$tools/RuntimeTests" "$tools"/../test/unit/Runtime/*.{ptx,hsaco} "$out/"
strip "$out/tilec-launch" "$out/RuntimeTests" 2>/dev/null || true
cp "$(dirname "${BASH_SOURCE[0]}")/gpu_run.sh" "$out/dev"
chmod +x "$out/dev"

# The names of the tensors that a manifest's kernel writes.
written_tensors() {
  python3 - "$1" <<'PY'
import json, sys
names = {}
for launch in json.load(open(sys.argv[1]))["launches"]:
    for param in launch["params"]:
        if param["kind"] == "tensor" and "w" in param["access"]:
            names[param["name"]] = None
print(*names)
PY
}

pack_kernel() {
  local words script name check=yes i
  mapfile -t words < <(xargs -n 1 <<<"$1") # splits at blanks, minding quotes, and evaluates nothing
  script=${words[0]}
  name=$(basename "${script%.*}")
  # Options of the compiler, of the reference's run here, and of the launch there.
  local compile=() run=() launch=() inputs=()
  for ((i = 1; i < ${#words[@]}; ++i)); do
    case ${words[i]} in
      --entry) compile+=(--entry "${words[++i]}") ;;
      --arg)
        run+=(--arg "${words[++i]}")
        if [[ ${words[i]} == *=*.npy ]]; then inputs+=("${words[i]}"); else launch+=(--arg "${words[i]}"); fi
        ;;
      --dim | --seed)
        run+=("${words[i]}" "${words[i + 1]}")
        launch+=("${words[i]}" "${words[i + 1]}")
        ((++i))
        ;;
      --bench) launch+=(--bench) ;;
      --vs=* | --rounds=*) launch+=("${words[i]}") ;;
      --flops | --cublas | --vs | --rounds) launch+=("${words[i]}" "${words[i + 1]}"); ((++i)) ;;
      --name) name=${words[++i]} ;;
      --no-check) check=no ;;
      *) compile+=("${words[i]}") ;;
    esac
  done
  local base=$name n=2 input tensor
  while [[ -e $out/$name.bin ]]; do name=$base-$((n++)); done

  echo "gpu-pack: $name"
  "$tools/tilec" "$script" "${compile[@]}" --target="$target" -o "$out/$name.bin"
  for input in "${inputs[@]}"; do
    cp "${input#*=}" "$out/$name.${input%%=*}.in.npy"
    launch+=(--arg "${input%%=*}=$name.${input%%=*}.in.npy")
  done
  if [[ $check == yes ]]; then
    # r and E of the agreement rule.
    local save=()
    for tensor in $(written_tensors "$out/$name.bin.json"); do
      save+=(--save "$tensor=$out/$name.$tensor.npy")
      save+=(--save-spread "$tensor=$out/$name.$tensor.spread.npy")
      launch+=(--expect "$tensor=$name.$tensor.npy" --spread "$tensor=$name.$tensor.spread.npy")
    done
    "$tools/tilec-run" "$script" "${compile[@]}" --target="$target" --device=cpu "${run[@]}" "${save[@]}"
  fi
  # One line a kernel, quoted for the shell that reads it.
  printf '%q ' "$name.bin" "${launch[@]}" >>"$out/kernels.txt"
  printf '\n' >>"$out/kernels.txt"
}

for kernel in "${kernels[@]}"; do
  pack_kernel "$kernel"
done
du -sh "$out" | awk '{print "gpu-pack: " $2 " holds " $1}'
