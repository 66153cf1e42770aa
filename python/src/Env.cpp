//===- Env.cpp - the interpreter as the environment of a program ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Env.h"

namespace tilec::python {

tilec_str Env::keep(nb::handle text) {
  texts.push_back(nb::cast<std::string>(text));
  return toC(texts.back());
}

tilec_host_value Env::encode(nb::handle tuple) {
  auto parts = nb::cast<nb::tuple>(tuple);
  tilec_host_value value{};
  value.kind = static_cast<tilec_host_kind>(nb::cast<int>(parts[0]));
  auto items = [&](nb::handle sequence) {
    std::vector<tilec_host_value> made;
    for (nb::handle item : sequence)
      made.push_back(encode(item));
    lists.push_back(std::move(made));
    value.items = lists.back().data();
    value.item_count = lists.back().size();
  };
  switch (value.kind) {
  case TILEC_HOST_NONE:
    break;
  case TILEC_HOST_BOOL:
    value.integer = nb::cast<bool>(parts[1]);
    break;
  case TILEC_HOST_INT: {
    int overflow = 0;
    value.integer = PyLong_AsLongLongAndOverflow(nb::object(parts[1]).ptr(), &overflow);
    if (overflow) {
      value.integer = 0;
      value.text = keep(nb::str(nb::object(parts[1])));
    }
    break;
  }
  case TILEC_HOST_FLOAT:
    value.real = nb::cast<double>(parts[1]);
    break;
  case TILEC_HOST_STR:
  case TILEC_HOST_DTYPE:
    value.text = keep(parts[1]);
    break;
  case TILEC_HOST_LIST:
  case TILEC_HOST_TUPLE:
  case TILEC_HOST_DICT:
    items(parts[1]);
    break;
  case TILEC_HOST_TENSOR:
    items(parts[1]);
    value.text = keep(parts[2]);
    break;
  case TILEC_HOST_MODULE:
  case TILEC_HOST_FUNCTION:
  case TILEC_HOST_OBJECT:
    value.text = keep(parts[1]);
    value.object = nb::cast<uint64_t>(parts[2]);
    break;
  }
  return value;
}

nb::object Env::decode(const tilec_host_value &value) {
  nb::list items;
  for (size_t i = 0; i < value.item_count; ++i)
    items.append(decode(value.items[i]));
  switch (value.kind) {
  case TILEC_HOST_NONE:
    return nb::none();
  case TILEC_HOST_BOOL:
    return nb::bool_(value.integer != 0);
  case TILEC_HOST_INT:
    return value.text.size ? nb::steal(PyLong_FromString(value.text.data, nullptr, 10))
                           : nb::object(nb::int_(value.integer));
  case TILEC_HOST_FLOAT:
    return nb::float_(value.real);
  case TILEC_HOST_STR:
    return toPython(value.text);
  case TILEC_HOST_LIST:
    return items;
  case TILEC_HOST_TUPLE:
    return nb::tuple(items);
  case TILEC_HOST_DICT: {
    nb::dict made;
    for (size_t i = 0; i + 1 < value.item_count; i += 2)
      made[nb::object(items[i])] = nb::object(items[i + 1]);
    return made;
  }
  default:
    return answers.attr("decode")(static_cast<int>(value.kind), toPython(value.text), items,
                                  value.object);
  }
}

template <typename Body> tilec_status Env::answer(tilec_host_value *value, Body body) {
  nb::gil_scoped_acquire lock;
  texts.clear();
  lists.clear();
  try {
    nb::object made = body();
    if (made.is_none())
      return TILEC_ERROR_ARGUMENT;
    *value = encode(made);
    return TILEC_OK;
  } catch (nb::python_error &error) {
    nb::object sentence = answers.attr("failed")(error.value());
    value->kind = TILEC_HOST_STR;
    value->text = keep(sentence);
    return TILEC_ERROR_IO;
  } catch (const std::exception &error) {
    texts.emplace_back(error.what());
    value->kind = TILEC_HOST_STR;
    value->text = toC(texts.back());
    return TILEC_ERROR_IO;
  }
}

tilec_status Env::lookup(uint64_t scope, tilec_str name, tilec_host_value *value) {
  return answer(value, [&] { return answers.attr("lookup")(scope, toPython(name)); });
}

tilec_status Env::attribute(uint64_t object, tilec_str name, tilec_host_value *value) {
  return answer(value, [&] { return answers.attr("attribute")(object, toPython(name)); });
}

tilec_status Env::call(uint64_t object, const tilec_host_value *args, size_t argCount,
                       const tilec_keyword *keywords, size_t keywordCount,
                       tilec_host_value *value) {
  return answer(value, [&] {
    nb::list positional;
    for (size_t i = 0; i < argCount; ++i)
      positional.append(decode(args[i]));
    nb::dict named;
    for (size_t i = 0; i < keywordCount; ++i)
      named[toPython(keywords[i].name)] = decode(keywords[i].value);
    return answers.attr("call")(object, positional, named);
  });
}

tilec_status Env::source(uint64_t function, tilec_function_source *source) {
  nb::gil_scoped_acquire lock;
  texts.clear();
  try {
    nb::object made = answers.attr("source")(function);
    if (made.is_none())
      return TILEC_ERROR_ARGUMENT;
    auto parts = nb::cast<nb::tuple>(made);
    source->name = keep(parts[0]);
    source->text = keep(parts[1]);
    source->file = keep(parts[2]);
    source->first_line = nb::cast<uint32_t>(parts[3]);
    return TILEC_OK;
  } catch (nb::python_error &error) {
    answers.attr("failed")(error.value());
    return TILEC_ERROR_ARGUMENT;
  }
}

tilec_env Env::make(nb::object answers) {
  tilec_env env{};
  env.size = sizeof env;
  env.user = new Env(std::move(answers));
  env.lookup = [](void *user, uint64_t scope, tilec_str name, tilec_host_value *value) {
    return static_cast<Env *>(user)->lookup(scope, name, value);
  };
  env.attribute = [](void *user, uint64_t object, tilec_str name, tilec_host_value *value) {
    return static_cast<Env *>(user)->attribute(object, name, value);
  };
  env.call = [](void *user, uint64_t object, const tilec_host_value *args, size_t argCount,
                const tilec_keyword *keywords, size_t keywordCount, tilec_host_value *value) {
    return static_cast<Env *>(user)->call(object, args, argCount, keywords, keywordCount, value);
  };
  env.source = [](void *user, uint64_t function, tilec_function_source *source) {
    return static_cast<Env *>(user)->source(function, source);
  };
  env.destroy = [](void *user) {
    nb::gil_scoped_acquire lock;
    delete static_cast<Env *>(user);
  };
  return env;
}

} // namespace tilec::python
