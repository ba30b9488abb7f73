// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_measurements.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "calibrate/predict.h"
#include "calibrate/saturating.h"
#include "calibrate/scatter.h"

namespace orrery {
namespace {

constexpr int kLooks = 4;
constexpr int kMostRounds = 40;
constexpr double kPinned = 0.5;  // of the prior's spread
constexpr double kTileGain = 4;  // of cost: two standard deviations
constexpr double kRuledOut = 4;  // the same
constexpr std::ptrdiff_t kSmallProducts = 3;
constexpr double kFirstNoise = 0.05;
constexpr double kLeastNoise = 0.01;
constexpr double kAtBound = 1e-6;

using Indices = std::vector<std::size_t>;

// A part of the points, a tile, and the knobs that may move.
struct Attempt {
  Indices in;
  TileShape tile;
  std::vector<bool> moves;
};

struct Solved {
  std::vector<double> x;
  std::vector<double> spread;
  double cost = 0;
  TileShape tile;
  std::vector<bool> moves;
};

class Fitter {
 public:
  Fitter(const std::vector<Measurement>& points, const Cluster& cluster,
         const std::function<void()>& step)
      : points_(points), cluster_(cluster), step_(step), knobs_(knobs_for(points, cluster)) {
    noise_.assign(points.size(), kFirstNoise);
    weights_ = weights_of(points);
    own_ = {cluster.device.efficiency.tile_m, cluster.device.efficiency.tile_n};
  }

  const std::vector<Knob>& knobs() const { return knobs_; }

  Cluster cluster_at(const std::vector<double>& x, TileShape tile,
                     const std::vector<bool>& moves) const {
    Cluster c = cluster_;
    c.device.efficiency.tile_m = tile.m;
    c.device.efficiency.tile_n = tile.n;
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      if (moves[k]) knobs_[k].set(c, value_at(knobs_[k], x[k]));
    }
    return c;
  }

  Cluster cluster_at(const Solved& s) const { return cluster_at(s.x, s.tile, s.moves); }

  // Misfit of each kind, in addition to the spread of a point.
  void set_noise(const Solved& first) {
    const Cluster c = cluster_at(first);
    std::map<std::string_view, std::vector<double>> misses;
    for (const Measurement& m : points_) misses[kind_of(m)].push_back(std::abs(residual(m, c)));
    std::map<std::string_view, double> forms;
    for (auto& [kind, of_kind] : misses) forms[kind] = kToDeviation * median_of(std::move(of_kind));
    for (std::size_t i = 0; i < points_.size(); ++i) {
      noise_[i] =
          std::max(kLeastNoise, std::hypot(forms[kind_of(points_[i])], points_[i].timed.spread));
    }
  }

  // Chooses tile and pins from these points alone.
  Solved solve(const Indices& in) const {
    const std::vector<bool> all(knobs_.size(), true);
    Solved best = with_pins({in, own_, all});
    if (!tells_tiles(in)) return best;
    const double own = best.cost - kTileGain;
    for (const TileShape& tile : kTiles) {
      if (tile == own_) continue;
      Solved other = with_pins({in, tile, all});
      if (other.cost < std::min(own, best.cost)) best = std::move(other);
    }
    return best;
  }

  static double residual(const Measurement& m, const Cluster& c) {
    return std::log(predicted_time(m, c) / m.timed.time);
  }

 private:
  // Factors of noise by which repeats of one work count as one point: what the form misses there,
  // it misses in each of them.
  static std::vector<double> weights_of(const std::vector<Measurement>& points) {
    std::map<std::string, double> repeats;
    for (const Measurement& m : points) ++repeats[name_of_work(m)];
    std::vector<double> weights;
    for (const Measurement& m : points) weights.push_back(std::sqrt(repeats[name_of_work(m)]));
    return weights;
  }

  // Products of a wave or less tell tiles apart; of larger ones a tile changes a few percent, which
  // a choice of shapes can make too.
  bool tells_tiles(const Indices& in) const {
    const Device& d = cluster_.device;
    const auto one_wave = static_cast<double>(own_.m * own_.n * d.multiprocessors);
    const auto small = std::count_if(in.begin(), in.end(), [&](std::size_t i) {
      const auto* p = std::get_if<MeasuredProduct>(&points_[i].work);
      return p != nullptr &&
             static_cast<double>(p->shape.m) * static_cast<double>(p->shape.n) <= one_wave;
    });
    return small >= kSmallProducts;
  }

