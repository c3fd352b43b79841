#include "issue/file_check.h"

#include <algorithm>
#include <array>

#include "mask/text.h"

namespace orch::issue {

bool names_secret_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array<std::string_view, 12> kNames{
      ".env",   ".netrc",   ".npmrc",     ".pypirc", ".git-credentials", "id_rsa",
      "id_dsa", "id_ecdsa", "id_ed25519", ".pgpass", "credentials.json", ".htpasswd"};
  constexpr std::array<std::string_view, 6> kEnds{".pem", ".key",      ".p12",
                                                  ".pfx", ".keystore", ".jks"};
  constexpr std::array<std::string_view, 4> kExamples{".example", ".sample", ".template", ".dist"};
  const auto ends = [name](std::string_view end) { return name.ends_with(end); };
  if (std::any_of(kExamples.begin(), kExamples.end(), ends)) return false;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.starts_with(".env.") || std::any_of(kEnds.begin(), kEnds.end(), ends);
}

std::string why_to_look(const std::string& path, int64_t bytes, std::string_view content,
                        const std::shared_ptr<const mask::Secrets>& secrets) {
  if (bytes > kLargeFile) return "is " + std::to_string(bytes >> 20) + " MB";
  if (names_secret_file(path)) return "looks like a file of secrets";
  const std::vector<mask::Span> found = mask::find(secrets, content);
  if (found.empty()) return "";
  const auto line =
      std::count(content.begin(), content.begin() + static_cast<long>(found.front().from), '\n');
  return "has what looks like a secret in line " + std::to_string(line + 1);
}

}  // namespace orch::issue
