# SPDX-License-Identifier: Apache-2.0
"""Orders of blocks, as hints of carver name them."""


class NoRasterization:
    pass


class Rasterization2DRow:
    def __init__(self, panel_width=4):
        self.panel_width_ = panel_width


class Rasterization2DColumn(Rasterization2DRow):
    pass
