//===- LayoutsPage.cpp - which lane holds which element -------------------===//
//
// Places are worked out here; LayoutsPage.inc draws them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LayoutsPage.h"
#include "LocalPlaces.h"

#include "tilec/Target/SharedBanks.h"
#include "tilec/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr char page[] =
#include "LayoutsPage.inc"
    ;

/// Elements that a page or a text shows of one buffer.
constexpr int64_t mostPlaces = 32768;
constexpr unsigned bankBytes = 4;
/// Registers of all lanes and waves that are looked at; a kernel has a few hundred thousand.
constexpr int64_t mostHolders = int64_t(1) << 24;

bool isDrawable(ArrayRef<int64_t> shape) {
  constexpr int64_t mostElems = int64_t(1) << 40;
  int64_t elems = 1;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > mostElems / elems)
      return false;
    elems *= extent;
  }
  return shape.empty() || shape.back() <= mostPlaces;
}

bool isDrawable(const FragmentLayout &layout) {
  int64_t bits = layout.atom().inputs()[0].bits() + layout.atom().inputs()[1].bits();
  constexpr int64_t mostBits = 24;
  return isDrawable(layout.shape()) && bits <= mostBits &&
         layout.numReps() <= mostHolders / (layout.atomRegs() * layout.lanes()) &&
         layout.numWaves() <= mostHolders / (layout.numRegs() * layout.lanes());
}

void setShape(LayoutPicture &picture, ArrayRef<int64_t> shape) {
  picture.cols = shape.empty() ? 1 : shape.back();
  picture.rows = 1;
  for (int64_t extent : shape.drop_back(shape.empty() ? 0 : 1))
    picture.rows *= extent;
  picture.shownRows = std::min(picture.rows, std::max<int64_t>(1, mostPlaces / picture.cols));
  picture.places.resize(picture.shownRows * picture.cols);
}

/// The coordinates of element `col` of `row`.
Coords pointOf(ArrayRef<int64_t> shape, int64_t row, int64_t col) {
  Coords point(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t &rest = d + 1 == shape.size() ? col : row;
    point[d] = rest % shape[d];
    rest /= shape[d];
  }
  return point;
}

/// The element of a point, by rows; nothing outside of the tile.
std::optional<int64_t> elementOf(ArrayRef<int64_t> shape, const Coords &point) {
  int64_t element = 0;
  for (auto [extent, at] : llvm::zip(shape, point)) {
    if (at < 0 || at >= extent)
      return std::nullopt;
    element = element * extent + at;
  }
  return element;
}

void placeFragment(LayoutPicture &picture, const FragmentLayout &layout) {
  setShape(picture, layout.shape());
  for (int64_t wave = 0; wave < layout.numWaves(); ++wave)
    for (int64_t lane = 0; lane < layout.lanes(); ++lane)
      for (int64_t reg = 0; reg < layout.numRegs(); ++reg) {
        std::optional<int64_t> element = elementOf(layout.shape(), layout.coords(reg, lane, wave));
        if (!element || *element >= int64_t(picture.places.size()))
          continue;
        LayoutPicture::Place &place = picture.places[*element];
        if (place.copies++ == 0)
          place = {-1, wave, lane, reg, 1};
      }
}

/// What a wave pays that reads 16 rows of 64 bytes, 16 bytes a lane, as operands of matrix
/// instructions are read; empty where the tile has no such reads or the chip's rule is not known.
std::string noteOfReads(const LayoutPicture &picture, const SharedLayout &layout, Arch arch) {
  constexpr int64_t rowsOfRead = 16, chunksOfRead = 4, chunkBytes = 16;
  int64_t chunkElems = chunkBytes * 8 / picture.elemBits;
  bool fits = picture.rows >= rowsOfRead && picture.cols >= chunkElems * chunksOfRead &&
              layout.vecElems % chunkElems == 0;
  if (vendorOf(arch) != Vendor::Amd || !fits)
    return "";
  LaneValues addresses;
  for (unsigned lane = 0; lane < bankedLanes; ++lane)
    addresses[lane] =
        layout.offset(pointOf(layout.shape, lane % rowsOfRead, lane / rowsOfRead * chunkElems)) *
        picture.elemBits / 8;
  unsigned conflicts = bankConflicts(arch, {true, chunkBytes}, addresses);
  return llvm::formatv("a wave that reads 16 rows of 64 bytes, 16 bytes a lane, loses {0} cycles "
                       "to bank conflicts",
                       conflicts);
}

