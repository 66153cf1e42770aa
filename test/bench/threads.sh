#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How many kernels two threads of one process compile, compared with one. usage: threads.sh TOOLS
# The goal on an idle machine with two cores: 1.7 times as many.
"$1/StagesTests" --gtest_also_run_disabled_tests --gtest_filter='Concurrency.DISABLED_*' | grep 'kernels/s'
