//===- EnvHost.h - a tilec_env as the host of a compile -------------------===//
//
// Takes a tilec_env, is the script::Host of one compile, and gives back every object that the host
// has handed out.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec-c/Compile.h"

#include "tilec/Script/Host.h"

namespace tilec::capi {

/// One compile's use of an env: gives back what it was given when it ends.
class EnvHost : public script::Host {
public:
  explicit EnvHost(const tilec_env &env) : env(env) {}
  ~EnvHost() override;

  script::HostAnswer lookup(uint64_t scope, llvm::StringRef name) override;
  script::HostAnswer attribute(uint64_t object, llvm::StringRef name) override;
  script::HostAnswer
  call(uint64_t object, llvm::ArrayRef<script::HostValue> args,
       llvm::ArrayRef<std::pair<std::string, script::HostValue>> keywords) override;
  std::optional<script::HostFunction> source(uint64_t function) override;

private:
  script::HostAnswer answer(tilec_status status, const tilec_host_value &value);
  std::optional<script::HostValue> read(const tilec_host_value &value, unsigned depth);

  const tilec_env env;
  std::vector<uint64_t> given;
};

} // namespace tilec::capi
