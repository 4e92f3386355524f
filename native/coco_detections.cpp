// COCO's annotations and results: from text to columns of numbers, and how much their masks or boxes overlap.
//
// Only what is plain in every respect is read here. Anything else, and all that is wrong, is Unusual: nothing is returned,
// and the careful reader in Python reads the same file and says what is wrong, and where.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "call_in_threads.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "json_text.hpp"
#include "run_length_coco.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

// The columns of an annotation or a result. `kHas` are bits of the fields that it has.
enum Whole { kId, kImage, kCategory, kCrowd, kHas, kPlace, kLength, kHeight, kWidth, kWholes };
enum Real { kScore, kArea, kBox, kReals = kBox + 4 };
enum Field { kHasIds = 1, kHasBox = 2, kHasArea = 4, kHasScore = 8, kHasText = 16, kHasCounts = 32, kHasPolygons = 64 };

struct Row {
    std::int64_t wholes[kWholes] = {};
    double reals[kReals] = {};

    explicit Row(JsonText &json, bool is_result) {
        int ids = 0;
        json.object([&](std::string_view key) {
            if (key == "id") {
                ids |= is_result ? 0 : 1;
                is_result ? json.skip() : void(wholes[kId] = json.natural());
            } else if (key == "image_id") {
                ids |= 2;
                wholes[kImage] = json.natural();
            } else if (key == "category_id") {
                ids |= 4;
                wholes[kCategory] = json.natural();
            } else if (key == "bbox") {
                int n = 0;
                json.array([&] {
                    expect(n < 4);
                    reals[kBox + n] = json.number().value;
                    expect(n < 2 || reals[kBox + n] >= 0);
                    ++n;
                });
                expect(n == 4);
                wholes[kHas] |= kHasBox;
            } else if (key == "segmentation") {
                segmentation(json);
            } else if (key == "score" && is_result) {
                reals[kScore] = json.number().value;
                wholes[kHas] |= kHasScore;
            } else if (key == "area" && !is_result) {
                reals[kArea] = json.number().value;
                expect(reals[kArea] >= 0);
                wholes[kHas] |= kHasArea;
            } else if (key == "iscrowd" && !is_result) {
                wholes[kCrowd] = json.natural();
                expect(wholes[kCrowd] < 2);
            } else {
                json.skip();
            }
        });
        expect(ids == (is_result ? 6 : 7));
    }

  private:
    void segmentation(JsonText &json) {
        if (json.next() == '[') {
            wholes[kPlace] = json.place();
            json.array([&] { json.array([&] { json.number(); }); });
            wholes[kHas] |= kHasPolygons;
            return;
        }
        int lengths = 0;
        json.object([&](std::string_view key) {
            if (key == "size") {
                json.array([&] {
                    expect(lengths < 2);
                    wholes[kHeight + lengths++] = json.natural();
                });
            } else if (key == "counts" && json.next() == '"') {
                wholes[kPlace] = json.place() + 1;
                wholes[kLength] = static_cast<std::int64_t>(json.text().size());
                wholes[kHas] |= kHasText;
            } else if (key == "counts") {
                wholes[kPlace] = json.place();
                json.array([&] { json.natural(); });
                wholes[kHas] |= kHasCounts;
            } else {
                json.skip();
            }
        });
        expect(lengths == 2 && (wholes[kHas] & (kHasText | kHasCounts)) != 0);
    }
};

