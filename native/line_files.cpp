// Files of lines: texts in JSON, tags in columns, turns of speakers. From the text of a file to columns of numbers.
//
// Only what is plain in every respect is read here. Anything else, and all that is wrong, is Unusual: nothing is returned,
// and the careful reader in Python reads the same file and says what is wrong, and where.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrays.hpp"
#include "interrupts.hpp"
#include "json_text.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr std::size_t kLongestName = 1000;

nb::str text_of(std::string_view text) {
    PyObject *const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    if (made == nullptr) {
        throw nb::python_error();  // which is a ValueError
    }
    return nb::steal<nb::str>(made);
}

// Texts numbered in the order in which they occur. The text before is looked at first: neighbours are often equal.
class Numbered {
  public:
    std::int64_t operator()(std::string_view text) {
        if (texts_.empty() || texts_[last_] != text) {
            expect(texts_.size() < kMostTexts);
            const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
            if (is_new) {
                texts_.push_back(text);
            }
            last_ = place->second;
        }
        return static_cast<std::int64_t>(last_);
    }

    nb::list list() const {
        nb::list texts;
        for (const std::string_view text : texts_) {
            texts.append(text_of(text));
        }
        return texts;
    }

  private:
    // More are left to the careful reader: nobody can choose so few texts that the map becomes slow.
    static constexpr std::size_t kMostTexts = 4096;

    std::vector<std::string_view> texts_;
    std::unordered_map<std::string_view, std::size_t> numbers_;
    std::size_t last_ = 0;
};

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestName && name.front() != '/' &&
           name.find_first_of("\\:\x7f") == std::string_view::npos && name != "." &&
           name.find("..") == std::string_view::npos;
}

// {name: [integers], …}: the names divided by line feeds, where the integers of each start, and all integers.
nb::object scan_integer_lists(const nb::bytes &content) {
    std::string names;
    std::vector<std::int64_t> starts{0}, numbers;
    try {
        const nb::gil_scoped_release release;
        InterruptCheck interrupts;
        JsonText json(view_of(content));
        expect(json.takes('{') && !json.takes('}'));
        do {
            const std::string_view name = json.text();
            expect(is_plain_name(name) && json.takes(':'));
            names.append(starts.size() > 1, '\n').append(name);
            json.array([&] { numbers.push_back(json.natural()); });
            interrupts.look(name.size() + numbers.size() - static_cast<std::size_t>(starts.back()));
            starts.push_back(static_cast<std::int64_t>(numbers.size()));
        } while (json.takes(','));
        expect(json.takes('}'));
        json.end();
    } catch (const Unusual &) {
        return nb::none();
    }
    return nb::make_tuple(text_of(names), to_numpy(starts), to_numpy(numbers));
}

// Lines of equally many cells, divided by spaces or by single tabs; empty lines divide sentences, and so does -DOCSTART-. The number of each tag
// (the cell `column`, 0 for the last), the tags, the number of tokens of each sentence, and the first cells, a line each.
nb::object scan_tags(const nb::bytes &content, std::size_t column) {
    const std::string_view text = view_of(content);
    Numbered tag_of;
    std::vector<std::int64_t> codes, lengths;
    std::string tokens;
    std::size_t width = 0;
    try {
        const nb::gil_scoped_release release;
        InterruptCheck interrupts;
        const char separator = text.find('\t') == std::string_view::npos ? ' ' : '\t';
        std::int64_t length = 0;
        std::vector<std::string_view> cells;
        for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
            end = std::min(text.find('\n', at), text.size());
            const std::string_view line = text.substr(at, end - at);
            interrupts.look(line.size());
            if (line.empty() || line.substr(0, 10) == "-DOCSTART-") {
                if (length > 0) {
                    lengths.push_back(length);
                }
                length = 0;
                continue;
            }
            expect(line.front() != '#');
            cells.clear();
            for (std::size_t start = 0;;) {
                std::size_t stop = start;
                for (; stop < line.size() && static_cast<unsigned char>(line[stop]) > ' '; ++stop) {}
                expect(stop > start && (stop == line.size() || line[stop] == separator));
                cells.push_back(line.substr(start, stop - start));
                if (stop == line.size()) {
                    break;
                }
                for (start = stop + 1; separator == ' ' && start < line.size() && line[start] == ' '; ++start) {}
            }
            width = width == 0 ? cells.size() : width;
            expect(cells.size() == width && column <= width);
            codes.push_back(tag_of(cells[(column == 0 ? width : column) - 1]));
            if (width > 1) {
                tokens.append(cells.front()).push_back('\n');
            }
            ++length;
        }
        if (length > 0) {
            lengths.push_back(length);
        }
        expect(!lengths.empty());
    } catch (const Unusual &) {
        return nb::none();
    }
    return nb::make_tuple(to_numpy(codes), tag_of.list(), to_numpy(lengths), nb::bytes(tokens.data(), tokens.size()));
}

