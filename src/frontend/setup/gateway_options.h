#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/launch.h"
#include "adapters/manifest.h"
#include "base/result.h"
#include "gateway/gateway.h"
#include "options/run_request.h"
#include "session/session_setup.h"

namespace orch::setup {

// Whether the options ask for a gateway in front of the model.
bool wants_gateway(const options::RunRequest& request);

// The plan of the gateway, without the secret; nullopt if none is asked for. It is an error if the
// agent's requests would not come through it, or if the agent could get at the key that
// --keys outside keeps from it.
base::Result<std::optional<gateway::Plan>> gateway_of(
    const options::RunRequest& request, const adapters::Manifest& agent,
    const adapters::LaunchPlan& launch, const std::optional<session::FenceRequest>& fence,
    std::vector<std::string>& notes);

// Makes the session's agent ask its model through a gateway of its own, with a new secret, which no
// record of the run contains.
void lead_through(const gateway::Plan& plan, const options::RunRequest& request,
                  session::SessionSetup& session);

}  // namespace orch::setup
