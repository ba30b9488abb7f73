// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "report/calibration_report.h"
#include "report/charts.h"
#include "report/svg.h"

namespace orrery {
namespace {

constexpr std::array<const char*, 10> kSeriesColours = {"#1b6ca8", "#d1495b", "#2e8b57", "#b8860b",
                                                        "#6a4c93", "#00798c", "#8c510a", "#c51b7d",
                                                        "#4d4d4d", "#5a9e2f"};

constexpr const char* kCalibrationStyle =
    "body{font:14px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}"
    "h2{font-size:1.1em;margin:1.6em 0 .2em}svg{max-width:100%;height:auto}"
    "text{font:11px sans-serif;fill:#444}pre{font-size:12px;overflow-x:auto}";

using Indices = std::vector<std::size_t>;

std::map<std::string, Indices> by_curve(const CalibrationReport& r) {
  std::map<std::string, Indices> curves;
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    curves[curve_of(r.points[i])].push_back(i);
  }
  for (auto& [name, in] : curves) {
    std::stable_sort(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
      return amount_of(r.points[a]) < amount_of(r.points[b]);
    });
  }
  return curves;
}

std::string title_of(const Measurement& m, const FittedPoint& p) {
  return curve_of(m) + ": measured " + seconds_text(m.timed.time) + ", fitted " +
         seconds_text(p.fitted) + ", held out " + seconds_text(p.held_out);
}

constexpr double kMicro = 1e-6;

Plot against(const CalibrationReport& r) {
  Plot plot{"Measured against fitted",
            "measured, us",
            "fitted, us (rings: fitted without the point)",
            true,
            true,
            {}};
  std::size_t colour = 0;
  for (const auto& [name, in] : by_curve(r)) {
    PlotSeries dots{name, kSeriesColours[colour++ % kSeriesColours.size()], MarkKind::dots, {}, {}};
    PlotSeries rings{"", dots.colour, MarkKind::circles, {}, {}};
    for (const std::size_t i : in) {
      const double measured = r.points[i].timed.time.si() / kMicro;
      dots.points.push_back({measured, r.fit.points[i].fitted.si() / kMicro});
      dots.titles.push_back(title_of(r.points[i], r.fit.points[i]));
      if (r.fit.points[i].held_out.si() <= 0) continue;
      rings.points.push_back({measured, r.fit.points[i].held_out.si() / kMicro});
      rings.titles.push_back(dots.titles.back());
    }
    plot.series.push_back(std::move(dots));
    plot.series.push_back(std::move(rings));
  }
  return plot;
}

// TFLOP/s over FLOPs, or GB/s over bytes.
PlotSeries rate(const CalibrationReport& r, const Indices& in, Seconds FittedPoint::*time,
                std::string name, const char* colour, MarkKind kind) {
  PlotSeries s{std::move(name), colour, kind, {}, {}};
  for (const std::size_t i : in) {
    const Measurement& m = r.points[i];
    const Seconds t = time == nullptr ? m.timed.time : r.fit.points[i].*time;
    const double unit = counts_bytes(m) ? 1e9 : 1e12;
    if (t.si() > 0) s.points.push_back({amount_of(m), amount_of(m) / t.si() / unit});
    s.titles.push_back(title_of(m, r.fit.points[i]));
  }
  return s;
}

Plot rates_of(const CalibrationReport& r, const std::string& name, const Indices& in) {
  const bool bytes = counts_bytes(r.points[in[0]]);
  Plot plot{name + ": rate over size",
            bytes ? "bytes" : "FLOPs",
            bytes ? "GB/s" : "TFLOP/s",
            bytes,
            false,
            {}};
  plot.series = {rate(r, in, nullptr, "measured", kSeriesColours[0], MarkKind::dots),
                 rate(r, in, &FittedPoint::before, "documents", "#aaaaaa", MarkKind::dashes),
                 rate(r, in, &FittedPoint::fitted, "fitted", kSeriesColours[1], MarkKind::line),
                 rate(r, in, &FittedPoint::held_out, "fitted without the point", kSeriesColours[1],
                      MarkKind::circles)};
  if (r.fit.points[in[0]].saturating.si() > 0) {
    plot.series.push_back(rate(r, in, &FittedPoint::saturating,
                               "plain saturating, without the point", kSeriesColours[3],
                               MarkKind::dashes));
  }
  return plot;
}

}  // namespace

std::string calibration_html(const CalibrationReport& r) {
  const std::string title = "Calibration " + r.overlay["name"].get<std::string>() + " of " +
                            r.overlay["device"].get<std::string>();
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                    html_escaped(title) + "</title>\n<style>" + kCalibrationStyle +
                    "</style></head><body>\n" + "<h1>" + html_escaped(title) + "</h1>\n" +
                    plot_svg(against(r));
  for (const auto& [name, in] : by_curve(r)) {
    if (in.size() > 1) out += plot_svg(rates_of(r, name, in));
  }
  return out + "<pre>" + html_escaped(calibration_text(r, Style{})) + "</pre>\n</body></html>\n";
}

}  // namespace orrery
