// SPDX-License-Identifier: Apache-2.0
//
// orrery._engine: the C++ part of `import orrery`. Requests and answers stay JSON text here; the
// Python files beside it know their shape.
//
// A call works without the GIL. Python handles signals on its main thread only: a call of that
// thread, or one whose progress is told, works on another thread, while the one that asked waits
// and looks up, so that Ctrl-C stops the work; what the handler or the progress function raises
// goes on to the caller. All other threads work themselves.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "engine/c_interface.h"

namespace py = pybind11;

namespace {

constexpr std::chrono::milliseconds kPatience{20};  // between two looks at signals

// Shared by the caller and the workers of one call.
struct Watch {
  std::atomic<bool> stopped{false};
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> total{0};
};

orrery::EngineHooks watched(orrery::EngineHooks hooks, Watch& watch) {
  hooks.stopped = [&watch] { return watch.stopped.load(); };
  hooks.progress = [&watch](std::int64_t done, std::int64_t total) {
    watch.total = total;
    watch.done = done;
  };
  return hooks;
}

// Handles signals and tells the progress. Errors: what Python raised.
void look_up(const Watch& watch, const py::object& progress, std::int64_t& reported) {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  const std::int64_t done = watch.done;
  if (progress.is_none() || done == reported) return;
  reported = done;
  progress(done, watch.total.load());
}

// Whether this is the thread on which Python handles signals. Called with the GIL.
bool handles_signals() {
  const py::object threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

using Task = std::packaged_task<orrery::CommandAnswer()>;

// A thread that works on one task after another, as long as the process: to start a thread for each
// would take longer than an estimate.
class Worker {
 public:
  Worker() {
    std::thread([this] { work(); }).detach();
  }

  void start(Task task) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      task_ = std::move(task);
    }
    wake_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return task_.valid(); });
      Task task = std::move(task_);
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  Task task_;
};

// The worker of the main thread's calls; only that thread asks for it. It is never deleted, and a
// forked process, which has none of its parent's threads, makes its own.
Worker& main_worker() {
  static Worker* worker = nullptr;
  static pid_t process = 0;
  if (process != getpid()) {
    worker = new Worker;
    process = getpid();
  }
  return *worker;
}

// The answer of work(), which a stopped watch shortens. Called without the GIL.
template <class Work>
orrery::CommandAnswer patiently(Watch& watch, const py::object& progress, bool on_main_thread,
                                const Work& work) {
  static bool busy = false;  // the main thread's: a handler of signals may ask while a call waits
  Task task(work);
  std::future<orrery::CommandAnswer> answer = task.get_future();
  const bool kept = on_main_thread && !busy;
  std::thread own;
  if (kept) {
    main_worker().start(std::move(task));
    busy = true;
  } else {
    own = std::thread(std::move(task));
  }
  const auto end = [&] {
    answer.wait();
    if (kept) busy = false;
    if (own.joinable()) own.join();
  };
  std::int64_t reported = 0;
  try {
    while (answer.wait_for(kPatience) != std::future_status::ready) {
      look_up(watch, progress, reported);
    }
  } catch (...) {
    watch.stopped = true;
    end();
    throw;
  }
  end();
  return answer.get();
}

py::object wrong_of(const orrery::CommandAnswer& answer) {
  if (!answer.wrong) return py::none();
  const orrery::InputError& e = *answer.wrong;
  return py::make_tuple(std::string(name_of(e.code())), e.file(), e.path(), e.found(), e.allowed(),
                        e.nearest());
}

py::list files_of(const orrery::CommandAnswer& answer) {
  py::list files;
  for (const orrery::NamedText& f : answer.files) {
    files.append(py::make_tuple(f.name, py::bytes(f.text)));
  }
  return files;
}

py::tuple tuple_of(const orrery::CommandAnswer& a) {
  return py::make_tuple(static_cast<int>(a.code), a.text.str(), files_of(a), a.warnings, a.broken,
                        a.error, wrong_of(a));
}

