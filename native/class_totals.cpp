// How many segments of each class are matched, from the counted pairs of (category, instance) of a batch: one segment per instance
// of a thing, one per category of stuff; all other categories are void.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "exact_sum.hpp"
#include "hash_table.hpp"
#include "interrupts.hpp"
#include "local_rule.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

// True category, true instance, pred category, pred instance, shared elements.
using Rows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::int64_t kVoid = -1;
constexpr std::int64_t kDenseCategories = 1 << 16;
constexpr std::int64_t kMostElements = std::int64_t{1} << 61;
constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;

// What void elements do; the same names as in the policies of Python.
struct VoidPolicy {
    bool pred_void, true_void, drop_preds, drop_trues, removes_void;
};

// The number of a category among the sorted ones, or kVoid.
class Classes {
  public:
    // Both are copied: names are places in a table, and another thread might change the arrays.
    Classes(const Int64Array &categories, const Flags &things)
        : names_(categories.data(), categories.data() + categories.shape(0)),
          things_(bytes(things), bytes(things) + things.shape(0)) {
        check(things_.size() == names_.size(), "there must be a flag for every category");
        check(std::adjacent_find(names_.begin(), names_.end(), std::greater_equal<>()) == names_.end(),
              "categories must ascend");
        if (!names_.empty() && names_.front() >= 0 && names_.back() < kDenseCategories) {
            numbers_.assign(static_cast<std::size_t>(names_.back()) + 1, kVoid);
            for (std::size_t at = 0; at < names_.size(); ++at) {
                numbers_[static_cast<std::size_t>(names_[at])] = static_cast<std::int64_t>(at);
            }
        }
    }

    std::size_t size() const { return names_.size(); }

    bool is_thing(std::int64_t number) const { return things_[static_cast<std::size_t>(number)] != 0; }

    std::int64_t number(std::int64_t category) const {
        if (!numbers_.empty()) {
            return category >= 0 && static_cast<std::size_t>(category) < numbers_.size()
                       ? numbers_[static_cast<std::size_t>(category)]
                       : kVoid;
        }
        const auto found = std::lower_bound(names_.begin(), names_.end(), category);
        return found != names_.end() && *found == category ? found - names_.begin() : kVoid;
    }

  private:
    // A changed array may hold other bytes than those of a bool.
    static const std::uint8_t *bytes(const Flags &flags) {
        return reinterpret_cast<const std::uint8_t *>(flags.data());
    }

    std::vector<std::int64_t> names_;
    std::vector<std::uint8_t> things_;
    std::vector<std::int64_t> numbers_;
};

struct Segment {
    std::int64_t class_number, size, in_void;
    bool is_matched;
};

// The segments of one side of an item, in order of first appearance.
class Side {
  public:
    // `column`: where a row has the category of this side.
    void number(const std::int64_t *rows, std::size_t n, std::size_t column, const Classes &classes,
                InterruptCheck &interrupts) {
        HashTable<Numbered, 6, 1> known;
        segments.clear();
        of_row.resize(n);
        Numbered last;
        for (std::size_t at = 0; at < n; ++at) {
            interrupts.look(1);
            const std::int64_t *const pair = rows + 5 * at + column;
            const std::int64_t of_class = classes.number(pair[0]);
            if (of_class == kVoid) {
                of_row[at] = kVoid;
                continue;
            }
            const auto next = static_cast<std::int64_t>(segments.size());
            const Numbered wanted{of_class, classes.is_thing(of_class) ? pair[1] : 0, next};
            if (last.is_free() || !last.same_key(wanted)) {
                last = wanted;
                known.update_or_insert(wanted.hash(), wanted, [&last](const Numbered &found) { last = found; });
                if (last.segment == next) {
                    segments.push_back({of_class, 0, 0, false});
                }
            }
            of_row[at] = last.segment;
        }
    }

    std::vector<Segment> segments;
    std::vector<std::int64_t> of_row;

  private:
    struct Numbered {
        std::int64_t of_class = 0, instance = 0, segment = -1;

