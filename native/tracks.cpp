// Tracks of videos: the detections of every frame matched one-to-one, for HOTA and for CLEAR MOT.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr double kTie = 1e-9;  // assignments whose sums differ by less are equally good
constexpr double kContinued = 1000;
constexpr std::int64_t kHalf = 10;  // of 20 levels

// numpy's sum of contiguous numbers, with its order of additions: the reference's floats decide the matching.
double pairwise_sum(const double *values, std::size_t n) {
    if (n < 8) {
        double total = 0;
        for (std::size_t at = 0; at < n; ++at) {
            total += values[at];
        }
        return total;
    }
    if (n > 128) {
        std::size_t half = n / 2;
        half -= half % 8;
        return pairwise_sum(values, half) + pairwise_sum(values + half, n - half);
    }
    double part[8];
    std::copy(values, values + 8, part);
    std::size_t at = 8;
    for (; at < n - n % 8; at += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            part[lane] += values[at + lane];
        }
    }
    double total = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; at < n; ++at) {
        total += values[at];
    }
    return total;
}

// The one-to-one assignment of the largest sum, by shortest augmenting paths [crouse2016implementing]; among equal sums
// it takes the one that scipy's linear_sum_assignment takes, as rows and columns are visited in the same order.
class Assignment {
  public:
    // Column of each row, -1 for a row without one. `scores` has `n_rows` rows.
    const std::vector<std::int64_t> &solve(const std::vector<double> &scores, std::size_t n_rows, std::size_t n_columns,
                                           InterruptCheck &interrupts) {
        const bool turned = n_columns < n_rows;
        rows_ = turned ? n_columns : n_rows;
        columns_ = turned ? n_rows : n_columns;
        cost_.resize(scores.size());
        for (std::size_t row = 0; row < n_rows; ++row) {
            for (std::size_t column = 0; column < n_columns; ++column) {
                cost_[turned ? column * n_rows + row : row * n_columns + column] = -scores[row * n_columns + column];
            }
        }
        of_row_.assign(rows_, -1);
        of_column_.assign(columns_, -1);
        row_price_.assign(rows_, 0);
        column_price_.assign(columns_, 0);
        path_.assign(columns_, -1);
        for (std::size_t row = 0; row < rows_; ++row) {
            augment(row, interrupts);
        }
        result_.assign(n_rows, -1);
        for (std::size_t row = 0; row < rows_; ++row) {
            if (turned) {
                result_[static_cast<std::size_t>(of_row_[row])] = static_cast<std::int64_t>(row);
            } else {
                result_[row] = of_row_[row];
            }
        }
        turned_ = turned;
        return result_;
    }

    // No assignment that does without a chosen pair loses less than this, besides its own score.
    double least_loss(std::size_t row, std::size_t column) const {
        const std::size_t own = turned_ ? column : row, taken = turned_ ? row : column;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t at = 0; at < columns_; ++at) {
            if (at != taken) {
                least = std::min(least, cost_[own * columns_ + at] - row_price_[own] - column_price_[at]);
            }
        }
        return least;
    }

  private:
    void augment(std::size_t first, InterruptCheck &interrupts) {
        distance_.assign(columns_, std::numeric_limits<double>::infinity());
        seen_row_.assign(rows_, 0);
        seen_column_.assign(columns_, 0);
        remaining_.resize(columns_);
        for (std::size_t at = 0; at < columns_; ++at) {
            remaining_[at] = columns_ - at - 1;
        }
        std::size_t n_remaining = columns_, row = first, sink = 0;
        double lowest = 0;
        for (bool found = false; !found;) {
            interrupts.look(n_remaining);
            seen_row_[row] = 1;
            const double so_far = lowest;
            std::size_t best = 0;
            lowest = std::numeric_limits<double>::infinity();
            for (std::size_t at = 0; at < n_remaining; ++at) {
                const std::size_t column = remaining_[at];
                const double reached =
                    so_far + cost_[row * columns_ + column] - row_price_[row] - column_price_[column];
                if (reached < distance_[column]) {
                    path_[column] = static_cast<std::int64_t>(row);
                    distance_[column] = reached;
                }
                if (distance_[column] < lowest || (distance_[column] == lowest && of_column_[column] < 0)) {
                    lowest = distance_[column];
                    best = at;
                }
            }
            const std::size_t column = remaining_[best];
            found = of_column_[column] < 0;
            if (found) {
                sink = column;
            } else {
                row = static_cast<std::size_t>(of_column_[column]);
            }
            seen_column_[column] = 1;
            remaining_[best] = remaining_[--n_remaining];
        }
        row_price_[first] += lowest;
        for (std::size_t at = 0; at < rows_; ++at) {
            if (seen_row_[at] && at != first) {
                row_price_[at] += lowest - distance_[static_cast<std::size_t>(of_row_[at])];
            }
        }
        for (std::size_t at = 0; at < columns_; ++at) {
            if (seen_column_[at]) {
                column_price_[at] -= lowest - distance_[at];
            }
        }
        for (auto column = static_cast<std::int64_t>(sink);;) {
            const std::int64_t at = path_[static_cast<std::size_t>(column)];
            of_column_[static_cast<std::size_t>(column)] = at;
            std::swap(of_row_[static_cast<std::size_t>(at)], column);
            if (at == static_cast<std::int64_t>(first)) {
                return;
            }
        }
    }

    std::size_t rows_ = 0, columns_ = 0;
    bool turned_ = false;
    std::vector<double> cost_, row_price_, column_price_, distance_;
    std::vector<std::int64_t> of_row_, of_column_, path_, result_;
    std::vector<std::uint8_t> seen_row_, seen_column_;
    std::vector<std::size_t> remaining_;
};

