// SPDX-License-Identifier: Apache-2.0
#include "exchange/machine/elements.h"

#include <doctest/doctest.h>

#include "core/error.h"

namespace orrery {
namespace {

std::string said(const std::string& text) {
  std::string all;
  try {
    machine::for_elements(text, "t.xml", [&](const machine::Element& e) {
      all += std::string(e.name) + "(";
      for (const auto& [key, value] : e.attributes) all += std::string(key) + "=" + value + ";";
      all += ")";
    });
  } catch (const InputError& e) {
    return e.what();
  }
  return all;
}

TEST_CASE("elements of XML come in order, whatever stands between them") {
  CHECK(
      said("<?xml version='1.0'?>\n<!DOCTYPE t SYSTEM \"a.dtd\" [<!ENTITY x \"<b>\">]>\n"
           "<a k = \"1 &lt; 2 &amp;amp;\" l='\"'>text<!-- <no/> --><![CDATA[<no>]]>\n<b/></a>\n") ==
      "a(k=1 < 2 &amp;;l=\";)b()");
  machine::for_elements("<a speed=\"4e5\" dev='x'/>", "t.xml", [](const machine::Element& e) {
    CHECK(e.number("speed") == 4e5);
    CHECK(e.number("dev") == 0);
    CHECK(e.text("none").empty());
    CHECK(e.has("dev"));
  });
}

TEST_CASE("text that is no XML is refused with its line") {
  CHECK(said("<a>\n<b></a>") == "t.xml: line 2: found </a> without a start; allowed: XML");
  CHECK(said("<a>\n<b>") == "t.xml: line 2: found <b> without its end; allowed: XML");
  for (const char* text : {"", "text", "<", "<a", "<a b", "<a b=1/>", "<a b='1", "<!-- <a/>",
                           "</a>", "<a></a", "<a b/>", "< a/>"}) {
    CAPTURE(text);
    CHECK(said(text).rfind("t.xml: line 1: ", 0) == 0);
  }
}

}  // namespace
}  // namespace orrery
