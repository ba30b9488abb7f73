// SPDX-License-Identifier: Apache-2.0
#include "capacity/bill.h"

#include "capacity/training_time.h"

namespace orrery {
namespace {

void add_support(const Tariff& p, const Holding& h, Money hardware, Bill& b) {
  const double sold = p.utilisation->value;
  if (p.node_support) {
    b.parts[CostPart::support] =
        p.node_support->value * h.time * (static_cast<double>(h.nodes) / sold);
  } else if (p.support) {
    b.parts[CostPart::support] = hardware * (p.support->value * (h.time / kYear) / sold);
  }
}

void add_purchase(const Tariff& p, const Holding& h, Bill& b) {
  const std::optional<Money> price = hardware_price(p, h);
  b.gpus_alone = price && !p.node;
  if (!price || !p.lifetime || !p.utilisation) return;
  const double used = h.time / p.lifetime->value / p.utilisation->value;
  const double beside = (p.network ? p.network->value : 0) + (p.storage ? p.storage->value : 0);
  b.up_front = *price * (1 + beside);
  b.parts[CostPart::hardware] = *price * used;
  if (p.network) b.parts[CostPart::network] = *price * (p.network->value * used);
  if (p.storage) b.parts[CostPart::storage] = *price * (p.storage->value * used);
  add_support(p, h, *price, b);
  if (p.electricity) b.parts[CostPart::electricity] = p.electricity->value * h.energy;
}

constexpr CostPart main_part(Payment p) {
  return p == Payment::rent ? CostPart::rent : CostPart::hardware;
}

// True of a part that this payment has.
bool is_paid(const Bill& b, CostPart part) {
  const bool rented = b.payment == Payment::rent;
  switch (part) {
    case CostPart::storage:
      return true;
    case CostPart::egress:
      return b.has_sites;
    case CostPart::rent:
      return rented;
    case CostPart::hardware:
    case CostPart::network:
    case CostPart::support:
    case CostPart::electricity:
      return !rented;
  }
  return false;
}

}  // namespace

std::optional<Money> hardware_price(const Tariff& p, const Holding& h) {
  if (p.node) return p.node->value * static_cast<double>(h.nodes);
  if (p.gpu) return p.gpu->value * static_cast<double>(h.gpus);
  return {};
}

Bill bill(const Tariff& p, const Holding& h) {
  Bill b;
  b.payment = p.payment;
  if (p.payment == Payment::purchase) {
    add_purchase(p, h, b);
  } else if (p.rent) {
    b.parts[CostPart::rent] = p.rent->value * h.time * static_cast<double>(h.gpus);
  }
  if (p.storage_space && b.parts[main_part(p.payment)]) {
    b.parts[CostPart::storage] = p.storage_space->value * (h.stored * h.time);
  }
  b.has_sites = h.left > Bytes();
  if (b.has_sites && p.egress && b.parts[main_part(p.payment)])
    b.parts[CostPart::egress] = p.egress->value * h.left;
  return b;
}

std::optional<Money> total_of(const Bill& b) {
  if (!b.parts[main_part(b.payment)]) return {};
  Money sum(0, b.parts[main_part(b.payment)]->currency());
  for (const std::optional<Money>& part : b.parts) {
    if (part) sum += *part;
  }
  return sum;
}

std::string not_counted(const Bill& b) {
  if (b.payment == Payment::rent && !b.parts[CostPart::rent]) return "rent";
  std::string names;
  for (const CostPart p : kAllOf<CostPart>) {
    if (b.parts[p] || !is_paid(b, p)) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(p));
  }
  if (b.gpus_alone) names += (names.empty() ? "" : ", ") + std::string("nodes around the GPUs");
  return names;
}

}  // namespace orrery
