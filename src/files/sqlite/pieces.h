#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::sqlite {

// The form of requests and answers between RowReader and its process: pieces of text, each with its
// length before it ("5:words").
void add_piece(std::string& to, std::string_view piece);
// Takes the first piece off the text; nullopt if the text does not begin with a whole one.
std::optional<std::string_view> take_piece(std::string_view& text);

// The last piece of an answer is one of these; an error's text comes before kFailed.
inline constexpr std::string_view kDone = "done", kFailed = "failed";

}  // namespace orch::sqlite