// An answer of a session. Its numbers can be had without its text.
class LiveAnswer {
 public:
  explicit LiveAnswer(orrery_answer* answer) : answer_(answer, orrery_answer_free) {
    if (answer_ == nullptr) throw std::bad_alloc();
  }

  int code() const { return orrery_code(answer_.get()); }
  std::optional<double> number(const std::string& path) const {
    double value = 0;
    return orrery_number(answer_.get(), path.c_str(), &value) != 0 ? std::optional(value)
                                                                   : std::nullopt;
  }
  py::tuple parts() const { return tuple_of(answer_->answer); }

 private:
  std::shared_ptr<orrery_answer> answer_;
};

class Session {
 public:
  Session(std::shared_ptr<orrery_engine> engine, const std::string& request)
      : engine_(std::move(engine)),
        session_(orrery_open(engine_.get(), request.c_str()), orrery_close) {
    if (session_ == nullptr) throw std::bad_alloc();
  }

  void set(const std::string& path, const std::string& value) {
    const std::lock_guard<std::mutex> lock(*one_at_a_time_);
    if (orrery_set(session_.get(), path.c_str(), value.c_str()) == 0) throw std::bad_alloc();
  }

  LiveAnswer ask(const std::string& command, const std::string& options) {
    const std::lock_guard<std::mutex> lock(*one_at_a_time_);
    return LiveAnswer(orrery_ask(session_.get(), command.c_str(), options.c_str()));
  }

 private:
  std::shared_ptr<orrery_engine> engine_;  // outlives the session
  std::shared_ptr<orrery_session> session_;
  std::unique_ptr<std::mutex> one_at_a_time_ = std::make_unique<std::mutex>();
};

class Engine {
 public:
  explicit Engine(const std::string& options) : engine_(orrery_new(options.c_str()), orrery_free) {
    if (engine_ == nullptr) throw std::bad_alloc();
    if (!engine_->error.empty()) throw std::invalid_argument(engine_->error);
  }

  py::tuple call(const std::string& command, const std::string& request,
                 const py::object& progress) const {
    orrery::CommandAnswer answer;
    const bool on_main_thread = handles_signals();
    {
      const py::gil_scoped_release no_gil;
      Watch watch;
      const auto work = [&] {
        const orrery::CommandEngine engine(engine_->configs, watched(engine_->hooks, watch));
        orrery::CommandAnswer made = engine.call(command, request);
        static_cast<void>(made.text.str());  // written here, without the GIL
        return made;
      };
      answer = on_main_thread || !progress.is_none()
                   ? patiently(watch, progress, on_main_thread, work)
                   : work();
    }
    return tuple_of(answer);
  }

  Session open(const std::string& request) const { return {engine_, request}; }

 private:
  std::shared_ptr<orrery_engine> engine_;
};

}  // namespace

PYBIND11_MODULE(_engine, m) {
  // A class as Python makes them, so that stubs can describe it.
  const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
  py::class_<Engine>(m, "Engine", plain)
      .def(py::init<const std::string&>(), py::arg("options"))
      .def("call", &Engine::call, py::arg("command"), py::arg("request"),
           py::arg("progress") = py::none())
      .def("open", &Engine::open, py::arg("request"));
  const py::call_guard<py::gil_scoped_release> no_gil;
  py::class_<Session>(m, "Session", plain)
      .def("set", &Session::set, no_gil, py::arg("path"), py::arg("value"))
      .def("ask", &Session::ask, no_gil, py::arg("command"), py::arg("options"));
  py::class_<LiveAnswer>(m, "LiveAnswer", plain)
      .def("code", &LiveAnswer::code)
      .def("number", &LiveAnswer::number, py::arg("path"))
      .def("parts", &LiveAnswer::parts);
  m.def("commands", &orrery::command_names);
  m.def("file_options", &orrery::file_options, py::arg("command"));
  m.def("version", [] { return std::string(orrery_version()); });
}
