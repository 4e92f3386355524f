// The extension module `segmetry.kernels._native`: every kernel registers its functions here.
#include <nanobind/nanobind.h>

#include "arrays.hpp"

namespace nb = nanobind;

void register_interrupts(nb::module_ &m);
void register_pairs(nb::module_ &m);
void register_category_pairs(nb::module_ &m);
void register_key_rows(nb::module_ &m);
void register_run_length_masks(nb::module_ &m);
void register_geometry(nb::module_ &m);
void register_nearest_distances(nb::module_ &m);
void register_paint(nb::module_ &m);
void register_png(nb::module_ &m);
void register_png_file(nb::module_ &m);
void register_label_run_lengths(nb::module_ &m);
void register_table_columns(nb::module_ &m);
void register_bands(nb::module_ &m);
void register_components(nb::module_ &m);
void register_label_boundaries(nb::module_ &m);
void register_detections(nb::module_ &m);
void register_coco_detections(nb::module_ &m);
void register_draws(nb::module_ &m);
void register_groups(nb::module_ &m);
void register_distributions(nb::module_ &m);
void register_text_codes(nb::module_ &m);
void register_hypergeometric(nb::module_ &m);
void register_tracks(nb::module_ &m);
void register_local_rules(nb::module_ &m);
void register_line_overlaps(nb::module_ &m);
void register_window_counts(nb::module_ &m);
void register_line_files(nb::module_ &m);

NB_MODULE(_native, m) {
    m.doc() = "Native kernels of segmetry. Each has a numpy twin with the same contract beside it in Python.";
    segmetry::look_up_numpy();
    register_interrupts(m);
    register_pairs(m);
    register_category_pairs(m);
    register_key_rows(m);
    register_run_length_masks(m);
    register_geometry(m);
    register_nearest_distances(m);
    register_paint(m);
    register_png(m);
    register_png_file(m);
    register_label_run_lengths(m);
    register_table_columns(m);
    register_bands(m);
    register_components(m);
    register_label_boundaries(m);
    register_detections(m);
    register_coco_detections(m);
    register_draws(m);
    register_groups(m);
    register_distributions(m);
    register_text_codes(m);
    register_hypergeometric(m);
    register_tracks(m);
    register_local_rules(m);
    register_line_files(m);
    register_line_overlaps(m);
    register_window_counts(m);
}