  // Loose constants keep the documents' value, the loosest first, unless the data rule that value
  // out: a launch and the latency of its steps may each be loose while their sum is well known.
  Solved with_pins(Attempt a) const {
    const Solved joint = solve_once(a);
    Solved s = joint;
    for (std::vector<bool> ruled_out(knobs_.size());;) {
      const std::size_t k = loosest(s, ruled_out);
      if (k == knobs_.size()) break;
      a.moves = s.moves;
      a.moves[k] = false;
      Solved without = solve_once(a);
      if (without.cost > s.cost + kRuledOut) {
        ruled_out[k] = true;
      } else {
        s = std::move(without);
      }
    }
    // A constant that stays does not make the others surer.
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      s.spread[k] = std::max(s.spread[k], joint.spread[k]);
    }
    return s;
  }

  // The loosest constant that moves and is not pinned; the number of all where there is none.
  std::size_t loosest(const Solved& s, const std::vector<bool>& except) const {
    std::size_t found = knobs_.size();
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      if (!s.moves[k] || except[k] || s.spread[k] <= kPinned) continue;
      if (found == knobs_.size() || s.spread[k] > s.spread[found]) found = k;
    }
    return found;
  }

  Solved solve_once(const Attempt& a) const {
    FitProblem p;
    Indices moving;
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      p.knobs.push_back(bounds_of(knobs_[k]));
      if (a.moves[k]) moving.push_back(k);
    }
    for (const std::size_t i : a.in) p.data.push_back({noise_[i] * weights_[i], 1, 0, moving});
    p.levels = 1;
    p.level_spread = 1e-6;  // no free factor besides the constants
    std::vector<double> at;
    Cluster c;
    p.residual = [&](std::size_t i, const std::vector<double>& x) {
      if (x != at) {
        step_();
        at = x;
        c = cluster_at(x, a.tile, a.moves);
      }
      return residual(points_[a.in[i]], c);
    };
    FitSelection selection = select_all(p);
    selection.knobs = a.moves;
    std::vector<double> start(knobs_.size(), 0);
    for (std::size_t k = 0; k < start.size(); ++k) {
      start[k] = std::clamp(0.0, p.knobs[k].lowest, p.knobs[k].highest);
    }
    const FitSolution f = settled(p, selection, start);
    return {f.x, f.spread, f.cost, a.tile, a.moves};
  }

  // Restarts a fit from its end until that gains nothing, because constants may start far off.
  static FitSolution settled(const FitProblem& p, const FitSelection& selection,
                             const std::vector<double>& start) {
    constexpr double kGain = 1e-6;
    FitSolution best = fit(p, selection, slopes_at(p, start), kLooks);
    for (int round = 1; round < kMostRounds; ++round) {
      FitSolution next = fit(p, selection, slopes_at(p, best.x), kLooks);
      const double gain = best.cost - next.cost;
      if (gain > 0) best = std::move(next);
      if (gain < kGain * (1 + best.cost)) break;
    }
    return best;
  }

  const std::vector<Measurement>& points_;
  const Cluster& cluster_;
  const std::function<void()>& step_;
  std::vector<Knob> knobs_;
  std::vector<double> noise_;
  std::vector<double> weights_;
  TileShape own_;
};

std::vector<FittedKnob> fitted_knobs(const Fitter& fitter, const Solved& s) {
  std::vector<FittedKnob> out;
  for (std::size_t k = 0; k < fitter.knobs().size(); ++k) {
    const Knob& knob = fitter.knobs()[k];
    FittedKnob f{knob, knob.prior, knob.prior, knob.spread, s.moves[k], false};
    if (f.pinned) {
      f.after = value_at(knob, s.x[k]);
      const double share = knob.is_factor ? (f.after - 1) / f.after : 1;
      f.spread = s.spread[k] * knob.spread * share;
      const KnobBounds b = bounds_of(knob);
      f.at_bound = s.x[k] <= b.lowest + kAtBound || s.x[k] >= b.highest - kAtBound;
    }
    out.push_back(std::move(f));
  }
  return out;
}

const MeasuredProduct* product_of(const Measurement& m) {
  return std::get_if<MeasuredProduct>(&m.work);
}

