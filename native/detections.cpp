// Detections: predictions matched in descending order of score, and precision at given recalls.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Partners = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Outcomes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Square = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr double kMostThreshold = 1 - 1e-10;  // of the reference, so that rounding does not lose a perfect pair
constexpr std::uint8_t kHit = 1, kIgnored = 2;

// Places that ascend from 0 to n, in a copy.
std::vector<std::int64_t> checked_starts(const Int64Array &starts, std::size_t n, const char *message) {
    std::vector<std::int64_t> at = private_copy(starts);
    check(!at.empty() && at.front() == 0 && at.back() == static_cast<std::int64_t>(n), message);
    check(std::is_sorted(at.begin(), at.end()), message);
    return at;
}

// Numbers from 0 to n - 1, in a copy.
std::vector<std::int64_t> checked_numbers(const Int64Array &numbers, std::size_t n, const char *message) {
    std::vector<std::int64_t> copy = private_copy(numbers);
    const auto is_one = [n](std::int64_t number) { return number >= 0 && number < static_cast<std::int64_t>(n); };
    check(std::all_of(copy.begin(), copy.end(), is_one), message);
    return copy;
}

// Among the free truths of one prediction that reach the threshold: the best that counts (equal ones: the last), else
// the best that is ignored.
struct Choice {
    double best;
    std::int64_t row = -1;

    void offer(double overlap, std::int64_t at) {
        if (overlap >= best) {
            best = overlap;
            row = at;
        }
    }
};

void match_greedily(Int64Array starts, Int64Array truths, Doubles overlaps, Flags ignored, Flags reusable,
                    Doubles thresholds, Partners out) {
    const std::size_t n = out.shape(0), n_thresholds = out.shape(1), n_true = ignored.shape(0);
    const auto start = checked_starts(starts, truths.shape(0), "starts must ascend from 0 to the number of rows");
    check(start.size() == n + 1, "there must be one start per prediction and one end");
    check(overlaps.shape(0) == truths.shape(0), "there must be one overlap per row");
    check(reusable.shape(0) == n_true, "there must be two flags per truth");
    check(thresholds.shape(0) == n_thresholds, "there must be one column per threshold");
    const auto truth = checked_numbers(truths, n_true, "rows must name truths");
    const double *const overlap = overlaps.data();
    // As bytes: a bool that is neither 0 nor 1 has no meaning in C++, and any in numpy.
    const auto *const is_ignored = reinterpret_cast<const std::uint8_t *>(ignored.data());
    const auto *const is_reusable = reinterpret_cast<const std::uint8_t *>(reusable.data());
    std::int32_t *const partner = out.data();
    nb::gil_scoped_release release;
    std::vector<std::uint8_t> taken(n_true * n_thresholds);
    InterruptCheck interrupts;
    // Prediction by prediction, so that its rows are read and its partners are written in one place.
    for (std::size_t pred = 0; pred < n; ++pred) {
        std::int32_t *const own = partner + pred * n_thresholds;
        for (std::size_t at = 0; at < n_thresholds; ++at) {
            interrupts.look(start[pred + 1] - start[pred] + 1);
            const double least = std::min(thresholds.data()[at], kMostThreshold);
            Choice counted{least}, beside{least};
            for (std::int64_t row = start[pred]; row < start[pred + 1]; ++row) {
                if (!taken[truth[row] * n_thresholds + at]) {
                    (is_ignored[truth[row]] != 0 ? beside : counted).offer(overlap[row], row);
                }
            }
            const std::int64_t row = counted.row >= 0 ? counted.row : beside.row;
            own[at] = row < 0 ? -1 : static_cast<std::int32_t>(truth[row]);
            if (row >= 0 && is_reusable[truth[row]] == 0) {
                taken[truth[row] * n_thresholds + at] = 1;
            }
        }
    }
}

// Turns the precision at each hit into the best at that hit or beyond.
void make_descending(std::vector<double> &best) {
    for (std::size_t at = best.size(); at-- > 1;) {
        best[at - 1] = std::max(best[at - 1], best[at]);
    }
}