        bool is_free() const { return segment < 0; }
        bool same_key(const Numbered &other) const { return of_class == other.of_class && instance == other.instance; }
        std::uint64_t hash() const {
            return hash_of(static_cast<std::uint64_t>(of_class), static_cast<std::uint64_t>(instance));
        }
    };
};

struct Match {
    std::int64_t class_number;
    double iou;
};

class Totals {
  public:
    Totals(const Classes &classes, const LocalRule &rule, const VoidPolicy &policy)
        : classes_(classes), rule_(rule), policy_(policy), missed(classes.size(), 0), spurious(classes.size(), 0) {}

    // False where the products of the rule might not fit into 64 bits.
    bool add_item(const std::int64_t *rows, std::size_t n, InterruptCheck &interrupts) {
        true_.number(rows, n, 0, classes_, interrupts);
        pred_.number(rows, n, 2, classes_, interrupts);
        if (!add_sizes(rows, n)) {
            return false;
        }
        list_rows_of_true(n);
        shared_.assign(pred_.segments.size(), 0);
        for (std::size_t t = 0; t < true_.segments.size(); ++t) {
            if (!match(rows, t)) {
                return false;
            }
        }
        count_rest(true_.segments, policy_.true_void, policy_.drop_trues, missed);
        count_rest(pred_.segments, policy_.pred_void, policy_.drop_preds, spurious);
        return true;
    }

  private:
    bool add_sizes(const std::int64_t *rows, std::size_t n) {
        std::int64_t total = 0;
        for (std::size_t at = 0; at < n; ++at) {
            const std::int64_t count = rows[5 * at + 4], t = true_.of_row[at], h = pred_.of_row[at];
            if (count < 0 || count > kMostElements - total) {
                return false;
            }
            total += count;
            if (t != kVoid) {
                true_.segments[t].size += count;
                true_.segments[t].in_void += h == kVoid ? count : 0;
            }
            if (h != kVoid) {
                pred_.segments[h].size += count;
                pred_.segments[h].in_void += t == kVoid ? count : 0;
            }
        }
        return true;
    }

    // The rows of every true segment, one after the other: a counting sort.
    void list_rows_of_true(std::size_t n) {
        starts_.assign(true_.segments.size() + 2, 0);
        for (std::size_t at = 0; at < n; ++at) {
            ++starts_[static_cast<std::size_t>(true_.of_row[at] + 2)];
        }
        starts_[0] = 0;
        starts_[1] = 0;  // rows whose truth is void are not listed
        for (std::size_t t = 2; t < starts_.size(); ++t) {
            starts_[t] += starts_[t - 1];
        }
        listed_.resize(starts_.back());
        for (std::size_t at = 0; at < n; ++at) {
            if (true_.of_row[at] != kVoid) {
                listed_[starts_[static_cast<std::size_t>(true_.of_row[at] + 1)]++] = at;
            }
        }
    }

    std::int64_t counted(const Segment &segment, bool without_void) const {
        return segment.size - (without_void ? segment.in_void : 0);
    }

    bool match(const std::int64_t *rows, std::size_t t) {
        Segment &truth = true_.segments[t];
        met_.clear();
        for (std::size_t at = starts_[t]; at < starts_[t + 1]; ++at) {
            const std::int64_t h = pred_.of_row[listed_[at]];
            if (h != kVoid && pred_.segments[h].class_number == truth.class_number) {
                if (shared_[h] == 0) {
                    met_.push_back(h);
                }
                shared_[h] += rows[5 * listed_[at] + 4];
            }
        }
        bool fits = true;
        for (const std::int64_t h : met_) {
            Segment &guess = pred_.segments[h];
            const std::int64_t shared = shared_[h];
            shared_[h] = 0;
            const Elements pair{shared, counted(truth, policy_.true_void) - shared,
                                counted(guess, policy_.pred_void) - shared};
            fits &= rule_.fits(pair.bits());
            if (fits && rule_.accepts(pair)) {
                truth.is_matched = guess.is_matched = true;
                const std::int64_t all = pair.shared + pair.missed + pair.spurious;
                fits &= all < kExactInDouble;
                matched.push_back({truth.class_number, static_cast<double>(shared) / static_cast<double>(all)});
            }
        }
        return fits;
    }

