// SPDX-License-Identifier: Apache-2.0
#include "estimate/sample.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "core/key_access.h"

namespace orrery {
namespace {

using Q = TrainingRequest;

// Keys of samples, by the kind of sample that has them.
struct SampleKeys {
  std::optional<std::int64_t> height, width, frames, text, points, length;
  std::optional<double> seconds, frozen, frozen_flops;
  std::optional<Reader> buckets, distillation;
};

template <auto Member>
std::optional<std::int64_t> whole(Reader& r) {
  const auto value = find_key<Member>(r);
  if (!value) return {};
  const Form& form = key_row<Member>.forms.front();
  return value->integer(form.lowest, form.highest);
}

SampleKeys keys_of(const Reader& training) {
  Reader r = training;
  SampleKeys k;
  k.height = whole<&Q::height>(r);
  k.width = whole<&Q::width>(r);
  k.frames = whole<&Q::frames>(r);
  k.text = whole<&Q::text_tokens>(r);
  k.points = whole<&Q::points>(r);
  if (r.json().contains(key_name<&Q::sequence_length>)) k.length = whole<&Q::sequence_length>(r);
  k.buckets = find_key<&Q::buckets>(r);
  k.distillation = find_key<&Q::distillation>(r);
  if (const auto s = find_key<&Q::seconds>(r)) k.seconds = s->number(0, 1e9);
  if (const auto n = find_key<&Q::frozen_parameters>(r)) k.frozen = n->number(0, 1e13);
  if (const auto f = find_key<&Q::frozen_flops>(r)) k.frozen_flops = f->number(0, 1e18);
  return k;
}

class Sampler {
 public:
  Sampler(const Reader& training, Trunk& trunk, Buckets& buckets, std::vector<Fact>& assumed)
      : training_(training), trunk_(trunk), s_(trunk.sample), buckets_(buckets), assumed_(assumed) {
    asked_ = keys_of(training);
  }

  Json sampled() {
    refuse_others();
    take_text();
    take_frozen();
    Json out = training_.json();
    if (asked_.buckets) {
      out[std::string(key_name<&Q::sequence_length>)] = mean_of_buckets(*asked_.buckets);
      return out;
    }
    const bool sized = asked_.height || asked_.frames || asked_.points || asked_.seconds;
    if (asked_.length && !sized && !asked_.distillation) {
      check_length(*asked_.length);
      return out;
    }
    const std::int64_t tokens = asked_.distillation ? tokens_of_crops() : tokens_of(size());
    if (asked_.length && *asked_.length != tokens) {
      refuse<&Q::sequence_length>(std::to_string(*asked_.length),
                                  std::to_string(tokens) + ", the tokens of this sample");
    }
    out[std::string(key_name<&Q::sequence_length>)] = tokens;
    return out;
  }

 private:
  template <auto Member>
  [[noreturn]] void refuse(const std::string& found, const std::string& allowed) const {
    throw InputError(ErrorCode::broken_rule, training_.file(), key_path<Member>, found, allowed);
  }

  bool has_pixels() const { return s_.space > 0; }
  bool is_video() const { return s_.time > 1 || s_.patch_time > 1; }
  std::int64_t joined_text() const { return joins_text(trunk_) ? trunk_.text : 0; }
  std::int64_t tokens_of(const SampleSize& size) const {
    return orrery::tokens_of(s_, size) + joined_text();
  }

  void refuse_others() const {
    const std::string pixels = "it left out; this model's samples are of points or seconds";
    const std::string points = "it left out; this model's samples are images or videos";
    if (!has_pixels() && asked_.height) refuse<&Q::height>(std::to_string(*asked_.height), pixels);
    if (!has_pixels() && asked_.width) refuse<&Q::width>(std::to_string(*asked_.width), pixels);
    if (!has_pixels() && asked_.frames) refuse<&Q::frames>(std::to_string(*asked_.frames), pixels);
    if (has_pixels() && asked_.points) refuse<&Q::points>(std::to_string(*asked_.points), points);
    if (has_pixels() && asked_.seconds) refuse<&Q::seconds>("seconds", points);
    if (asked_.frames.value_or(1) > 1 && !is_video()) {
      refuse<&Q::frames>(std::to_string(*asked_.frames), "1 with a model of images");
    }
    if (asked_.width && !asked_.height) refuse<&Q::height>("nothing", "a height beside width");
    if (training_.json().contains(key_name<&Q::sequence_lengths>)) {
      refuse<&Q::sequence_lengths>("packed documents", "it left out; samples are not packed");
    }
    if (asked_.seconds && s_.rate == 0) refuse<&Q::seconds>("seconds", "points of a series");
  }

  void assume(const char* path, std::int64_t value) {
    assumed_.push_back({path, std::to_string(value), "the model's", Known::tool_default,
                        "the model's file or class"});
  }

