// SPDX-License-Identifier: Apache-2.0
//
// Documents about a site: failures, storage, power.
//
//   failures  {"window": {"gpus": 16384, "time": "54 d"},
//              "classes": [{"name": "faulty GPU", "count": 148, "takes_node": true}, …],
//              "range": {"low": 0.8, "high": 1.7}, "detection": "5 min", "restart": "8 min",
//              "repair": "24 h", "planned": {"every": "28 h", "duration": "10 min"},
//              "stragglers": {"slowdown": 0.05, "share": 0.1}}
//             A class has a count of the window, or "per_gpu_hour".
//   storage   {"write": "2 TB/s", "read": "7 TB/s", "client": "10 GB/s", "capacity": "240 PB"}
//   recovery  {"restart": {"2048": "454 s", "16384": "768 s"}, "memory": {…}}: recovery_policy.h
//   energy    {"load": {"compute": 1, "memory": 0.7, "waiting": 0.5, "idle": 0.15}, "pue": 1.2,
//              "carbon_intensity": "400 g/kWh"}, or "carbon_by_hour": ["310 g/kWh", … 24 of them]
//   switches  {"kind": "infiniband", "modes": [{"ports": 64, "rate": "400 Gb/s"}]}
//   checkpoint {"mode": "two-phase", "interval": "30 min", "bytes_per_parameter": 14, "keep": 3}
//
// Detection, restart, the loads, PUE and intensity may be {"value", "low", "high"}. Errors:
// InputError.
#pragma once

#include "core/json_reader.h"

namespace orrery {

struct EnergyModel;
struct Interruptions;
struct NetworkSwitch;
struct RecoveryPolicy;
struct Storage;

Interruptions read_failures(Reader r);
RecoveryPolicy read_recovery(Reader r);
Storage read_storage(Reader r);
EnergyModel read_energy(Reader r);
NetworkSwitch read_switch(Reader r);

}  // namespace orrery
