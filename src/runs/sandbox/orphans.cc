#include "sandbox/orphans.h"

#include <unistd.h>

#include <array>

#include "base/text.h"
#include "pty/process_identity.h"
#include "sandbox/container_request.h"
#include "sandbox/labels.h"

namespace orch::sandbox {
namespace {

constexpr size_t kFields = 4;

base::Result<std::string> ask(const Engine& engine, std::vector<std::string> words) {
  base::Result<pty::ToolEnd> end = ask_engine(engine, std::move(words));
  if (!end) return end.error();
  if (end->ok) return std::move(end->output);
  return base::Error{base::ErrorCode::kSystem,
                     std::string(name(engine.kind)) + ": " + complaint_in(end->errors)};
}

}  // namespace

std::string listing_format() {
  const auto label = [](std::string_view name) {
    return "\t{{.Label \"" + std::string(name) + "\"}}";
  };
  return "{{.Names}}" + label(kUserLabel) + label(kSessionLabel) + label(kOwnerLabel);
}

std::vector<Orphan> orphans_in(std::string_view listing, unsigned user) {
  std::vector<Orphan> orphans;
  for (std::string_view line : base::split_lines(listing)) {
    std::array<std::string, kFields> fields;
    for (std::string& field : fields) field = base::take_until(line, '\t');
    if (!check_container_name(fields[0]) || fields[1] != std::to_string(user)) continue;
    const std::optional<pty::ProcessIdentity> owner = pty::identity_from(fields[3]);
    if (!owner || pty::whereabouts(*owner) != pty::Whereabouts::kEnded) continue;
    orphans.push_back({fields[0], base::printable(fields[2])});
  }
  return orphans;
}

base::Result<std::vector<Orphan>> find_orphans(const Engine& engine) {
  const base::Result<std::string> listing =
      ask(engine, {"ps", "--all", "--filter", "label=" + std::string(kOwnerLabel), "--format",
                   listing_format()});
  if (!listing) return listing.error();
  return orphans_in(*listing, ::getuid());
}

base::Status remove_container(const Engine& engine, const std::string& name) {
  const base::Result<std::string> said = ask(engine, {"rm", "--force", name});
  if (!said) return said.error();
  return base::Ok{};
}

}  // namespace orch::sandbox
