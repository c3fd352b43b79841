#include "policy/program_text.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "policy/shell_text.h"

namespace orch::policy {
namespace {

bool is_letter(char c) { return base::is_letter(c) || c == '_' || c == '$'; }
bool lists(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

struct Token {
  enum class Kind : uint8_t { kName, kText, kOther };
  Kind kind = Kind::kOther;
  std::string text;
};

// Splits the code into names, quoted texts and single other characters; nullopt if a quoted text
// has no end or the code has characters that are not plain.
std::optional<std::vector<Token>> tokens_of(std::string_view text, std::string_view comment) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_mark(c) || c == '`' || static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
    if (text.substr(i).starts_with(comment)) {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '\'' || c == '"') {
      const std::string_view triple = text.substr(i, 3);
      const bool is_triple = triple.size() == 3 && triple[1] == c && triple[2] == c;
      const std::string_view quote = text.substr(i, is_triple ? 3 : 1);
      size_t end = i + quote.size();
      while (end < text.size() && text.substr(end, quote.size()) != quote) {
        if (text[end] == '\\') ++end;
        ++end;
      }
      if (end >= text.size()) return std::nullopt;
      const bool formatted = !tokens.empty() && tokens.back().kind == Token::Kind::kName && i > 0 &&
                             is_letter(text[i - 1]);
      const std::string_view inside = text.substr(i + quote.size(), end - i - quote.size());
      if (formatted && inside.find('{') != std::string_view::npos) {
        // The expressions in f"{...}" are read like all other code.
        const auto inner = tokens_of(inside, "\n");
        if (!inner) return std::nullopt;
        tokens.pop_back();
        for (const Token& token : *inner) tokens.push_back(token);
        tokens.push_back({Token::Kind::kOther, "f"});
      } else {
        tokens.push_back({Token::Kind::kText, std::string(inside)});
      }
      i = end + quote.size();
    } else if (is_letter(c)) {
      size_t end = i;
      while (end < text.size() && (is_letter(text[end]) || base::is_digit(text[end]))) ++end;
      tokens.push_back({Token::Kind::kName, std::string(text.substr(i, end - i))});
      i = end;
    } else {
      if (c != ' ' && c != '\t') tokens.push_back({Token::Kind::kOther, std::string(1, c)});
      ++i;
    }
  }
  return tokens;
}

// The harmless names behind a dot or imported from a module. All other names are free, except for
// the dangers and names that begin with two underscores.
constexpr std::string_view kPythonWords =
    " as sum min max list dict set tuple int float str bool repr abs round map filter any all type "
    "sys json re math time datetime platform collections itertools functools string random "
    "statistics hashlib base64 struct textwrap os path pprint pkgutil sysconfig locale decimal "
    "fractions uuid ast difflib operator bisect heapq typing dataclasses enum argparse "
    "__version__ __file__ __name__ version version_info executable argv stdin stdout stderr read "
    "readlines readline load loads dumps dump get keys values items append extend join split "
    "strip lstrip rstrip startswith endswith replace format upper lower count index find exists "
    "isfile isdir basename dirname getcwd getsize abspath environ environb listdir sqrt pi floor "
    "ceil log exp sin cos now today strftime isoformat monotonic perf_counter Counter defaultdict "
    "OrderedDict namedtuple findall search match sub group groups hexdigest sha256 md5 sha1 "
    "b64encode b64decode encode decode mean median stdev randint choice uniform uuid4 pformat "
    "maxsize implementation name machine node release python_version getdefaultencoding dedent "
    "exit cwd literal_eval tokens sort reverse insert pop add update union intersection "
    "difference total_seconds fromtimestamp timedelta cache_tag flush prod nan inf e tau isnan "
    "splitlines title strptime zfill ljust rjust center copysign indent key default encoding end "
    "sep file errors hex pow hash id bytes bytearray iter next property ";

constexpr std::string_view kPythonDangers =
    " exec eval compile __import__ getattr setattr delattr globals locals vars breakpoint input "
    "memoryview importlib pickle marshal shelve dill cloudpickle joblib torch shutil subprocess "
    "ctypes socket pty multiprocessing builtins __builtins__ help quit license credits copyright ";

constexpr std::string_view kScriptWords =
    " const let var if else for of in while do return true false null undefined new typeof "
    "instanceof switch case default break continue function try catch throw console log error "
    "warn info table JSON stringify parse Object keys values entries fromEntries Math max min "
    "floor ceil round abs sqrt pow random PI Array isArray from map filter reduce forEach some "
    "every find includes indexOf join split slice concat sort reverse length push String Number "
    "Boolean Date now toISOString toString toFixed trim toUpperCase toLowerCase padStart padEnd "
    "startsWith endsWith repeat replace match test parseInt parseFloat isNaN process argv version "
    "versions platform arch cwd env exit stdout memoryUsage uptime hrtime node v8 require resolve "
    "fs path readFileSync existsSync readdirSync statSync size basename dirname extname name "
    "description main scripts dependencies devDependencies engines type Set Map has get set add "
    "Promise then Error message stack code i j k n x y a b c d e p s t v m o r f g h l q u w z "
    "pkg data result flat flatMap NaN Infinity BigInt Symbol license author workspaces ";

// Whether a name is harmless. A variable or module may have any name except dangerous ones; an
// attribute or a name after "from x import" must be known.
bool is_harmless_name(const Token& token, bool attribute, bool imported) {
  const std::string& name = token.text;
  if (lists(kPythonDangers, name)) return false;
  if (attribute || imported) return lists(kPythonWords, name);
  return !name.starts_with("__") || lists(kPythonWords, name);
}

bool is_command_of_sed(char c) {
  return std::string_view("dDgGhHlnNpPqQxzF=").find(c) != std::string_view::npos;
}

// Moves `i` from after a delimiter to after the next one; false if there is none in the line.
bool skip_delimited(std::string_view text, size_t& i, char delimiter) {
  for (; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '\n') {
      return false;
    } else if (text[i] == delimiter) {
      ++i;
      return true;
    }
  }
  return false;
}