void placeShared(LayoutPicture &picture, const SharedLayout &layout, Arch arch) {
  setShape(picture, layout.shape);
  for (int64_t row = 0; row < picture.shownRows; ++row)
    for (int64_t col = 0; col < picture.cols; ++col)
      picture.places[row * picture.cols + col].byte =
          layout.offset(pointOf(layout.shape, row, col)) * picture.elemBits / 8;
  picture.note = noteOfReads(picture, layout, arch);
}

void writePicture(llvm::json::OStream &json, const LayoutPicture &picture) {
  json.object([&] {
    json.attribute("name", picture.name);
    json.attribute("type", picture.type);
    json.attribute("layout", picture.layout);
    json.attribute("shared", picture.isShared);
    json.attribute("rows", picture.rows);
    json.attribute("cols", picture.cols);
    json.attribute("shownRows", picture.shownRows);
    json.attribute("banks", picture.banks);
    json.attribute("note", picture.note);
    json.attributeArray("places", [&] {
      for (const LayoutPicture::Place &place : picture.places)
        if (picture.isShared) {
          json.value(place.byte);
        } else {
          for (int64_t number : {place.wave, place.lane, place.reg, place.copies})
            json.value(number);
        }
    });
  });
}

} // namespace

std::optional<LayoutPicture> pictureOf(Attribute layout, int64_t elemBits, Arch arch) {
  LayoutPicture picture;
  picture.elemBits = elemBits;
  picture.banks = unsigned(targetInfo(arch).sharedBanks);
  llvm::raw_string_ostream(picture.layout) << layout;
  if (auto fragment = dyn_cast_or_null<tile::FragmentLayoutAttr>(layout)) {
    if (!isDrawable(fragment.getLayout()))
      return std::nullopt;
    placeFragment(picture, fragment.getLayout());
    return picture;
  }
  if (auto shared = dyn_cast_or_null<tile::SharedLayoutAttr>(layout)) {
    if (!isDrawable(shared.getLayout().shape))
      return std::nullopt;
    picture.isShared = true;
    placeShared(picture, shared.getLayout(), arch);
    return picture;
  }
  return std::nullopt;
}

std::string drawLayouts(llvm::StringRef title, ArrayRef<LayoutPicture> pictures) {
  std::string data;
  llvm::raw_string_ostream os(data);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("title", title);
    json.attributeArray("pictures", [&] {
      for (const LayoutPicture &picture : pictures)
        writePicture(json, picture);
    });
  });
  auto [before, after] = llvm::StringRef(page).split("/*DATA*/null");
  std::string text = before.str();
  for (char c : data) // a `<` would let a name end the script
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text + after.str();
}

std::string printLayout(const LayoutPicture &picture) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << picture.layout << '\n';
  os << (picture.isShared ? "each element: byte/bank of " + std::to_string(picture.banks)
                          : std::string("each element: wave.lane:register, * where other lanes "
                                        "hold it, too"))
     << '\n';
  auto cell = [&](const LayoutPicture::Place &place) -> std::string {
    if (picture.isShared)
      return llvm::formatv("{0}/{1}", place.byte, place.byte / bankBytes % picture.banks);
    if (place.copies == 0)
      return "-";
    return llvm::formatv("{0}.{1}:{2}{3}", place.wave, place.lane, place.reg,
                         place.copies > 1 ? "*" : "");
  };
  size_t width = 0;
  for (const LayoutPicture::Place &place : picture.places)
    width = std::max(width, cell(place).size());
  for (int64_t row = 0; row < picture.shownRows; ++row) {
    os << llvm::formatv("{0,4}", row);
    for (int64_t col = 0; col < picture.cols; ++col) {
      std::string text = cell(picture.places[row * picture.cols + col]);
      os << std::string(width + 1 - text.size(), ' ') << text;
    }
    os << '\n';
  }
  if (picture.shownRows < picture.rows)
    os << "... " << picture.rows - picture.shownRows << " rows more\n";
  if (!picture.note.empty())
    os << picture.note << '\n';
  return text;
}

llvm::Expected<std::string> layoutsPage(tile::ProgramOp program, Arch arch) {
  std::vector<LayoutPicture> pictures;
  std::string title;
  program.walk([&](tile::AllocOp alloc) {
    auto type = cast<tile::BufferType>(alloc.getResult().getType());
    std::optional<LayoutPicture> picture =
        pictureOf(alloc.getLayoutAttr(), bitsOf(tile::dtypeOf(type.getElementType())), arch);
    if (!picture)
      return;
    picture->name = alloc.getName().str();
    picture->type = typeText(type);
    pictures.push_back(std::move(*picture));
  });
  if (pictures.empty())
    return llvm::createStringError("no buffer of this program has a layout: it allocates neither "
                                   "fragments nor shared memory");
  return drawLayouts((program.getName() + " on " + llvm::StringRef(nameOf(arch))).str(), pictures);
}

} // namespace tilec
