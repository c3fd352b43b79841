#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// What is known of a text that a shell makes of a word: itself, with a mark where only the shell
// knows. Marks are control characters; a command that holds one itself is not read.
inline constexpr char kSomeCharacters = '\x01';  // no slash among them; perhaps none
inline constexpr char kAnyText = '\x02';         // anything
inline constexpr char kAnyWords = '\x03';        // any number of words of anything
inline constexpr char kSomeName =
    '\x04';  // the name of a file: no slash, not empty, not . or .., not -option
inline constexpr char kPathBelow = '\x05';  // a relative path of such names
inline constexpr char kDigits = '\x06';
inline constexpr char kGlobStar = '\x07';  // * ? [ that stand for others
inline constexpr char kGlobOne = '\x08';
inline constexpr char kGlobSet = '\x0b';
inline constexpr char kBraceOpen = '\x0c';  // of brace expansions
inline constexpr char kBraceComma = '\x0e';
inline constexpr char kBraceClose = '\x0f';
inline constexpr char kWordBreak = '\x10';   // where an expansion is split into words
inline constexpr char kMaybeBegin = '\x11';  // what stands between these two, or nothing of it
inline constexpr char kMaybeEnd = '\x12';

// As a pattern: most of the names in a folder.
inline constexpr std::string_view kMostNames = "\x0bz]\x07";

inline bool is_mark(char c) { return c > 0 && c < 0x13 && c != '\t' && c != '\n'; }

// A word as a program gets it.
struct ShellWord {
  std::string text;
  bool downloaded = false;    // it holds what was loaded from elsewhere
  bool process = false;       // it names the output or input of a command: <(...)
  bool trusted_code = false;  // what a program prints for eval: ssh-agent -s

  bool exact() const;    // without marks
  bool unknown() const;  // it may be anything from its first character on, an option too
  bool glob() const;     // without marks but those of patterns, and with one
  bool operator==(const ShellWord&) const = default;
};

ShellWord exact_word(std::string_view text);

// The text without the marks that say that it may also be nothing at all, where it is nothing but
// that; where more stands beside them the text is anything from there on.
std::string whole(std::string_view text);

// `text` with marks of brace expansions: the words that it stands for. More than a few are one word
// of which nothing is known.
std::vector<std::string> expand_braces(const std::string& text);

// What is known of a text that is one of `texts`.
std::string one_of(const std::vector<std::string>& texts);

bool is_number(std::string_view text);     // of digits and marks for them
bool is_some_name(std::string_view text);  // as kSomeName
bool is_path_below(std::string_view text);
// Does a pattern of names, with the marks of a shell's or as find is told it, leave most names out?
// "*.o", "test_*" and "a*" do; "*", "[a-z]*", "*.*" and "*e*" do not. Of a path all components
// count.
bool is_narrow_pattern(std::string_view pattern);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
std::string_view base_name(std::string_view path);
std::string lower_case(std::string_view text);  // of ASCII
// What is put in is not looked at again; `from` is not empty.
void replace_all(std::string& text, std::string_view from, std::string_view to);
std::string text_of(const std::vector<ShellWord>& words);  // with a blank between

}  // namespace orch::policy