// The detections of one class in all frames; cells are the pairs of a frame that overlap. All of it is a copy, for most
// are places in memory.
struct Frames {
    std::vector<std::int64_t> true_start, pred_start, cell_start, true_track, pred_track, row, column, level;
    std::vector<double> iou;
    std::size_t count, n_true, n_pred;
};

// One frame as a dense matrix.
struct Frame {
    std::size_t rows = 0, columns = 0;
    std::vector<std::int64_t> cell;  // -1 where a pair does not overlap
    std::vector<double> iou;

    void load(const Frames &frames, std::size_t at) {
        rows = static_cast<std::size_t>(frames.true_start[at + 1] - frames.true_start[at]);
        columns = static_cast<std::size_t>(frames.pred_start[at + 1] - frames.pred_start[at]);
        cell.assign(rows * columns, -1);
        iou.assign(rows * columns, 0);
        for (std::int64_t number = frames.cell_start[at]; number < frames.cell_start[at + 1]; ++number) {
            const auto place = static_cast<std::size_t>(frames.row[number]) * columns +
                               static_cast<std::size_t>(frames.column[number]);
            cell[place] = number;
            iou[place] = frames.iou[number];
        }
    }
};

// The Jaccard index of all pairs of tracks: each overlap is a share of all overlaps of its two detections.
std::vector<double> track_alignment(const Frames &frames, Frame &frame, InterruptCheck &interrupts) {
    std::vector<double> together(frames.n_true * frames.n_pred, 0);
    std::vector<double> of_true(frames.n_true, 0), of_pred(frames.n_pred, 0), by_row, by_column;
    for (std::size_t at = 0; at < frames.count; ++at) {
        frame.load(frames, at);
        interrupts.look(frame.rows * frame.columns + 1);
        by_row.assign(frame.rows, 0);
        by_column.assign(frame.columns, 0);
        for (std::size_t row = 0; row < frame.rows; ++row) {
            of_true[static_cast<std::size_t>(frames.true_track[frames.true_start[at] + row])] += 1;
            by_row[row] = pairwise_sum(frame.iou.data() + row * frame.columns, frame.columns);
            for (std::size_t column = 0; column < frame.columns; ++column) {
                by_column[column] += frame.iou[row * frame.columns + column];
            }
        }
        if (frame.columns == 1) {  // numpy then sums along the rows
            by_column[0] = pairwise_sum(frame.iou.data(), frame.rows);
        }
        for (std::size_t column = 0; column < frame.columns; ++column) {
            of_pred[static_cast<std::size_t>(frames.pred_track[frames.pred_start[at] + column])] += 1;
        }
        for (std::int64_t number = frames.cell_start[at]; number < frames.cell_start[at + 1]; ++number) {
            const auto row = static_cast<std::size_t>(frames.row[number]);
            const auto column = static_cast<std::size_t>(frames.column[number]);
            const double total = by_column[column] + by_row[row] - frames.iou[number];
            if (total > std::numeric_limits<double>::epsilon()) {
                const auto true_track = static_cast<std::size_t>(frames.true_track[frames.true_start[at] + row]);
                const auto pred_track = static_cast<std::size_t>(frames.pred_track[frames.pred_start[at] + column]);
                together[true_track * frames.n_pred + pred_track] += frames.iou[number] / total;
            }
        }
    }
    for (std::size_t row = 0; row < frames.n_true; ++row) {
        interrupts.look(frames.n_pred);
        for (std::size_t column = 0; column < frames.n_pred; ++column) {
            double &own = together[row * frames.n_pred + column];
            own = own / (of_true[row] + of_pred[column] - own);
        }
    }
    return together;
}

