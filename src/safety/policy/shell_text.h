#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// Marks stand in a text for those parts of a shell's word that are known only to the shell. A mark
// is a control character; a command that itself holds one is not read.
inline constexpr char kSomeCharacters = '\x01';  // any characters but no slash; perhaps none
inline constexpr char kAnyText = '\x02';         // any text
inline constexpr char kAnyWords = '\x03';        // any number of any words
// The name of a file: without a slash, not empty, not . or .., not -option.
inline constexpr char kSomeName = '\x04';
inline constexpr char kPathBelow = '\x05';  // a relative path of kSomeName names
inline constexpr char kDigits = '\x06';     // digits
inline constexpr char kGlobStar = '\x07';   // an unquoted * of a pattern
inline constexpr char kGlobOne = '\x08';    // an unquoted ?
inline constexpr char kGlobSet = '\x0b';    // an unquoted [
inline constexpr char kBraceOpen = '\x0c';  // the { of a brace expansion
inline constexpr char kBraceComma = '\x0e';
inline constexpr char kBraceClose = '\x0f';
inline constexpr char kWordBreak = '\x10';   // an expansion is split into words here
inline constexpr char kMaybeBegin = '\x11';  // the text between these two marks may be missing
inline constexpr char kMaybeEnd = '\x12';
// Behind another mark: the text may come from the environment, or from a file that is outside of
// the work directory or holds a key.
inline constexpr char kFromOutside = '\x0d';

// A pattern that stands for most of the names in a folder.
inline constexpr std::string_view kMostNames = "\x0bz]\x07";

inline bool is_mark(char c) { return c > 0 && c < 0x13 && c != '\t' && c != '\n'; }

// A word as a program gets it.
struct ShellWord {
  std::string text;           // with marks
  bool downloaded = false;    // it holds downloaded content
  bool process = false;       // it names the output or input of a command: <(...)
  bool trusted_code = false;  // it is code that a program prints for eval: ssh-agent -s

  bool exact() const;    // it has no marks
  bool unknown() const;  // it may be anything from its first character on, even an option
  bool glob() const;     // it has a mark of a pattern
  bool operator==(const ShellWord&) const = default;
};

ShellWord exact_word(std::string_view text);

// Resolves kMaybeBegin and kMaybeEnd. If the two marks enclose the whole text, the result is the
// text between them. If there is more text, all text from the first mark on becomes kAnyText.
std::string whole(std::string_view text);

// The words that `text`, with marks of brace expansions, stands for. If there are too many of them,
// the result is a single word, kAnyWords.
std::vector<std::string> expand_braces(const std::string& text);

// A text with marks that may be any of `texts`.
std::string one_of(const std::vector<std::string>& texts);

// Whether the text, should bash evaluate it as arithmetic, runs a command: "a[$(command)]".
bool holds_command_of_subscript(std::string_view text);

bool is_number(std::string_view text);     // it has only digits and kDigits
bool is_name(std::string_view text);       // letters, digits and _, as of a variable
bool is_some_name(std::string_view text);  // kSomeName may stand for it
bool is_path_below(std::string_view text);
// Whether a pattern, with a shell's marks or as it is given to find, leaves most names out. "*.o",
// "test_*" and "a*" do; "*", "[a-z]*", "*.*" and "*e*" do not. In a path all components count.
bool is_narrow_pattern(std::string_view pattern);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
std::string_view base_name(std::string_view path);
std::string text_of(const std::vector<ShellWord>& words);  // the words with blanks between them

}  // namespace orch::policy
