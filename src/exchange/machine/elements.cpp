// SPDX-License-Identifier: Apache-2.0
#include "exchange/machine/elements.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/units.h"
#include "exchange/text_lines.h"

namespace orrery::machine {
namespace {

constexpr std::string_view kXmlBlanks = " \t\r\n";

struct Entity {
  std::string_view written;
  char meant;
};
constexpr std::array kEntities = {Entity{"&amp;", '&'}, Entity{"&lt;", '<'}, Entity{"&gt;", '>'},
                                  Entity{"&quot;", '"'}, Entity{"&apos;", '\''}};

std::string without_entities(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto known = std::find_if(kEntities.begin(), kEntities.end(),
                                    [&](const Entity& e) { return begins_with(text, e.written); });
    out += known == kEntities.end() ? text.front() : known->meant;
    text.remove_prefix(known == kEntities.end() ? 1 : known->written.size());
  }
  return out;
}

class Elements {
 public:
  Elements(std::string_view text, const std::string& file)
      : text_(text), file_(file), rest_(text) {}

  void each(const std::function<void(const Element&)>& visit) {
    bool any = false;
    while (to('<')) {
      if (begins_with(rest_, "<!--")) {
        behind("-->");
      } else if (begins_with(rest_, "<![CDATA[")) {
        behind("]]>");
      } else if (begins_with(rest_, "<?")) {
        behind("?>");
      } else if (begins_with(rest_, "<!")) {
        declaration();
      } else if (begins_with(rest_, "</")) {
        close();
      } else {
        visit(start());
        any = true;
      }
    }
    if (!open_.empty()) fail("<" + std::string(open_.back()) + "> without its end");
    if (!any) fail("no element");
  }

 private:
  [[noreturn]] void fail(const std::string& found) const {
    const std::string_view read = text_.substr(0, text_.size() - rest_.size());
    throw InputError(ErrorCode::malformed, file_,
                     "line " + std::to_string(1 + std::count(read.begin(), read.end(), '\n')),
                     found, "XML");
  }

  bool to(char c) {
    rest_.remove_prefix(std::min(rest_.find(c), rest_.size()));
    return !rest_.empty();
  }

  void behind(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) fail("no " + std::string(mark));
    rest_.remove_prefix(at + mark.size());
  }

  // <!DOCTYPE topology SYSTEM "hwloc2.dtd">, with definitions in [].
  void declaration() {
    const std::size_t bracket = rest_.substr(0, rest_.find('>')).find('[');
    behind(bracket == std::string_view::npos ? ">" : "]>");
  }

  void blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kXmlBlanks), rest_.size()));
  }

  bool takes(std::string_view mark) {
    if (!begins_with(rest_, mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }

  std::string_view name() {
    const std::string_view found = rest_.substr(0, rest_.find_first_of(" \t\r\n/>=\"'<"));
    if (found.empty() || found.size() == rest_.size()) fail("a tag that is cut off");
    rest_.remove_prefix(found.size());
    return found;
  }

  void close() {
    takes("</");
    const std::string_view found = name();
    blanks();
    if (open_.empty() || open_.back() != found)
      fail("</" + std::string(found) + "> without a start");
    if (!takes(">")) fail("a tag that is cut off");
    open_.pop_back();
  }

  Element start() {
    takes("<");
    Element e{name(), {}};
    for (blanks(); !takes("/>"); blanks()) {
      if (takes(">")) {
        open_.push_back(e.name);
        return e;
      }
      e.attributes.push_back(attribute());
    }
    return e;
  }

  std::pair<std::string_view, std::string> attribute() {
    const std::string_view key = name();
    blanks();
    const bool has_value = takes("=");
    blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (!has_value || (quote != '"' && quote != '\''))
      fail("an attribute without a value in quotes");
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail("a quote without its end");
    const std::string value = without_entities(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return {key, value};
  }

  std::string_view text_;
  const std::string& file_;
  std::string_view rest_;
  std::vector<std::string_view> open_;
};

}  // namespace

bool Element::has(std::string_view attribute) const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const auto& a) { return a.first == attribute; });
}

std::string Element::text(std::string_view attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return value;
  }
  return "";
}

double Element::number(std::string_view attribute) const {
  return parse_number(text(attribute)).value_or(0);
}

void for_elements(std::string_view text, const std::string& file,
                  const std::function<void(const Element&)>& visit) {
  Elements(text, file).each(visit);
}

}  // namespace orrery::machine
