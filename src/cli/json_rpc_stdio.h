#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/line_cutter.h"
#include "jsonrpc/message.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "ui/output_stream.h"

namespace orch::cli {

// A JSON-RPC peer on standard input and output, for `orch mcp` and `orch acp`. While the peer does
// not read what we said, its own lines are not read either, so that memory is bounded.
class JsonRpcStdio {
 public:
  struct Handlers {
    std::function<void(std::string_view line)> on_line;  // without its line feed
    std::function<void()> on_end;  // the peer has closed its side, or it cannot be read
  };
  JsonRpcStdio(loop::Loop& loop, Handlers handlers);

  void say(std::string line) { output_.write(std::move(line)); }  // with its line feed
  // Bytes that the peer has not taken yet.
  size_t waiting_bytes() const { return output_.waiting_bytes(); }
  // Calls on_drained once, when the peer has taken everything or is gone.
  void when_drained(std::function<void()> on_drained) {
    output_.when_drained(std::move(on_drained));
  }
  // Stops the loop when the peer has taken what was said, or does not take it for 2 s.
  void finish();
  int code() const { return code_; }  // exit code of an error of reading or writing; 0: none

 private:
  void read_on();
  void on_readable();
  void on_input(std::string_view bytes);

  loop::Loop& loop_;
  Handlers handlers_;
  loop::WatchedFd input_;
  ui::OutputStream output_;
  base::LineCutter lines_{jsonrpc::kMaxLineBytes};
  loop::Timer flush_;
  bool at_end_ = false;
  int code_ = 0;
};

}  // namespace orch::cli
