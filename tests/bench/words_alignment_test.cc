#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "words/alignment.h"
#include "words/word_text.h"

namespace orch::words {
namespace {

using Words = std::vector<std::string>;

// The length of a longest common subsequence, by its definition.
size_t longest_common(const Words& a, const Words& b) {
  std::vector<std::vector<size_t>> length(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      length[i + 1][j + 1] =
          a[i] == b[j] ? length[i][j] + 1 : std::max(length[i][j + 1], length[i + 1][j]);
    }
  }
  return length[a.size()][b.size()];
}

Words chosen(const Words& words, const std::vector<bool>& marks) {
  Words kept;
  for (size_t i = 0; i < words.size(); ++i) {
    if (marks[i]) kept.push_back(words[i]);
  }
  return kept;
}

bool is_subsequence(const Words& part, const Words& whole) {
  auto at = whole.begin();
  for (const std::string& word : part) {
    at = std::find(at, whole.end(), word);
    if (at == whole.end()) return false;
    ++at;
  }
  return true;
}

Words random_words(std::mt19937& random, size_t most, int alphabet) {
  Words words(std::uniform_int_distribution<size_t>(0, most)(random));
  for (std::string& word : words) {
    word = static_cast<char>('a' + std::uniform_int_distribution<int>(0, alphabet - 1)(random));
  }
  return words;
}

std::string aligned(const std::string& said, const std::string& told) {
  std::string text;
  for (const bool mark : told_words(words_of(said), words_of(told))) text += mark ? '+' : '-';
  return text;
}

}  // namespace

TEST_CASE("Words are told where they stand among the others in the same order") {
  CHECK(aligned("a b c", "a b c") == "+++");
  CHECK(aligned("a b c", "x a y c z") == "+-+");
  CHECK(aligned("a b c", "") == "---");
  CHECK(aligned("", "a b c").empty());
  CHECK(aligned("a b", "b a").find('+') != std::string::npos);
  CHECK(aligned("a b", "b a").find('-') != std::string::npos);
  // Matching the longest block first, m n o, would lose the four other words.
  CHECK(aligned("m n o a b x c d", "a b y c d m n o") == "---++-++");
}

TEST_CASE("The words told are a common subsequence, and none is longer") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const int alphabet = 1 + round % 6;
    const Words said = random_words(random, 24, alphabet);
    const Words told = random_words(random, 24, alphabet);
    const Words common = chosen(said, told_words(said, told));
    REQUIRE(is_subsequence(common, told));
    REQUIRE(common.size() == longest_common(said, told));
  }
}

TEST_CASE("Long texts are aligned in space that grows with their length") {
  Words said, told;
  for (int i = 0; i < 200'000; ++i) {
    said.push_back(std::to_string(i % 997));
    if (i % 1000 != 500) told.push_back(said.back());
    if (i % 1000 == 0) told.emplace_back("chrome");
  }
  CHECK(chosen(said, told_words(said, told)).size() == 200'000 - 200);
}

}  // namespace orch::words