// A decimal of at most nine digits before and after its point, in units of 1e-9.
std::int64_t nanos_of(std::string_view text) {
    std::int64_t value = 0;
    std::size_t at = 0, point = text.size();
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && point == text.size() && at > 0) {
            point = at;
            continue;
        }
        expect(text[at] >= '0' && text[at] <= '9');
        value = value * 10 + (text[at] - '0');
        expect(at < 18);
    }
    const std::size_t decimals = point == text.size() ? 0 : text.size() - point - 1;
    expect(at > 0 && point <= 9 && decimals <= 9);
    for (std::size_t more = decimals; more < 9; ++more) {
        value *= 10;
    }
    return value;
}

// Lines of type SPEAKER: the number of the recording, of the channel and of the speaker of each, with their names, and when
// it starts and how long it lasts in nanoseconds.
nb::object scan_turns(const nb::bytes &content) {
    const std::string_view text = view_of(content);
    Numbered recording_of, channel_of, speaker_of;
    std::vector<std::int64_t> columns[5];
    try {
        const nb::gil_scoped_release release;
        InterruptCheck interrupts;
        for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
            end = std::min(text.find('\n', at), text.size());
            const std::string_view line = text.substr(at, end - at);
            interrupts.look(line.size());
            if (line.empty() || line.front() == ';') {
                continue;
            }
            std::string_view cells[10];
            std::size_t n = 0;
            for (std::size_t start = 0; start < line.size(); ++n) {
                expect(n < 10);
                std::size_t stop = start;
                for (; stop < line.size() && static_cast<unsigned char>(line[stop]) > ' '; ++stop) {}
                expect(stop > start);
                cells[n] = line.substr(start, stop - start);
                for (start = stop; start < line.size() && (line[start] == ' ' || line[start] == '\t'); ++start) {}
            }
            expect(n >= 8 && cells[0] == "SPEAKER");
            columns[0].push_back(recording_of(cells[1]));
            columns[1].push_back(channel_of(cells[2]));
            columns[2].push_back(speaker_of(cells[7]));
            columns[3].push_back(nanos_of(cells[3]));
            columns[4].push_back(nanos_of(cells[4]));
        }
    } catch (const Unusual &) {
        return nb::none();
    }
    return nb::make_tuple(recording_of.list(), speaker_of.list(), to_numpy(columns[0]), to_numpy(columns[1]),
                          to_numpy(columns[2]), to_numpy(columns[3]), to_numpy(columns[4]));
}

// Whether a text is JSON in ASCII in which no object names a key twice, no integer is beyond 18 digits and no text has \u:
// any reader of JSON reads the same in it. False says nothing.
bool is_plain_json(nb::bytes content) {
    const nb::gil_scoped_release unlocked;
    try {
        JsonText text(view_of(content));
        text.skip();
        text.end();
        return true;
    } catch (const Unusual &) {
        return false;
    }
}

}  // namespace

}  // namespace segmetry

void register_line_files(nb::module_ &m) {
    m.def("scan_integer_lists", &segmetry::scan_integer_lists, nb::arg("content"),
          "The names and the lists of an object of lists of integers; None where anything in it is unusual.");
    m.def(
        "is_plain_json", &segmetry::is_plain_json, nb::arg("content"),
        "Whether bytes are strict JSON in ASCII without repeated keys, \\u or very long integers; False says nothing.");
    m.def("scan_tags", &segmetry::scan_tags, nb::arg("content"), nb::arg("column"),
          "The tags of all sentences in columns of a text; None where anything in it is unusual.");
    m.def("scan_turns", &segmetry::scan_turns, nb::arg("content"),
          "The turns of speakers in a text; None where anything in it is unusual.");
}
