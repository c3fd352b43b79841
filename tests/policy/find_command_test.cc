#include "policy/find_command.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {
namespace {

using Kind = FindAction::Kind;
using Reach = FindGuard::Reach;

FindCommand read(std::string_view arguments) {
  std::vector<ShellWord> words;
  while (!arguments.empty()) {
    const size_t end = std::min(arguments.find(' '), arguments.size());
    words.push_back(exact_word(arguments.substr(0, end)));
    arguments.remove_prefix(std::min(end + 1, arguments.size()));
  }
  return read_find(words);
}

std::string roots_of(std::string_view arguments) { return text_of(read(arguments).roots); }

// The last action of a find command.
FindAction action_of(std::string_view arguments) { return read(arguments).actions.back(); }
Reach reach_of(std::string_view arguments) { return action_of(arguments).guard.reach; }

}  // namespace

TEST_CASE("Every root of find counts, whatever options stand before them") {
  CHECK(roots_of("") == ".");
  CHECK(roots_of("-name x") == ".");
  CHECK(roots_of("a b c -name x") == "a b c");
  CHECK(roots_of("-L -H a b ( -name x )") == "a b");
  CHECK(roots_of("-O3 -D tree -- a b") == "a b");
  CHECK(roots_of("-LE a") == "a");
  CHECK(roots_of("-xf a b ! -name x") == "a b");
  CHECK(read("-HL a").follows_links);
  CHECK(read("a -follow").follows_links);
}

TEST_CASE("A plus ends a command of find only behind braces of its own") {
  CHECK(text_of(action_of(". -exec rm {} + -delete").words).empty());
  CHECK(text_of(read(". -exec rm {} + -print").actions[0].words) == "rm {}");
  CHECK(text_of(action_of(". -exec rm + x ;").words) == "rm + x");
  CHECK(text_of(action_of(". -exec rm a{} + x ;").words) == "rm a{} + x");
  CHECK(text_of(action_of(". -ok rm {} + x ;").words) == "rm {} + x");
  CHECK(action_of(". -execdir rm {} +").in_folder);
}

TEST_CASE("What stands before an action of find narrows it, and nothing else does") {
  CHECK(reach_of(". -delete") == Reach::kAll);
  CHECK(reach_of(". -maxdepth 1 -true -delete") == Reach::kAll);
  CHECK(reach_of(". -type f -delete") == Reach::kMost);
  CHECK(reach_of(". -name * -delete") == Reach::kMost);
  CHECK(reach_of(". -name *.o -delete") == Reach::kFew);
  CHECK(reach_of(". -delete -name *.o") == Reach::kAll);
  CHECK(reach_of(". ! -name *.o -delete") == Reach::kMost);
  CHECK(reach_of(". -name *.o -o -delete") == Reach::kAll);
  CHECK(reach_of(". -name *.o -o -name *.a -delete") == Reach::kFew);
  CHECK(reach_of(". ( -name *.o -o -name *.a ) -delete") == Reach::kFew);
  CHECK(reach_of(". ( -name *.o -o -type f ) -delete") == Reach::kMost);
  CHECK(reach_of(". -name *.o , -delete") == Reach::kAll);
  CHECK(reach_of(". -name *.o ( -print -o -delete )") == Reach::kFew);
  CHECK(reach_of(". -type l -delete") == Reach::kFew);
}

TEST_CASE("A regular expression of find narrows when each of its alternatives does") {
  CHECK(reach_of(R"(. -regex .*\.o -delete)") == Reach::kFew);
  CHECK(reach_of(R"(. -regex .*\.\(o\|py\) -delete)") == Reach::kFew);
  for (const char* regex : {".*", "./.*", "[a-z]*", "(x)*.*", ".*|x.*", R"(\(.*\|xx\))", ".+e?",
                            R"(\w+)", "", "|", "["}) {
    INFO(regex);
    CHECK(reach_of(std::string(". -regex ") + regex + " -delete") == Reach::kMost);
  }
}

TEST_CASE("A root is found itself unless a test leaves it out") {
  const auto finds_root = [](std::string_view arguments) {
    const FindCommand find = read(arguments);
    return find.finds_root(0, find.actions.back().guard);
  };
  CHECK(finds_root("app -delete"));
  CHECK(finds_root("../app/ -name app -delete"));
  CHECK(finds_root("app -name A?p* -delete"));
  CHECK(finds_root("/x/app -path */app -delete"));
  CHECK(finds_root("app -samefile x -delete"));
  CHECK(!finds_root("app -name *.o -delete"));
  CHECK(!finds_root("app -type f -delete"));
  CHECK(!finds_root("app -mindepth 1 -delete"));
}

TEST_CASE("What find prints, shows and writes are actions, and without any it prints") {
  CHECK(read(". -name *.py").actions.size() == 1);
  CHECK(action_of(". -name *.py").kind == Kind::kPrints);
  CHECK(action_of(". -name *.py").guard.plain_names);
  CHECK(!action_of(". -name *.py -o -type f").guard.plain_names);
  CHECK(action_of(". -printf %p").kind == Kind::kShows);
  CHECK(text_of(action_of(". -fprintf out %p").words) == "out");
  CHECK(read(". -delete").actions.size() == 1);
}

TEST_CASE("Words of find that are not known are not understood") {
  CHECK(!read_find({{std::string{kAnyText}}}).understood);
  CHECK(!read_find({{"."}, {std::string("-dele") + kSomeCharacters}}).understood);
  CHECK(!read_find({{"."}, {"-name"}, {std::string("x") + kAnyWords}}).understood);
  CHECK(!read(". -files0-from x").understood);
  std::string deep = ".";
  for (int i = 0; i < 10'000; ++i) deep += " (";
  CHECK(!read(deep).understood);
}

}  // namespace orch::policy
