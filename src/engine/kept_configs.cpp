// SPDX-License-Identifier: Apache-2.0
#include "engine/kept_configs.h"

#include <map>
#include <memory>
#include <mutex>

namespace orrery {
namespace {

// The answers of one function by its argument. An answer that throws is asked for again.
template <class T>
class Kept {
 public:
  using Ask = std::function<T(const std::string&)>;

  explicit Kept(Ask ask) : ask_(std::move(ask)) {}

  T get(const std::string& name) {
    if (const auto known = find(name)) return *known;
    const auto answer = std::make_shared<const T>(ask_(name));
    const std::lock_guard<std::mutex> lock(mutex_);
    return *known_.emplace(name, answer).first->second;
  }

 private:
  std::shared_ptr<const T> find(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = known_.find(name);
    return at == known_.end() ? nullptr : at->second;
  }

  Ask ask_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const T>> known_;
};

template <class T>
std::function<T(const std::string&)> keeping(std::function<T(const std::string&)> ask) {
  return [all = std::make_shared<Kept<T>>(std::move(ask))](const std::string& name) {
    return all->get(name);
  };
}

}  // namespace

ConfigSource kept(ConfigSource source, KeptPaths paths) {
  source.read = keeping(std::move(source.read));
  source.list = keeping(std::move(source.list));
  if (paths == KeptPaths::yes && source.open) source.open = keeping(std::move(source.open));
  return source;
}

}  // namespace orrery
