//===- HsacoLinker.cpp - one AMDGPU object to one code object -------------===//
//
// Layout, as LLVM 22's ld.lld makes it (learned from its output, checked byte for
// byte by HsacoLinkerTest):
//   R   headers .note .dynsym .gnu.hash .hash .dynstr .rodata
//   RX  .text
//   RW  .dynamic .relro_padding
//       .AMDGPU.gpr_maximums .debug_* .comment .symtab .shstrtab .strtab
// Each segment starts a new page in memory and none in the file.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/CodeGen/HsacoLinker.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

using namespace llvm;
using namespace llvm::object;

namespace tilec::codegen {

const char *const hsacoLinkerComment = "Linker: tilec";
char NeedsFullLinker::ID = 0;

namespace {

constexpr uint64_t pageBytes = 0x1000; ///< lld's maximum page size for AMDGPU
constexpr unsigned segmentCount = 8;
constexpr unsigned wordBits = 64;   ///< of the Bloom filter in .gnu.hash
constexpr unsigned bloomShift = 26; ///< lld's second hash: hash >> 26

Error needsLinker(const Twine &reason) { return make_error<NeedsFullLinker>(reason.str()); }

/// Names of a string table, each stored once, in order of first use.
class StringTable {
public:
  uint32_t add(StringRef name) {
    if (name.empty())
      return 0;
    auto [it, isNew] = offsets.try_emplace(name, static_cast<uint32_t>(bytes.size()));
    if (isNew) {
      bytes += name.str();
      bytes.push_back('\0');
    }
    return it->second;
  }
  std::string bytes = std::string(1, '\0');

private:
  StringMap<uint32_t> offsets;
};

struct OutputSection {
  StringRef name;
  uint32_t type = ELF::SHT_PROGBITS;
  uint64_t flags = 0;
  uint64_t align = 1;
  uint64_t entryBytes = 0;
  std::string bytes;
  uint64_t memoryBytes = 0; ///< only of .relro_padding, which has no bytes
  uint64_t address = 0, offset = 0;
  uint32_t link = 0, info = 0;

  uint64_t size() const { return type == ELF::SHT_NOBITS ? memoryBytes : bytes.size(); }
};

/// Positions in the section header table; debug sections stand before .comment and move the last
/// four.
enum SectionIndex : unsigned {
  Null,
  NoteSection,
  DynSym,
  GnuHash,
  Hash,
  DynStr,
  RoData,
  Text,
  Dynamic,
  RelroPadding,
  GprMaximums,
  Comment,
  SymTab,
  ShStrTab,
  StrTab,
  sectionCount
};

class Linker {
public:
  Linker(ELFFile<ELF64LE> file, StringRef comment) : file(file), comment(comment) {}

  Expected<std::vector<uint8_t>> link();

private:
  using Header = ELF64LE::Shdr;
  using Sym = ELF64LE::Sym;

  struct Symbol {
    const Sym *sym;
    StringRef name;
    unsigned section; ///< of the output; Null for absolute ones
  };

  Error readSections();
  Error readSymbols();
  void buildDynamicTables();
  void layOut();
  Error relocate(unsigned inputSection, OutputSection &target, bool isDebug);
  void buildDynamic();
  void buildSymbolTables();
  std::array<ELF::Elf64_Phdr, segmentCount> programHeaders() const;
  std::vector<uint8_t> write();
  std::vector<OutputSection *> sectionOrder();
  unsigned debugCount() const { return static_cast<unsigned>(debug.size()); }

  uint64_t addressOf(const Symbol &symbol) const {
    uint64_t value = symbol.sym->st_value;
    return symbol.section == Null ? value : out[symbol.section].address + value;
  }
  ELF::Elf64_Sym outputSymbol(const Symbol &symbol, uint32_t nameOffset) const;

