// SPDX-License-Identifier: Apache-2.0
//
// The `training` object of a run file as the user wrote it, and its keys, one row each
// (core/keys.h). Errors: none here; training_json.h refuses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/keys.h"
#include "estimate/training.h"
#include "model/documents.h"

namespace orrery {

extern const KeyTable kRlDocument;  // estimate/rl_keys.h

struct AdapterRequest {
  AdapterKind kind = AdapterKind::lora;
  std::optional<std::int64_t> rank;
  std::optional<TargetMask> targets;
  std::optional<PartMask> trained;
  std::optional<BaseFormat> base_precision;
  std::optional<bool> double_quantisation;
  std::optional<AdapterFormat> precision;
  std::optional<bool> dropout;
  std::optional<AdapterFormat> other_precision;
  std::optional<bool> keeps_inputs;
};

// A size of samples and how often a micro batch has it.
struct BucketRequest {
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> frames;
  double share = 0;
  std::optional<std::int64_t> micro_batch;
};

// Self-distillation by a teacher that is a moving average (Distillation); the defaults are
// DINOv2's.
struct DistillationRequest {
  std::int64_t global_crops = 2;
  std::int64_t local_crops = 8;
  std::int64_t local_size = 96;
  double masked = 0.15;
  std::int64_t head_hidden = 2048;
  std::int64_t head_bottleneck = 256;
  std::int64_t prototypes = 65536;
  std::int64_t patch_prototypes = 0;
  std::int64_t patch_bottleneck = 256;
  std::int64_t sinkhorn_rounds = 3;
};

struct TrainingRequest {
  std::int64_t sequence_length = 0;
  std::int64_t global_batch = 0;
  std::optional<std::int64_t> micro_batch;
  std::optional<Precision> precision;
  std::optional<std::string> states;  // by name
  std::optional<StateRecipe> recipe;  // or as an object
  std::optional<bool> flash_attention;
  std::optional<AttentionKernel> attention_kernel;
  std::optional<Optimizer> optimizer;
  std::optional<std::int64_t> optimizer_rank;
  std::optional<AdapterRequest> adapter;
  std::optional<double> expert_load;
  std::optional<std::vector<LengthShare>> sequence_lengths;
  std::optional<std::int64_t> images;
  std::optional<std::int64_t> image_tokens;
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> frames;
  std::optional<std::int64_t> text_tokens;
  std::optional<std::int64_t> points;
  std::optional<double> seconds;
  std::optional<std::vector<BucketRequest>> buckets;
  std::optional<BucketDraw> bucket_draw;
  std::optional<DistillationRequest> distillation;
  std::optional<PairLogits> pair_logits;
  std::optional<bool> pair_gradients;
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> samples;
  std::optional<EmaPlace> ema;
  std::optional<double> frozen_parameters;
  std::optional<double> frozen_flops;
  std::optional<OuterSteps> outer;
  GivenJson rl;  // estimate/rl_keys.h has its keys
};

// Values that depend on others, or have several forms.
void read_micro_batch(const Reader& r, TrainingRequest& out);
void read_states(const Reader& r, TrainingRequest& out);
bool write_states(const TrainingRequest& t, Json& out);
void read_unsaved(const Reader& r, StateRecipe& out);
void read_moments(const Reader& r, StateRecipe& out);

void read_targets(const Reader& r, std::optional<TargetMask>& out);
bool write_targets(const std::optional<TargetMask>& targets, Json& out);
void read_trained(const Reader& r, std::optional<PartMask>& out);
bool write_trained(const std::optional<PartMask>& parts, Json& out);

namespace training_forms {

inline constexpr std::int64_t kMost = std::int64_t{1} << 30;

consteval auto recipe_names() {
  std::array<std::string_view, kRecipes.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kRecipes[i].name;
  return names;
}
inline constexpr auto kRecipeNames = recipe_names();

constexpr Form bytes(double least) { return form::number(least, 1024, "bytes"); }

}  // namespace training_forms

inline constexpr auto kRecipeRows = keys<StateRecipe>(
    key<&StateRecipe::weights>("weights", training_forms::bytes(0.125), kRequired, Vary::run,
                               "of the copy that computes"),
    key<&StateRecipe::gradients>("gradients", training_forms::bytes(0), kRequired, Vary::run,
                                 "kept between micro batches"),
    key<&StateRecipe::optimizer>("optimizer", training_forms::bytes(0), kRequired, Vary::run,
                                 "all else: fp32 copies, moments"),
    key<&StateRecipe::reduced>("reduced", training_forms::bytes(0.0625), otherwise("gradients"),
                               Vary::run, "of a gradient on the wire"),
    key<&StateRecipe::gathered>("gathered", training_forms::bytes(0.0625), otherwise("weights"),
                                Vary::run, "of a gathered weight on the wire"),
    key<&StateRecipe::unsaved>("unsaved", training_forms::bytes(0), otherwise("0"), Vary::run,
                               "part of `optimizer` that checkpoints do not save")
        .read_by<read_unsaved>(),
    key<&StateRecipe::moments>("moments", training_forms::bytes(0),
                               otherwise("8, or all of optimizer where that is less"), Vary::run,
                               "part of `optimizer` that is Adam's two moments")
        .read_by<read_moments>());
inline constexpr Keys<StateRecipe> kRecipeKeys{"training.states", kRecipeRows};
template <>
struct KeysOf<StateRecipe> {
  static constexpr const Keys<StateRecipe>& table = kRecipeKeys;
};

namespace adapter_forms {
inline constexpr Form kTarget = form::one_of<AdapterTarget>();
inline constexpr Form kPart = form::one_of<TrainedPart>();
}  // namespace adapter_forms

inline constexpr auto kAdapterRows = keys<AdapterRequest>(
    key<&AdapterRequest::kind>("kind", form::one_of<AdapterKind>(), kRequired, Vary::run,
                               "low-rank matrices beside frozen weights; qlora: these in 4 bits; "
                               "dora: with magnitudes; frozen: none, only the parts of trained"),
    key<&AdapterRequest::rank>("rank", form::whole(1, 65536, "columns"), otherwise("16"), Vary::run,
                               "columns of the two matrices"),
    key<&AdapterRequest::targets>(
        "targets", form::list(adapter_forms::kTarget),
        otherwise("query, key, value, output, gate, up, down"), Vary::run,
        "matrices with an adapter; qkv and gate_up: one for a fused projection")
        .read_by<static_cast<void (*)(const Reader&, std::optional<TargetMask>&)>(read_targets)>()
        .written_by<write_targets>(),
    key<&AdapterRequest::trained>("trained", form::list(adapter_forms::kPart), otherwise("nothing"),
                                  Vary::run, "parts of the model that train besides")
        .read_by<static_cast<void (*)(const Reader&, std::optional<PartMask>&)>(read_trained)>()
        .written_by<write_trained>(),
    key<&AdapterRequest::base_precision>(
        "base_precision", form::one_of<BaseFormat>(), otherwise("nf4 with qlora, else 16bit"),
        Vary::run,
        "how frozen weights of linear layers are stored; head and norms stay in 16 bits"),
    key<&AdapterRequest::double_quantisation>("double_quantisation", form::boolean(),
                                              otherwise("true"), Vary::run,
                                              "nf4: scales in 8 bits"),
    key<&AdapterRequest::precision>("precision", form::one_of<AdapterFormat>(), otherwise("16bit"),
                                    Vary::run,
                                    "of adapters; fp32: each casts its input and keeps the copy"),
    key<&AdapterRequest::dropout>("dropout", form::boolean(), otherwise("false"), Vary::run,
                                  "on the input of each adapter"),
    key<&AdapterRequest::other_precision>(
        "other_precision", form::one_of<AdapterFormat>(), otherwise("16bit"), Vary::run,
        "of frozen weights beside packed ones, and of the activations between products; fp32: "
        "PEFT's prepare_model_for_kbit_training"),
    key<&AdapterRequest::keeps_inputs>(
        "keeps_inputs", form::boolean(), otherwise("false"), Vary::run,
        "products with packed weights keep their inputs: bitsandbytes before 0.43.2"));
inline constexpr Keys<AdapterRequest> kAdapterKeys{"training.adapter", kAdapterRows};
template <>
struct KeysOf<AdapterRequest> {
  static constexpr const Keys<AdapterRequest>& table = kAdapterKeys;
};

inline constexpr auto kLengthRows = keys<LengthShare>(
    key<&LengthShare::length>("length", form::whole(1, training_forms::kMost, "tokens"), kRequired,
                              Vary::run, "of a document"),
    key<&LengthShare::share>("share", form::number(kAboveZero, 1e15, "times"), kRequired, Vary::run,
                             "of the documents: a share, a number or a weight"));
inline constexpr Keys<LengthShare> kLengthKeys{"training.sequence_lengths[]", kLengthRows};
template <>
struct KeysOf<LengthShare> {
  static constexpr const Keys<LengthShare>& table = kLengthKeys;
};
inline constexpr Form kLengthForm = form::object(kLengthKeys);

inline constexpr auto kBucketRows = keys<BucketRequest>(
    key<&BucketRequest::height>("height", form::whole(1, 1'000'000, "pixels"), kRequired, Vary::run,
                                "of an image or video"),
    key<&BucketRequest::width>("width", form::whole(1, 1'000'000, "pixels"), otherwise("height"),
                               Vary::run, "likewise"),
    key<&BucketRequest::frames>("frames", form::whole(1, 1'000'000, "frames"),
                                otherwise("training.frames, else the model's"), Vary::run,
                                "of a video"),
    key<&BucketRequest::share>("share", form::number(kAboveZero, 1e15, "times"), kRequired,
                               Vary::run, "of the micro batches: a share, a number or a weight"),
    key<&BucketRequest::micro_batch>(
        "micro_batch", form::whole(1, training_forms::kMost, "samples"),
        otherwise("training.micro_batch"), Vary::run,
        "samples of a micro batch of this size; global_batch counts by training.micro_batch"));
inline constexpr Keys<BucketRequest> kBucketKeys{"training.buckets[]", kBucketRows};
template <>
struct KeysOf<BucketRequest> {
  static constexpr const Keys<BucketRequest>& table = kBucketKeys;
};
inline constexpr Form kBucketForm = form::object(kBucketKeys);

inline constexpr auto kDistillationRows = keys<DistillationRequest>(
    key<&DistillationRequest::global_crops>("global_crops", form::whole(1, 64, "crops"),
                                            otherwise("2"), Vary::run,
                                            "of height × width, which the teacher reads too"),
    key<&DistillationRequest::local_crops>("local_crops", form::whole(0, 256, "crops"),
                                           otherwise("8"), Vary::run, "that the student reads"),
    key<&DistillationRequest::local_size>("local_size", form::whole(1, 100'000, "pixels"),
                                          otherwise("96"), Vary::run, "a side of a local crop"),
    key<&DistillationRequest::masked>(
        "masked", form::number(0, 1, "of the patches"), otherwise("0.15"), Vary::run,
        "mean share of the global crops' patches that are masked and scored (iBOT)"),
    key<&DistillationRequest::head_hidden>("head_hidden", form::whole(1, 1'000'000, "columns"),
                                           otherwise("2048"), Vary::run,
                                           "width of the heads' two inner layers"),
    key<&DistillationRequest::head_bottleneck>(
        "head_bottleneck", form::whole(1, 1'000'000, "columns"), otherwise("256"), Vary::run,
        "width before the prototypes"),
    key<&DistillationRequest::prototypes>("prototypes", form::whole(1, 100'000'000, "prototypes"),
                                          otherwise("65536"), Vary::run, "scores of a class token"),
    key<&DistillationRequest::patch_prototypes>("patch_prototypes",
                                                form::whole(0, 100'000'000, "prototypes"),
                                                otherwise("0: the head of class tokens"), Vary::run,
                                                "scores of a masked patch, by a head of its own"),
    key<&DistillationRequest::patch_bottleneck>(
        "patch_bottleneck", form::whole(1, 1'000'000, "columns"), otherwise("256"), Vary::run,
        "width before the patches' prototypes"),
    key<&DistillationRequest::sinkhorn_rounds>(
        "sinkhorn_rounds", form::whole(1, 32, "rounds"), otherwise("3"), Vary::run,
        "of centring the teacher's scores, each a sum over all replicas"));
inline constexpr Keys<DistillationRequest> kDistillationKeys{"training.distillation",
                                                             kDistillationRows};
template <>
struct KeysOf<DistillationRequest> {
  static constexpr const Keys<DistillationRequest>& table = kDistillationKeys;
};

inline constexpr auto kOuterRows = keys<OuterSteps>(
    key<&OuterSteps::every>("every", form::whole(1, 1'000'000, "steps"), otherwise("1"), Vary::run,
                            "steps of each site between two sums over the sites (H)"),
    key<&OuterSteps::bits>("bits", form::whole(1, 64, "bits"), otherwise("32"), Vary::run,
                           "of a parameter on the wire between sites"),
    key<&OuterSteps::fragments>("fragments", form::whole(1, 1'000'000, "fragments"), otherwise("1"),
                                Vary::run, "that are sent one after the other (streaming)"),
    key<&OuterSteps::overlap>("overlap", form::number(0, 1e6, "steps"), otherwise("0"), Vary::run,
                              "that hide the exchange of a fragment"),
    key<&OuterSteps::states>("states", form::one_of<OuterPlace>(), otherwise("host"), Vary::run,
                             "where the outer copy and its momentum are, 8 bytes a parameter"));
inline constexpr Keys<OuterSteps> kOuterKeys{"training.outer", kOuterRows};
template <>
struct KeysOf<OuterSteps> {
  static constexpr const Keys<OuterSteps>& table = kOuterKeys;
};

inline constexpr auto kTrainingRows = keys<TrainingRequest>(
    key<&TrainingRequest::sequence_length, &Training::sequence>(
        "sequence_length", form::whole(1, training_forms::kMost, "tokens"), kRequired, Vary::run,
        "tokens of a sequence; with rl it follows where absent")
        .flagged("--sequence-length", "tokens of a sequence"),
    key<&TrainingRequest::global_batch, &Training::global_batch>(
        "global_batch", form::whole(1, training_forms::kMost, "sequences"), kRequired, Vary::run,
        "sequences of a step, of all GPUs together; with rl, of an update, and it follows where "
        "absent")
        .flagged("--global-batch", "sequences of a step"),
    key<&TrainingRequest::micro_batch>(
        "micro_batch", form::whole(1, training_forms::kMost, "sequences"), otherwise("1"),
        Vary::prices, "sequences of a micro batch, at most global_batch")
        .read_by<read_micro_batch>()
        .flagged("--micro-batch", "sequences of a micro batch"),
    key<&TrainingRequest::precision, &Training::precision>(
        "precision", form::one_of<Precision>(),
        otherwise("the first that the device has of bf16, fp16 and fp32",
                  "the device's 16-bit format"),
        Vary::run, "format that matrix products compute in, one that the device has")
        .flagged("--precision"),
    key<&TrainingRequest::states>(
        "states", either(form::one_of(training_forms::kRecipeNames), form::object(kRecipeKeys)),
        otherwise("fp32-adam-16 in fp32 and tf32, else the framework's",
                  "the framework's, by precision"),
        Vary::run, "bytes a parameter of weights, gradients and optimizer states")
        .read_by<read_states>()
        .written_by<write_states>()
        .flagged("--states", "recipe of the model states"),
    key<&TrainingRequest::flash_attention, &Training::fused_attention>(
        "flash_attention", form::boolean(), otherwise("true"), Vary::run, "fused attention")
        .flagged("--flash-attention"),
    key<&TrainingRequest::attention_kernel>(
        "attention_kernel", form::one_of<AttentionKernel>(),
        otherwise("the first of the framework's that is made for the device, else that it has"),
        Vary::run, "kernel of fused attention, one whose rate the device has"),
    key<&TrainingRequest::optimizer, &Training::optimizer>(
        "optimizer", form::one_of<Optimizer>(), otherwise("adam"), Vary::run,
        "adam is AdamW too, whose states and time are the same; adam-8bit keeps the two moments of "
        "states in a byte each; sgd has one of them; the others' own states replace both")
        .flagged("--optimizer"),
    key<&TrainingRequest::optimizer_rank, &Training::optimizer_rank>(
        "optimizer_rank", form::whole(1, 65536, "columns"), otherwise("128"), Vary::run,
        "galore: rank that gradients are projected to"),
    key<&TrainingRequest::adapter>("adapter", form::object(kAdapterKeys), kNothing, Vary::run,
                                   "trains a few weights beside a frozen model; states are theirs"),
    key<&TrainingRequest::expert_load, &Training::expert_load>(
        "expert_load", form::number(1, 1024, "times"), otherwise("1"), Vary::run,
        "tokens of the rank whose experts have most, over the mean; all others wait for it; a "
        "padded capacity factor replaces it, another one limits it"),
    key<&TrainingRequest::sequence_lengths>(
        "sequence_lengths", form::list(kLengthForm, 1, kMaxLengths), otherwise("whole sequences"),
        Vary::run,
        "documents packed into a sequence; a token attends within its own, and the rank with the "
        "longest is waited for"),
    key<&TrainingRequest::images, &Training::images>(
        "images", form::whole(0, training_forms::kMost, "images"), otherwise("0"), Vary::run,
        "images of a sequence: trains the model's encoder of images along"),
    key<&TrainingRequest::image_tokens, &Training::image_tokens>(
        "image_tokens", form::whole(1, training_forms::kMost, "tokens"), kNothing, Vary::run,
        "tokens of sequence_length that one image takes"),
    key<&TrainingRequest::height>("height", form::whole(1, 1'000'000, "pixels"),
                                  otherwise("the model's"), Vary::run,
                                  "of an image or video; sequence_length follows")
        .flagged("--image-height", "pixels of an image or video"),
    key<&TrainingRequest::width>("width", form::whole(1, 1'000'000, "pixels"), otherwise("height"),
                                 Vary::run, "likewise")
        .flagged("--image-width", "pixels of an image or video"),
    key<&TrainingRequest::frames>("frames", form::whole(1, 1'000'000, "frames"),
                                  otherwise("the model's"), Vary::run, "of a video")
        .flagged("--frames", "frames of a video"),
    key<&TrainingRequest::text_tokens>(
        "text_tokens", form::whole(0, training_forms::kMost, "tokens"), otherwise("the model's"),
        Vary::run, "of the text beside an image, a video or sound")
        .flagged("--text-tokens", "tokens of the text beside a sample"),
    key<&TrainingRequest::points>("points", form::whole(1, training_forms::kMost, "points"),
                                  otherwise("the model's"), Vary::run,
                                  "of a series, or samples of a sound"),
    key<&TrainingRequest::seconds>("seconds", form::number(0, 1e9, "s"), otherwise("points"),
                                   Vary::run, "of sound, in place of points"),
    key<&TrainingRequest::buckets>(
        "buckets", form::list(kBucketForm, 1, kMaxBuckets), otherwise("samples of one size"),
        Vary::run,
        "sizes of images or videos in one job, in place of height, width and frames; a micro batch "
        "is of one, memory is that of the largest, and replicas wait for the slowest of them"),
    key<&TrainingRequest::bucket_draw>(
        "bucket_draw", form::one_of<BucketDraw>(), otherwise("rank"), Vary::run,
        "who draws the bucket of a micro batch: each replica its own, or all the same in a step, "
        "so that nobody waits"),
    key<&TrainingRequest::distillation>(
        "distillation", form::object(kDistillationKeys), otherwise("labels or nothing"), Vary::run,
        "an encoder of images learns from a moving average of itself (DINO), which runs forward in "
        "every step; ema is then device"),
    key<&TrainingRequest::pair_logits>(
        "pair_logits", form::one_of<PairLogits>(), otherwise("local"), Vary::run,
        "logits of CLIP's loss on a rank: of its own samples against those of all, or of all "
        "against all (open_clip without --local-loss)"),
    key<&TrainingRequest::pair_gradients>(
        "pair_gradients", form::boolean(), otherwise("true"), Vary::run,
        "gradients of gathered features go back to their ranks (open_clip, --gather-with-grad)"),
    key<&TrainingRequest::ema, &Training::ema>(
        "ema", form::one_of<EmaPlace>(), otherwise("none"), Vary::run,
        "a moving average of the weights in fp32, updated each step: on the device, sharded as "
        "the optimizer's states, or on the host, not counted"),
    key<&TrainingRequest::frozen_parameters>(
        "frozen_parameters", form::number(0, 1e13, "parameters"), otherwise("0"), Vary::run,
        "of encoders beside the model that run forward in every step and do not train (text "
        "encoders, an autoencoder), in 16 bits on every rank; absent: their outputs are stored"),
    key<&TrainingRequest::frozen_flops>("frozen_flops", form::number(0, 1e18, "FLOP"),
                                        otherwise("2 · frozen_parameters · text_tokens"), Vary::run,
                                        "of their forward, a sample"),
    key<&TrainingRequest::samples>("samples", form::whole(1, std::int64_t{1} << 53, "samples"),
                                   kNothing, Vary::run, "of the whole training, in place of tokens")
        .flagged("--samples", "samples of the whole training"),
    key<&TrainingRequest::outer, &Training::outer>(
        "outer", form::object(kOuterKeys), otherwise("a sum over the sites every step"), Vary::run,
        "how rarely the sites of cluster.sites agree: local SGD, DiLoCo"),
    key<&TrainingRequest::tokens, &Training::tokens>(
        "tokens", form::whole(1, std::int64_t{1} << 53, "tokens"), kNothing, Vary::run,
        "of the whole training: gives steps and days")
        .flagged("--tokens", "tokens of the whole training"),
    key<&TrainingRequest::rl>("rl", form::object(kRlDocument), kNothing, Vary::run,
                              "reinforcement learning: what a step generates, scores and learns; "
                              "sequence_length and global_batch follow from it where absent"));
inline constexpr Keys<TrainingRequest> kTrainingKeys{"training", kTrainingRows};
template <>
struct KeysOf<TrainingRequest> {
  static constexpr const Keys<TrainingRequest>& table = kTrainingKeys;
};
template <>
struct KeysOf<Training> : KeysOf<TrainingRequest> {};

}  // namespace orrery
