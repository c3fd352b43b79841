#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fence/plan.h"

namespace orch::session {

// A push, fetch or login that failed inside the fence. One of them is given.
struct ReachRefusal {
  std::string host;        // was not reached, and the fence limits the network
  std::string credential;  // the path of the user's keys that the login needs, which are closed
};

// Recognises, in an agent's output, the messages of git, ssh, gh and others about a host that was
// not reached or a login that was missing, where the fence may be the reason. Each host and each
// credential is reported once.
class RefusedReach {
 public:
  RefusedReach() = default;  // finds nothing
  explicit RefusedReach(const fence::Plan& plan);

  // `continues`: the line may be the rest of the one before it.
  std::vector<ReachRefusal> look(std::string_view line, bool continues = false);
  const std::vector<std::string>& hosts() const { return hosts_; }  // all that were found
  const std::vector<std::string>& credentials() const { return credentials_; }

 private:
  bool limits_network_ = false;
  fence::SecretPlaces secrets_;
  std::string last_;
  std::vector<std::string> hosts_, credentials_;
};

// The line for the user, with the options that open the fence, and orch land, which pushes outside
// of it. `issue` is the run's.
std::string note_of(const ReachRefusal& refusal, const fence::Network& network,
                    const std::string& issue);

}  // namespace orch::session
