// SPDX-License-Identifier: Apache-2.0
#include "core/keys.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"

namespace orrery {
namespace {

enum class Dye : std::uint8_t { red, green };
constexpr EnumNames<Dye> names_of(Dye) { return {"red", "green"}; }

struct Wheel {
  double radius = 1;
  Bytes memory{};
};

struct CartRequest {
  std::optional<std::int64_t> wheels;
  std::optional<Dye> colour;
  std::optional<std::vector<std::int64_t>> loads;
  std::optional<Wheel> wheel;
  EnumArray<Dye, double> share;
  std::string owner;
  GivenJson extra;
  Elsewhere brakes;
};

struct Cart {
  std::int64_t wheels = 4;
  Dye colour = Dye::red;
};

constexpr Form kLoad = form::whole(0, 10, "bags");
constexpr Form kShare = form::number(0, 1, "share");

constexpr auto kWheelRows = keys<Wheel>(
    key<&Wheel::radius>("radius", form::number(0.1, 2, "m"), otherwise("1"), Vary::run, "radius"),
    key<&Wheel::memory>("memory", form::quantity(kBytes), kNothing, Vary::run, "what it knows"));
constexpr std::array<GoneKey, 1> kGoneOfWheel{{{"diameter", "radius, half of it"}}};
constexpr Keys<Wheel> kWheelKeys{"cart.wheel", kWheelRows, {.gone = kGoneOfWheel}};

constexpr auto kCartRows = keys<CartRequest>(
    key<&CartRequest::wheels, &Cart::wheels>("wheels", form::whole(1, 8, "wheels"), otherwise("4"),
                                             Vary::run, "how many"),
    key<&CartRequest::colour, &Cart::colour>("colour", form::one_of<Dye>(), otherwise("red"),
                                             Vary::never, "its paint"),
    key<&CartRequest::loads>("loads", form::list(kLoad), kNothing, Vary::run, "bags by seat"),
    key<&CartRequest::wheel>("wheel", form::object(kWheelKeys), kNothing, Vary::run, "its wheels"),
    key<&CartRequest::share>("share", form::map(kShare, kNamesOf<Dye>), kNothing, Vary::run,
                             "by paint"),
    key<&CartRequest::owner>("owner", form::text("a name"), kRequired, Vary::never, "whose it is"),
    key<&CartRequest::extra>("extra", form::any("anything"), kNothing, Vary::never, "kept"),
    key<&CartRequest::brakes>("brakes", form::any("of a maker"), kNothing, Vary::never, "brakes"),
    elsewhere("source", form::text("where it is said"), kNothing, Vary::never, "where"));
constexpr Keys<CartRequest> kCartKeys{"cart", kCartRows};

Json parsed(const char* text) { return parse_json(text, "cart.json"); }

std::string error_of(const char* text) {
  const Json document = parsed(text);
  try {
    static_cast<void>(read_keys(kCartKeys, Reader(document, "cart.json", "cart")));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

template <>
struct KeysOf<CartRequest> {
  static constexpr const Keys<CartRequest>& table = kCartKeys;
};
template <>
struct KeysOf<Cart> : KeysOf<CartRequest> {};

namespace {

constexpr const char* kWhole = R"({"wheels": 3, "colour": "green", "loads": [1, 0, 10],
    "wheel": {"radius": 0.5, "memory": "2 MB"}, "share": {"red": 0.25, "green": 1.0},
    "owner": "Ada", "extra": {"any": [1, "thing"]}})";

TEST_CASE("a document is read by its rows, and written back as it was") {
  const Json document = parsed(kWhole);
  const CartRequest cart = read_keys(kCartKeys, Reader(document, "cart.json"));
  CHECK(cart.wheels == 3);
  CHECK(cart.colour == Dye::green);
  CHECK(cart.loads == std::vector<std::int64_t>{1, 0, 10});
  REQUIRE(cart.wheel);
  CHECK(cart.wheel->radius == 0.5);
  CHECK(cart.wheel->memory == Bytes(2e6));
  CHECK(cart.share[Dye::green] == 1);
  CHECK(cart.owner == "Ada");
  Json written = Json::object();
  write_keys(kCartKeys, cart, written);
  CHECK(written.dump() == document.dump());
}

TEST_CASE("what is absent stays absent, and what is read elsewhere may stand there") {
  const Json document =
      parsed(R"({"owner": "Ada", "wheels": null, "source": "a book", "brakes": 2})");
  const CartRequest cart = read_keys(kCartKeys, Reader(document, "cart.json"));
  CHECK_FALSE(cart.wheels.has_value());
  CHECK(cart.extra == nullptr);
  Json written = Json::object();
  write_keys(kCartKeys, cart, written);
  CHECK_FALSE(written.contains("wheels"));
  CHECK_FALSE(written.contains("wheel"));
  CHECK_FALSE(written.contains("source"));
  CHECK_FALSE(written.contains("brakes"));
}

TEST_CASE("messages name the key, what it may be and the nearest name") {
  CHECK(error_of(R"({"wheels": 9, "owner": "Ada"})") ==
        "cart.json: cart.wheels: found 9; allowed: a whole number from 1 to 8");
  CHECK(error_of(R"({"wheels": 3})") ==
        "cart.json: cart.owner: found nothing; allowed: this key is required, a name");
  CHECK(error_of(R"({"owner": "Ada", "weels": 3})") ==
        "cart.json: cart.weels: found an unknown key; allowed: brakes, colour, extra, loads, "
        "owner, share, "
        "source, wheel or wheels; did you mean \"wheels\"?");
  CHECK(error_of(R"({"owner": "Ada", "wheel": {"radios": 1}})") ==
        "cart.json: cart.wheel.radios: found an unknown key; allowed: memory or radius; did you "
        "mean \"radius\"?");
  CHECK(error_of(R"({"owner": "Ada", "wheel": {"diameter": 1}})") ==
        "cart.json: cart.wheel.diameter: found a key of an earlier version; allowed: radius, half "
        "of it");
  CHECK(error_of(R"({"owner": "Ada", "loads": [1, 11]})") ==
        "cart.json: cart.loads[1]: found 11; allowed: a whole number from 0 to 10");
  CHECK(error_of(R"({"owner": "Ada", "share": {"blue": 1}})") ==
        "cart.json: cart.share.blue: found an unknown key; allowed: green or red");
}

TEST_CASE("a key is named by its member, in what is asked and in what is held") {
  static_assert(key_name<&CartRequest::wheels> == "wheels");
  static_assert(key_name<&Cart::wheels> == "wheels");
  static_assert(std::string_view(key_path<&Cart::colour>) == "cart.colour");
  static_assert(key_row<&Cart::colour>.vary == Vary::never);
  CHECK(std::string(key_path<&CartRequest::brakes>) == "cart.brakes");
}

TEST_CASE("what is held can be asked for, and what is asked for can be held") {
  CartRequest request;
  ask_for(kCartKeys, Cart{6, Dye::green}, request);
  CHECK(request.wheels == 6);
  CHECK(request.colour == Dye::green);
  Cart cart;
  CartRequest partial;
  partial.wheels = 2;
  take_given(kCartKeys, partial, cart);
  CHECK(cart.wheels == 2);
  CHECK(cart.colour == Dye::red);
}

}  // namespace
}  // namespace orrery
