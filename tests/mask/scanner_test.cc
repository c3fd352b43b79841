#include "mask/scanner.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "planted.h"

using namespace orch::mask;

TEST_CASE("what is passed over is found as if it were looked at byte by byte") {
  const Secrets secrets({kPlanted, "another-s3cret with blanks"});
  const std::vector<std::string> pieces{kPlanted,
                                        kPlanted.substr(0, 9),
                                        kPlanted.substr(9),
                                        "another-s3cret",
                                        "withblanks",
                                        "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B",
                                        "sk-",
                                        "eyJ",
                                        "-----BEGIN PRIVATE KEY-----",
                                        "MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aumwbB",
                                        "-----END PRIVATE KEY-----",
                                        "words",
                                        "a"};
  constexpr Gap kGaps[] = {Gap::kNone, Gap::kNone,      Gap::kEscape, Gap::kBlank,
                           Gap::kRow,  Gap::kParagraph, Gap::kLine,   Gap::kWall};
  std::minstd_rand random(11);
  size_t secret_bytes = 0, passed_over = 0;
  for (int round = 0; round < 500; ++round) {
    Scanner slow(secrets), fast(secrets);
    for (int piece = 0; piece < 60; ++piece) {
      Gap gap = kGaps[random() % std::size(kGaps)];
      for (const char byte : pieces[random() % pieces.size()]) {
        const Scanner::Step expected = slow.next(byte, gap);
        Scanner::Step step;
        if (fast.is_calm() && fast.pass_over(byte, gap, step.open)) {
          ++passed_over;
        } else {
          step = fast.next(byte, gap);
        }
        REQUIRE(step.secret == expected.secret);
        REQUIRE(step.open == expected.open);
        REQUIRE(slow.take_earlier().length == fast.take_earlier().length);
        secret_bytes += step.secret;
        gap = random() % 40 == 0 ? kGaps[random() % std::size(kGaps)] : Gap::kNone;
      }
    }
  }
  CHECK(secret_bytes > 100'000);
  CHECK(passed_over > 100'000);
}