// By curve, because a saturating curve does not depend on shape.
void add_saturating(const std::vector<Measurement>& points, const std::vector<std::size_t>& folds,
                    const Cluster& c, MeasurementFit& fit) {
  std::map<std::string, Indices> curves;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (product_of(points[i]) != nullptr) curves[curve_of(points[i])].push_back(i);
  }
  for (const auto& [name, indices] : curves) {
    const FlopsPerSecond peak = peak_of(c.device, product_of(points[indices[0]])->precision);
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      std::vector<const Measurement*> in;
      for (const std::size_t i : indices) {
        if (folds[i] != fold) in.push_back(&points[i]);
      }
      if (in.empty()) continue;
      const SaturatingCurve curve = fit_saturating(in, peak);
      for (const std::size_t i : indices) {
        if (folds[i] == fold) {
          fit.points[i].saturating = time_by(curve, Flops(amount_of(points[i])));
        }
      }
    }
  }
}

KindOfFit judge(const std::string& name, const std::vector<Measurement>& points,
                const MeasurementFit& fit, const Indices& in) {
  const auto errors = [&](Seconds FittedPoint::*member) {
    std::vector<double> ratios;
    for (const std::size_t i : in) {
      if ((fit.points[i].*member).si() > 0) {
        ratios.push_back(fit.points[i].*member / points[i].timed.time);
      }
    }
    return errors_of(ratios);
  };
  return {name,
          in.size(),
          errors(&FittedPoint::before),
          errors(&FittedPoint::fitted),
          errors(&FittedPoint::held_out),
          errors(&FittedPoint::saturating)};
}

void add_summaries(const std::vector<Measurement>& points, MeasurementFit& fit) {
  std::map<std::string, Indices> kinds;
  std::map<std::string, Indices> curves;
  Indices all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t i : all) {
    kinds[std::string(kind_of(points[i]))].push_back(i);
    curves[curve_of(points[i])].push_back(i);
  }
  for (const auto& [name, in] : kinds) fit.kinds.push_back(judge(name, points, fit, in));
  for (const auto& [name, in] : curves) fit.curves.push_back(judge(name, points, fit, in));
  fit.all = judge("all", points, fit, all);
}

// Orders the works of a curve, independent of the order in the file.
bool is_smaller(const Measurement& a, const Measurement& b) {
  if (amount_of(a) != amount_of(b)) return amount_of(a) < amount_of(b);
  return name_of_work(a) < name_of_work(b);
}

}  // namespace

FitErrors errors_of(std::vector<double> ratios) {
  if (ratios.empty()) return {};
  for (double& r : ratios) r = std::abs(r - 1);
  std::sort(ratios.begin(), ratios.end());
  const auto n = static_cast<double>(ratios.size());
  const auto last = static_cast<std::size_t>(std::ceil(0.9 * n)) - 1;
  return {median_of(ratios), ratios[last]};
}

std::vector<std::size_t> folds_of(const std::vector<Measurement>& points) {
  std::map<std::string, Indices> curves;
  for (std::size_t i = 0; i < points.size(); ++i) curves[curve_of(points[i])].push_back(i);
  std::vector<std::size_t> folds(points.size());
  for (auto& [name, in] : curves) {
    std::stable_sort(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
      return is_smaller(points[a], points[b]);
    });
    std::size_t rank = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i > 0 && is_smaller(points[in[i - 1]], points[in[i]])) ++rank;
      folds[in[i]] = rank % kFolds;
    }
  }
  return folds;
}

MeasurementFit fit_measurements(const std::vector<Measurement>& points, const Cluster& cluster,
                                const std::function<void()>& step) {
  Fitter fitter(points, cluster, step);
  Indices all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  fitter.set_noise(fitter.solve(all));
  const Solved best = fitter.solve(all);

  MeasurementFit fit;
  fit.before = cluster;
  fit.after = fitter.cluster_at(best);
  fit.tile = best.tile;
  fit.tile_moved =
      !(best.tile == TileShape{cluster.device.efficiency.tile_m, cluster.device.efficiency.tile_n});
  fit.knobs = fitted_knobs(fitter, best);
  fit.points.resize(points.size());
  for (const std::size_t i : all) {
    fit.points[i].before = predicted_time(points[i], cluster);
    fit.points[i].fitted = predicted_time(points[i], fit.after);
  }
  const std::vector<std::size_t> folds = folds_of(points);
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    Indices in;
    for (const std::size_t i : all) {
      if (folds[i] != fold) in.push_back(i);
    }
    if (in.size() == all.size()) continue;
    // Without any point the documents are the fit.
    const Cluster without = in.empty() ? cluster : fitter.cluster_at(fitter.solve(in));
    for (const std::size_t i : all) {
      if (folds[i] == fold) fit.points[i].held_out = predicted_time(points[i], without);
    }
  }
  add_saturating(points, folds, cluster, fit);
  add_summaries(points, fit);
  return fit;
}

}  // namespace orrery
