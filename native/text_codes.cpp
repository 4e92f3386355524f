// Numbers the distinct texts of many lists: each text becomes the number of its first occurrence.
//
// Python objects are read, so the interpreter stays locked. Only lists and tuples of exact str are taken: nothing here
// calls Python code that could change them meanwhile, except the handler of a signal; what is used after that is owned,
// and a list that has become shorter leaves the work to the twin. Python's own hash of a text is keyed, so nobody can
// choose texts that collide.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

bool same_text(PyObject *a, PyObject *b) { return a == b || PyUnicode_Compare(a, b) == 0; }

// Open addressing; `slots_` hold 1 + number of a text, 0 where they are free, and are at least twice as many as texts.
class Texts {
  public:
    Texts() : slots_(64, 0) {}

    std::int64_t number(PyObject *text) {
        const auto hash = static_cast<std::uint64_t>(PyObject_Hash(text));  // never fails for a str
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
            const std::size_t number = slots_[at] - 1;
            if (hashes_[number] == hash && same_text(texts_[number], text)) {
                return static_cast<std::int64_t>(number);
            }
        }
        texts_.push_back(text);
        list_.append(nb::handle(text));
        hashes_.push_back(hash);
        slots_[at] = texts_.size();
        if (2 * texts_.size() > slots_.size()) {
            grow();
        }
        return static_cast<std::int64_t>(texts_.size() - 1);
    }

    const nb::list &list() const { return list_; }

  private:
    void grow() {
        slots_.assign(2 * slots_.size(), 0);
        for (std::size_t number = 0; number < texts_.size(); ++number) {
            std::size_t at = hashes_[number] & (slots_.size() - 1);
            while (slots_[at] != 0) {
                at = (at + 1) & (slots_.size() - 1);
            }
            slots_[at] = number + 1;
        }
    }

    std::vector<std::size_t> slots_;
    std::vector<PyObject *> texts_;  // owned by list_
    nb::list list_;
    std::vector<std::uint64_t> hashes_;
};

bool is_list_or_tuple(PyObject *object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

// A list or tuple, read by the functions of the stable ABI; the items are borrowed.
class Items {
  public:
    explicit Items(PyObject *object) : object_(object), is_list_(PyList_CheckExact(object)) {}

    Py_ssize_t size() const { return is_list_ ? PyList_Size(object_) : PyTuple_Size(object_); }
    // Null, without an error, beyond the end.
    PyObject *operator[](Py_ssize_t at) const {
        PyObject *const item = is_list_ ? PyList_GetItem(object_, at) : PyTuple_GetItem(object_, at);
        if (item == nullptr) {
            PyErr_Clear();
        }
        return item;
    }

  private:
    PyObject *object_;
    bool is_list_;
};

// (numbers of all texts, length of every line, distinct texts), or None where a line is something else.
nb::object number_texts(nb::handle lines) {
    if (!is_list_or_tuple(lines.ptr())) {
        return nb::none();
    }
    const Items each(lines.ptr());
    const Py_ssize_t n_lines = each.size();
    NewArray<std::int64_t> lengths(static_cast<std::size_t>(n_lines));
    std::int64_t total = 0;
    for (Py_ssize_t line = 0; line < n_lines; ++line) {
        if (!is_list_or_tuple(each[line])) {
            return nb::none();
        }
        lengths.data[line] = Items(each[line]).size();
        total += lengths.data[line];
    }
    NewArray<std::int64_t> codes(static_cast<std::size_t>(total));
    Texts texts;
    InterruptCheck interrupts;
    std::int64_t *code = codes.data;
    for (Py_ssize_t line = 0; line < n_lines; ++line) {
        const nb::object kept = nb::borrow(each[line]);
        if (!kept.is_valid() || !is_list_or_tuple(kept.ptr())) {
            return nb::none();
        }
        const Items words(kept.ptr());
        for (Py_ssize_t at = 0; at < lengths.data[line]; ++at) {
            PyObject *const text = words[at];
            if (text == nullptr || !PyUnicode_CheckExact(text)) {
                return nb::none();
            }
            *code++ = texts.number(text);
            interrupts.look(1);
        }
    }
    return nb::make_tuple(codes.array, lengths.array, texts.list());
}

}  // namespace

}  // namespace segmetry

void register_text_codes(nb::module_ &m) {
    m.def("number_texts", &segmetry::number_texts, nb::arg("lines"),
          "Number the distinct texts of lists of str; None where a line is something else.");
}
