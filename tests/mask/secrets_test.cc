#include "mask/secrets.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "mask/encodings.h"
#include "mask/text.h"

using namespace orch::mask;

namespace {

std::string masked_with(const std::vector<std::string>& values, std::string_view text) {
  return masked(std::make_shared<const Secrets>(values), text);
}

bool takes(const std::string& name, const std::string& value,
           Variable::From from = Variable::From::kEnvironment) {
  return is_secret({name, value, from});
}

}  // namespace

TEST_CASE("a variable's name says whether its value is a secret") {
  for (const char* name : {"GITHUB_TOKEN", "GH_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY",
                           "GEMINI_API_KEY", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "PGPASSWORD",
                           "NPM_CONFIG__AUTH", "client_secret", "SSH_PRIVATE_KEY", "TOKEN",
                           "SECRET_KEY_BASE", "GITLAB_PAT", "HF_TOKEN", "X_ACCESS_KEY_ID"}) {
    CHECK(names_secret(name));
  }
  for (const char* name : {"PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "HOME", "MONKEY",
                           "LS_COLORS", "PATTERN", "SSH_AUTHORIZED", "SECRETARY"}) {
    CHECK_FALSE(names_secret(name));
  }
}

TEST_CASE("values that stand in every text are not masked") {
  CHECK(takes("GITHUB_TOKEN", "planted-1"));
  CHECK_FALSE(takes("GITHUB_TOKEN", "1"));
  CHECK_FALSE(takes("GITHUB_TOKEN", "true"));
  CHECK_FALSE(takes("KUBE_TOKEN", "/var/run/secrets/token"));
  CHECK_FALSE(takes("EDITOR", "planted-value-1"));
  const auto user = Variable::From::kUser;
  CHECK(takes("PLAIN", "planted-value-1", user));
  CHECK_FALSE(takes("PLAIN", "production", user));
  CHECK_FALSE(takes("PLAIN", "12345", user));
  CHECK_FALSE(takes("CARGO_HOME", "/home/somebody/.cargo", user));
  CHECK_FALSE(takes("ORCH_DEMO_SCENARIO", "wrapped-lines", user));
}

TEST_CASE("a value is found in the encodings in which it travels") {
  const std::string value = "pl4nt \"ed\"/s3cret+?";
  CHECK(masked_with({value}, "a " + value + " b") == "a *** b");
  CHECK(masked_with({value}, R"({"x": "pl4nt \"ed\"/s3cret+?"})") == R"({"x": "***"})");
  CHECK(masked_with({value}, "?q=pl4nt%20%22ed%22%2Fs3cret%2B%3F&b") == "?q=***&b");
  CHECK(masked_with({value}, "?q=pl4nt%20%22ed%22%2fs3cret%2b%3f&b") == "?q=***&b");
}

TEST_CASE("a value is found however a program writes it in URLs and in JSON") {
  const std::string value = "p@ss/w0rd!(x)*&y<z> é😀\"'+~";
  for (const std::string written :
       {"p%40ss%2Fw0rd!(x)*%26y%3Cz%3E%20%C3%A9%F0%9F%98%80%22'%2B~",            // JavaScript
        "p%40ss%2Fw0rd%21%28x%29%2A%26y%3Cz%3E%20%C3%A9%F0%9F%98%80%22%27%2B~",  // curl, Python
        "p%40ss%2fw0rd%21%28x%29%2a%26y%3cz%3e%20%c3%a9%f0%9f%98%80%22%27%2b~",
        "p%40ss/w0rd%21%28x%29%2A%26y%3Cz%3E%20%C3%A9%F0%9F%98%80%22%27%2B~",    // a path
        "p%40ss%2Fw0rd%21%28x%29%2A%26y%3Cz%3E+%C3%A9%F0%9F%98%80%22%27%2B~",    // Go, Python
        "p%40ss%2Fw0rd%21%28x%29*%26y%3Cz%3E+%C3%A9%F0%9F%98%80%22%27%2B%7E",    // a form
        "p%40ss%2Fw0rd%21%28x%29%2A%26y%3Cz%3E+%C3%A9%F0%9F%98%80%22%27%2B%7E",  // PHP
        "p@ss/w0rd!(x)*&y%3Cz%3E%20%C3%A9%F0%9F%98%80%22'+~",                    // encodeURI
        R"(p@ss/w0rd!(x)*&y<z> é😀\"'+~)", R"(p@ss\/w0rd!(x)*&y<z> é😀\"'+~)",
        R"(p@ss\/w0rd!(x)*&y<z> \u00e9\ud83d\ude00\"'+~)",                                 // PHP
        R"(p@ss/w0rd!(x)*&y<z> \u00e9\ud83d\ude00\"'+~)",                                  // Python
        R"(p@ss/w0rd!(x)*\u0026y\u003cz\u003e é😀\"'+~)",                                   // Go
        R"(p@ss/w0rd!(x)*\u0026y\u003cz\u003e é😀\"\u0027+~)",                              // Rails
        R"(p@ss/w0rd!(x)*\u0026y\u003Cz\u003E \u00E9\uD83D\uDE00\u0022\u0027\u002B~)"}) {  // .NET
    INFO(written);
    CHECK(masked_with({value}, "a " + written + " b") == "a *** b");
  }
  CHECK(other_url_forms("plain-value").empty());
  CHECK(other_json_forms("plain-value").empty());
}

