// Tables of commands, one a line: ordinary ones, those that must never be allowed, and those that
// only look like these.

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cpu_time.h"
#include "policy/denylist.h"

namespace orch::policy {
namespace {

constexpr std::string_view kWorkDir = "/home/ada/app";

struct Command {
  std::string group, text;
};

std::string with_line_feeds(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape && (line[i + 1] == 'n' || line[i + 1] == 't')) {
      text += line[++i] == 'n' ? '\n' : '\t';
    } else {
      text += line[i];
    }
  }
  return text;
}

std::vector<Command> table(const char* name) {
  std::ifstream in(std::string(ORCH_POLICY_TABLES) + "/" + name);
  std::vector<Command> commands;
  std::string group;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) {
      group = line.substr(3);
    } else if (!line.empty() && !line.starts_with('#')) {
      commands.push_back({group, with_line_feeds(line)});
    }
  }
  return commands;
}

bool is_allowed(std::string_view command) {
  const CommandVerdict verdict = judge_command(command, kWorkDir);
  return verdict.readable && verdict.found.empty();
}

}  // namespace

TEST_CASE("Of ordinary commands 99 in 100 are allowed") {
  const std::vector<Command> commands = table("ordinary_commands.txt");
  REQUIRE(commands.size() >= 200);
  size_t allowed = 0;
  for (const Command& command : commands) {
    if (is_allowed(command.text)) {
      ++allowed;
    } else {
      std::cout << "not allowed: " << command.text << "\n";
    }
  }
  std::cout << "ordinary commands: " << allowed << " of " << commands.size() << " allowed\n";
  CHECK(allowed * 100 >= commands.size() * 99);
}

TEST_CASE("Of hostile commands none is allowed") {
  const std::vector<Command> commands = table("hostile_commands.txt");
  REQUIRE(commands.size() >= 600);
  std::map<std::string, int> groups;
  for (const Command& command : commands) {
    ++groups[command.group];
    INFO(command.group << ": " << command.text);
    CHECK(!is_allowed(command.text));
  }
  for (const auto& [group, count] : groups) std::cout << group << ": " << count << ", ";
  std::cout << "of hostile commands none allowed\n";
}

TEST_CASE("Of everyday commands 97 in 100 are allowed") {
  const std::vector<Command> commands = table("everyday_commands.txt");
  REQUIRE(commands.size() >= 150);
  size_t allowed = 0;
  for (const Command& command : commands) {
    allowed += is_allowed(command.text) ? 1 : 0;
    if (!is_allowed(command.text)) std::cout << "not allowed: " << command.text << "\n";
  }
  std::cout << "everyday commands: " << allowed << " of " << commands.size() << " allowed\n";
  CHECK(allowed * 100 >= commands.size() * 97);
}

TEST_CASE("What reaches out is allowed in 1 of 100 commands") {
  const std::vector<Command> commands = table("reaching_out_commands.txt");
  REQUIRE(commands.size() >= 150);
  size_t allowed = 0;
  for (const Command& command : commands) {
    if (!is_allowed(command.text)) continue;
    ++allowed;
    std::cout << "allowed: " << command.group << ": " << command.text << "\n";
  }
  std::cout << "reaching out: " << allowed << " of " << commands.size() << " allowed\n";
  CHECK(allowed * 100 <= commands.size());
}

TEST_CASE("Of commands near the hostile ones all are allowed") {
  const std::vector<Command> commands = table("near_commands.txt");
  REQUIRE(commands.size() >= 100);
  for (const Command& command : commands) {
    INFO(command.text);
    CHECK(is_allowed(command.text));
  }
}

TEST_CASE("A command made of pieces of others has a verdict") {
  std::vector<std::string> pieces(200, "''");  // an empty word is easily forgotten
  std::vector<std::vector<std::string>> lines;
  for (const char* name : {"hostile_commands.txt", "ordinary_commands.txt", "near_commands.txt",
                           "reaching_out_commands.txt", "everyday_commands.txt"}) {
    for (const Command& command : table(name)) {
      std::vector<std::string>& line = lines.emplace_back();
      std::istringstream words(command.text);
      for (std::string word; words >> word;) line.push_back(word);
      pieces.insert(pieces.end(), line.begin(), line.end());
    }
  }
  std::mt19937 random(7);
  const auto any = [&random](const auto& of) -> const auto& {
    return of[std::uniform_int_distribution<size_t>(0, of.size() - 1)(random)];
  };
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (const std::string& word : any(lines)) {
      if (random() % 4 != 0) text += word + " ";
      if (random() % 4 == 0) text += any(pieces) + " ";
    }
    judge_command(text, kWorkDir);
  }
}

TEST_CASE("No text of 64 KiB takes long to judge") {
  const auto repeated = [](std::string_view text) {
    std::string all;
    while (all.size() + text.size() <= (64U << 10U)) all += text;
    return all;
  };
  for (const std::string_view piece : {"(",
                                       "{ ",
                                       "$(",
                                       "`",
                                       "\"",
                                       "'",
                                       "\\",
                                       "a[",
                                       "${x:-",
                                       "$((",
                                       "((",
                                       "<<a\n",
                                       "if ",
                                       "case x in ",
                                       "for i in x; do ",
                                       "f() { ",
                                       "ls;",
                                       "ls|",
                                       "a=b;",
                                       "a=b&&",
                                       "x=$x$x;",
                                       "{a,b}",
                                       "{a,{b,",
                                       "rm x;",
                                       "eval ",
                                       "sudo ",
                                       "[[ ",
                                       "cd a;",
                                       "cd a&&",
                                       "while x; do cd a; ",
                                       "echo $(",
                                       "f() { f; f; }; f;",
                                       "git push;",
                                       "sh -c 'ls';",
                                       "cat <<E\nx\nE\n",
                                       "echo x > a;",
                                       "trap ls EXIT;",
                                       "*",
                                       "a/../",
                                       "python3 -c '1';",
                                       "ls x y z ",
                                       "for i in 1; do a=$i; done;",
                                       "echo x|",
                                       "! ",
                                       "~",
                                       "[",
                                       "]] ",
                                       "ln -s a b;",
                                       "f$i() { x; };",
                                       "case a in a) ls;; esac;",
                                       "true && x=1 || y=2;",
                                       "find a b c -name x -exec ls {} \\; ;",
                                       "find a b c d e f g h -name x"}) {
    const std::string text = repeated(piece);
    const auto begin = orch::cpu_time();
    judge_command(text, kWorkDir);
    const auto taken = orch::cpu_time() - begin;
    INFO(piece);
    CHECK(taken < std::chrono::milliseconds(2000));  // 50 ms without sanitizers; see bench/judge
  }
}

}  // namespace orch::policy