// The columns of all annotations or results, and where the lists of images and of categories start and stop.
nb::object scan_coco(const nb::bytes &content, bool is_results) {
    std::vector<Row> rows;
    std::int64_t places[4] = {};
    try {
        const nb::gil_scoped_release release;
        InterruptCheck interrupts;
        JsonText json(view_of(content));
        const auto read_rows = [&] {
            json.array([&] {
                const std::int64_t before = json.place();
                rows.emplace_back(json, is_results);
                interrupts.look(static_cast<std::size_t>(json.place() - before));
            });
        };
        if (is_results) {
            read_rows();
        } else {
            bool has_rows = false;
            json.object([&](std::string_view key) {
                if (key == "annotations") {
                    has_rows = true;
                    return read_rows();
                }
                json.next();
                const std::int64_t start = json.place();
                json.skip();
                if (key == "images" || key == "categories") {
                    std::int64_t *const own = places + (key == "images" ? 0 : 2);
                    own[0] = start;
                    own[1] = json.place();
                }
            });
            expect(has_rows && places[1] > 0 && places[3] > 0);
        }
        json.end();
    } catch (const Unusual &) {
        return nb::none();
    }
    nb::list columns;
    for (int column = 0; column < kWholes; ++column) {
        NewArray<std::int64_t> array(rows.size());
        std::transform(rows.begin(), rows.end(), array.data, [&](const Row &row) { return row.wholes[column]; });
        columns.append(array.array);
    }
    for (int column = 0; column < kReals; ++column) {
        NewArray<double> array(rows.size());
        std::transform(rows.begin(), rows.end(), array.data, [&](const Row &row) { return row.reals[column]; });
        columns.append(array.array);
    }
    return nb::make_tuple(columns, nb::make_tuple(places[0], places[1], places[2], places[3]));
}

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// One side: item i has the rows starts[i] : starts[i + 1], in the order in which they are matched. `numbers` are their
// positions in the file, `boxes` four numbers of each.
struct Side {
    nb::bytes content;
    std::string_view text;
    std::vector<std::int64_t> starts;
    Int64Array numbers, classes, fields, places, lengths;
    Doubles boxes;

    explicit Side(const nb::tuple &side)
        : content(nb::cast<nb::bytes>(whole(side)[0])),
          text(view_of(content)),
          starts(private_copy(nb::cast<Int64Array>(side[1]))),
          numbers(column(side, 2)),
          classes(column(side, 3)),
          fields(column(side, 4)),
          places(column(side, 5)),
          lengths(column(side, 6)),
          boxes(nb::cast<Doubles>(side[7])) {
        const auto rows = static_cast<std::int64_t>(numbers.size());
        check(!starts.empty() && starts.front() == 0 && starts.back() == rows &&
                  std::is_sorted(starts.begin(), starts.end()),
              "starts must ascend from 0 to the number of rows");
        check(boxes.size() == 4 * numbers.size(), "there must be four numbers of a box per row");
        for (const Int64Array *const own : {&classes, &fields, &places, &lengths}) {
            check(own->size() == numbers.size(), "columns must be equally long");
        }
    }

  private:
    static Int64Array column(const nb::tuple &side, std::size_t at) { return nb::cast<Int64Array>(side[at]); }

    static const nb::tuple &whole(const nb::tuple &side) {
        check(side.size() == 8, "a side must be its text, the starts of its items, and six columns");
        return side;
    }
};

// The stretches of the masks of one side of an item, one after the other, and how many elements each has.
struct DecodedMasks {
    std::vector<std::int64_t> offsets, starts, stops, sizes;
    std::vector<std::pair<std::int64_t, std::int64_t>> drawn;
    std::string unescaped;

    void decode(const Side &side, std::size_t item, std::int64_t height, std::int64_t width,
                InterruptCheck &interrupts) {
        constexpr std::int64_t most = std::int64_t{1} << 31;  // the product of two is an int64
        expect(height >= 0 && height < most && width >= 0 && width < most);
        offsets.assign(1, 0);
        starts.clear();
        stops.clear();
        sizes.clear();
        for (auto row = static_cast<std::size_t>(side.starts[item]);
             row < static_cast<std::size_t>(side.starts[item + 1]); ++row) {
            const std::int64_t field = side.fields.data()[row], place = side.places.data()[row];
            const std::int64_t length = side.lengths.data()[row], whole = static_cast<std::int64_t>(side.text.size());
            expect(place >= 0 && place <= whole && length >= 0 && length <= whole - place);
            const auto at = static_cast<std::size_t>(place);
            if (field & kHasText) {
                add_text(side.text.substr(at, static_cast<std::size_t>(length)), height * width, interrupts);
            } else if (field & kHasCounts) {
                add_counts(JsonText(side.text, at), height * width);
            } else if (field & kHasPolygons) {
                add_polygons(JsonText(side.text, at), height, width);
            }
            interrupts.look(static_cast<std::size_t>(length) + starts.size() -
                            static_cast<std::size_t>(offsets.back()));
            std::int64_t size = 0;
            for (auto run = static_cast<std::size_t>(offsets.back()); run < starts.size(); ++run) {
                size += stops[run] - starts[run];
            }
            sizes.push_back(size);
            offsets.push_back(static_cast<std::int64_t>(starts.size()));
        }
    }