TEST_CASE("a value is found in Base64 wherever it stands in the encoded text") {
  // printf '%s' "$before""hunter2-hunter2""xyz" | base64
  CHECK(base64_forms("hunter2-hunter2").size() == 3);
  CHECK(masked_with({"hunter2-hunter2"}, "aHVudGVyMi1odW50ZXIyeHl6") == "***eHl6");
  CHECK(masked_with({"hunter2-hunter2"}, "YWh1bnRlcjItaHVudGVyMnh5eg==") == "YW***nh5eg==");
  CHECK(masked_with({"hunter2-hunter2"}, "YWJodW50ZXIyLWh1bnRlcjJ4eXo=") == "YWJ***J4eXo=");
}

TEST_CASE("the lines of a value of several are each a secret, short ones are not") {
  const std::string value = "{\n  \"id\": \"planted-one-1\",\n  \"key\": \"planted-two-2\"\n}\n";
  const std::string text = masked_with({value}, "say \"id\": \"planted-one-1\", then { and }");
  CHECK(text == "say *** then { and }");
}

TEST_CASE("a value longer than what is held back is masked as a whole") {
  std::string value;
  for (int i = 0; i < 100; ++i) value += "part" + std::to_string(i) + "-";
  CHECK(masked_with({value}, "<" + value + ">") == "<***>");
}

TEST_CASE("keys are known by their shape") {
  const std::string hex = "0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8c9D";
  for (const std::string& key :
       {"ghp_" + hex.substr(0, 36), "github_pat_" + hex + hex, "glpat-" + hex.substr(0, 20),
        "sk-ant-api03-" + hex + "-" + hex, "sk-proj-" + hex, std::string("AKIAIOSFODNN7EXAMPLE"),
        "xoxb-1234567890-" + hex, "AIza" + hex.substr(0, 35), "npm_" + hex.substr(0, 36),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + hex}) {
    INFO(key);
    CHECK(masked_with({}, "x " + key + " y") == "x *** y");
    CHECK(masked_with({}, "KEY=" + key + "\n") == "KEY=***\n");
    CHECK(masked_with({}, "\"" + key + "\"") == "\"***\"");
  }
}

TEST_CASE("keys of every kind that the manual names are known") {
  const std::string body = "0a1b2c3d4e5f6a7b8c9d";
  for (const std::string prefix : {"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxe-1-",
                                   "xoxe.xoxp-1-", "glpat-", "glrt-", "gldt-", "glcbt-64_",
                                   "glptt-", "gloas-", "glft-", "glsoat-", "glagent-", "glimt-"}) {
    INFO(prefix);
    const std::string shown = masked_with({}, "x " + prefix + body + " y");
    CHECK((shown == "x *** y" || shown == "x xoxe.*** y"));
  }
  CHECK(masked_with({}, "d=xoxd-0a1b2C3d%2F4e5f%2B6a7B+8c/9d%3D%3D; x") == "d=***; x");
  CHECK(masked_with({}, "sk-or-v1-" + body + body + body + "0123 y") == "*** y");
  for (const std::string text : {"sk-or-v1-models", "xoxd-", "a glft-short one", "gldt-table"}) {
    CHECK(masked_with({}, text) == text);
  }
}