// The best precision at each recall or beyond. Precision falls and recall stays between two hits, so only hits matter.
void interpolate(const std::uint8_t *outcome, std::size_t n, std::size_t step, std::int64_t n_true,
                 const double *recalls, std::size_t n_recalls, double *precision, double *recall,
                 std::vector<double> &best, InterruptCheck &interrupts) {
    best.clear();
    std::int64_t n_counted = 0;
    in_pieces(n, interrupts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) {
            const std::uint8_t what = outcome[at * step];
            n_counted += what != kIgnored;
            if (what == kHit) {
                best.push_back(static_cast<double>(best.size() + 1) / static_cast<double>(n_counted));
            }
        }
    });
    make_descending(best);
    const double count = static_cast<double>(n_true);
    *recall = static_cast<double>(best.size()) / count;
    for (std::size_t at = 0, hit = 0; at < n_recalls; ++at) {
        while (hit < best.size() && static_cast<double>(hit + 1) / count < recalls[at]) {
            ++hit;
        }
        precision[at] = hit < best.size() ? best[hit] : 0.0;
    }
}

void precision_at_recalls(Outcomes outcomes, Int64Array starts, Int64Array n_true, Doubles recalls, Cube precision,
                          Square recall) {
    const std::size_t classes = n_true.shape(0), n_thresholds = outcomes.shape(1), n_recalls = recalls.shape(0);
    const auto start =
        checked_starts(starts, outcomes.shape(0), "starts must ascend from 0 to the number of predictions");
    check(start.size() == classes + 1, "there must be one start per class and one end");
    check(precision.shape(0) == classes && precision.shape(1) == n_thresholds && precision.shape(2) == n_recalls,
          "precision must have one entry per class, threshold and recall");
    check(recall.shape(0) == classes && recall.shape(1) == n_thresholds,
          "recall must have one entry per class and threshold");
    check(std::all_of(n_true.data(), n_true.data() + classes, [](std::int64_t n) { return n > 0; }),
          "every class must have truths");
    check(std::is_sorted(recalls.data(), recalls.data() + n_recalls), "recalls must ascend");
    nb::gil_scoped_release release;
    std::vector<double> best;
    InterruptCheck interrupts;
    for (std::size_t name = 0; name < classes; ++name) {
        const std::int64_t first = start[name], last = start[name + 1];
        for (std::size_t at = 0; at < n_thresholds; ++at) {
            interrupts.look(n_recalls);
            const std::size_t cell = name * n_thresholds + at;
            interpolate(outcomes.data() + first * n_thresholds + at, static_cast<std::size_t>(last - first),
                        n_thresholds, n_true.data()[name], recalls.data(), n_recalls,
                        precision.data() + cell * n_recalls, recall.data() + cell, best, interrupts);
        }
    }
}

// The mean over recalls of the best precision, from the precision at each hit; 0 where a recall is not reached.
double mean_precision(std::vector<double> &best, double n_true, const double *recalls, std::size_t n_recalls) {
    make_descending(best);
    double total = 0;
    for (std::size_t at = 0, hit = 0; at < n_recalls; ++at) {
        while (hit < best.size() && static_cast<double>(hit + 1) / n_true < recalls[at]) {
            ++hit;
        }
        if (hit == best.size()) {
            break;  // the others are 0
        }
        total += best[hit];
    }
    return total / static_cast<double>(n_recalls);
}

// The predictions of a class that are hits or ignored under one threshold: the tie each is in, and its place in that tie.
struct Events {
    std::vector<std::size_t> tie, place;
    std::vector<std::uint8_t> what;
};

// The predictions of a class by tie (image, class and score), and what matters of them under each threshold. The ties of
// a sample come one after the other, each as often as the sample has its image.
class RankedClass {
  public:
    RankedClass(const std::uint8_t *outcome, const std::int64_t *tie, const std::int64_t *item, std::size_t n,
                std::size_t n_thresholds, InterruptCheck &interrupts)
        : events_(n_thresholds) {
        for (std::size_t at = 0; at < n; ++at) {
            interrupts.look(n_thresholds);
            if (at == 0 || tie[at] != tie[at - 1]) {
                items_.push_back(item[at]);
                firsts_.push_back(at);
            }
            for (std::size_t threshold = 0; threshold < n_thresholds; ++threshold) {
                const std::uint8_t what = outcome[at * n_thresholds + threshold];
                if (what == kHit || what == kIgnored) {
                    events_[threshold].tie.push_back(items_.size() - 1);
                    events_[threshold].place.push_back(at - firsts_.back());
                    events_[threshold].what.push_back(what);
                }
            }
        }
        firsts_.push_back(n);
        before_.resize(items_.size());
    }

    // How often each image is drawn; `before_` becomes how many predictions come before each tie.
    void draw(const std::int64_t *drawn) {
        drawn_ = drawn;
        std::int64_t total = 0;
        for (std::size_t tie = 0; tie < items_.size(); ++tie) {
            before_[tie] = total;
            total += drawn[items_[tie]] * static_cast<std::int64_t>(firsts_[tie + 1] - firsts_[tie]);
        }
    }

