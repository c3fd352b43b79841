#include "loop/handle.h"

#include <uv.h>

namespace orch::loop {
namespace {

template <typename Handle>
void close(Handle* handle) noexcept {
  handle->data = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(handle),
           [](uv_handle_t* closed) { delete reinterpret_cast<Handle*>(closed); });
}

}  // namespace

void CloseHandle::operator()(uv_async_t* handle) const noexcept { close(handle); }
void CloseHandle::operator()(uv_check_t* handle) const noexcept { close(handle); }
void CloseHandle::operator()(uv_idle_t* handle) const noexcept { close(handle); }
void CloseHandle::operator()(uv_poll_t* handle) const noexcept { close(handle); }
void CloseHandle::operator()(uv_prepare_t* handle) const noexcept { close(handle); }
void CloseHandle::operator()(uv_signal_t* handle) const noexcept { close(handle); }
void CloseHandle::operator()(uv_timer_t* handle) const noexcept { close(handle); }

}  // namespace orch::loop
