# SPDX-License-Identifier: Apache-2.0
"""Limits of a run and diagnoses of texts, from Python."""
import orrery
import pytest

OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.25 GiB of which 1.16 GiB is free. Including non-PyTorch memory, this process "
    "has 78.06 GiB memory in use. Of the allocated memory 40.00 GiB is allocated by PyTorch, and "
    "36.00 GiB is reserved by PyTorch but unallocated.\n")


def test_a_limit_is_a_value_with_what_to_type() -> None:
    answer = orrery.Run("llama-3-8b-8-h100").limits(of="sequence_length", keep_layout=True)
    limit = answer.limits[0]
    assert limit.value > 8192 and limit.fit_probability >= 0.9
    assert limit.set["training.sequence_length"] == limit.value


def test_a_text_is_diagnosed_alone_and_beside_a_run() -> None:
    alone = orrery.diagnose(OUT_OF_MEMORY)
    assert alone.messages[0].bytes.asked == 2 * 2**30
    assert "fragmentation" in alone.messages[0].causes[0].what
    beside = orrery.Run("llama-3-8b-8-h100").diagnose(OUT_OF_MEMORY)
    assert beside.messages[0].predicted_bytes.allocated > 0


def test_a_text_of_nothing_is_refused() -> None:
    with pytest.raises(orrery.InputError, match="nothing that says how a run went"):
        orrery.diagnose("hello\nworld\n")
