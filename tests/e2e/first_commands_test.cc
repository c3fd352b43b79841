// The first commands of somebody who does not know orch yet, from a table.

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "base/text.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

struct Typed {
  std::string command;
  int code = 0;
  bool may_be_long = false;
  Words texts;  // that the output contains
};

std::vector<Typed> read_table(const std::string& path) {
  std::vector<Typed> table;
  const std::string content = content_of(path);
  bool is_code = false;
  for (const std::string_view line : orch::base::split_lines(content)) {
    if (line.starts_with("$ ")) {
      table.push_back({.command = std::string(line.substr(2))});
      is_code = true;
    } else if (is_code) {
      std::istringstream words{std::string(line)};
      std::string rest;
      words >> table.back().code >> rest;
      table.back().may_be_long = rest == "long";
      is_code = false;
    } else if (!line.empty() && !line.starts_with('#')) {
      table.back().texts.emplace_back(line);
    }
  }
  return table;
}

// How many rows of a screen of 80 columns the text takes.
size_t rows_of(std::string_view text) {
  size_t rows = 0;
  for (const std::string_view line : orch::base::split_lines(text)) {
    rows += line.empty() ? 1 : (line.size() + 79) / 80;
  }
  return rows;
}

}  // namespace

TEST_CASE("the first commands and mistakes of a newcomer are answered clearly") {
  constexpr size_t kScreen = 24;
  const Workspace workspace;
  std::filesystem::create_directories(workspace.file("bin"));
  std::filesystem::create_directories(workspace.file("project/.orch"));
  std::filesystem::create_symlink(ORCH_PROGRAM, workspace.file("bin/orch"));
  const std::vector<Typed> table = read_table(FIRST_COMMANDS);
  REQUIRE(table.size() >= 160);
  for (const Typed& typed : table) {
    Launch launch = workspace.orch({});
    launch.argv = {"/bin/sh", "-c", typed.command};
    std::erase_if(launch.env, [](const std::string& entry) { return entry.starts_with("PATH="); });
    launch.env.push_back("PATH=" + workspace.file("bin") + ":/usr/bin:/bin");
    const Outcome outcome = Program(launch).finish();
    const std::string shown = outcome.out + outcome.err;
    INFO("$ " << typed.command << "\n" << shown);
    CHECK(outcome.code == typed.code);
    for (const std::string& text : typed.texts) {
      INFO(text);
      CHECK(shown.find(text) != std::string::npos);
    }
    if (!typed.may_be_long) CHECK(rows_of(shown) <= kScreen);
    // An error is one line that begins with the program's name.
    if (outcome.code == 2) CHECK(outcome.err.starts_with("orch: "));
  }
}