    std::int64_t shared(std::size_t mask, const DecodedMasks &other, std::size_t with) const {
        auto a = static_cast<std::size_t>(offsets[mask]), b = static_cast<std::size_t>(other.offsets[with]);
        const auto last_a = static_cast<std::size_t>(offsets[mask + 1]),
                   last_b = static_cast<std::size_t>(other.offsets[with + 1]);
        if (a == last_a || b == last_b || stops[last_a - 1] <= other.starts[b] ||
            other.stops[last_b - 1] <= starts[a]) {
            return 0;
        }
        const auto skipped = [](const std::vector<std::int64_t> &ends, std::size_t from, std::size_t to,
                                std::int64_t before) {
            const auto first = ends.begin() + static_cast<std::ptrdiff_t>(from),
                       last = ends.begin() + static_cast<std::ptrdiff_t>(to);
            return static_cast<std::size_t>(std::upper_bound(first, last, before) - ends.begin());
        };
        const std::int64_t start = std::max(starts[a], other.starts[b]);  // no element before it is shared
        a = skipped(stops, a, last_a, start);
        b = skipped(other.stops, b, last_b, start);
        std::int64_t sum = 0;
        while (a < last_a && b < last_b) {
            const std::int64_t stop = stops[a], other_stop = other.stops[b];
            sum += std::max<std::int64_t>(std::min(stop, other_stop) - std::max(starts[a], other.starts[b]), 0);
            a += stop <= other_stop;
            b += other_stop <= stop;
        }
        return sum;
    }

  private:
    void add(std::int64_t start, std::int64_t stop) {
        if (start == stop) {
            return;
        }
        if (static_cast<std::int64_t>(stops.size()) > offsets.back() && stops.back() >= start) {
            stops.back() = std::max(stops.back(), stop);
            return;
        }
        starts.push_back(start);
        stops.push_back(stop);
    }

    void add_text(std::string_view text, std::int64_t size, InterruptCheck &interrupts) {
        if (text.find('\\') != std::string_view::npos) {
            unescaped.clear();
            for (std::size_t at = 0; at < text.size(); ++at) {
                if (text[at] == '\\') {
                    expect(++at < text.size() && text[at] == '\\');
                }
                unescaped.push_back(text[at]);
            }
            text = unescaped;
        }
        const auto numbers = survey_coco(text, interrupts);
        expect(numbers.has_value());
        const std::size_t before = starts.size();
        starts.resize(before + *numbers / 2 + 1);
        stops.resize(before + *numbers / 2 + 1);
        const auto found =
            decode_coco_mask(text, *numbers, size, starts.data() + before, stops.data() + before, interrupts);
        expect(found.has_value());
        starts.resize(before + *found);
        stops.resize(before + *found);
    }

    void add_counts(JsonText json, std::int64_t size) {
        std::int64_t position = 0;
        bool inside = false;
        json.array([&] {
            const std::int64_t count = json.natural();
            expect(count <= size - position);
            if (inside) {
                add(position, position + count);
            }
            position += count;
            inside = !inside;
        });
        expect(position == size);
    }

    // As pycocotools draws polygons: points along the outline in a grid five times as fine, then the rows at which it
    // enters and leaves each column.
    void add_polygons(JsonText json, std::int64_t height, std::int64_t width) {
        std::size_t polygons = 0;
        drawn.clear();
        json.array([&] {
            std::vector<double> xy;
            json.array([&] { xy.push_back(json.number().value); });
            add_outline(xy, height, width);
            ++polygons;
        });
        expect(polygons > 0);
        std::sort(drawn.begin(), drawn.end());
        for (const auto &[start, stop] : drawn) {
            add(start, stop);
        }
    }

