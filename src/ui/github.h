#pragma once

#include <string>
#include <string_view>

// Workflow commands of GitHub Actions, for logs that people read there.
namespace orch::ui::github {

// Between the two nothing that an agent says is taken for a command. The token must not be
// guessable.
std::string stop_commands(std::string_view token);
std::string resume_commands(std::string_view token);
std::string random_token();

// The runner prints stars in place of it from then on. To be told before anything else, and never
// into a file that is kept.
std::string add_mask(std::string_view secret);

std::string begin_group(std::string_view title);
std::string end_group();

// An annotation that tells how a session ended: an error, a warning for what can be tried again or
// a human must decide, nothing for success.
std::string annotation(std::string_view session, std::string_view reason, int code,
                       std::string_view detail);
// Something that orch could not do beside its work.
std::string warning(std::string_view text);

// A value for the file that $GITHUB_OUTPUT names. Nothing in the value can end it, or begin another
// one: `delimiter` must not be guessable.
std::string output(std::string_view name, std::string_view value, std::string_view delimiter);

}  // namespace orch::ui::github