  void take_text() {
    trunk_.text = asked_.text.value_or(s_.text);
    const bool needs = s_.text > 0;
    if (asked_.text && !needs) {
      refuse<&Q::text_tokens>(std::to_string(*asked_.text), "it left out: the model reads no text");
    }
    if (needs && !asked_.text) assume(key_path<&Q::text_tokens>, s_.text);
  }

  // Rows of a product of all their parameters: 2 FLOPs a parameter and row.
  void take_frozen() {
    if (asked_.frozen_flops && !asked_.frozen) {
      refuse<&Q::frozen_flops>("work without parameters", "frozen_parameters beside it");
    }
    const double parameters = asked_.frozen.value_or(0);
    if (parameters == 0) return;
    const double text = static_cast<double>(trunk_.text);
    const double rows = asked_.frozen_flops ? *asked_.frozen_flops / (2 * parameters) : text;
    if (rows == 0) {
      refuse<&Q::frozen_flops>("nothing", "the FLOPs of the encoders' forward, a sample");
    }
    trunk_.frozen_parameters = std::llround(parameters);
    trunk_.frozen_rows = std::max<std::int64_t>(1, std::llround(rows));
  }

  void check_length(std::int64_t length) const {
    if (length > joined_text()) return;
    refuse<&Q::sequence_length>(
        std::to_string(length),
        "more than the " + std::to_string(joined_text()) + " tokens of text that it includes");
  }

  SampleSize size() {
    SampleSize size;
    if (!has_pixels()) {
      size.points = points();
      return size;
    }
    size.height = asked_.height.value_or(s_.height);
    if (size.height == 0) {
      throw InputError(
          ErrorCode::missing_key, training_.file(), key_path<&Q::height>, "nothing",
          "the pixels of a sample's height (--image-height), with --image-width where it is not "
          "square" +
              std::string(is_video() ? ", and --frames" : ""));
    }
    size.width = asked_.width.value_or(asked_.height ? size.height : s_.width);
    size.frames = frames();
    if (!asked_.height) {
      assume(key_path<&Q::height>, size.height);
      if (size.width != size.height) assume(key_path<&Q::width>, size.width);
    }
    if (orrery::tokens_of(s_, size) == 0) {
      refuse<&Q::height>(std::to_string(std::min(size.height, size.width)),
                         "at least the " + std::to_string(s_.space) + " pixels of a token");
    }
    return size;
  }

  std::int64_t frames() {
    if (asked_.frames || !is_video()) return asked_.frames.value_or(1);
    if (asked_.height && s_.frames == 1) {
      throw InputError(ErrorCode::missing_key, training_.file(), key_path<&Q::frames>, "nothing",
                       "the frames of a video (--frames), 1 for an image");
    }
    assume(key_path<&Q::frames>, s_.frames);
    return s_.frames;
  }

  SampleSize size_of(const BucketRequest& b, const Reader& where) const {
    const SampleSize size{*b.height, b.width.value_or(*b.height), b.frames.value_or(s_.frames), 0};
    if (size.frames > 1 && !is_video()) {
      where.fail(std::to_string(size.frames) + " frames", "1 with a model of images");
    }
    if (!b.frames && is_video() && s_.frames == 1) {
      where.fail("no frames", "the frames of a video, 1 for an image");
    }
    if (orrery::tokens_of(s_, size) == 0) {
      where.fail(std::to_string(std::min(size.height, size.width)) + " pixels",
                 "at least the " + std::to_string(s_.space) + " pixels of a token");
    }
    return size;
  }

  void refuse_beside_buckets() const {
    const char* path = asked_.height   ? key_path<&Q::height>
                       : asked_.width  ? key_path<&Q::width>
                       : asked_.frames ? key_path<&Q::frames>
                       : asked_.length ? key_path<&Q::sequence_length>
                                       : nullptr;
    if (path != nullptr) {
      throw InputError(ErrorCode::conflict, training_.file(), path, "it beside training.buckets",
                       "one of them");
    }
    if (!has_pixels()) refuse<&Q::buckets>("sizes of images", "samples of points or seconds");
    if (asked_.distillation) refuse<&Q::buckets>("sizes of images", "crops of training.height");
  }

  // The micro batch that global_batch counts by, where a bucket has its own.
  std::int64_t counted_by(const std::vector<BucketRequest>& asked) const {
    const bool own = std::any_of(asked.begin(), asked.end(),
                                 [](const BucketRequest& b) { return b.micro_batch.has_value(); });
    if (!own) return 0;
    Reader r = training_;
    const auto given = find_key<&Q::micro_batch>(r);
    if (!given) {
      throw InputError(
          ErrorCode::missing_key, training_.file(), key_path<&Q::micro_batch>, "nothing",
          "the samples that global_batch counts for a micro batch, beside buckets with "
          "micro batches of their own (--micro-batch)");
    }
    return given->integer(1, training_forms::kMost);
  }