void skip_address(std::string_view text, size_t& i, bool& fine) {
  while (i < text.size()) {
    const char c = text[i];
    if (base::is_digit(c) || c == '$' || c == ',' || c == '!' || c == '~' || c == '+' || c == ' ' ||
        c == ';' || c == '\n' || c == '{' || c == '}' || c == '\t') {
      ++i;
    } else if (c == '/') {
      ++i;
      fine = fine && skip_delimited(text, i, '/');
      while (i < text.size() && (text[i] == 'I' || text[i] == 'M')) ++i;
    } else if (c == '\\' && i + 1 < text.size()) {
      const char delimiter = text[i + 1];
      i += 2;
      fine = fine && skip_delimited(text, i, delimiter);
    } else {
      return;
    }
  }
}

}  // namespace

bool is_harmless_python(std::string_view text) {
  const auto tokens = tokens_of(text, "#");
  if (!tokens) return false;
  const bool handles_files = std::any_of(tokens->begin(), tokens->end(), [](const Token& token) {
    return is_one_of(token.text, {"os", "posix", "pathlib", "Path"});
  });
  bool importing = false;  // after "from x import"
  bool from = false;
  for (size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    const std::string_view before = i > 0 ? std::string_view((*tokens)[i - 1].text) : "";
    if (token.kind == Token::Kind::kOther) {
      if (token.text == "\n" || token.text == ";") importing = from = false;
      if (token.text == "@" || token.text == "\\") return false;
      if (is_one_of(token.text, {"*", "("}) && importing) return false;
      continue;
    }
    if (token.kind != Token::Kind::kName) continue;
    if (token.text == "from" && (i == 0 || is_one_of(before, {";", ":", "\n"}))) from = true;
    if (token.text == "import" && from) {
      importing = true;
      continue;
    }
    const bool attribute = before == "." && !from;
    if (!is_harmless_name(token, attribute, importing)) return false;
    if (token.text == "replace" && handles_files) return false;  // os.replace
    // open() must only read.
    if (token.text == "open") {
      const bool call = i + 3 < tokens->size() && (*tokens)[i + 1].text == "(" &&
                        (*tokens)[i + 2].kind == Token::Kind::kText;
      if (!call) return false;
      const bool plain = (*tokens)[i + 3].text == ")";
      const bool reads = i + 5 < tokens->size() && (*tokens)[i + 3].text == "," &&
                         is_one_of((*tokens)[i + 4].text, {"r", "rb", "encoding"});
      if (!plain && !reads) return false;
      if ((*tokens)[i + 4 < tokens->size() ? i + 4 : i].text == "encoding" &&
          i + 7 < tokens->size() && (*tokens)[i + 7].text != ")") {
        return false;
      }
    }
  }
  return true;
}

bool is_harmless_javascript(std::string_view text) {
  const auto tokens = tokens_of(text, "//");
  if (!tokens) return false;
  for (size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    const std::string_view before = i > 0 ? std::string_view((*tokens)[i - 1].text) : "";
    if (token.kind == Token::Kind::kOther) {
      const bool subscript =
          token.text == "[" && i > 0 &&
          ((*tokens)[i - 1].kind == Token::Kind::kName || before == ")" || before == "]");
      if (subscript && (i + 1 >= tokens->size() || !base::is_digit((*tokens)[i + 1].text[0])))
        return false;
      const bool pulls_apart =
          (token.text == "{" || token.text == "[") && is_one_of(before, {"const", "let", "var"});
      if (pulls_apart || token.text == "\\" || token.text == "/") return false;
      continue;
    }
    if (token.kind != Token::Kind::kName) continue;
    if (!lists(kScriptWords, token.text)) return false;
    if (token.text == "require") {
      const bool call = i + 2 < tokens->size() && (*tokens)[i + 1].text == "(" &&
                        (*tokens)[i + 2].kind == Token::Kind::kText;
      if (!call) return false;
    }
  }
  return true;
}