double sum_of(const std::vector<double> &scores, const std::vector<std::int64_t> &partner, std::size_t columns) {
    double total = 0;
    for (std::size_t row = 0; row < partner.size(); ++row) {
        if (partner[row] >= 0) {
            total += scores[row * columns + static_cast<std::size_t>(partner[row])];
        }
    }
    return total;
}

// How many chosen pairs that reach a level another assignment of the same sum of scores does without.
std::int64_t count_ties(const Frame &frame, const Frames &frames, std::vector<double> &scores,
                        const std::vector<std::int64_t> &partner, const Assignment &solved, Assignment &again,
                        InterruptCheck &interrupts) {
    const double best = sum_of(scores, partner, frame.columns);
    std::int64_t ties = 0;
    for (std::size_t row = 0; row < frame.rows; ++row) {
        if (partner[row] < 0) {
            continue;
        }
        const auto column = static_cast<std::size_t>(partner[row]);
        const std::size_t place = row * frame.columns + column;
        const double own = scores[place];
        interrupts.look(frame.columns);
        if (frame.cell[place] < 0 || frames.level[frame.cell[place]] == 0 || own <= 0 ||
            (own >= kTie && solved.least_loss(row, column) >= 2 * kTie)) {
            continue;
        }
        scores[place] = 0;
        ties += best - sum_of(scores, again.solve(scores, frame.rows, frame.columns, interrupts), frame.columns) < kTie;
        scores[place] = own;
    }
    return ties;
}

void check_frames(const std::vector<std::int64_t> &starts, std::size_t n, std::size_t count, const char *message) {
    check(starts.size() == count + 1 && starts.front() == 0 && starts.back() == static_cast<std::int64_t>(n), message);
    check(std::is_sorted(starts.begin(), starts.end()), message);
}

void check_range(const std::vector<std::int64_t> &values, std::size_t below, const char *message) {
    for (const std::int64_t value : values) {
        check(value >= 0 && value < static_cast<std::int64_t>(below), message);
    }
}

void check_cells(const Frames &frames) {
    for (std::size_t at = 0; at < frames.count; ++at) {
        for (std::int64_t cell = frames.cell_start[at]; cell < frames.cell_start[at + 1]; ++cell) {
            check(frames.row[cell] >= 0 && frames.row[cell] < frames.true_start[at + 1] - frames.true_start[at] &&
                      frames.column[cell] >= 0 &&
                      frames.column[cell] < frames.pred_start[at + 1] - frames.pred_start[at],
                  "cells must name detections of their frame");
        }
    }
    const auto is_iou = [](double iou) { return iou >= 0 && iou <= 1; };
    check(std::all_of(frames.iou.begin(), frames.iou.end(), is_iou), "an IoU must be from 0 to 1");
}

