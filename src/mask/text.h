#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mask/marker.h"
#include "mask/secrets.h"

namespace orch::mask {

inline constexpr std::string_view kStars = "***";  // in place of a secret

// The secrets of a whole text, in order and apart from each other. A secret that goes on in the
// next row, with or without a frame between, is a span in each of them.
std::vector<Span> find(const std::shared_ptr<const Secrets>& secrets, std::string_view text);

// The text with stars in place of each of them, and of several that blanks alone keep apart. The
// spans are in order and lie in it.
std::string starred(std::string_view text, const std::vector<Span>& spans);
std::string masked(const std::shared_ptr<const Secrets>& secrets, std::string_view text);

// In order, and where they overlap or touch as one.
std::vector<Span> joined(std::vector<Span> spans);

// Writes over `bytes`, character by character, what is as wide and as many bytes long.
void cover(std::string& bytes, size_t from, size_t to);

}  // namespace orch::mask
