# SPDX-License-Identifier: Apache-2.0
DOUBLE = 128
