#include "mask/secrets.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "mask/encodings.h"
#include "mask/shapes.h"

namespace orch::mask {
namespace {

// A secret that is longer than this is searched for in pieces, so that little of a stream has to be
// held back.
constexpr size_t kLongestWord = 64;
// The minimum for a variable whose name does not say that it is secret, and for a line of several.
constexpr size_t kLeastOfUser = 8;

// Parts of a name between its underscores that mark the value as secret: kTellingParts anywhere in
// the name, kTellingEnds only at its end (MAX_TOKENS and TOKEN_LIMIT are numbers).
constexpr std::array<std::string_view, 6> kTellingParts{"SECRET",     "SECRETS",    "PASSWORD",
                                                        "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"};
constexpr std::array<std::string_view, 7> kTellingEnds{"TOKEN", "PASSWD", "PAT",   "PASS",
                                                       "AUTH",  "COOKIE", "APIKEY"};
// KEY alone is in many names; with one of these words before it, it opens something.
constexpr std::array<std::string_view, 7> kTellingKeys{
    "API_KEY", "ACCESS_KEY", "SECRET_KEY", "PRIVATE_KEY", "DEPLOY_KEY", "AUTH_KEY", "SIGNING_KEY"};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = base::upper(c);
    if (c == '-' || c == '.') c = '_';
  }
  return out;
}

bool is_lower_word(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return base::is_small(c) || c == ' '; });
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The text without blanks, frames and control characters, as the scanner sees it.
std::string bare(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i]) || text[i] == '|') continue;
    if (static_cast<unsigned char>(text[i]) < ' ' || text[i] == '\x7f') continue;
    out += text[i];
  }
  return out;
}

// The words to search for, each once, in the order of their addition.
class Found {
 public:
  void add(std::string_view text);
  const std::vector<std::pair<std::string, bool>>& words() const { return words_; }

 private:
  std::set<std::pair<std::string, bool>> known_;
  std::vector<std::pair<std::string, bool>> words_;  // and whether it has blanks
};

void Found::add(std::string_view text) {
  const bool has_blanks = std::ranges::any_of(base::trim(text), is_blank);
  const std::string word = bare(text);
  if (word.size() < kLeastSecret) return;
  const size_t pieces = (word.size() + kLongestWord - 1) / kLongestWord;
  for (size_t i = 0; i < pieces; ++i) {
    const size_t from = word.size() * i / pieces, to = word.size() * (i + 1) / pieces;
    std::pair piece{word.substr(from, to - from), has_blanks};
    if (known_.insert(piece).second) words_.push_back(std::move(piece));
  }
}

void add_base64(std::string_view text, Found& found) {
  constexpr size_t kLeastEncoded = 8;  // a shorter form would match by chance
  for (const std::string& form : base64_forms(text)) {
    if (form.size() >= kLeastEncoded) found.add(form);
  }
}

void add_forms(std::string_view text, Found& found) {
  found.add(json_form(text));
  for (const std::string& form : url_forms(text)) found.add(form);
  add_base64(text, found);
}

void add_other_forms(std::string_view text, Found& found) {
  constexpr size_t kMostVaried = 256;  // a long value would give too many words in all of its forms
  if (text.size() > kMostVaried) return;
  for (const std::string& form : other_url_forms(text)) found.add(form);
  for (const std::string& form : other_json_forms(text)) found.add(form);
}

// The lines of the values that are secrets by themselves.
std::vector<std::string_view> secret_lines(const std::vector<std::string>& values) {
  std::vector<std::string_view> secret;
  for (const std::string& value : values) {
    const std::vector<std::string_view> lines = base::split_lines(value);
    for (const std::string_view line : lines) {
      const std::string_view trimmed = base::trim(line);
      if (lines.size() == 1 || trimmed.size() >= kLeastOfUser) secret.push_back(trimmed);
    }
  }
  return secret;
}

// Forms that are seldom written come last, because there may not be room for all.
Found words_of(const std::vector<std::string>& values) {
  Found found;
  const std::vector<std::string_view> lines = secret_lines(values);
  for (const std::string_view line : lines) found.add(line);
  for (const std::string_view line : lines) add_forms(line, found);
  for (const std::string& value : values) {
    if (base::split_lines(value).size() > 1) add_base64(value, found);
  }
  for (const std::string_view line : lines) add_other_forms(line, found);
  return found;
}

}  // namespace

bool names_secret(std::string_view name) {
  const std::string text = "_" + upper(name) + "_";
  const auto has = [&](std::string_view part) {
    return text.find("_" + std::string(part) + "_") != std::string::npos;
  };
  const auto ends = [&](std::string_view part) {
    return text.ends_with("_" + std::string(part) + "_");
  };
  // Names like "GITHUBTOKEN" and "PGPASSWORD" have no underscore.
  const std::string_view bare_name = std::string_view(text).substr(1, text.size() - 2);
  return std::ranges::any_of(kTellingParts, has) || std::ranges::any_of(kTellingEnds, ends) ||
         std::ranges::any_of(kTellingKeys, has) || bare_name.ends_with("TOKEN") ||
         bare_name.ends_with("PASSWORD") || bare_name.ends_with("SECRET") ||
         bare_name.ends_with("APIKEY");
}

bool is_secret(const Variable& variable) {
  const std::string_view value = variable.value;
  if (names_secret(variable.name)) {
    // A path leads to the secret, but is not one.
    return value.size() >= kLeastSecret && !value.starts_with('/');
  }
  return variable.from == Variable::From::kUser && value.size() >= kLeastOfUser &&
         !value.starts_with('/') && !variable.name.starts_with("ORCH_") && !is_lower_word(value);
}

Secrets Secrets::of(const std::vector<Variable>& variables) {
  std::vector<std::string> values;
  for (const Variable& variable : variables) {
    if (is_secret(variable)) values.push_back(variable.value);
  }
  return Secrets(values);
}

Secrets::Secrets(const std::vector<std::string>& values) : Secrets(collect(values)) {}

Secrets::Secrets(Collected collected)
    : words_(std::move(collected.words)), automaton_(collected.texts) {}

// Shapes come first: if there is no room for all values, keys are still found.
Secrets::Collected Secrets::collect(const std::vector<std::string>& values) {
  Collected collected;
  const auto add = [&](std::string_view text, Word word) {
    word.length = text.size();
    collected.texts.emplace_back(text);
    collected.words.push_back(word);
  };
  for (size_t i = 0; i < shapes().size(); ++i) {
    add(shapes()[i].prefix, {Word::Kind::kShape, 0, i, false});
  }
  for (const std::string_view header : key_headers()) add(header, {Word::Kind::kKeyHeader});
  const Found found = words_of(values);
  for (const auto& [text, has_blanks] : found.words()) {
    add(text, {Word::Kind::kValue, 0, 0, has_blanks});
  }
  return collected;
}

}  // namespace orch::mask