  ELFFile<ELF64LE> file;
  StringRef comment;
  OutputSection out[sectionCount];
  std::vector<OutputSection> debug;     ///< in the order of the input
  DenseMap<unsigned, unsigned> debugOf; ///< input section index to place in `debug`
  std::vector<unsigned> outputOf;       ///< by input section index; Null: dropped
  std::vector<std::pair<unsigned, unsigned>> relocations; ///< input section, output section
  std::vector<Symbol> symbols;                            ///< of the input, by index
  std::vector<unsigned> locals, globals;                  ///< indices of kept symbols
  std::vector<unsigned> dynamicOrder;                     ///< globals as .dynsym has them
};

template <typename T> void append(std::string &bytes, T value) {
  char buffer[sizeof(T)];
  support::endian::write<T, llvm::endianness::little>(buffer, value);
  bytes.append(buffer, sizeof(T));
}

template <typename T> void appendRaw(std::string &bytes, const T &record) {
  // The host is little-endian, like the object (checked in link()).
  bytes.append(reinterpret_cast<const char *>(&record), sizeof(T));
}

/// The hash functions of the generic ABI and of .gnu.hash.
uint32_t hashSysV(StringRef name) {
  uint32_t h = 0;
  for (unsigned char c : name) {
    h = (h << 4) + c;
    uint32_t top = h & 0xf0000000;
    h ^= top >> 24;
    h &= ~top;
  }
  return h;
}
uint32_t hashGnu(StringRef name) {
  uint32_t h = 5381;
  for (unsigned char c : name)
    h = h * 33 + c;
  return h;
}

Error Linker::readSections() {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  outputOf.assign(sections->size(), Null);
  auto take = [&](unsigned index, const Header &header, SectionIndex target) -> Error {
    OutputSection &section = out[target];
    if (section.type != ELF::SHT_NULL)
      return needsLinker("more than one section for `" + section.name + "`");
    auto contents = file.getSectionContents(header);
    if (!contents)
      return contents.takeError();
    section.type = header.sh_type;
    section.flags = header.sh_flags;
    section.align = std::max<uint64_t>(header.sh_addralign, 1);
    if (!isPowerOf2_64(section.align) || section.align > pageBytes)
      return createStringError("malformed object: a section aligned to " + Twine(section.align));
    section.bytes.assign(contents->begin(), contents->end());
    outputOf[index] = target;
    return Error::success();
  };
  // Line tables: as they are, since one object has nothing to merge.
  auto takeDebug = [&](unsigned index, const Header &header, StringRef name) -> Error {
    auto contents = file.getSectionContents(header);
    if (!contents)
      return contents.takeError();
    OutputSection section;
    section.name = name;
    section.flags = header.sh_flags;
    section.align = std::max<uint64_t>(header.sh_addralign, 1);
    section.entryBytes = header.sh_entsize;
    if (!isPowerOf2_64(section.align) || section.align > pageBytes)
      return createStringError("malformed object: a section aligned to " + Twine(section.align));
    section.bytes.assign(contents->begin(), contents->end());
    debugOf[index] = debugCount();
    debug.push_back(std::move(section));
    return Error::success();
  };
  for (unsigned target : {NoteSection, RoData, Text, GprMaximums})
    out[target].type = ELF::SHT_NULL;
  for (auto [i, header] : enumerate(*sections)) {
    auto name = file.getSectionName(header);
    if (!name)
      return name.takeError();
    uint64_t flags = header.sh_flags;
    Error error = Error::success();
    if (header.sh_type == ELF::SHT_RELA) {
      if (header.sh_info >= sections->size())
        return createStringError("malformed object: a relocation section for no section");
      relocations.push_back({static_cast<unsigned>(i), header.sh_info});
    } else if (*name == ".text" && flags == (ELF::SHF_ALLOC | ELF::SHF_EXECINSTR))
      error = take(i, header, Text);
    else if (*name == ".rodata" && flags == ELF::SHF_ALLOC)
      error = take(i, header, RoData);
    else if (*name == ".note" && header.sh_type == ELF::SHT_NOTE)
      error = take(i, header, NoteSection);
    else if (*name == ".AMDGPU.gpr_maximums" && header.sh_size == 0)
      error = take(i, header, GprMaximums);
    else if (name->starts_with(".debug_") && header.sh_type == ELF::SHT_PROGBITS &&
             !(flags & ELF::SHF_ALLOC))
      error = takeDebug(i, header, *name);
    else if (header.sh_type != ELF::SHT_NULL && header.sh_type != ELF::SHT_STRTAB &&
             header.sh_type != ELF::SHT_SYMTAB && *name != ".note.GNU-stack" && header.sh_size != 0)
      error = needsLinker("section `" + *name + "`");
    if (error)
      return error;
  }
  for (unsigned target : {NoteSection, RoData, Text, GprMaximums})
    if (out[target].type == ELF::SHT_NULL)
      return needsLinker("a code object without kernels");
  return Error::success();
}

Error Linker::readSymbols() {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  const Header *table = nullptr;
  for (const Header &header : *sections)
    if (header.sh_type == ELF::SHT_SYMTAB)
      table = &header;
  auto all = file.symbols(table);
  if (!all)
    return all.takeError();
  auto names = table ? file.getStringTableForSymtab(*table) : Expected<StringRef>("");
  if (!names)
    return names.takeError();
  std::string undefined;
  for (auto [i, sym] : enumerate(*all)) {
    auto name = sym.getName(*names);
    if (!name)
      return name.takeError();
    bool isDefinedHere = sym.st_shndx != ELF::SHN_UNDEF && sym.st_shndx < ELF::SHN_LORESERVE;
    if (isDefinedHere && sym.st_shndx >= outputOf.size())
      return createStringError("malformed object: a symbol in no section");
    symbols.push_back({&sym, *name, isDefinedHere ? outputOf[sym.st_shndx] : unsigned(Null)});
    if (i == 0 || sym.getType() == ELF::STT_SECTION)
      continue;
    if (sym.st_shndx == ELF::SHN_UNDEF)
      undefined += (undefined.empty() ? "`" : ", `") + name->str() + "`";
    else if (!isDefinedHere && sym.st_shndx != ELF::SHN_ABS)
      return needsLinker("symbol `" + *name + "` in a special section");
    else if (isDefinedHere && outputOf[sym.st_shndx] == Null)
      return needsLinker("symbol `" + *name + "` in a section that is dropped");
    if (sym.getBinding() == ELF::STB_LOCAL)
      locals.push_back(i);
    else if (sym.getBinding() == ELF::STB_GLOBAL &&
             (sym.getVisibility() == ELF::STV_DEFAULT || sym.getVisibility() == ELF::STV_PROTECTED))
      globals.push_back(i);
    else
      return needsLinker("weak or hidden symbol `" + *name + "`");
  }
  if (!undefined.empty())
    return createStringError("undefined: " + undefined);
  return Error::success();
}

/// .dynsym is ordered by hash bucket, so names and hash tables are made together. Values follow in
/// buildSymbolTables, when addresses are known.
void Linker::buildDynamicTables() {
  unsigned count = globals.size();
  unsigned buckets = std::max(count / 4, 1u);
  dynamicOrder = globals;
  auto key = [&](unsigned index) {
    return std::pair(hashGnu(symbols[index].name) % buckets, index);
  };
  llvm::sort(dynamicOrder, [&](unsigned a, unsigned b) { return key(a) < key(b); });

  unsigned maskWords = count == 0 ? 1 : NextPowerOf2(count * 12 / wordBits);
  std::vector<uint64_t> bloom(maskWords);
  std::vector<uint32_t> firstOf(buckets), values;
  for (auto [i, index] : enumerate(dynamicOrder)) {
    uint32_t hash = hashGnu(symbols[index].name);
    uint64_t &word = bloom[(hash / wordBits) & (maskWords - 1)];
    word |= uint64_t(1) << (hash % wordBits);
    word |= uint64_t(1) << ((hash >> bloomShift) % wordBits);
    if (firstOf[hash % buckets] == 0)
      firstOf[hash % buckets] = i + 1;
    bool isLast = i + 1 == dynamicOrder.size() ||
                  hashGnu(symbols[dynamicOrder[i + 1]].name) % buckets != hash % buckets;
    values.push_back(isLast ? hash | 1 : hash & ~1u);
  }
  std::string &gnu = out[GnuHash].bytes;
  for (uint32_t word : {buckets, 1u, maskWords, bloomShift})
    append(gnu, word);
  for (uint64_t word : bloom)
    append(gnu, word);
  for (uint32_t word : firstOf)
    append(gnu, word);
  for (uint32_t word : values)
    append(gnu, word);

  unsigned entries = count + 1;
  std::vector<uint32_t> heads(entries), chains(entries);
  for (unsigned i = 1; i < entries; ++i) {
    uint32_t &head = heads[hashSysV(symbols[dynamicOrder[i - 1]].name) % entries];
    chains[i] = head;
    head = i;
  }
  std::string &sysv = out[Hash].bytes;
  append(sysv, uint32_t(entries));
  append(sysv, uint32_t(entries));
  for (uint32_t word : heads)
    append(sysv, word);
  for (uint32_t word : chains)
    append(sysv, word);

  // lld names dynamic symbols before it sorts them.
  StringTable names;
  for (unsigned index : globals)
    names.add(symbols[index].name);
  out[DynStr].bytes = names.bytes;
  out[DynSym].bytes.assign(entries * sizeof(ELF::Elf64_Sym), '\0');
  out[Dynamic].bytes.assign(7 * sizeof(ELF::Elf64_Dyn), '\0');
}

void Linker::layOut() {
  uint64_t address = sizeof(ELF::Elf64_Ehdr) + segmentCount * sizeof(ELF::Elf64_Phdr);
  uint64_t offset = address;
  for (unsigned i = NoteSection; i <= RelroPadding; ++i) {
    OutputSection &section = out[i];
    bool startsSegment = i == Text || i == Dynamic;
    if (startsSegment)
      address = alignTo(address, pageBytes) + address % pageBytes;
    address = alignTo(address, section.align);
    if (i == RelroPadding)
      section.memoryBytes = alignTo(address, pageBytes) - address;
    // In the file a segment follows at the next place with the same position in its page.
    offset = startsSegment ? alignTo(offset, pageBytes, address) : alignTo(offset, section.align);
    section.address = address;
    section.offset = offset;
    address += section.size();
    offset += section.type == ELF::SHT_NOBITS ? 0 : section.size();
  }
}

/// Applies the relocations of one input section. All symbols are in this object and keep their
/// definitions, so every place is known now. Debug sections are not loaded: places in them count
/// from their start, and they name code by its address.
Error Linker::relocate(unsigned inputSection, OutputSection &target, bool isDebug) {
  auto header = file.getSection(inputSection);
  if (!header)
    return header.takeError();
  auto entries = file.relas(**header);
  if (!entries)
    return entries.takeError();
  for (const ELF64LE::Rela &entry : *entries) {
    uint32_t type = entry.getType(false);
    bool isAbsolute = type == ELF::R_AMDGPU_ABS64 || type == ELF::R_AMDGPU_ABS32;
    unsigned width = type == ELF::R_AMDGPU_REL64 || type == ELF::R_AMDGPU_ABS64 ? 8 : 4;
    if (isAbsolute != isDebug)
      return needsLinker("relocation " + getELFRelocationTypeName(ELF::EM_AMDGPU, type));
    if (!isAbsolute && type != ELF::R_AMDGPU_REL64 && type != ELF::R_AMDGPU_REL32 &&
        type != ELF::R_AMDGPU_REL32_LO && type != ELF::R_AMDGPU_REL32_HI)
      return needsLinker("relocation " + getELFRelocationTypeName(ELF::EM_AMDGPU, type));
    if (entry.getSymbol(false) >= symbols.size() || entry.r_offset > target.bytes.size() ||
        width > target.bytes.size() - entry.r_offset)
      return createStringError("malformed object: a relocation out of range");
    const Symbol &symbol = symbols[entry.getSymbol(false)];
    char *place = target.bytes.data() + entry.r_offset;
    if (isAbsolute) {
      uint64_t value = addressOf(symbol) + entry.r_addend;
      if (width == 8)
        support::endian::write64le(place, value);
      else
        support::endian::write32le(place, static_cast<uint32_t>(value));
      continue;
    }
    if (symbol.section == Null)
      return needsLinker("a relative relocation against `" + symbol.name + "`");
    if (symbol.sym->getBinding() != ELF::STB_LOCAL &&
        symbol.sym->getVisibility() == ELF::STV_DEFAULT)
      return needsLinker("a relocation against the preemptible symbol `" + symbol.name + "`");
    uint64_t value = addressOf(symbol) + entry.r_addend - (target.address + entry.r_offset);
    if (type == ELF::R_AMDGPU_REL64)
      support::endian::write64le(place, value);
    else
      support::endian::write32le(place, type == ELF::R_AMDGPU_REL32_HI ? value >> 32 : value);
  }
  return Error::success();
}

void Linker::buildDynamic() {
  std::string &bytes = out[Dynamic].bytes;
  bytes.clear();
  const std::pair<uint64_t, uint64_t> entries[] = {{ELF::DT_SYMTAB, out[DynSym].address},
                                                   {ELF::DT_SYMENT, sizeof(ELF::Elf64_Sym)},
                                                   {ELF::DT_STRTAB, out[DynStr].address},
                                                   {ELF::DT_STRSZ, out[DynStr].size()},
                                                   {ELF::DT_GNU_HASH, out[GnuHash].address},
                                                   {ELF::DT_HASH, out[Hash].address},
                                                   {ELF::DT_NULL, 0}};
  for (auto [tag, value] : entries) {
    append(bytes, tag);
    append(bytes, value);
  }
}

ELF::Elf64_Sym Linker::outputSymbol(const Symbol &symbol, uint32_t nameOffset) const {
  ELF::Elf64_Sym result = {};
  result.st_name = nameOffset;
  result.st_info = symbol.sym->st_info;
  result.st_other = symbol.sym->st_other;
  result.st_shndx = symbol.section == Null ? uint16_t(ELF::SHN_ABS) : uint16_t(symbol.section);
  result.st_value = addressOf(symbol);
  result.st_size = symbol.sym->st_size;
  return result;
}

void Linker::buildSymbolTables() {
  StringTable dynamicNames;
  for (unsigned index : globals)
    dynamicNames.add(symbols[index].name);
  std::string &dynamic = out[DynSym].bytes;
  dynamic.assign(sizeof(ELF::Elf64_Sym), '\0');
  for (unsigned index : dynamicOrder)
    appendRaw(dynamic, outputSymbol(symbols[index], dynamicNames.add(symbols[index].name)));

  StringTable names;
  std::string &table = out[SymTab].bytes;
  table.assign(sizeof(ELF::Elf64_Sym), '\0');
  for (unsigned index : locals)
    appendRaw(table, outputSymbol(symbols[index], names.add(symbols[index].name)));
  std::string globalEntries;
  for (unsigned index : globals)
    appendRaw(globalEntries, outputSymbol(symbols[index], names.add(symbols[index].name)));
  ELF::Elf64_Sym dynamicSymbol = {};
  dynamicSymbol.st_name = names.add("_DYNAMIC");
  dynamicSymbol.st_other = ELF::STV_HIDDEN;
  dynamicSymbol.st_shndx = Dynamic;
  dynamicSymbol.st_value = out[Dynamic].address;
  appendRaw(table, dynamicSymbol);
  out[SymTab].info = table.size() / sizeof(ELF::Elf64_Sym);
  table += globalEntries;
  out[StrTab].bytes = names.bytes;
}

std::array<ELF::Elf64_Phdr, segmentCount> Linker::programHeaders() const {
  uint64_t dataEnd = out[RelroPadding].offset;
  auto segment = [&](uint32_t type, uint32_t flags, uint64_t at, uint64_t address,
                     uint64_t fileBytes, uint64_t memoryBytes, uint64_t align) {
    return ELF::Elf64_Phdr{type, flags, at, address, address, fileBytes, memoryBytes, align};
  };
  const OutputSection &note = out[NoteSection], &text = out[Text], &dynamic = out[Dynamic];
  uint64_t readEnd = out[RoData].offset + out[RoData].size();
  uint64_t relroBytes = out[RelroPadding].address + out[RelroPadding].memoryBytes - dynamic.address;
  constexpr uint64_t headerBytes = segmentCount * sizeof(ELF::Elf64_Phdr);
  return {segment(ELF::PT_PHDR, ELF::PF_R, sizeof(ELF::Elf64_Ehdr), sizeof(ELF::Elf64_Ehdr),
                  headerBytes, headerBytes, 8),
          segment(ELF::PT_LOAD, ELF::PF_R, 0, 0, readEnd, readEnd, pageBytes),
          segment(ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, text.offset, text.address, text.size(),
                  text.size(), std::max(pageBytes, text.align)),
          segment(ELF::PT_LOAD, ELF::PF_R | ELF::PF_W, dynamic.offset, dynamic.address,
                  dataEnd - dynamic.offset, relroBytes, pageBytes),
          segment(ELF::PT_DYNAMIC, ELF::PF_R | ELF::PF_W, dynamic.offset, dynamic.address,
                  dynamic.size(), dynamic.size(), 8),
          segment(ELF::PT_GNU_RELRO, ELF::PF_R, dynamic.offset, dynamic.address,
                  dataEnd - dynamic.offset, relroBytes, 1),
          segment(ELF::PT_GNU_STACK, ELF::PF_R | ELF::PF_W, 0, 0, 0, 0, 0),
          segment(ELF::PT_NOTE, ELF::PF_R, note.offset, note.address, note.size(), note.size(),
                  note.align)};
}

/// The section header table without its first, empty entry.
std::vector<OutputSection *> Linker::sectionOrder() {
  std::vector<OutputSection *> order;
  for (unsigned i = NoteSection; i < sectionCount; ++i) {
    if (i == Comment)
      for (OutputSection &section : debug)
        order.push_back(&section);
    order.push_back(&out[i]);
  }
  return order;
}

std::vector<uint8_t> Linker::write() {
  StringTable names;
  uint64_t offset = out[RelroPadding].offset;
  std::vector<OutputSection *> order = sectionOrder();
  std::vector<uint32_t> nameOffsets;
  for (const OutputSection *section : order)
    nameOffsets.push_back(names.add(section->name));
  out[ShStrTab].bytes = names.bytes;
  for (OutputSection *section : ArrayRef(order).drop_front(GprMaximums - NoteSection)) {
    section->offset = offset = alignTo(offset, section->align);
    offset += section->size();
  }
  uint64_t headersAt = alignTo(offset, 8);
  std::vector<uint8_t> bytes(headersAt + (1 + order.size()) * sizeof(ELF::Elf64_Shdr));
  auto put = [&bytes](uint64_t at, const void *from, size_t count) {
    if (count)
      std::memcpy(bytes.data() + at, from, count);
  };

  ELF::Elf64_Ehdr header;
  std::memcpy(&header, &file.getHeader(), sizeof(header));
  header.e_type = ELF::ET_DYN;
  header.e_phoff = sizeof(header);
  header.e_shoff = headersAt;
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_phnum = segmentCount;
  header.e_shnum = sectionCount + debugCount();
  header.e_shstrndx = ShStrTab + debugCount();
  put(0, &header, sizeof(header));

  std::array<ELF::Elf64_Phdr, segmentCount> segments = programHeaders();
  put(sizeof(header), segments.data(), sizeof(segments));

  for (auto [i, nextSection] : enumerate(order)) {
    const OutputSection &section = *nextSection;
    if (section.type != ELF::SHT_NOBITS)
      put(section.offset, section.bytes.data(), section.bytes.size());
    ELF::Elf64_Shdr entry = {nameOffsets[i], section.type,      section.flags, section.address,
                             section.offset, section.size(),    section.link,  section.info,
                             section.align,  section.entryBytes};
    put(headersAt + (1 + i) * sizeof(entry), &entry, sizeof(entry));
  }
  return bytes;
}

Expected<std::vector<uint8_t>> Linker::link() {
  if (!sys::IsLittleEndianHost)
    return needsLinker("this machine is big-endian");
  const auto &header = file.getHeader();
  if (header.e_type != ELF::ET_REL || header.e_machine != ELF::EM_AMDGPU)
    return createStringError("not a relocatable AMDGPU object");
  if (Error error = readSections())
    return error;
  if (Error error = readSymbols())
    return error;

  auto shape = [this](unsigned index, StringRef name, uint32_t type, uint64_t flags, uint64_t align,
                      uint64_t entryBytes) {
    out[index].name = name;
    out[index].type = type;
    out[index].flags = flags;
    out[index].align = align;
    out[index].entryBytes = entryBytes;
  };
  constexpr uint64_t alloc = ELF::SHF_ALLOC, data = ELF::SHF_ALLOC | ELF::SHF_WRITE;
  shape(DynSym, ".dynsym", ELF::SHT_DYNSYM, alloc, 8, sizeof(ELF::Elf64_Sym));
  shape(GnuHash, ".gnu.hash", ELF::SHT_GNU_HASH, alloc, 8, 0);
  shape(Hash, ".hash", ELF::SHT_HASH, alloc, 4, 4);
  shape(DynStr, ".dynstr", ELF::SHT_STRTAB, alloc, 1, 0);
  shape(Dynamic, ".dynamic", ELF::SHT_DYNAMIC, data, 8, sizeof(ELF::Elf64_Dyn));
  shape(RelroPadding, ".relro_padding", ELF::SHT_NOBITS, data, 1, 0);
  shape(Comment, ".comment", ELF::SHT_PROGBITS, ELF::SHF_MERGE | ELF::SHF_STRINGS, 1, 1);
  shape(SymTab, ".symtab", ELF::SHT_SYMTAB, 0, 8, sizeof(ELF::Elf64_Sym));
  shape(ShStrTab, ".shstrtab", ELF::SHT_STRTAB, 0, 1, 0);
  shape(StrTab, ".strtab", ELF::SHT_STRTAB, 0, 1, 0);
  out[NoteSection].name = ".note";
  out[RoData].name = ".rodata";
  out[Text].name = ".text";
  out[GprMaximums].name = ".AMDGPU.gpr_maximums";
  out[DynSym].link = DynStr;
  out[DynSym].info = 1;
  out[GnuHash].link = out[Hash].link = DynSym;
  out[Dynamic].link = DynStr;
  out[SymTab].link = StrTab + debugCount();
  out[Comment].bytes = comment.str() + '\0';

  buildDynamicTables();
  layOut();
  buildDynamic();
  buildSymbolTables();
  for (auto [section, patched] : relocations) {
    auto inDebug = debugOf.find(patched);
    bool isDebug = inDebug != debugOf.end();
    if (!isDebug && outputOf[patched] == Null)
      return needsLinker("relocations of a section that is dropped");
    OutputSection &target = isDebug ? debug[inDebug->second] : out[outputOf[patched]];
    if (Error error = relocate(section, target, isDebug))
      return error;
  }
  return write();
}

} // namespace

Expected<std::vector<uint8_t>> linkHsaco(ArrayRef<uint8_t> object, StringRef comment) {
  auto file = ELFFile<ELF64LE>::create(
      StringRef(reinterpret_cast<const char *>(object.data()), object.size()));
  if (!file)
    return file.takeError();
  return Linker(*file, comment).link();
}

} // namespace tilec::codegen