    void add_outline(const std::vector<double> &xy, std::int64_t height, std::int64_t width) {
        const std::size_t n = xy.size() / 2;
        expect(n >= 3 && xy.size() % 2 == 0 && height < kMostLength && width < kMostLength);
        double perimeter = 0;
        for (std::size_t at = 0; at < n; ++at) {
            const std::size_t after = 2 * ((at + 1) % n);
            expect(-width <= xy[2 * at] && xy[2 * at] <= 2 * width && -height <= xy[2 * at + 1] &&
                   xy[2 * at + 1] <= 2 * height);
            perimeter += std::max(std::abs(xy[2 * at] - xy[after]), std::abs(xy[2 * at + 1] - xy[after + 1]));
        }
        expect(perimeter < 3.9 * static_cast<double>((height + 1) * (width + 1)));  // near the limit Python decides
        const auto fine = [&](std::size_t at) { return static_cast<int>(5 * xy[at] + .5); };
        std::vector<std::int64_t> crossings;
        int u = 0, v = 0;
        bool is_first = true;
        for (std::size_t at = 0; at < n; ++at) {
            const std::size_t after = 2 * ((at + 1) % n);
            int x = fine(2 * at), to_x = fine(after), y = fine(2 * at + 1), to_y = fine(after + 1);
            const int wide = std::abs(to_x - x), high = std::abs(to_y - y), steps = std::max(wide, high);
            const bool flips = (wide >= high && x > to_x) || (wide < high && y > to_y);
            if (flips) {
                std::swap(x, to_x);
                std::swap(y, to_y);
            }
            const double slope = steps == 0     ? 0.0
                                 : wide >= high ? static_cast<double>(to_y - y) / wide
                                                : static_cast<double>(to_x - x) / high;
            for (int d = 0; d <= steps; ++d) {
                const int t = flips ? steps - d : d;
                const int next_u = wide >= high ? t + x : static_cast<int>(x + slope * t + .5);
                const int next_v = wide >= high ? static_cast<int>(y + slope * t + .5) : t + y;
                if (!is_first && next_u != u) {
                    const double column = (static_cast<double>(next_u < u ? next_u : next_u - 1) + .5) / 5 - .5;
                    if (std::floor(column) == column && column >= 0 && column <= static_cast<double>(width - 1)) {
                        const double row = (static_cast<double>(std::min(next_v, v)) + .5) / 5 - .5;
                        const double clipped = std::ceil(std::min(std::max(row, 0.0), static_cast<double>(height)));
                        crossings.push_back(static_cast<std::int64_t>(column) * height +
                                            static_cast<std::int64_t>(clipped));
                    }
                }
                u = next_u;
                v = next_v;
                is_first = false;
            }
        }
        crossings.push_back(height * width);
        std::sort(crossings.begin(), crossings.end());
        for (std::size_t at = 0; at + 1 < crossings.size(); at += 2) {
            drawn.emplace_back(crossings[at], crossings[at + 1]);
        }
    }

    static constexpr std::int64_t kMostLength = std::int64_t{1} << 20;
};

// The keys put rows of different classes into the order of the file.
struct OverlapRow {
    std::int64_t first_key, second_key, pred, truth;
    double overlap;
};

struct ItemRows {
    std::vector<OverlapRow> same, other;
};

nb::object columns_of(const std::vector<ItemRows> &items, std::vector<OverlapRow> ItemRows::*part) {
    std::size_t total = 0;
    NewArray<std::int64_t> starts(items.size() + 1);
    for (std::size_t item = 0; item < items.size(); ++item) {
        starts.data[item] = static_cast<std::int64_t>(total);
        total += (items[item].*part).size();
    }
    starts.data[items.size()] = static_cast<std::int64_t>(total);
    NewArray<std::int64_t> pred(total), truth(total);
    NewArray<double> overlap(total);
    std::size_t at = 0;
    for (const ItemRows &item : items) {
        for (const OverlapRow &row : item.*part) {
            pred.data[at] = row.pred;
            truth.data[at] = row.truth;
            overlap.data[at++] = row.overlap;
        }
    }
    return nb::make_tuple(starts.array, pred.array, truth.array, overlap.array);
}

