// SPDX-License-Identifier: Apache-2.0
//
// The memory of every stage over a simulated step as a snapshot of PyTorch's CUDA allocator: the
// pickle that torch.cuda.memory._dump_snapshot writes and pytorch.org/memory_viz opens
// (PyTorch's csrc/cuda/memory_snapshot).
//
// Stage s stands as device s. Memory of the whole step is allocated first, one block a kind of
// state; then every rise of sim/memory_curve.h is a block of the pass that begins there, and every
// fall gives back the youngest block where it is no more than the fall (the pass's own work), then
// the oldest ones (the first micro batch). Levels are those of the curve to the byte. Addresses are
// never used again. Leaves out: single tensors, streams, the allocator's own segments. Units:
// bytes, microseconds. Errors: none.
#pragma once

#include <string>

namespace orrery {

struct Simulation;

std::string memory_snapshot(const Simulation& s);

}  // namespace orrery