bool is_harmless_sed(std::string_view text, std::vector<std::string>& written) {
  if (std::any_of(text.begin(), text.end(), is_mark)) return false;
  bool fine = true;
  for (size_t i = 0; i < text.size() && fine;) {
    skip_address(text, i, fine);
    if (i >= text.size()) break;
    const char command = text[i++];
    if (command == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (command == 's' || command == 'y') {
      if (i >= text.size()) return false;
      const char delimiter = text[i++];
      fine = delimiter != '\\' && delimiter != '\n' && skip_delimited(text, i, delimiter) &&
             skip_delimited(text, i, delimiter);
      while (i < text.size() && command == 's' &&
             (base::is_digit(text[i]) ||
              std::string_view("gpiImM").find(text[i]) != std::string_view::npos)) {
        ++i;
      }
      if (i < text.size() && command == 's' && text[i] == 'w') {
        const size_t end = std::min(text.find('\n', i), text.size());
        size_t begin = std::min(text.find_first_not_of(" \t", i + 1), end);
        written.emplace_back(text.substr(begin, end - begin));
        i = end;
      } else if (i < text.size() && text[i] == 'e') {
        return false;
      }
    } else if (command == 'w' || command == 'W') {
      const size_t end = std::min(text.find('\n', i), text.size());
      size_t begin = std::min(text.find_first_not_of(" \t", i), end);
      written.emplace_back(text.substr(begin, end - begin));
      i = end;
    } else if (std::string_view("btT:").find(command) != std::string_view::npos) {
      i = std::min(text.find_first_not_of(" \t", i), text.size());  // a label of letters
      while (i < text.size() && (is_letter(text[i]) || base::is_digit(text[i]))) ++i;
      if (i < text.size() && std::string_view(";\n}").find(text[i]) == std::string_view::npos) {
        return false;
      }
    } else if (std::string_view("aicrR").find(command) != std::string_view::npos) {
      const size_t end = std::min(text.find('\n', i), text.size());
      const bool goes_on = text.substr(i, end - i).find('\\') != std::string_view::npos;
      if (goes_on && end < text.size()) return false;
      i = end;
    } else if (!is_command_of_sed(command)) {
      return false;
    } else {
      while (i < text.size() && base::is_digit(text[i])) ++i;
    }
  }
  return fine;
}

bool is_harmless_awk(std::string_view text, std::vector<std::string>& written) {
  bool prints = false;  // in a print statement
  int open = 0;
  char before = '\n';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_mark(c) || c == '@' || c == '`') return false;
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    const bool divides = is_letter(before) || base::is_digit(before) || before == ')' ||
                         before == ']' || before == '"';
    if (c == '"' || (c == '/' && !divides)) {
      ++i;
      if (!skip_delimited(text, i, c)) return false;
      --i;
      before = '"';
      continue;
    }
    if (is_letter(c) && c != '$') {
      size_t end = i;
      while (end < text.size() && (is_letter(text[end]) || base::is_digit(text[end])) &&
             text[end] != '$')
        ++end;
      const std::string_view name = text.substr(i, end - i);
      if (is_one_of(name, {"system", "getline", "close", "fflush", "include", "load"}))
        return false;
      if (name == "print" || name == "printf") prints = true, open = 0;
      i = end - 1;
      before = is_one_of(name, {"print", "return", "in"}) ? ' ' : 'a';
      continue;
    }
    if (c == '(' || c == '[') ++open;
    if (c == ')' || c == ']') --open;
    if (c == ';' || c == '\n' || c == '}' || c == '{') prints = false;
    if (c == '|') {
      if (i + 1 >= text.size() || text[i + 1] != '|') return false;
      ++i;
    }
    if (c == '>' && prints) {
      if (open > 0) continue;
      size_t at = i + 1;
      if (at < text.size() && text[at] == '>') ++at;
      at = std::min(text.find_first_not_of(" \t", at), text.size());
      const size_t end =
          at < text.size() && text[at] == '"' ? text.find('"', at + 1) : std::string_view::npos;
      if (end == std::string_view::npos) return false;
      const std::string_view file = text.substr(at + 1, end - at - 1);
      const size_t next = text.find_first_not_of(" \t", end + 1);
      if (file.find('\\') != std::string_view::npos || file.starts_with("/inet") ||
          (next != std::string_view::npos &&
           std::string_view(";}\n").find(text[next]) == std::string_view::npos)) {
        return false;
      }
      written.emplace_back(file);
      i = end;
    }
    if (c != ' ' && c != '\t') before = c;
  }
  return true;
}

}  // namespace orch::policy
