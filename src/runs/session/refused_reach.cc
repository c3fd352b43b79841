#include "session/refused_reach.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "fence/places.h"
#include "store/folder.h"

namespace orch::session {
namespace {

constexpr size_t kMostHosts = 8;
constexpr size_t kMostRowBytes = 4096;

// Words after which git, ssh, curl, gh and npm name a host that they did not reach.
constexpr std::array<std::string_view, 8> kBeforeHost{
    "Could not resolve host: ", "Could not resolve hostname ",
    "could not resolve host ",  "Failed to connect to ",
    "connect to host ",         "error connecting to ",
    "getaddrinfo EAI_AGAIN ",   "getaddrinfo ENOTFOUND "};

// What a program says that lacks a login, and where its login usually is, below a home.
struct Login {
  std::string_view words;
  std::array<std::string_view, 4> places;
};
constexpr std::array<Login, 11> kLogins{{
    {"Permission denied (publickey", {"/.ssh"}},
    {"could not read Username for",
     {"/.git-credentials", "/.config/git/credentials", "/.config/gh", "/.netrc"}},
    {"could not read Password for",
     {"/.git-credentials", "/.config/git/credentials", "/.config/gh", "/.netrc"}},
    {"Authentication failed for",
     {"/.git-credentials", "/.config/git/credentials", "/.config/gh", "/.netrc"}},
    {"gh auth login", {"/.config/gh"}},
    {"glab auth login", {"/.config/glab-cli"}},
    {"ENEEDAUTH", {"/.npmrc"}},
    {"no basic auth credentials", {"/.docker"}},
    {"access to the resource is denied", {"/.docker"}},
    {"Unable to locate credentials", {"/.aws"}},
    {"Could not find default credentials", {"/.config/gcloud"}},
}};

bool add_new(std::vector<std::string>& known, const std::string& one) {
  if (std::find(known.begin(), known.end(), one) != known.end()) return false;
  known.push_back(one);
  return true;
}

// The host at the beginning of the text; "" if there is none.
std::string host_at(std::string_view text) {
  constexpr std::string_view kHost =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return std::string(text.substr(0, text.find_first_not_of(kHost)));
}

}  // namespace

RefusedReach::RefusedReach(const fence::Plan& plan) {
  if (!plan.layers.any()) return;
  limits_network_ = plan.network.kind != fence::Network::Kind::kOpen;
  secrets_ = plan.secrets;
}

std::vector<ReachRefusal> RefusedReach::look(std::string_view line, bool continues) {
  std::vector<ReachRefusal> found;
  if (!limits_network_ && secrets_.closed.empty()) return found;
  if (!continues) last_.clear();
  if (last_.size() < kMostRowBytes) last_ += line.substr(0, kMostRowBytes);
  for (const std::string_view before : kBeforeHost) {
    const size_t at = last_.find(before);
    if (!limits_network_ || at == std::string::npos || hosts_.size() >= kMostHosts) continue;
    const std::string host = host_at(std::string_view(last_).substr(at + before.size()));
    if (!host.empty() && add_new(hosts_, host)) found.push_back({host, ""});
  }
  for (const Login& login : kLogins) {
    if (last_.find(login.words) == std::string::npos) continue;
    for (const std::string& closed : secrets_.closed) {
      const bool fits = std::any_of(
          login.places.begin(), login.places.end(),
          [&closed](std::string_view place) { return !place.empty() && closed.ends_with(place); });
      if (!fits || fence::is_in_one_of(secrets_.open, closed) || !store::is_there(closed)) continue;
      if (add_new(credentials_, closed)) found.push_back({"", closed});
      break;
    }
  }
  return found;
}

std::string note_of(const ReachRefusal& refusal, const fence::Network& network,
                    const std::string& issue) {
  const std::string land = "orch land " + issue + " pushes outside of it, with your login";
  if (!refusal.host.empty()) {
    return "the agent did not reach " + base::printable(refusal.host) +
           ": the network of its fence is " + fence::to_text(network) + "; " + land +
           ", --net all opens the network";
  }
  const std::string place = base::printable(refusal.credential);
  return "the agent lacked a login: its fence closes " + place + "; " + land + ", --read " + place +
         " opens it to the agent";
}

}  // namespace orch::session
