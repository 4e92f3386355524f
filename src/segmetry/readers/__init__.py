"""Reading segmentations from files: what a reader is, its options, and how the items of two data sets are paired."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.readers.formats.arrays.png import read_label_png
    from segmetry.readers.formats.data_sets.coco_masks import is_coco_object
    from segmetry.readers.formats.data_sets.coco_scanned import ScannedItem
    from segmetry.readers.isolated_reading import decoded_by
    from segmetry.readers.item_names import Pairing, by_pairing_name
    from segmetry.readers.items import ArrayFile, GridAffine, ListedImage, loader_within
    from segmetry.readers.items import Item, empty_item, is_empty_item, names_of_classes, picklable_item
    from segmetry.readers.label_reading import LABEL_NAMES, LABEL_OPTIONS, MEANING, MEANINGS, VOID, label_arguments
    from segmetry.readers.formats.arrays.png import LabelFile, count_label_files
    from segmetry.readers.label_reading import label_meaning, read_labels
    from segmetry.readers.line_files import LineFiles
    from segmetry.readers.losses import DROPS, check_losses, check_written, without, writer_of
    from segmetry.readers.nnunet_dataset import described_reading
    from segmetry.readers.pairing import on_one_line, read_pairs
    from segmetry.readers.items import check_name, file_inside
    from segmetry.readers.parts.span_rows import ALL_CODERS, CODER
    from segmetry.readers.parts.text_file import load_json, read_table
    from segmetry.readers.read_file import ReadItems, read_sides
    from segmetry.readers.reader import MOST_ELEMENTS, READERS, SIDES, Choice, Flag, Formats, Integer, Isolation, Labels
    from segmetry.readers.reader import Option, OptionType, PositiveNumber, ReadOptions, Reader, SideName, Text
    from segmetry.readers.reader import check_options, declare_reader, format_of, known_options, users_of
    from segmetry.readers.skeleton_files import read_skeletons
    from segmetry.readers.source import Source, find_reader, find_readers, find_sources, input_path, own_item
    from segmetry.readers.source import read_items, remote_fingerprints, side_options
else:
    __getattr__, __dir__ = names_on_demand(__name__)