// The overlaps of each item, of the same class and, from `least` on, of different classes; and the sizes of all masks.
nb::object detection_overlaps(const nb::tuple &true_side, const nb::tuple &pred_side, Flags crowds, Flags shares,
                              Int64Array heights, Int64Array widths, double least, bool of_boxes, std::size_t threads) {
    const Side truth(true_side), pred(pred_side);
    const std::size_t n = truth.starts.size() - 1;
    check(pred.starts.size() == n + 1 && heights.size() == n && widths.size() == n,
          "both sides must have the same items");
    check(crowds.size() == truth.numbers.size() && shares.size() == crowds.size(), "there must be two flags per truth");
    std::vector<ItemRows> items(n);
    NewArray<std::int64_t> true_sizes(truth.numbers.size()), pred_sizes(pred.numbers.size());
    const auto compare = [&](std::size_t item, DecodedMasks &a, DecodedMasks &b, InterruptCheck &interrupts) {
        const auto first_a = static_cast<std::size_t>(truth.starts[item]),
                   first_b = static_cast<std::size_t>(pred.starts[item]);
        const auto last_a = static_cast<std::size_t>(truth.starts[item + 1]),
                   last_b = static_cast<std::size_t>(pred.starts[item + 1]);
        a.decode(truth, item, heights.data()[item], widths.data()[item],
                 interrupts);  // whose sizes count with boxes, too
        std::copy(a.sizes.begin(), a.sizes.end(), true_sizes.data + first_a);
        if (!of_boxes) {
            b.decode(pred, item, heights.data()[item], widths.data()[item], interrupts);
            std::copy(b.sizes.begin(), b.sizes.end(), pred_sizes.data + first_b);
        }
        for (std::size_t p = first_b; p < last_b; ++p) {
            for (std::size_t t = first_a; t < last_a; ++t) {
                const bool same = truth.classes.data()[t] == pred.classes.data()[p], share = shares.data()[t] != 0;
                if (!same && crowds.data()[t] != 0) {
                    continue;
                }
                double overlap = 0;
                if (of_boxes) {
                    const double *const x = pred.boxes.data() + 4 * p, *const y = truth.boxes.data() + 4 * t;
                    const double width = std::min(x[2] + x[0], y[2] + y[0]) - std::max(x[0], y[0]);
                    const double height = std::min(x[3] + x[1], y[3] + y[1]) - std::max(x[1], y[1]);
                    if (!(width > 0 && height > 0)) {
                        continue;
                    }
                    const double shared = width * height, area = x[2] * x[3];
                    overlap = shared / (share ? area : area + y[2] * y[3] - shared);
                } else {
                    const std::int64_t size = b.sizes[p - first_b], true_size = a.sizes[t - first_a];
                    if (!same && static_cast<double>(std::min(size, true_size)) <
                                     .99 * least * static_cast<double>(std::max(size, true_size))) {
                        continue;  // they could not overlap by so much
                    }
                    const std::int64_t shared = a.shared(t - first_a, b, p - first_b);
                    interrupts.look(static_cast<std::size_t>(b.offsets[p - first_b + 1] - b.offsets[p - first_b]));
                    if (shared == 0) {
                        continue;
                    }
                    overlap =
                        static_cast<double>(shared) / static_cast<double>(share ? size : size + true_size - shared);
                }
                if (same || overlap >= least) {
                    const std::int64_t number = pred.numbers.data()[p], at = static_cast<std::int64_t>(t - first_a);
                    const OverlapRow row{of_boxes ? number : at, of_boxes ? at : number,
                                         static_cast<std::int64_t>(p - first_b), at, overlap};
                    (same ? items[item].same : items[item].other).push_back(row);
                }
            }
        }
        std::sort(items[item].other.begin(), items[item].other.end(), [](const OverlapRow &x, const OverlapRow &y) {
            return std::pair(x.first_key, x.second_key) < std::pair(y.first_key, y.second_key);
        });
    };
    std::atomic<bool> is_usual{true};
    {
        const nb::gil_scoped_release release;
        std::atomic<std::size_t> next{0};
        call_in_threads(std::max<std::size_t>(1, std::min(threads, n)), [&](std::size_t, InterruptCheck &interrupts) {
            DecodedMasks a, b;
            try {
                for (std::size_t item; is_usual && (item = next.fetch_add(1)) < n;) {
                    compare(item, a, b, interrupts);
                }
            } catch (const Unusual &) {
                is_usual = false;
            }
        });
    }
    if (!is_usual) {
        return nb::none();
    }
    return nb::make_tuple(columns_of(items, &ItemRows::same), columns_of(items, &ItemRows::other), true_sizes.array,
                          pred_sizes.array);
}

}  // namespace

}  // namespace segmetry

void register_coco_detections(nb::module_ &m) {
    m.def("scan_coco", &segmetry::scan_coco, nb::arg("content"), nb::arg("is_results"),
          "The columns of the annotations or results in a JSON text; None where anything in it is unusual.");
    m.def("detection_overlaps", &segmetry::detection_overlaps, nb::arg("true"), nb::arg("pred"),
          nb::arg("crowds").noconvert(), nb::arg("shares").noconvert(), nb::arg("heights").noconvert(),
          nb::arg("widths").noconvert(), nb::arg("least"), nb::arg("of_boxes"), nb::arg("threads"),
          "The overlaps of predictions and truths of every item; None where a mask is unusual.");
}
