# SPDX-License-Identifier: Apache-2.0
"""Upstream's convolution in several tiles and shapes, beside cuDNN's."""

import torch

import upstream_example

SHAPES = [(128, 64, 64, 128, 128), (32, 56, 56, 64, 256), (64, 28, 28, 256, 256)]  # N, H, W, C, F
TILES = [(64, 128, 32, 3, 256), (128, 128, 64, 3, 256)]


def main():
    convolution = upstream_example.of("convolution/example_convolution.py")["convolution"]
    for n, h, w, c, f in SHAPES:
        data, kernel = torch.randn(n, h, w, c, device="cuda").half(), torch.randn(3, 3, c, f, device="cuda").half()
        for tile in TILES:
            convolution(data, kernel, 1, 1, 1, *tile)


def rival(name, data, kernel):
    image = data.permute(0, 3, 1, 2)
    weights = kernel.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    return lambda: torch.conv2d(image, weights, padding=1)


if __name__ == "__main__":
    main()
