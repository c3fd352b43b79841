#include "policy/program_options.h"

#include <catch2/catch.hpp>

namespace orch::policy {
namespace {

std::vector<ShellWord> words(std::initializer_list<std::string_view> texts) {
  std::vector<ShellWord> words;
  for (const std::string_view text : texts) words.push_back(exact_word(text));
  return words;
}

}  // namespace

TEST_CASE("An option whose value is optional never takes the next word") {
  const ProgramOptions apart(words({"-i", "a", "--backup", "b"}), "-i? --backup?");
  CHECK(text_of(apart.operands()) == "a b");
  const ProgramOptions attached(words({"-vi@", "--backup=t", "b"}), "-i? --backup?");
  CHECK(text_of(attached.values("-i")) == "@");
  CHECK(text_of(attached.values("--backup")) == "t");
  CHECK(text_of(attached.operands()) == "b");
}

TEST_CASE("Behind an option that is not named an operand may be its value") {
  const ProgramOptions options(words({"a", "--x", "b", "-n", "c", "-v", "--x=y", "d", "e"}), "-n=");
  REQUIRE(text_of(options.operands()) == "a b d e");
  CHECK(!options.may_be_value(0));
  CHECK(options.may_be_value(1));
  CHECK(!options.may_be_value(2));
  CHECK(!options.may_be_value(3));
}

TEST_CASE("Letters without a dash take their arguments in their order") {
  const auto apart = [](std::initializer_list<std::string_view> texts) {
    return text_of(with_old_letters_apart(words(texts), "-C@ -f= -g> -I!"));
  };
  CHECK(apart({"xfC", "a", "b", "c"}) == "-x -f a -C b c");
  CHECK(apart({"xCvf", "a", "b"}) == "-x -C a -v -f b");
  CHECK(apart({"xf"}) == "-x -f");
  CHECK(apart({"cIgf", "s", "i", "a"}) == "-c -I s -g i -f a");
  CHECK(apart({"-xfC", "a"}) == "-xfC a");
  CHECK(apart({}).empty());
}

}  // namespace orch::policy
