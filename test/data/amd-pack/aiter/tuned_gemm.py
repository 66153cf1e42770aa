# SPDX-License-Identifier: Apache-2.0
class tgemm:
    @staticmethod
    def mm(a, b):
        assert a[1] == b[1]
