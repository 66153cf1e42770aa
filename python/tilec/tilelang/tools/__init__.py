# SPDX-License-Identifier: Apache-2.0
"""Tools of TileLang that draw or count; tilec has its own (`.stage("schedule.svg")`, `.stage("report")`)."""


def plot_layout(*_, **__):
    print("plot_layout: tilec draws no layouts of host code; see kernel.stage('tile-laid-out')")
