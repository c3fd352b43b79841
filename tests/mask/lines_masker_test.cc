#include "mask/lines_masker.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "planted.h"

using namespace orch::mask;
using Lines = std::vector<std::string>;

namespace {

LinesMasker make() { return LinesMasker(std::make_shared<const Secrets>(Lines{kPlanted})); }

}  // namespace

TEST_CASE("a secret in one line, and one that goes on in the next, become stars") {
  LinesMasker masker = make();
  masker.add("say " + kPlanted + " twice " + kPlanted, false);
  CHECK(masker.take_known() == Lines{"say *** twice ***"});
  for (size_t at = LinesMasker::kLeastOpen; at < kPlanted.size(); ++at) {
    masker.add("it is " + kPlanted.substr(0, at), false);
    CHECK(masker.take_known().empty());
    masker.add(kPlanted.substr(at) + " indeed", true);
    CHECK(masker.take_known() == Lines{"it is ***", "*** indeed"});
    CHECK_FALSE(masker.holds());
  }
}

TEST_CASE("lines that come together are covered wherever a secret is broken") {
  LinesMasker masker = make();
  for (size_t at = 1; at < kPlanted.size(); ++at) {
    masker.add(kPlanted.substr(0, at), false);
    masker.add(kPlanted.substr(at), false);
    CHECK(masker.take_known() == Lines{"***", "***"});
  }
}

TEST_CASE("a line that only begins like a secret is whole again") {
  LinesMasker masker = make();
  masker.add("it is pl4nted", false);
  CHECK(masker.take_known().empty());
  CHECK(masker.holds());
  masker.add("or not", false);
  CHECK(masker.take_known() == Lines{"it is pl4nted", "or not"});
  masker.add("it is pl4nted", false);
  CHECK(masker.take_all() == Lines{"it is pl4nted"});
}

TEST_CASE("a key does not reach over the end of a paragraph") {
  LinesMasker masker = make();
  masker.add("export OPENAI_API_KEY_WITH_A_LONG_NAME=sk-0a1B2c3D4e5F6a7B8c9D0", false);
  masker.add("export PATH", false);
  CHECK(masker.take_known() == Lines{"export OPENAI_API_KEY_WITH_A_LONG_NAME=***", "export PATH"});
}

namespace {

// Masks lines that may have been broken anywhere.
Lines masked_lines(const Lines& lines) {
  LinesMasker masker = make();
  for (const std::string& line : lines) masker.add(line, false);
  return masker.take_all();
}

Lines folded(std::string_view text, size_t width, const std::string& left,
             const std::string& right) {
  Lines rows;
  for (size_t at = 0; at < text.size(); at += width) {
    rows.push_back(left + std::string(text.substr(at, width)) + right);
  }
  return rows;
}

const std::string kPart = "0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B";

}  // namespace

TEST_CASE("a key that is broken over lines is masked in each of them, also in a frame") {
  for (const std::string& key : {"ghp_" + kPart, "sk-ant-api03-" + kPart + "-" + kPart + kPart,
                                 "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + kPart + kPart}) {
    for (size_t width = 12; width < 80; ++width) {
      const size_t rows = (key.size() + width - 1) / width;
      INFO(key << " in " << width);
      CHECK(masked_lines(folded(key, width, "", "")) == Lines(rows, "***"));
      CHECK(masked_lines(folded(key, width, "│ ", "   │")) == Lines(rows, "│ ***   │"));
      Lines table = folded(key, width, "|        | ", " |"), hidden(rows, "|        | *** |");
      table.front().replace(2, 6, "TOKEN1");
      hidden.front().replace(2, 6, "TOKEN1");
      CHECK(masked_lines(table) == hidden);
    }
  }
}

TEST_CASE("prose and code behind a key or what begins like one are left") {
  for (const Lines& lines :
       {Lines{"ghp_0a1B2c3D", "", "4e5F6a7B8c9D0a1B2c3D4e5F6a7B8c9D"},
        Lines{"such as ghp_ ", "Internationalizationtransliteration12345"},
        Lines{"ghp_", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "etaandtheta", "iota"},
        Lines{"It begins with sk-", "and a few letters.", "Then README.md says so."},
        Lines{"task-list", "SomethingElse1", "const int kMost = 12;", "return kMost;"},
        Lines{"{\"alg\": 1} is eyJ", "in Base64, and", "eyJhbGciOiJIUzI1NiJ9 is a header."}}) {
    CHECK(masked_lines(lines) == lines);
  }
  const std::string key = "the key is sk-0a1B2c3D4e5F6a7B8c9D0";
  for (const std::string next :
       {"done", "and then 12 tests ran", "GitHub says no", "export OPENAI_MODEL=gpt-5", "2. Run it",
        "JavaScript", "--------------------", "src/net.cc:12: error", "}", "2024-01-31 12:00"}) {
    CHECK(masked_lines({key, next}) == Lines{"the key is ***", next});
  }
}

TEST_CASE("the last row of a private key waits for the line of its end") {
  const std::string row = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
  LinesMasker masker = make();
  masker.add("> -----BEGIN PRIVATE KEY-----", false);
  masker.add("> " + row, false);
  CHECK(masker.take_known() == Lines{"> -----BEGIN PRIVATE KEY-----", "> ***"});
  masker.add("> AAdq9zuKMe==", false);
  CHECK(masker.take_known().empty());
  masker.add("> -----END PRIVATE KEY-----", false);
  masker.add("and words", false);
  CHECK(masker.take_known() == Lines{"> ***", "> -----END PRIVATE KEY-----", "and words"});
}