TEST_CASE("a web token is known whose header holds certificates") {
  std::string header = "eyJhbGciOiJSUzI1NiIsIng1YyI6WyJNSUlD";
  while (header.size() < 6000) header += "QmJEQ0NBVlNnQXdJQkFnSVVh";
  const std::string token = header + ".eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl-_0";
  CHECK(masked_with({}, "a " + token + " b") == "a *** b");
  CHECK(masked_with({}, "a " + header + " b") == "a " + header + " b");
  std::string rows, hidden;
  for (size_t at = 0; at < token.size(); at += 78) {
    rows += token.substr(at, 78) + "\n";
    hidden += "***\n";
  }
  CHECK(masked_with({}, rows) == hidden);
}

TEST_CASE("a key is found directly behind letters, digits, dashes and underscores") {
  const std::string hex = "0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8c9D";
  for (const std::string& key :
       {"ghp_" + hex.substr(0, 36), "github_pat_" + hex + hex, "glpat-" + hex.substr(0, 20),
        "sk-ant-api03-" + hex + "-" + hex, "sk-proj-" + hex, "sk-" + hex, "sk_live_" + hex,
        std::string("AKIAIOSFODNN7EXAMPLE"), "xoxb-1234567890-" + hex, "AIza" + hex.substr(0, 35),
        "npm_" + hex.substr(0, 36), "hf_" + hex, "pypi-" + hex + hex,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + hex}) {
    for (const std::string before :
         {"a",    "e",    "k",     "x",      "A",   "E",       "Z",        "0",   "9",
          "-",    "_",    "--key", "token_", "KEY", "ta",      "\xC3\xA9", "sk-", "eyJ",
          "ghp_", "AIza", "npm_",  "%3D",    "\\n", "\\u003d", "\x1b[31mx"}) {
      INFO(before + key);
      // The characters before it may look like the start of a key; then they are covered, too.
      const std::string masked = masked_with({}, " " + before + key + " y");
      CHECK(masked.find(key.substr(key.size() - 8)) == std::string::npos);
      CHECK(masked.ends_with("*** y"));
    }
  }
}

TEST_CASE("a key is found behind many beginnings of others") {
  const std::string key = "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B";
  std::string decoys;
  for (int i = 0; i < 40; ++i) decoys += "sk-eyJ";
  CHECK(masked_with({}, decoys + key + " y").ends_with("*** y"));
  CHECK(masked_with({}, "eyJ.x." + key + " y").ends_with("*** y"));
  const std::string begun = "sk-0a1B2c3D4e5F6a7B8c9D0a1B2c3D4";
  CHECK(masked_with({}, begun + decoys.substr(0, 90) + " y") == "*** y");
}

TEST_CASE("what only begins like a key is left") {
  for (const std::string text :
       {"sk-chase-dot-before-and-after-it", "task-0a1B2c3D4e5F6a7B8c9D0a1B", "ghp_short", "AKIA",
        "eyJhbGciOiJIUzI1NiJ9 is a header", "desk-SomethingLong0123456789abcdef", "risk-", "npm_x",
        "subtask-0a1B2c3D4e5F6a7B8c9D0a1B", "task_live_Supercalifragilistic1",
        "network_test_Internationalization", "mask-0123456789abcdef0123456789abcdef", "EURASIA",
        "shelf_0a1B2c3D"}) {
    CHECK(masked_with({}, text) == text);
  }
}

TEST_CASE("a private key is masked up to its end") {
  const std::string body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n";
  const std::string begin = "-----BEGIN PRIVATE KEY-----\n", end = "-----END PRIVATE KEY-----\n";
  CHECK(masked_with({}, begin + body + end + "and then words") ==
        begin + "***\n***\n" + end + "and then words");
  CHECK(masked_with({}, "│ " + begin + "│ MIIEvQIBADAN │\n│ BKcwggSj     │\n│ " + end) ==
        "│ " + begin + "│ *** │\n│ ***     │\n│ " + end);
  CHECK(masked_with({}, begin + "1  MIIEvQIBADAN\n2  BKcwggSj\n3  " + end) ==
        begin + "***\n***\n***  " + end);
  CHECK(masked_with({}, "such a -----BEGIN RSA PRIVATE KEY----- line is how keys begin") ==
        "such a -----BEGIN RSA PRIVATE KEY----- line is how keys begin");
}

