"""Reading segmentations from files: what a reader is, its options, and how the items of two data sets are paired."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.readers.formats.arrays.png import read_label_png as read_label_png
    from segmetry.readers.formats.data_sets.coco_masks import is_coco_object as is_coco_object
    from segmetry.readers.item_names import Pairing as Pairing, by_pairing_name as by_pairing_name
    from segmetry.readers.items import Item as Item, empty_item as empty_item, names_of_classes as names_of_classes
    from segmetry.readers.items import picklable_item as picklable_item
    from segmetry.readers.label_reading import LABEL_NAMES as LABEL_NAMES, LABEL_OPTIONS as LABEL_OPTIONS
    from segmetry.readers.label_reading import MEANING as MEANING, MEANINGS as MEANINGS, VOID as VOID
    from segmetry.readers.label_reading import label_arguments as label_arguments, read_labels as read_labels
    from segmetry.readers.losses import DROPS as DROPS, check_losses as check_losses, check_written as check_written
    from segmetry.readers.losses import without as without, writer_of as writer_of
    from segmetry.readers.nnunet_dataset import described_reading as described_reading
    from segmetry.readers.pairing import on_one_line as on_one_line, read_pairs as read_pairs
    from segmetry.readers.parts.safe_names import check_name as check_name, file_inside as file_inside
    from segmetry.readers.parts.span_rows import ALL_CODERS as ALL_CODERS, CODER as CODER
    from segmetry.readers.parts.strict_json import load_json as load_json
    from segmetry.readers.parts.text_file import read_table as read_table
    from segmetry.readers.read_file import ReadItems as ReadItems, read_sides as read_sides
    from segmetry.readers.reader import Choice as Choice, Flag as Flag, Formats as Formats, Integer as Integer
    from segmetry.readers.reader import Isolation as Isolation, Labels as Labels, MOST_ELEMENTS as MOST_ELEMENTS
    from segmetry.readers.reader import Option as Option, OptionType as OptionType, PositiveNumber as PositiveNumber
    from segmetry.readers.reader import READERS as READERS, ReadOptions as ReadOptions, Reader as Reader, SIDES as SIDES
    from segmetry.readers.reader import SideName as SideName, Text as Text, check_options as check_options
    from segmetry.readers.reader import declare_reader as declare_reader, format_of as format_of
    from segmetry.readers.reader import known_options as known_options, users_of as users_of
    from segmetry.readers.skeleton_files import read_skeletons as read_skeletons
    from segmetry.readers.source import Source as Source, find_reader as find_reader, find_sources as find_sources
    from segmetry.readers.source import input_path as input_path, read_items as read_items
    from segmetry.readers.source import remote_fingerprints as remote_fingerprints, side_options as side_options
else:
    __getattr__, __dir__ = names_on_demand(__name__)
