#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/gateway_spec.h"
#include "agent/model_gateway.h"
#include "base/fd.h"
#include "base/pattern.h"
#include "base/result.h"
#include "exchange/message.h"
#include "exchange/prices.h"
#include "exchange/protocol.h"
#include "gateway/budget.h"
#include "gateway/recording.h"
#include "http/multi.h"
#include "loop/listener.h"
#include "loop/watched_fd.h"
#include "tape/normal.h"
#include "tape/player.h"

namespace orch::gateway {

// A header that the gateway sets in each request: the real key of the model.
struct KeyHeader {
  std::string name, value;
};

// The tapes of a run.
struct TapePlan {
  std::string record = {};                        // the file to write; "": none
  tape::Header header = {};                       // its first line
  std::shared_ptr<const tape::Tape> replay = {};  // answers in the model's place; null: the model
  tape::Order order = tape::Order::kExact;
  tape::Places places = {};
  std::shared_ptr<const mask::Secrets> secrets = {};
  bool any() const { return !record.empty() || replay != nullptr; }
};

struct Plan {
  adapters::GatewaySpec spec;
  std::string secret;            // a client shows it, in the path or in a header, or is refused
  std::string address;           // of the model, as the agent would ask it; http or https
  std::string provider;          // of the user's configuration; "": the agent's own
  std::optional<KeyHeader> key;  // the agent has a dummy instead, and sends no other key
  bool needs_no_key = false;     // the agent has a dummy, and no model gets a request
  std::vector<std::string> hosts = {};    // "name:port", for the processes of a fence
  std::vector<std::string> outside = {};  // variables that the agent does not get
  std::string ca_file = {};               // the certificates to trust; "": the system's
  Limits limits;
  exchange::PriceTable prices = exchange::PriceTable::built_in();
  TapePlan tapes = {};
};

// A reverse proxy in front of one run's model, on the loop: plain HTTP/1.1 on 127.0.0.1 on the
// agent's side, libcurl on the model's. An answer goes on piece by piece, as it comes; a request is
// taken whole first, so that it has one length when it is sent, whatever the client wrote. A client
// that hangs up ends its request at the model, and a broken answer breaks off for the client, too.
// Once a limit is reached no further request is sent: the agent gets the end of a turn that says
// so.
class Gateway final : public agent::ModelGateway {
 public:
  static base::Result<std::unique_ptr<Gateway>> open(loop::Loop& loop, Plan plan, Told told);
  ~Gateway() override;
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  Words words() const override;
  uint16_t port() const override { return port_; }
  base::Status move_into_fence(const std::string& folder) override;
  int64_t requests() const override { return requests_; }
  std::string end() override;

 private:
  class Client;
  struct Kind {
    adapters::GatewaySpec::Kind spec;
    std::optional<base::Pattern> match;
  };

  Gateway(loop::Loop& loop, Plan plan, Told told, std::unique_ptr<http::Multi> multi);
  base::Status open_tapes();
  base::Status compile_kinds();
  void accept(base::Fd connection);
  void remove(Client* client);
  void await_exit(base::Fd connection);
  void take_exit(const loop::WatchedFd& arrival);
  bool names(std::string_view authority) const;
  void note_uncounted(const exchange::Asked& asked, const std::string& why);
  void note_refused(const std::string& authority);
  bool drop_stranger();
  // Whether the request shows the run's secret, in its path or in a header.
  bool is_admitted(const exchange::Request& request) const;
  bool has_secret_in_path(std::string_view target) const;
  void leave_out_secret(exchange::Request& request) const;
  adapters::GatewaySpec::Kind::Is kind_of(const exchange::Request& request, bool has_tools) const;
  std::string url_of(const exchange::Request& request) const;
  std::vector<std::string> headers_for(const exchange::Request& request) const;
  std::string used_up() const;
  void on_spent(adapters::GatewaySpec::Kind::Is kind, const exchange::Counts& counts,
                const std::string& asked_model);
  void tell_asking();
  void on_refused_request(const std::string& why);
  tape::Entry new_entry(const exchange::Request& request, const exchange::Asked& asked,
                        adapters::GatewaySpec::Kind::Is kind);
  tape::Player::Found find_on_tape(const exchange::Request& request, const exchange::Asked& asked,
                                   adapters::GatewaySpec::Kind::Is kind);

  loop::Loop& loop_;
  Plan plan_;
  Told told_;
  std::unique_ptr<http::Multi> multi_;  // outlives the clients
  Budget budget_;
  std::vector<Kind> kinds_;
  std::list<std::unique_ptr<Client>> clients_;
  std::optional<loop::Listener> listener_;  // for the agent; or for the exits of its fence
  std::list<loop::WatchedFd> arrivals_;     // connections that are to bring an exit
  std::list<loop::Listener> exits_;         // one for each process that was started in the fence
  bool in_fence_ = false;
  std::set<std::string> refused_;  // hosts that a note has named
  uint16_t port_ = 0;
  int64_t requests_ = 0;
  bool asks_ = false;          // a request of the agent's own turn is under way
  bool is_uncounted_ = false;  // an answer could not be read
  bool is_used_up_ = false;    // a request was not sent
  bool has_no_price_ = false;  // a note has named a model without a price
  std::shared_ptr<const tape::Normaliser> normaliser_;  // with either of these two
  std::unique_ptr<Recording> recording_;
  std::optional<tape::Player> player_;
  int64_t began_ms_ = 0;      // the tape, by the loop's clock
  int64_t taped_ = 0;         // requests that have got a number
  bool is_off_tape_ = false;  // a request was not on the tape
};

}  // namespace orch::gateway
