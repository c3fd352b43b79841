#include "mask/stream_masker.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>

#include "mask/text.h"
#include "planted.h"

using namespace orch::mask;

namespace {

const std::string kKey = "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B";

std::shared_ptr<const Secrets> secrets() {
  static const auto one =
      std::make_shared<const Secrets>(std::vector<std::string>{kPlanted, "gehéim日本1"});
  return one;
}

std::string whole(std::string_view bytes) {
  StreamMasker masker(secrets());
  std::string out = masker.pass(bytes);
  return out += masker.release();
}

const std::string kStream = "\x1b[1mkey:\x1b[0m " + kPlanted + "\r\n│ " + kPlanted.substr(0, 9) +
                            " │\r\n│ " + kPlanted.substr(9) + " │ s sk- pl4 " + kKey +
                            " gehéim日本1 \x1b]0;" + kPlanted + "\a\xE2\x94 tail pl4nted-s3";

}  // namespace

TEST_CASE("a secret is covered by as many bytes, as wide") {
  CHECK(whole("<" + kPlanted + ">") == "<" + std::string(kPlanted.size(), '*') + ">");
  CHECK(whole("<gehéim日本1>") == "<***×**＊＊*>");
  CHECK(whole(kStream).size() == kStream.size());
}

TEST_CASE("a stream split anywhere is covered the same way") {
  const std::string expected = whole(kStream);
  CHECK(expected.find("s3cret-0") == std::string::npos);
  CHECK(expected.find("0a1B") == std::string::npos);
  for (size_t at = 0; at <= kStream.size(); ++at) {
    StreamMasker masker(secrets());
    std::string out = masker.pass(std::string_view(kStream).substr(0, at));
    out += masker.pass(std::string_view(kStream).substr(at));
    out += masker.release();
    REQUIRE(out == expected);
  }
}

TEST_CASE("a stream in pieces of any lengths is covered the same way") {
  const std::string expected = whole(kStream);
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same pieces each time
  for (int round = 0; round < 300; ++round) {
    StreamMasker masker(secrets());
    std::string out;
    for (size_t at = 0; at < kStream.size();) {
      const size_t length = 1 + random() % (1 + round % 40);
      out += masker.pass(std::string_view(kStream).substr(at, length));
      at += length;
    }
    REQUIRE(out + masker.release() == expected);
  }
}

TEST_CASE("what is known to be of a key by what comes later is held until then") {
  const std::string row = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\r\n";
  const std::string begin = "-----BEGIN PRIVATE KEY-----\r\n",
                    end = "-----END PRIVATE KEY-----\r\n";
  std::string key = "sk-ant-api03-" + kKey + kKey + "\r\nlast word";
  for (size_t at = 36; at < 90; at += 38) key.insert(at, "\r\n");
  for (const std::string& text :
       {"-" + begin + "-" + row + "-" + row + "-AAdq9zuKMe==\r\n-" + end + "and more words\r\n",
        std::string("a -----BEGIN PRIVATE KEY----- line\r\nand some words/behind it\r\n"), key,
        "this eyJ" + std::string(3000, 'Q') + ".eyJzdWIiOiI6a7BiJ9.c2ln more words"}) {
    const std::string expected = whole(text);
    CHECK(expected.find("9zuKMe") == std::string::npos);
    CHECK(expected.find("6a7B") == std::string::npos);
    CHECK(expected.find(" word") != std::string::npos);
    StreamMasker masker(secrets());
    std::string out;
    for (const char c : text) out += masker.pass({&c, 1});
    CHECK(out + masker.release() == expected);
  }
}

TEST_CASE("what is put together from parts of keys is covered the same way in pieces") {
  const std::vector<std::string> parts{
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      "sk-",
      "eyJ",
      ".eyJ",
      "ghp_",
      "xoxd-",
      "\n",
      "\r\n",
      " ",
      "│",
      "-",
      "> ",
      "\"",
      "file:2:",
      "word",
      "=",
      "\x1b[3;4H",
      "\x1b[1m",
      "\x1b]0;",
      "\a",
      "Zm9vYmFy",
      "0a1B2c3D4e5F6a7B8c9D",
      std::string(40, 'Q'),
      std::string(300, 'Q'),
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
      kPlanted.substr(0, 9),
      kPlanted.substr(9)};
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same texts each time
  for (int round = 0; round < 500; ++round) {
    std::string text, out;
    for (size_t count = 1 + random() % 60; count > 0; --count) {
      text += parts[random() % parts.size()];
    }
    StreamMasker masker(secrets());
    for (size_t at = 0; at < text.size();) {
      const size_t length = 1 + random() % 50;
      out += masker.pass(std::string_view(text).substr(at, length));
      at += length;
    }
    INFO(text);
    REQUIRE(out + masker.release() == whole(text));
  }
}

TEST_CASE("nothing is held that cannot become a secret, and little that can") {
  StreamMasker masker(secrets());
  CHECK(masker.pass("a line of words.\r\n") == "a line of words.\r\n");
  CHECK(masker.pass("now pl4n") == "now ");
  CHECK(masker.held() == 4);
  CHECK(masker.pass("e?") == "pl4ne?");
  CHECK(masker.pass(std::string(5000, 'z')).size() == 5000);
  CHECK(masker.pass("sk-" + std::string(5000, 'z')).size() == 5003);
}

TEST_CASE("what comes after a beginning that was released is still covered") {
  StreamMasker masker(secrets());
  CHECK(masker.pass(kPlanted.substr(0, 10)).empty());
  CHECK(masker.release() == kPlanted.substr(0, 10));
  CHECK(masker.pass(kPlanted.substr(10) + "!") == std::string(kPlanted.size() - 10, '*') + "!");
}