// Writes, for every true detection, the cell it is matched by for HOTA and for CLEAR (-1: none), and the numbers of ties
// of HOTA, ties of CLEAR and identity switches.
void match_tracks(Int64Array true_start, Int64Array pred_start, Int64Array cell_start, Int64Array true_track,
                  Int64Array pred_track, Int64Array row, Int64Array column, Doubles iou, Int64Array level,
                  std::int64_t n_true, std::int64_t n_pred, Numbers higher, Numbers clear, Numbers counts) {
    check(true_start.shape(0) >= 1, "there must be one start per frame and one end");
    check(n_true >= 0 && n_pred >= 0, "numbers of tracks must not be negative");
    const std::size_t count = true_start.shape(0) - 1;
    const Frames frames{private_copy(true_start),
                        private_copy(pred_start),
                        private_copy(cell_start),
                        private_copy(true_track),
                        private_copy(pred_track),
                        private_copy(row),
                        private_copy(column),
                        private_copy(level),
                        private_copy(iou),
                        count,
                        static_cast<std::size_t>(n_true),
                        static_cast<std::size_t>(n_pred)};
    const std::size_t cells = frames.row.size();
    check_frames(frames.true_start, true_track.shape(0), count, "starts must ascend to the number of true detections");
    check_frames(frames.pred_start, pred_track.shape(0), count,
                 "starts must ascend to the number of predicted detections");
    check_frames(frames.cell_start, cells, count, "starts must ascend to the number of cells");
    check(frames.column.size() == cells && frames.iou.size() == cells && frames.level.size() == cells,
          "there must be one row, column, IoU and level per cell");
    check_range(frames.true_track, frames.n_true, "true detections must name tracks");
    check_range(frames.pred_track, frames.n_pred, "predicted detections must name tracks");
    check_cells(frames);
    check(higher.shape(0) == true_track.shape(0) && clear.shape(0) == true_track.shape(0) && counts.shape(0) == 3,
          "results must have one entry per true detection, and three counts");
    nb::gil_scoped_release release;
    Frame frame;
    Assignment assignment, again;
    InterruptCheck interrupts;
    const std::vector<double> alignment = track_alignment(frames, frame, interrupts);
    std::vector<double> scores;
    std::vector<std::int64_t> last(frames.n_true, -1), before(frames.n_true, -1);
    std::fill(higher.data(), higher.data() + higher.shape(0), std::int64_t{-1});
    std::fill(clear.data(), clear.data() + clear.shape(0), std::int64_t{-1});
    std::int64_t higher_ties = 0, clear_ties = 0, switches = 0;
    std::vector<std::int64_t> of_row, of_column;
    for (std::size_t at = 0; at < count; ++at) {
        frame.load(frames, at);
        interrupts.look(frame.rows * frame.columns + 1);
        if (!frame.rows || !frame.columns) {
            continue;
        }
        const std::int64_t *const true_of = frames.true_track.data() + frames.true_start[at];
        const std::int64_t *const pred_of = frames.pred_track.data() + frames.pred_start[at];
        scores.assign(frame.iou.size(), 0);
        for (std::int64_t number = frames.cell_start[at]; number < frames.cell_start[at + 1]; ++number) {
            const auto r = static_cast<std::size_t>(frames.row[number]);
            const auto c = static_cast<std::size_t>(frames.column[number]);
            scores[r * frame.columns + c] =
                alignment[static_cast<std::size_t>(true_of[r]) * frames.n_pred + static_cast<std::size_t>(pred_of[c])] *
                frames.iou[number];
        }
        const std::vector<std::int64_t> &partner = assignment.solve(scores, frame.rows, frame.columns, interrupts);
        for (std::size_t r = 0; r < frame.rows; ++r) {
            if (partner[r] >= 0) {
                higher.data()[frames.true_start[at] + static_cast<std::int64_t>(r)] =
                    frame.cell[r * frame.columns + static_cast<std::size_t>(partner[r])];
            }
        }
        higher_ties += count_ties(frame, frames, scores, partner, assignment, again, interrupts);

        scores.assign(frame.iou.size(), 0);
        of_row.assign(frame.rows, 0);
        of_column.assign(frame.columns, 0);
        for (std::int64_t number = frames.cell_start[at]; number < frames.cell_start[at + 1]; ++number) {
            if (frames.level[number] < kHalf) {
                continue;
            }
            const auto r = static_cast<std::size_t>(frames.row[number]);
            const auto c = static_cast<std::size_t>(frames.column[number]);
            const bool continued = pred_of[c] == before[static_cast<std::size_t>(true_of[r])];
            scores[r * frame.columns + c] = (continued ? kContinued : 0) + frames.iou[number];
            ++of_row[r];
            ++of_column[c];
        }
        const auto is_contested = [](std::int64_t n) { return n > 1; };
        clear_ties += std::count_if(of_row.begin(), of_row.end(), is_contested) +
                      std::count_if(of_column.begin(), of_column.end(), is_contested);
        const std::vector<std::int64_t> &matched = again.solve(scores, frame.rows, frame.columns, interrupts);
        std::fill(before.begin(), before.end(), std::int64_t{-1});
        for (std::size_t r = 0; r < frame.rows; ++r) {
            const std::int64_t number =
                matched[r] < 0 ? -1 : frame.cell[r * frame.columns + static_cast<std::size_t>(matched[r])];
            if (number < 0 || frames.level[number] < kHalf) {
                continue;
            }
            clear.data()[frames.true_start[at] + static_cast<std::int64_t>(r)] = number;
            const auto track = static_cast<std::size_t>(true_of[r]);
            const std::int64_t partner_track = pred_of[matched[r]];
            switches += last[track] >= 0 && last[track] != partner_track;
            last[track] = before[track] = partner_track;
        }
    }
    counts.data()[0] = higher_ties;
    counts.data()[1] = clear_ties;
    counts.data()[2] = switches;
}

}  // namespace

}  // namespace segmetry

void register_tracks(nb::module_ &m) {
    m.def("match_tracks", &segmetry::match_tracks, nb::arg("true_start").noconvert(), nb::arg("pred_start").noconvert(),
          nb::arg("cell_start").noconvert(), nb::arg("true_track").noconvert(), nb::arg("pred_track").noconvert(),
          nb::arg("row").noconvert(), nb::arg("column").noconvert(), nb::arg("iou").noconvert(),
          nb::arg("level").noconvert(), nb::arg("n_true"), nb::arg("n_pred"), nb::arg("higher").noconvert(),
          nb::arg("clear").noconvert(), nb::arg("counts").noconvert());
}
