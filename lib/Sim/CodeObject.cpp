//===- CodeObject.cpp - AMDGPU ELF files ----------------------------------===//
//
// Takes any bytes; gives the image, its kernels' descriptors and metadata, or an error.
// Layouts: llvm.org/docs/AMDGPUUsage.html, "Code Object V5" and "Kernel Descriptor".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CodeObjectImpl.h"
#include "Execute.h"
#include "Metadata.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <algorithm>
#include <cstring>

namespace tilec::sim {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using llvm::StringRef;
namespace hsa = llvm::amdhsa;

// Far above what compilers lay out (kilobytes); a descriptor that asks for more is broken.
constexpr uint32_t maxKernargBytes = 1 << 20;

template <class... Args> llvm::Error fail(const char *format, Args... args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format, args...);
}

class Loader {
public:
  Loader(const Elf &elf, CodeObjectImpl &object, uint64_t maxImageBytes)
      : elf(elf), object(object), maxImageBytes(maxImageBytes) {}

  llvm::Error load() {
    if (llvm::Error e = readHeader())
      return e;
    if (llvm::Error e =
            elf.getHeader().e_type == llvm::ELF::ET_REL ? placeSections() : mapSegments())
      return e;
    if (llvm::Error e = readSymbols())
      return e;
    if (llvm::Error e = readMetadata())
      return e;
    for (const KernelInfo &kernel : object.kernels)
      if (kernel.kernargBytes > maxKernargBytes)
        return fail("`%s` asks for %u bytes of arguments", kernel.name.c_str(),
                    kernel.kernargBytes);
    if (object.kernels.empty())
      return fail("the code object has no kernel (no symbol NAME.kd)");
    return llvm::Error::success();
  }

private:
  const Elf &elf;
  CodeObjectImpl &object;
  const uint64_t maxImageBytes;
  std::vector<uint64_t> sectionAddress; ///< ET_REL: where each section was put
  struct CodeSymbol {
    uint64_t address, size;
  };
  std::vector<CodeSymbol> code;

  llvm::Error readHeader() {
    const auto &header = elf.getHeader();
    if (header.e_machine != llvm::ELF::EM_AMDGPU)
      return fail("not an AMDGPU code object (machine %d)", static_cast<int>(header.e_machine));
    switch (header.e_flags & llvm::ELF::EF_AMDGPU_MACH) {
    case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942:
      object.arch = Arch::Gfx942;
      return llvm::Error::success();
    case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950:
      object.arch = Arch::Gfx950;
      return llvm::Error::success();
    default:
      return fail(
          "the code object is for another chip (e_flags 0x%x); the simulator runs gfx942 and "
          "gfx950",
          static_cast<unsigned>(header.e_flags));
    }
  }

  llvm::Error growImage(uint64_t end) {
    if (end > maxImageBytes)
      return fail("the code object asks for %llu bytes of memory",
                  static_cast<unsigned long long>(end));
    if (object.image.size() < end)
      object.image.resize((end + 3) / 4 * 4);
    return llvm::Error::success();
  }

