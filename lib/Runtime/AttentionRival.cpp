//===- AttentionRival.cpp - reads what attention a rival computes ---------===//
//
// Takes the text behind `--vs=cudnn:`, gives the attention that it means of a kernel's tensors.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "AttentionRival.h"

#include "RivalSpec.h"

#include <cmath>

namespace tilec::rt {
namespace {

constexpr const char *dimLetters = "bhsd";
constexpr const char *wantedForm = "write FORM:Q,K,V,O with a form like bshd, bhsd or bshd+causal";

/// What the form says.
struct Form {
  std::string order = "bshd";
  bool isCausal = false;
};

/// Letters of b, h, s and d, each at most once, s and d among them.
bool isOrder(const std::string &word) {
  for (size_t i = 0; i < word.size(); ++i)
    if (word.find(word[i], i + 1) != std::string::npos)
      return false;
  return word.find_first_not_of(dimLetters) == std::string::npos &&
         word.find('s') != std::string::npos && word.find('d') != std::string::npos;
}

std::optional<Form> parseForm(const std::string &text) {
  Form form;
  bool hasOrder = false;
  for (const std::string &word : split(text, '+')) {
    if (word == "causal" && !form.isCausal)
      form.isCausal = true;
    else if (isOrder(word) && !hasOrder)
      form.order = word, hasOrder = true;
    else
      return std::nullopt;
  }
  return form;
}

/// The tensors that the kernel's own could be, as names of Q, K, V and O.
Result<std::vector<std::string>> guessNames(const Form &form, const ArgumentSet &arguments) {
  std::vector<std::string> read, written;
  for (const Argument &argument : arguments.list)
    if (argument.param.kind == ParamKind::Tensor &&
        argument.tensor.shape.size() == form.order.size())
      (argument.param.access == Access::Read ? read : written).push_back(argument.param.name);
  if (read.size() != 3 || written.size() != 1)
    return Error{std::string("name the attention's tensors: ") + wantedForm};
  read.push_back(written[0]);
  return read;
}

Result<AttentionTensor> makeTensor(const std::string &name, const Form &form, DType dtype,
                                   const ArgumentSet &arguments) {
  Result<const Argument *> argument = tensorNamed(name, arguments);
  if (!argument)
    return argument.error();
  const HostTensor &tensor = (*argument)->tensor;
  if (tensor.shape.size() != form.order.size())
    return Error{"`" + name + "` is " + printShape(tensor.shape) + ", the form " + form.order +
                 " has " + std::to_string(form.order.size()) + " dimensions"};
  if (tensor.dtype != dtype || (dtype != DType::F16 && dtype != DType::BF16))
    return Error{"`" + name + "` is " + std::string(nameOf(tensor.dtype)) +
                 ": the attention is of float16 or bfloat16, the same for all four tensors"};
  AttentionTensor made;
  made.name = name;
  for (int i = 0; i < 4; ++i) {
    size_t at = form.order.find(dimLetters[i]);
    bool isThere = at != std::string::npos;
    made.dims[i] = isThere ? tensor.shape[at] : 1;
    made.strides[i] = isThere ? (*argument)->strides[at] : tensor.elemCount();
  }
  if (tensor.elemCount() == 0)
    return Error{"`" + name + "` is empty"};
  if (made.strides[3] != 1)
    return Error{"the elements of a head of `" + name + "` do not lie side by side"};
  return made;
}

Status checkShapes(const Attention &a) {
  static constexpr const char *names[] = {"batches", "heads", "rows", "elements in a head"};
  struct Rule {
    const AttentionTensor &of, &like;
    int dim;
  };
  for (const Rule &rule : {Rule{a.k, a.q, 0}, Rule{a.v, a.q, 0}, Rule{a.o, a.q, 0},
                           Rule{a.v, a.k, 1}, Rule{a.o, a.q, 1}, Rule{a.v, a.k, 2},
                           Rule{a.o, a.q, 2}, Rule{a.k, a.q, 3}, Rule{a.o, a.v, 3}}) {
    int64_t has = rule.of.dims[rule.dim], wants = rule.like.dims[rule.dim];
    if (has != wants)
      return Error{"no attention: `" + rule.of.name + "` has " + std::to_string(has) + " " +
                   names[rule.dim] + ", `" + rule.like.name + "` has " + std::to_string(wants)};
  }
  if (a.q.dims[1] % a.k.dims[1] != 0)
    return Error{"no attention: the " + std::to_string(a.q.dims[1]) + " heads of `" + a.q.name +
                 "` cannot share the " + std::to_string(a.k.dims[1]) + " of `" + a.k.name + "`"};
  return success();
}

} // namespace

float Attention::scale() const { return static_cast<float>(1 / std::sqrt(double(q.dims[3]))); }

double Attention::tolerance() const {
  double halfUnit = dtype == DType::BF16 ? 0x1p-8 : 0x1p-11;
  return 4 * halfUnit;
}

Result<Attention> parseAttention(const std::string &spec, const ArgumentSet &arguments) {
  std::vector<std::string> parts = split(spec, ':');
  std::string formText, nameText;
  if (parts.size() == 1)
    (spec.find(',') == std::string::npos ? formText : nameText) = spec;
  else
    formText = parts[0], nameText = parts[1];
  std::optional<Form> form = formText.empty() && parts.size() == 1 ? Form() : parseForm(formText);
  if (!form || parts.size() > 2)
    return Error{"`" + spec + "`: " + wantedForm};
  std::vector<std::string> names = split(nameText, ',');
  if (nameText.empty() && parts.size() == 1) {
    Result<std::vector<std::string>> guessed = guessNames(*form, arguments);
    if (!guessed)
      return guessed.error();
    names = *guessed;
  }
  if (names.size() != 4)
    return Error{"`" + spec + "`: " + wantedForm};

  Attention attention;
  attention.isCausal = form->isCausal;
  if (const Argument *q = arguments.find(names[0]))
    attention.dtype = q->tensor.dtype;
  AttentionTensor *tensors[] = {&attention.q, &attention.k, &attention.v, &attention.o};
  for (int i = 0; i < 4; ++i) {
    Result<AttentionTensor> made = makeTensor(names[i], *form, attention.dtype, arguments);
    if (!made)
      return made.error();
    *tensors[i] = *made;
  }
  if (Status s = checkShapes(attention); !s)
    return s.error();
  return attention;
}

} // namespace tilec::rt