    // Segments without a partner, unless the policy ignores them.
    void count_rest(const std::vector<Segment> &segments, bool without_void, bool drops,
                    std::vector<std::int64_t> &counts) const {
        for (const Segment &segment : segments) {
            const bool is_ignored = (drops && segment.in_void > segment.size - segment.in_void) ||
                                    (policy_.removes_void && counted(segment, without_void) == 0);
            counts[static_cast<std::size_t>(segment.class_number)] += !segment.is_matched && !is_ignored;
        }
    }

    const Classes &classes_;
    const LocalRule &rule_;
    VoidPolicy policy_;
    Side true_, pred_;
    std::vector<std::size_t> starts_, listed_;
    std::vector<std::int64_t> shared_, met_;

  public:
    std::vector<std::int64_t> missed, spurious;
    std::vector<Match> matched;
};

// The number of pairs and the sum of their IoU for every class; the pairs of a class are brought together first.
void add_up(const std::vector<Match> &matched, std::size_t n_classes, std::int64_t *n_pairs, double *iou_sums,
            InterruptCheck &interrupts) {
    std::fill(n_pairs, n_pairs + n_classes, 0);
    for (const Match &match : matched) {
        ++n_pairs[match.class_number];
    }
    std::vector<std::size_t> next(n_classes, 0);
    for (std::size_t at = 1; at < n_classes; ++at) {
        next[at] = next[at - 1] + static_cast<std::size_t>(n_pairs[at - 1]);
    }
    std::vector<double> weights(matched.size());
    for (const Match &match : matched) {
        weights[next[static_cast<std::size_t>(match.class_number)]++] = match.iou;
    }
    RoundedSum sum;
    for (std::size_t at = 0; at < n_classes; ++at) {
        const auto size = static_cast<std::size_t>(n_pairs[at]);
        iou_sums[at] = sum.of(weights.data() + next[at] - size, size, interrupts);
    }
}

nb::object class_totals(Rows rows, Int64Array lengths, Int64Array categories, Flags things, Inequalities inequalities,
                        bool pred_void, bool true_void, bool drop_preds, bool drop_trues, bool removes_void) {
    check(rows.shape(1) == 5, "a row must have five numbers");
    const Classes classes(categories, things);
    const LocalRule rule(inequalities);
    Totals totals(classes, rule, {pred_void, true_void, drop_preds, drop_trues, removes_void});
    NewArray<std::int64_t> n_pairs(classes.size());
    NewArray<double> iou_sums(classes.size());
    bool fits = true;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        std::size_t start = 0;
        for (std::size_t item = 0; item < lengths.shape(0) && fits; ++item) {
            const std::int64_t length = lengths.data()[item];
            check(length >= 0 && static_cast<std::size_t>(length) <= rows.shape(0) - start,
                  "the items must not have more rows than there are");
            fits = totals.add_item(rows.data() + 5 * start, static_cast<std::size_t>(length), interrupts);
            start += static_cast<std::size_t>(length);
        }
        check(!fits || start == rows.shape(0), "every row must belong to an item");
        add_up(totals.matched, classes.size(), n_pairs.data, iou_sums.data, interrupts);
    }
    if (!fits) {
        return nb::none();
    }
    return nb::make_tuple(n_pairs.array, to_numpy(totals.missed), to_numpy(totals.spurious), iou_sums.array);
}

}  // namespace

}  // namespace segmetry

void register_class_totals(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def(
        "class_totals", &segmetry::class_totals, nb::arg("rows").noconvert(), nb::arg("lengths").noconvert(),
        nb::arg("categories").noconvert(), nb::arg("things").noconvert(), nb::arg("inequalities").noconvert(),
        nb::arg("pred_void"), nb::arg("true_void"), nb::arg("drop_preds"), nb::arg("drop_trues"),
        nb::arg("removes_void"),
        "The matched pairs, the missed and the spurious segments of every class, and the sum of the IoU of its pairs; "
        "None where products might not fit into 64 bits, or numbers into a double.");
}
