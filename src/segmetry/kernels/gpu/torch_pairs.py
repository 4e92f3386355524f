"""Label pairs counted with torch operations alone: for any device that torch knows, and any labels.

Both tensors are read once to find their joint stretches; what follows costs time per stretch, not per element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def count_columns(columns: list[Any], n: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Count equal positions of flat int64 tensors, of which items have ``n`` elements each.

    Returned are the item and the value of every column for each row, and the counts, on the host, sorted as signed
    integers.
    """
    import torch

    length = columns[0].numel()
    changes = torch.zeros(max(length - 1, 0), dtype=torch.bool, device=columns[0].device)
    for column in columns:
        changes |= column[1:] != column[:-1]
    changes[n - 1 :: n] = True
    ends = torch.cat([changes.nonzero().view(-1), changes.new_full((1,), length - 1, dtype=torch.int64)])
    lengths = torch.diff(ends, prepend=ends.new_full((1,), -1))
    at_ends = [torch.div(ends, n, rounding_mode="floor"), *(column[ends] for column in columns)]
    codes, order = torch.sort(_codes(at_ends))
    first = torch.cat([codes.new_ones(1, dtype=torch.bool), codes[1:] != codes[:-1]]).nonzero().view(-1)
    sums = torch.cat([lengths.new_zeros(1), lengths[order].cumsum(0)])
    stops = torch.cat([first[1:], first.new_full((1,), codes.numel())])
    chosen = order[first]
    return [column[chosen].cpu().numpy() for column in at_ends], (sums[stops] - sums[first]).cpu().numpy()


def _codes(columns: list[Any]) -> Any:
    """Return one integer per position, in the order of the columns and different where any of them differs."""
    import torch

    codes, n_codes = None, 1
    for column in columns:
        values, at = torch.unique(column, return_inverse=True)
        if codes is None:
            codes, n_codes = at, values.numel()
            continue
        if n_codes * values.numel() >= 1 << 62:
            known, codes = torch.unique(codes, return_inverse=True)
            n_codes = known.numel()  # at most the number of stretches, so products of two fit into 62 bits
        codes, n_codes = codes * values.numel() + at, n_codes * values.numel()
    return codes


def as_int64(labels: Any) -> Any:
    """Return flat labels as int64; uint64 keeps its bits.

    torch compares and sorts few of its unsigned types.
    """
    import torch

    flat = labels.reshape(-1)
    return flat.view(torch.int64) if labels.dtype == torch.uint64 else flat.to(torch.int64)