  // Tokens of a step over its global_batch. Alike buckets are none.
  std::int64_t mean_of_buckets(const Reader& list) {
    refuse_beside_buckets();
    std::vector<BucketRequest> asked;
    for (const Reader& one : list.items()) {
      asked.push_back(read_keys(kBucketKeys, one));
      if (asked.size() > kMaxBuckets) list.fail("more", "up to " + std::to_string(kMaxBuckets));
      Bucket& b = buckets_.bins[asked.size() - 1];
      b.tokens = tokens_of(size_of(asked.back(), one));
      b.share = asked.back().share;
    }
    if (asked.empty()) list.fail("none", "at least one bucket");
    buckets_.count = static_cast<std::uint8_t>(asked.size());
    buckets_.micro_batch = counted_by(asked);
    return settle(asked);
  }

  std::int64_t settle(const std::vector<BucketRequest>& asked) {
    double all = 0;
    for (const Bucket& b : buckets_.all()) all += b.share;
    double tokens = 0;
    bool alike = true;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Bucket& b = buckets_.bins[i];
      b.share /= all;
      b.micro_batch = asked[i].micro_batch.value_or(0);
      if (b.micro_batch == buckets_.micro_batch) b.micro_batch = 0;
      const double samples = b.micro_batch > 0 ? static_cast<double>(b.micro_batch) /
                                                     static_cast<double>(buckets_.micro_batch)
                                               : 1;
      tokens += b.share * samples * static_cast<double>(b.tokens);
      alike = alike && b.micro_batch == 0 && b.tokens == buckets_.bins[0].tokens;
    }
    const std::int64_t mean = alike ? buckets_.bins[0].tokens : std::llround(tokens);
    if (alike) buckets_ = {};
    return mean;
  }

  // Tokens of all crops that the student reads.
  std::int64_t tokens_of_crops() {
    const bool reads_images = has_pixels() && !is_video() && trunk_.kinds == 1 && s_.text == 0;
    if (!reads_images || s_.extra == 0) {
      refuse<&Q::distillation>("a teacher", "an encoder of images with a class token");
    }
    const auto q = read_keys(kDistillationKeys, *asked_.distillation);
    Distillation& d = trunk_.distillation;
    d.global_crops = q.global_crops;
    d.local_crops = q.local_crops;
    d.global_tokens = tokens_of(size());
    d.local_tokens = tokens_of({q.local_size, q.local_size, 1, 0});
    if (d.local_tokens == 0) {
      asked_.distillation->fail("a local crop of " + std::to_string(q.local_size) + " pixels",
                                "at least the " + std::to_string(s_.space) + " of a token");
    }
    const std::int64_t patches = d.global_crops * (d.global_tokens - s_.extra);
    d.masked = std::llround(q.masked * static_cast<double>(patches));
    d.hidden = q.head_hidden;
    d.bottleneck = q.head_bottleneck;
    d.prototypes = q.prototypes;
    d.patch_prototypes = q.patch_prototypes;
    d.patch_bottleneck = q.patch_bottleneck;
    d.rounds = q.sinkhorn_rounds;
    return d.student_tokens();
  }

  std::int64_t points() {
    if (asked_.points) return *asked_.points;
    if (asked_.seconds) return std::llround(*asked_.seconds * static_cast<double>(s_.rate));
    if (s_.points == 0) {
      throw InputError(ErrorCode::missing_key, training_.file(), key_path<&Q::points>, "nothing",
                       "the points of a sample, or its seconds");
    }
    assume(key_path<&Q::points>, s_.points);
    return s_.points;
  }

  const Reader& training_;
  Trunk& trunk_;
  const Sample& s_;
  Buckets& buckets_;
  std::vector<Fact>& assumed_;
  SampleKeys asked_;
};

// Keys that only samples have, with a model of text.
void refuse_sample(const Reader& training) {
  const SampleKeys k = keys_of(training);
  const char* path = k.height         ? key_path<&Q::height>
                     : k.width        ? key_path<&Q::width>
                     : k.frames       ? key_path<&Q::frames>
                     : k.text         ? key_path<&Q::text_tokens>
                     : k.points       ? key_path<&Q::points>
                     : k.seconds      ? key_path<&Q::seconds>
                     : k.buckets      ? key_path<&Q::buckets>
                     : k.distillation ? key_path<&Q::distillation>
                     : k.frozen       ? key_path<&Q::frozen_parameters>
                                      : nullptr;
  if (path == nullptr) return;
  throw InputError(ErrorCode::broken_rule, training.file(), path, "a size of a sample",
                   "training.sequence_length alone: the model reads text");
}

}  // namespace

Json sampled_training(const Reader& training, Trunk& trunk, Buckets& buckets,
                      std::vector<Fact>& assumed) {
  if (trunk.kinds == 0) {
    refuse_sample(training);
    return training.json();
  }
  return Sampler(training, trunk, buckets, assumed).sampled();
}

bool gives_length(const TrainingRequest& asked) {
  return asked.height || asked.frames || asked.points || asked.seconds || asked.buckets ||
         asked.distillation;
}

}  // namespace orrery
