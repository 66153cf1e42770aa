# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled kernels."""


def clear_cache():
    """Drops compiled kernels: those of this process, and the files."""
    import os
    import shutil

    from .. import _compile

    _compile.forget()
    folder = _compile.cache_folder()
    if folder:
        shutil.rmtree(os.path.join(folder, "python"), ignore_errors=True)


def cached(func, out_idx=None, **options):
    """`tilec.compile`, which is cached anyway."""
    from .. import _jit

    return _jit.compile(func, out_idx=out_idx, **options)
