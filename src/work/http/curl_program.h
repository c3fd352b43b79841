#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/request.h"
#include "loop/timer.h"
#include "pty/process.h"
#include "store/temporary_folder.h"

namespace orch::http {

// One HTTP request by the program curl, where libcurl cannot be loaded: in a static orch. Headers
// reach curl by its standard input, so no secret stands on a command line; the body is a file in a
// temporary folder of the user's. curl reads no configuration file. The destructor ends it.
class CurlProgram final : private pty::ProcessObserver {
 public:
  // `name` begins the text of a failure. An error: there is no curl, or no temporary folder.
  static base::Result<std::unique_ptr<CurlProgram>> start(loop::Loop& loop, RequestPlan plan,
                                                          std::string name,
                                                          Request::OnDone on_done);

 private:
  CurlProgram(loop::Loop& loop, RequestPlan plan, std::string name, store::TemporaryFolder folder,
              Request::OnDone on_done);

  std::string configuration() const;
  void on_output(std::string_view bytes) override;
  void on_error_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  Failure failure_of(pty::ExitStatus status) const;

  RequestPlan plan_;
  std::string name_;
  store::TemporaryFolder folder_;
  Request::OnDone on_done_;
  loop::Timer deadline_;
  std::string answer_, errors_;
  bool too_large_ = false, timed_out_ = false;
  std::unique_ptr<pty::Process> process_;
};

}  // namespace orch::http
