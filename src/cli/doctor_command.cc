#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "fence/fence.h"

namespace orch::cli {
namespace {

void print_table(const fence::Offer& offer) {
  const auto row = [](const char* name, const std::string& text) {
    std::printf("%-12s %s\n", name, text.c_str());
  };
  constexpr int kWithPorts = 4, kWithScopes = 6;
  std::string landlock = "no: the kernel has none, or it is switched off (lsm=)";
  if (offer.landlock > 0) {
    landlock = "version " + std::to_string(offer.landlock) + ": files";
    if (offer.landlock >= kWithPorts) landlock += ", TCP ports";
    if (offer.landlock >= kWithScopes) landlock += ", signals, abstract sockets";
  }
  row("landlock", landlock);
  row("seccomp", offer.seccomp ? "yes" : "no");
  row("namespaces", offer.bubblewrap.empty() ? "no: " + offer.no_namespaces
                                             : "yes, by " + offer.bubblewrap +
                                                   ": modes and owners of files outside, "
                                                   "processes, sockets, no network");
  row("user",
      offer.root ? "root: its capabilities are dropped, but for those over files" : "not root");
  if (!offer.any()) {
    std::printf("\nNothing here can fence an agent: --approve all needs --sandbox none.\n");
  } else if (offer.bubblewrap.empty()) {
    std::printf(
        "\nWithout namespaces an agent can change modes and times of files outside, and "
        "reach\nservices by their sockets; bubblewrap (bwrap) would hold that.\n");
  }
}

void print_json(const fence::Offer& offer) {
  base::Json json;
  json["landlock"] = offer.landlock;
  json["seccomp"] = offer.seccomp;
  json["namespaces"] = !offer.bubblewrap.empty();
  json["why_no_namespaces"] = base::or_null(offer.no_namespaces);
  json["root"] = offer.root;
  std::printf("%s", base::json_text(base::Json{{"fence", json}}).c_str());
}

}  // namespace

void add_doctor_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("doctor", "what this machine has to fence an agent with");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON");
  command->footer("The layers are explained in docs/security.md.");
  command->callback([json, &chosen] {
    chosen = [json] {
      const fence::Offer offer = fence::find_offer(environment("PATH"));
      *json ? print_json(offer) : print_table(offer);
      return 0;
    };
  });
}

}  // namespace orch::cli
