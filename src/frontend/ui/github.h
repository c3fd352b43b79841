#pragma once

#include <string>
#include <string_view>

// Workflow commands of GitHub Actions, for logs that people read there.
namespace orch::ui::github {

// Between these two commands the runner does not obey commands in an agent's words. The token must
// not be guessable: anyone who knows it can end this.
std::string stop_commands(std::string_view token);
std::string resume_commands(std::string_view token);
std::string random_token();

// Makes the runner print stars in place of `secret` from then on. It has to be written before
// anything else, and never into a file that is kept, since it names the secret.
std::string add_mask(std::string_view secret);

std::string begin_group(std::string_view title);
std::string end_group();

// An annotation that says how a session ended: an error, a warning for an end that can be retried
// or needs a human's decision, "" for success.
std::string annotation(std::string_view session, std::string_view reason, int code,
                       std::string_view detail);
// A warning that a side task of orch has failed.
std::string warning(std::string_view text);

// A line that sets an output in the file that $GITHUB_OUTPUT names. `delimiter` must not be
// guessable, so that nothing in the value can end it or begin another output.
std::string output(std::string_view name, std::string_view value, std::string_view delimiter);

}  // namespace orch::ui::github
