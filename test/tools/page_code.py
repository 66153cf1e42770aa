#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes pages of docs apart, for test/lit/Examples.

    page_code.py host PAGE             the C++ of the page as one program
    page_code.py command PAGE          the tilec command of the page as a script, its output left to the arguments
    page_code.py block PAGE LANGUAGE:N the N-th block of a language, counted from 1
    page_code.py compare PAGE MANIFEST fails when the page's excerpt is not what the manifest says
"""

import json
import re
import sys


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)


def host(page):
    return "\n".join(blocks(page, "cpp"))


def command(page):
    line = next(b for b in blocks(page, "") if b.startswith("tilec "))
    return re.sub(r" -o \S+\n", ' "$@"', line)


def differences(excerpt, whole, at=""):
    """What the excerpt says otherwise than the whole; lists are as long as each other."""
    if isinstance(excerpt, dict):
        return [d for key, value in excerpt.items() for d in differences(value, whole.get(key), f"{at}.{key}")]
    if isinstance(excerpt, list) and isinstance(whole, list) and len(excerpt) == len(whole):
        return [d for i, pair in enumerate(zip(excerpt, whole)) for d in differences(*pair, f"{at}[{i}]")]
    return [] if excerpt == whole else [f"{at}: the page says {excerpt}, the manifest {whole}"]


def main(verb, page, manifest=None):
    with open(page, encoding="utf-8") as file:
        page = file.read()
    if verb == "block":
        language, number = manifest.split(":")
        print(blocks(page, language)[int(number) - 1])
        return 0
    if verb != "compare":
        print({"host": host, "command": command}[verb](page))
        return 0
    with open(manifest, encoding="utf-8") as file:
        wrong = differences(json.loads(blocks(page, "json")[0]), json.load(file))
    print("\n".join(wrong) or "the page is right")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