  llvm::Error mapSegments() {
    auto headers = elf.program_headers();
    if (!headers)
      return headers.takeError();
    for (const auto &segment : *headers) {
      if (segment.p_type != llvm::ELF::PT_LOAD)
        continue;
      uint64_t end = segment.p_vaddr + segment.p_memsz;
      if (end < segment.p_vaddr || segment.p_filesz > segment.p_memsz)
        return fail("a load segment's sizes contradict each other");
      if (llvm::Error e = growImage(end))
        return e;
      auto bytes = elf.getSegmentContents(segment);
      if (!bytes)
        return bytes.takeError();
      std::copy(bytes->begin(), bytes->end(), object.image.begin() + segment.p_vaddr);
      if (segment.p_flags & llvm::ELF::PF_X)
        object.executable.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_filesz});
    }
    return relocateDynamic();
  }

  /// ET_REL: allocatable sections one after the other, then their relocations.
  llvm::Error placeSections() {
    auto sections = elf.sections();
    if (!sections)
      return sections.takeError();
    sectionAddress.assign(sections->size(), 0);
    uint64_t at = 0x1000;
    for (size_t i = 0; i < sections->size(); ++i) {
      const auto &section = (*sections)[i];
      if (!(section.sh_flags & llvm::ELF::SHF_ALLOC))
        continue;
      uint64_t align = std::clamp<uint64_t>(section.sh_addralign, 1, 4096);
      at = (at + align - 1) / align * align;
      sectionAddress[i] = at;
      if (section.sh_size > maxImageBytes)
        return fail("section %d is too large", static_cast<int>(i));
      if (llvm::Error e = growImage(at + section.sh_size))
        return e;
      if (section.sh_type != llvm::ELF::SHT_NOBITS) {
        auto bytes = elf.getSectionContents(section);
        if (!bytes)
          return bytes.takeError();
        std::copy(bytes->begin(), bytes->end(), object.image.begin() + static_cast<ptrdiff_t>(at));
      }
      if (section.sh_flags & llvm::ELF::SHF_EXECINSTR) {
        object.executable.push_back({at, at + section.sh_size});
        object.places.push_back({at, at + section.sh_size, i});
      }
      at += section.sh_size;
    }
    for (const auto &section : *sections)
      if (section.sh_type == llvm::ELF::SHT_RELA && section.sh_info < sections->size() &&
          ((*sections)[section.sh_info].sh_flags & llvm::ELF::SHF_ALLOC))
        if (llvm::Error e = relocate(section, sectionAddress[section.sh_info]))
          return e;
    return llvm::Error::success();
  }

  llvm::Error relocateDynamic() {
    auto sections = elf.sections();
    if (!sections) {
      llvm::consumeError(sections.takeError()); // a stripped object has none
      return llvm::Error::success();
    }
    for (const auto &section : *sections)
      if (section.sh_type == llvm::ELF::SHT_RELA && (section.sh_flags & llvm::ELF::SHF_ALLOC))
        if (llvm::Error e = relocate(section, 0))
          return e;
    return llvm::Error::success();
  }

  llvm::Expected<uint64_t> symbolAddress(const Elf::Elf_Shdr &relocations, uint32_t index) {
    if (index == 0)
      return 0;
    auto table = elf.getSection(relocations.sh_link);
    if (!table)
      return table.takeError();
    auto symbol = elf.getEntry<Elf::Elf_Sym>(**table, index);
    if (!symbol)
      return symbol.takeError();
    if ((*symbol)->st_shndx == llvm::ELF::SHN_UNDEF) {
      auto names = elf.getStringTableForSymtab(**table);
      if (!names)
        return names.takeError();
      auto name = (*symbol)->getName(*names);
      if (!name)
        return name.takeError();
      return fail("symbol `%s` is undefined; link the object first", name->str().c_str());
    }
    return addressOf(**symbol);
  }
  uint64_t addressOf(const Elf::Elf_Sym &symbol) const {
    uint64_t base = symbol.st_shndx < sectionAddress.size() ? sectionAddress[symbol.st_shndx] : 0;
    return base + symbol.st_value;
  }

  llvm::Error relocate(const Elf::Elf_Shdr &section, uint64_t base) {
    auto entries = elf.relas(section);
    if (!entries)
      return entries.takeError();
    for (const auto &entry : *entries) {
      auto symbol = symbolAddress(section, entry.getSymbol(false));
      if (!symbol)
        return symbol.takeError();
      uint64_t place = base + entry.r_offset,
               value = *symbol + static_cast<uint64_t>(entry.r_addend);
      if (llvm::Error e = apply(entry.getType(false), place, value))
        return e;
    }
    return llvm::Error::success();
  }

  llvm::Error apply(uint32_t type, uint64_t place, uint64_t value) {
    uint64_t absolute = codeBase + value, relative = value - place;
    unsigned bytes = 4;
    uint64_t bits;
    using namespace llvm::ELF;
    switch (type) {
    case R_AMDGPU_NONE:
      return llvm::Error::success();
    case R_AMDGPU_ABS32_LO:
    case R_AMDGPU_ABS32:
      bits = absolute;
      break;
    case R_AMDGPU_ABS32_HI:
      bits = absolute >> 32;
      break;
    case R_AMDGPU_ABS64:
    case R_AMDGPU_RELATIVE64:
      bits = absolute, bytes = 8;
      break;
    case R_AMDGPU_REL32:
    case R_AMDGPU_REL32_LO:
      bits = relative;
      break;
    case R_AMDGPU_REL32_HI:
      bits = relative >> 32;
      break;
    case R_AMDGPU_REL64:
      bits = relative, bytes = 8;
      break;
    case R_AMDGPU_REL16:
      bits = (relative - 4) / 4, bytes = 2;
      break;
    default:
      return fail("relocation type %u is not supported; link the object first", type);
    }
    if (place > object.image.size() || bytes > object.image.size() - place)
      return fail("a relocation lies outside the image");
    std::memcpy(&object.image[place], &bits, bytes);
    return llvm::Error::success();
  }

  llvm::Error readSymbols() {
    auto sections = elf.sections();
    if (!sections)
      return sections.takeError();
    // .symtab when there is one, else what the dynamic linker would see.
    for (unsigned wanted : {llvm::ELF::SHT_SYMTAB, llvm::ELF::SHT_DYNSYM}) {
      for (const auto &section : *sections)
        if (section.sh_type == wanted)
          if (llvm::Error e = readSymbolTable(section))
            return e;
      if (!object.kernels.empty())
        break;
    }
    for (KernelSetup &setup : object.setups)
      setup.codeBytes = codeBytesFrom(static_cast<uint64_t>(setup.entryPc) * 4);
    return llvm::Error::success();
  }

  /// By the function symbol; hand-written objects may have none, and the section's end has to do.
  uint32_t codeBytesFrom(uint64_t entry) const {
    uint64_t bytes = 0;
    for (auto [begin, end] : object.executable)
      if (entry >= begin && entry < end)
        bytes = end - entry;
    for (const CodeSymbol &symbol : code)
      if (symbol.address == entry && symbol.size)
        return static_cast<uint32_t>(std::min(symbol.size, bytes));
    return static_cast<uint32_t>(bytes);
  }

  llvm::Error readSymbolTable(const Elf::Elf_Shdr &section) {
    auto symbols = elf.symbols(&section);
    if (!symbols)
      return symbols.takeError();
    auto names = elf.getStringTableForSymtab(section);
    if (!names)
      return names.takeError();
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      if (symbol.st_shndx == llvm::ELF::SHN_UNDEF)
        continue;
      if (symbol.getType() == llvm::ELF::STT_FUNC)
        code.push_back({addressOf(symbol), symbol.st_size});
      if (!name->ends_with(".kd") || symbol.st_size != sizeof(hsa::kernel_descriptor_t))
        continue;
      if (llvm::Error e = readDescriptor(name->drop_back(3), addressOf(symbol)))
        return e;
    }
    return llvm::Error::success();
  }

  llvm::Error readDescriptor(StringRef name, uint64_t address) {
    hsa::kernel_descriptor_t kd;
    if (address > object.image.size() || sizeof(kd) > object.image.size() - address)
      return fail("the descriptor of `%s` lies outside the image", name.str().c_str());
    std::memcpy(&kd, &object.image[address], sizeof(kd));
    uint64_t entry = address + static_cast<uint64_t>(kd.kernel_code_entry_byte_offset);
    if (entry % 4 != 0 || !object.isExecutable(entry))
      return fail("the entry point of `%s` (0x%llx) is not code", name.str().c_str(),
                  static_cast<unsigned long long>(entry));
    KernelSetup setup;
    setup.entryPc = static_cast<uint32_t>(entry / 4);
    setup.rsrc1 = kd.compute_pgm_rsrc1;
    setup.rsrc2 = kd.compute_pgm_rsrc2;
    setup.rsrc3 = kd.compute_pgm_rsrc3;
    setup.properties = kd.kernel_code_properties;
    setup.preload = kd.kernarg_preload;
    // gfx90a and later: granules of 8 registers, accumulation registers from ACCUM_OFFSET on.
    setup.numVgprs = std::min(((setup.rsrc1 & 63) + 1) * 8, 512u);
    setup.accumOffset = ((setup.rsrc3 & 63) + 1) * 4;
    KernelInfo info;
    info.name = name.str();
    info.vgprs = setup.numVgprs;
    info.firstAgpr = setup.accumOffset < setup.numVgprs ? setup.accumOffset : 0;
    info.ldsBytes = kd.group_segment_fixed_size;
    info.scratchBytes = kd.private_segment_fixed_size;
    info.kernargBytes = kd.kernarg_size;
    object.kernels.push_back(std::move(info));
    object.setups.push_back(setup);
    return llvm::Error::success();
  }

  llvm::Error readMetadata() {
    auto sections = elf.sections();
    if (!sections)
      return sections.takeError();
    for (const auto &section : *sections) {
      if (section.sh_type != llvm::ELF::SHT_NOTE)
        continue;
      llvm::Error error = llvm::Error::success();
      for (const auto &note : elf.notes(section, error))
        if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
          if (llvm::Error e = applyMetadata(note.getDescAsStringRef(4), object.kernels)) {
            llvm::consumeError(std::move(error));
            return e;
          }
      if (error)
        return error;
    }
    return llvm::Error::success();
  }
};

} // namespace

