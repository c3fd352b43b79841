#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mask/marker.h"
#include "mask/secrets.h"

namespace orch::mask {

inline constexpr std::string_view kStars = "***";  // in place of a secret

// The secrets in a whole text, in order and without overlaps. A secret that continues in the next
// row, with or without a frame between, has a span in each of these rows.
std::vector<Span> find(const std::shared_ptr<const Secrets>& secrets, std::string_view text);

// The text with stars in place of each span; spans with only blanks between them share their stars.
// The spans must be in order and within the text.
std::string starred(std::string_view text, const std::vector<Span>& spans);
std::string masked(const std::shared_ptr<const Secrets>& secrets, std::string_view text);

// Sorts the spans, and joins overlapping or touching ones.
std::vector<Span> joined(std::vector<Span> spans);

// Overwrites bytes [from, to), character by character, with characters of the same width and length
// in bytes.
void cover(std::string& bytes, size_t from, size_t to);

}  // namespace orch::mask
