//===- CudnnGraph.h - cuDNN's descriptors, and attention as a graph -------===//
//
// Takes an attention, makes the descriptors of cuDNN's backend interface, and owns them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "AttentionRival.h"
#include "CudnnAbi.h"

namespace tilec::rt::cudnn {

using Descriptor = void *;

/// What cuDNN says about the last call that failed or found nothing; may be empty.
std::string lastReason(const Api &api);
/// `cudnnBackendFinalize of a plan: CUDNN_STATUS_NOT_SUPPORTED (3000): ` and the reason.
Error errorOf(const Api &api, const std::string &what, int code);

/// Makes descriptors and owns them. After a first failure, which `status` tells, it does nothing,
/// so that the builder of a graph asks once.
class Descriptors {
public:
  explicit Descriptors(const Api &api) : api(api) {}
  ~Descriptors();
  Descriptors(const Descriptors &) = delete;
  Descriptors &operator=(const Descriptors &) = delete;

  Descriptor create(int type, const char *what);
  void setAll(Descriptor descriptor, int name, int type, const void *values, int64_t count);
  template <typename T> void set(Descriptor descriptor, int name, int type, const T &value) {
    setAll(descriptor, name, type, &value, 1);
  }
  void get(Descriptor descriptor, int name, int type, int64_t wanted, int64_t *count, void *values);
  /// Descriptors are used by others only after this.
  Descriptor finish(Descriptor descriptor);
  /// The same where a failure is an answer: it is returned and nothing else changes.
  Status tryToFinish(Descriptor descriptor);

  const Status &status() const { return state; }

private:
  void check(int code, const char *call);

  const Api &api;
  std::vector<Descriptor> owned;
  const char *last = ""; ///< what was created last, for messages
  Status state;
};

/// The tensors that a run names: the attention's own, and two numbers of the host.
enum TensorId : int64_t { idQ = 1, idK, idV, idO, idScale, idMasked };

/// What the scores of masked keys become. Versions before 9.10 want a finite number.
float maskedScore(size_t version);

/// The finished operation graph of an attention.
Descriptor attentionGraph(Descriptors &descriptors, void *handle, const Attention &attention);

} // namespace tilec::rt::cudnn
