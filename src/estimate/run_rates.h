// SPDX-License-Identifier: Apache-2.0
//
// The rates of what a run runs on, each scaled alone: for sensitivities (explore/sensitivity.h) and
// for the levels of a site (estimate/site.h). `factor` multiplies a rate, for `scale_launches` and
// `scale_latency` a time. Errors: none.
#pragma once

#include "estimate/run.h"

namespace orrery {

void scale_peaks(Run& run, double factor);
void scale_products(Run& run, double factor);
void scale_attention(Run& run, double factor);
void scale_memory_bandwidth(Run& run, double factor);
void scale_node_links(Run& run, double factor);
void scale_network_links(Run& run, double factor);
void scale_latency(Run& run, double factor);
void scale_launches(Run& run, double factor);
void scale_host_link(Run& run, double factor);

// Bytes that a device holds beside tensors: context, buffers of communication, what the allocator
// caches and cannot use.
void scale_memory_beside_tensors(Run& run, double factor);

}  // namespace orrery
