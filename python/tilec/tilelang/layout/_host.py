# SPDX-License-Identifier: Apache-2.0
"""`Layout(shape, function)` outside of kernels: a function from indices to indices that can be asked and compared."""

import itertools
import math

_MOST = 1 << 22  # points that are looked at


class HostLayout:
    """Where the elements of a shape lie; `function` takes one index a dimension and gives one number or several."""

    __tilec_name__ = "tilelang.layout.Layout"

    def __init__(self, shape, forward_fn):
        self._shape = [int(n) for n in shape]
        self._forward = forward_fn
        self._values = None

    def __repr__(self):
        return f"Layout({self._shape} -> {self.get_output_shape()})"

    def map_forward_index(self, indices):
        found = self._forward(*indices)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if not all(isinstance(x, int) for x in found):
            raise TypeError(f"a layout of host code gives integers for integers, not {found}")
        return found

    def _points(self):
        """What every index is mapped to, the last one fastest."""
        if self._values is None:
            if math.prod(self._shape) > _MOST:
                raise ValueError(f"a layout of {self._shape} has more than {_MOST} elements to look at")
            self._values = [self.map_forward_index(p) for p in itertools.product(*map(range, self._shape))]
        return self._values

    def get_input_shape(self):
        return list(self._shape)

    def get_output_shape(self):
        return [max(column) + 1 for column in zip(*self._points())]

    def is_equal(self, other):
        return isinstance(other, HostLayout) and self._shape == other._shape and self._points() == other._points()

    def expand(self, leading_shape):
        """The same layout for each index of new dimensions in front, which are kept as they are."""
        if isinstance(leading_shape, int):
            leading_shape = [leading_shape]
        if not isinstance(leading_shape, (list, tuple)) or not all(isinstance(n, int) for n in leading_shape):
            raise TypeError(f"expand takes extents, not {leading_shape!r}")
        if any(n <= 0 for n in leading_shape):
            raise ValueError(f"extents are positive, not {list(leading_shape)}")
        if not leading_shape:
            return self
        own = self.map_forward_index
        count = len(leading_shape)
        return HostLayout([*leading_shape, *self._shape], lambda *p: [*p[:count], *own(p[count:])])
