#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forge/github.h"

// Text of a forge, which anybody may have written, as data in a prompt. Pure.
namespace orch::forge {

// What a reader of the forge's page does not see, and so is left out.
struct Removed {
  int comments = 0;   // of HTML, and Markdown's "[//]: # (...)"
  int hidden = 0;     // elements with the attribute hidden or style, and their content
  int invisible = 0;  // characters that draw nothing, controls
  int all() const { return comments + hidden + invisible; }
};
std::string visible_text(std::string_view text, Removed& removed);

// Each line behind "> ", so that no line of it can be taken for one of the prompt.
std::string quoted_lines(std::string_view text);

// The prompt of an issue: who wrote what, quoted. `comments` are those to include.
std::string prompt_of(const Issue& issue, const RepositoryName& repository,
                      const std::vector<Comment>& comments, Removed& removed);

}  // namespace orch::forge