CodeObject::CodeObject() : pimpl(std::make_unique<CodeObjectImpl>()) {}
CodeObject::~CodeObject() = default;
Arch CodeObject::arch() const { return pimpl->arch; }
llvm::ArrayRef<KernelInfo> CodeObject::kernels() const { return pimpl->kernels; }
const KernelInfo *CodeObject::findKernel(llvm::StringRef name) const {
  for (const KernelInfo &kernel : pimpl->kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

CodeObject::Coverage CodeObject::coverage(const KernelInfo &kernel) const {
  const KernelSetup &setup = pimpl->setups[static_cast<size_t>(&kernel - pimpl->kernels.data())];
  const Program &program = pimpl->programFor(setup);
  Coverage result;
  uint32_t end = setup.entryPc + setup.codeBytes / 4;
  for (uint32_t pc = setup.entryPc; pc < end;) {
    const auto &decoded = static_cast<const Decoded &>(*program.at(pc));
    if (!decoded.error.empty())
      result.unsupported.push_back(pimpl->describeAddress(4ull * pc) + ": `" + decoded.text +
                                   "`: " + decoded.error);
    ++result.instructions;
    pc = decoded.next > pc ? decoded.next : pc + 1;
  }
  return result;
}

llvm::Expected<std::unique_ptr<CodeObject>> CodeObject::load(llvm::ArrayRef<uint8_t> bytes,
                                                             uint64_t maxImageBytes) {
  std::unique_ptr<CodeObject> made(new CodeObject);
  made->pimpl->elf.assign(bytes.begin(), bytes.end());
  StringRef text(reinterpret_cast<const char *>(made->pimpl->elf.data()), bytes.size());
  if (!text.starts_with("\177ELF"))
    return fail("not an ELF file");
  if (text.size() < sizeof(Elf::Elf_Ehdr) || text[4] != llvm::ELF::ELFCLASS64 ||
      text[5] != llvm::ELF::ELFDATA2LSB)
    return fail("not a 64-bit little-endian ELF file");
  auto elf = Elf::create(text);
  if (!elf)
    return elf.takeError();
  if (llvm::Error e = Loader(*elf, *made->pimpl, maxImageBytes).load())
    return e;
  auto disassembler = Disassembler::create(nameOf(made->pimpl->arch));
  if (!disassembler)
    return disassembler.takeError();
  made->pimpl->disassembler = std::move(*disassembler);
  return made;
}

} // namespace tilec::sim