    // The precision at each hit.
    void precision_at_hits(std::size_t threshold, std::vector<double> &precision) const {
        const Events &events = events_[threshold];
        precision.clear();
        std::int64_t ignored = 0;
        for (std::size_t first = 0, last = 0; first < events.tie.size(); first = last) {
            const std::size_t tie = events.tie[first];
            std::int64_t own = 0;
            for (last = first; last < events.tie.size() && events.tie[last] == tie; ++last) {
                own += events.what[last] == kIgnored;
            }
            const std::int64_t copies = drawn_[items_[tie]];
            const std::int64_t counted = static_cast<std::int64_t>(firsts_[tie + 1] - firsts_[tie]) - own;
            for (std::int64_t copy = 0; copy < copies; ++copy) {
                std::int64_t rank = before_[tie] - ignored + copy * counted + 1;
                for (std::size_t event = first; event < last; ++event) {
                    if (events.what[event] == kIgnored) {
                        --rank;
                        continue;
                    }
                    precision.push_back(static_cast<double>(precision.size() + 1) /
                                        static_cast<double>(rank + static_cast<std::int64_t>(events.place[event])));
                }
            }
            ignored += copies * own;
        }
    }

  private:
    std::vector<std::int64_t> items_, before_;
    std::vector<std::size_t> firsts_;
    std::vector<Events> events_;
    const std::int64_t *drawn_ = nullptr;
};

// The average precision of every class in every sample, added over all thresholds; 0 without truths in the sample.
void resampled_precision(Outcomes outcomes, Int64Array items, Int64Array ties, Int64Array starts, Counts times,
                         Counts n_true, Doubles recalls, Square out) {
    const std::size_t n = outcomes.shape(0), n_thresholds = outcomes.shape(1), samples = times.shape(0);
    const std::size_t classes = n_true.shape(1), n_items = times.shape(1);
    const auto start = checked_starts(starts, n, "starts must ascend from 0 to the number of predictions");
    check(start.size() == classes + 1, "there must be one start per class and one end");
    check(items.shape(0) == n && ties.shape(0) == n, "there must be one item and one tie per prediction");
    check(n_true.shape(0) == samples && out.shape(0) == samples, "there must be one row per sample");
    check(out.shape(1) == classes, "there must be one column per class");
    const auto item = checked_numbers(items, n_items, "predictions must name items");
    check(std::is_sorted(recalls.data(), recalls.data() + recalls.shape(0)), "recalls must ascend");
    nb::gil_scoped_release release;
    std::vector<double> best;
    InterruptCheck interrupts;
    for (std::size_t name = 0; name < classes; ++name) {
        const auto first = static_cast<std::size_t>(start[name]), last = static_cast<std::size_t>(start[name + 1]);
        RankedClass ranked(outcomes.data() + first * n_thresholds, ties.data() + first, item.data() + first,
                           last - first, n_thresholds, interrupts);
        for (std::size_t sample = 0; sample < samples; ++sample) {
            const std::int64_t count = n_true.data()[sample * classes + name];
            double total = 0;
            if (count > 0) {
                interrupts.look(last - first + n_thresholds * recalls.shape(0));
                ranked.draw(times.data() + sample * n_items);
                for (std::size_t at = 0; at < n_thresholds; ++at) {
                    ranked.precision_at_hits(at, best);
                    total += mean_precision(best, static_cast<double>(count), recalls.data(), recalls.shape(0));
                }
            }
            out.data()[sample * classes + name] = total;
        }
    }
}

}  // namespace

}  // namespace segmetry

void register_detections(nb::module_ &m) {
    m.def("match_greedily", &segmetry::match_greedily, nb::arg("starts").noconvert(), nb::arg("truths").noconvert(),
          nb::arg("overlaps").noconvert(), nb::arg("ignored").noconvert(), nb::arg("reusable").noconvert(),
          nb::arg("thresholds").noconvert(), nb::arg("out").noconvert());
    m.def("precision_at_recalls", &segmetry::precision_at_recalls, nb::arg("outcomes").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("n_true").noconvert(), nb::arg("recalls").noconvert(),
          nb::arg("precision").noconvert(), nb::arg("recall").noconvert());
    m.def("resampled_precision", &segmetry::resampled_precision, nb::arg("outcomes").noconvert(),
          nb::arg("items").noconvert(), nb::arg("ties").noconvert(), nb::arg("starts").noconvert(),
          nb::arg("times").noconvert(), nb::arg("n_true").noconvert(), nb::arg("recalls").noconvert(),
          nb::arg("out").noconvert());
}