namespace {

const std::vector<std::string> kKeyRows{
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu", "4EnnVdq9zuKMe=="};

// A private key in another text, with something before and after each of its rows.
std::string key_within(const std::string& before, const std::string& behind,
                       const std::string& headers = "", const std::string& what = "RSA") {
  std::string text = before + "-----BEGIN " + what + " PRIVATE KEY-----" + behind + headers;
  for (const std::string& row : kKeyRows) text += before + row + behind;
  return text + before + "-----END " + what + " PRIVATE KEY-----" + behind;
}

void check_no_part(const std::string& shown) {
  INFO(shown);
  for (const std::string& row : kKeyRows) {
    for (size_t at = 0; at + 4 <= row.size(); ++at) {
      if (shown.find(row.substr(at, 4)) == std::string::npos) continue;
      FAIL_CHECK("it shows " << row.substr(at, 4));
    }
  }
}

void check_hidden(const std::string& text) {
  const std::string shown = masked_with({}, text + "and 3 more words\n");
  check_no_part(shown);
  CHECK(shown.ends_with("PRIVATE KEY-----" +
                        text.substr(text.rfind("KEY-----") + std::string("KEY-----").size()) +
                        "and 3 more words\n"));
}

}  // namespace

TEST_CASE("a private key is masked in a diff, a quote, a comment, a string and a list of matches") {
  for (const char* before :
       {"-", "+", "  - ", "    -", "> ", "> > ", "# ", "// ", " * ", "│ > ", "│ 1234 -", "12 -",
        "12 | ", "file:", "file:2:", "certs/a-key.pem:17:", "certs/a-key.pem-17-"}) {
    INFO(before);
    check_hidden(key_within(before, "\n"));
    check_hidden(key_within(before, "\r\n"));
  }
  check_hidden(key_within("    \"", "\\n\" +\n"));
  check_hidden(key_within("  '", "',\n"));
  check_hidden(key_within("  \"", "\",  // of the tests\n"));
  check_hidden(key_within("const key = `", "`\n"));
  check_hidden(key_within("", " ") + "\n");
  check_hidden("key: \"" + key_within("", " ") + "\"\n");
  check_hidden("key: \"" + key_within("", "\\n") + "\"\n");
  check_hidden("> key: \"" + key_within("", "\\\\n") + "\"\n");
}

TEST_CASE("a private key with headers is masked") {
  const std::string headers =
      "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF0123456789ABCDEF\n\n";
  check_hidden(key_within("", "\n", headers));
  check_hidden(key_within("> ", "\n", "> " + headers));
  check_hidden(key_within("", "\n", "Version: GnuPG v2.2.40 (GNU/Linux)\n\n", "EC"));
  std::string block =
      key_within("", "\n", "Version: GnuPG v2\nComment: for tests - only\n\n", "PGP");
  for (size_t at = 0; (at = block.find("KEY-----", at)) != std::string::npos; at += 10) {
    block.replace(at, 3, "KEY BLOCK");
  }
  block.insert(block.find("-----END"), "=Ab1d\n");
  const std::string shown = masked_with({}, block);
  CHECK(shown.ends_with("***\n***\n***\n***\n-----END PGP PRIVATE KEY BLOCK-----\n"));
}

TEST_CASE("a private key is masked where a narrow screen breaks its rows") {
  for (const std::string before : {"", "-", "> ", "\"", "12 "}) {
    const std::string key = key_within(before, "\n");
    for (size_t width = 40; width < 64; ++width) {
      std::string rows;
      size_t in_row = 0;
      for (const char c : key) {
        in_row = c == '\n' ? 0 : in_row + 1;
        if (in_row > width) {
          rows += " │\n│ ";
          in_row = 1;
        }
        rows += c;
      }
      check_no_part(masked_with({}, rows));
    }
  }
}

TEST_CASE("what stands behind a private key's first line and is none is left") {
  const std::string begin = "a -----BEGIN RSA PRIVATE KEY----- line, ";
  for (const std::string text :
       {"then prose: Every line of it has words.\nAnd more of them - see RFC 7468.\n",
        "src/mask/private_key/very/long/path/of/some/header/file.h:12: error\n",
        "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567 (HEAD)\n",
        "void make_it_so(const std::string& text) { return text.substr(1, 20); }\n",
        "[ ] one\n[ ] two\n----------\nMIIEvQIBADANBgkqhkiG9w0BAQEF is how it begins\n"}) {
    CHECK(masked_with({}, begin + text) == begin + text);
  }
}
