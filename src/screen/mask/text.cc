#include "mask/text.h"

#include <algorithm>

#include "base/text.h"
#include "term/width.h"

namespace orch::mask {
namespace {

// A character of that length in UTF-8, and of the same width.
std::string_view cover_of(char32_t code_point, size_t length) {
  const bool wide = term::WidthTable::instance().width(code_point) == 2;
  switch (length) {
    case 2:
      return "×";
    case 3:
      return wide ? "＊" : "∗";
    case 4:
      return wide ? "🔒" : "🞰";
    default:
      return "*";
  }
}

}  // namespace

std::vector<Span> joined(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::from);
  std::vector<Span> apart;
  for (const Span& span : spans) {
    if (!apart.empty() && span.from <= apart.back().to) {
      apart.back().to = std::max(apart.back().to, span.to);
    } else {
      apart.push_back(span);
    }
  }
  return apart;
}

std::vector<Span> find(const std::shared_ptr<const Secrets>& secrets, std::string_view text) {
  Marker marker(secrets);
  marker.feed(text);
  return joined(marker.take_spans());
}

std::string starred(std::string_view text, const std::vector<Span>& spans) {
  std::string out;
  size_t done = 0;
  for (const Span& span : spans) {
    const std::string_view between = text.substr(done, span.from - done);
    const bool goes_on = done > 0 && between.find_first_not_of(" \t") == std::string_view::npos;
    if (!goes_on) out.append(between).append(kStars);
    done = span.to;
  }
  return out.append(text.substr(done));
}

std::string masked(const std::shared_ptr<const Secrets>& secrets, std::string_view text) {
  return starred(text, find(secrets, text));
}

void cover(std::string& bytes, size_t from, size_t to) {
  while (from < to) {
    const base::Decoded c = base::decode_utf8(std::string_view(bytes).substr(from, to - from));
    const std::string_view covered = cover_of(c.code_point, c.length);
    if (covered.size() == c.length) {
      bytes.replace(from, c.length, covered);
    } else {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), c.length, '*');
    }
    from += c.length;
  }
}

}  // namespace orch::mask
