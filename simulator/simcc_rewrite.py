# SPDX-License-Identifier: MIT
"""Makes C++ of preprocessed CUDA for `simcc`: launches, qualifiers, shared memory and registers. Lines stay lines."""
import ast
import functools
import os
import re

TOKEN = re.compile(r"""
    (?P<blank>^\#[^\n]*|\s+)
  | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)" | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
      | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?[0-9](?:[eEpP][-+]|'\w|[\w.])*)
  | (?P<name>[^\W\d]\w*)
  | (?P<sign>::|->|.)""", re.X | re.M | re.S)
MARKER = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)$', re.M)
REGISTERS = {"globaltimer": "simulated_globaltimer()", "clock64": "simulated_clock64()", "clock": "simulated_clock()",
             "smid": "simulated_smid()", "laneid": "simcc::lane()", "warpid": "(simulated_thread() / 32)"}
HERE = os.path.dirname(os.path.realpath(__file__))
READ = re.compile(r"\s*mov\.[ub](?:32|64)\s+%0\s*,\s*%%?(\w+)\s*;?\s*")
QUALIFIERS = {"__host__": "", "__forceinline__": "inline", "__noinline__": "", "__grid_constant__": ""}
VOTES = {"__syncthreads_and": 0, "__syncthreads_or": 1, "__syncthreads_count": 2}
# What would compile, and then be wrong: another clock, other threads, memory that moves by itself.
REFUSED = {
    "__managed__": "managed memory (__managed__)",
    "__rdtsc": "__rdtsc()", "_rdtsc": "_rdtsc()", "__rdtscp": "__rdtscp()",
    "__builtin_ia32_rdtsc": "__builtin_ia32_rdtsc()", "pthread_create": "a second thread of the host (pthread_create)",
    **{name: name for name in ("cudaTextureObject_t", "cudaSurfaceObject_t", "tex1D", "tex1Dfetch", "tex2D", "tex3D",
                               "__cluster_dims__", "cudaMallocPitch", "cudaMallocArray", "this_grid", "grid_group",
                               "this_cluster", "coalesced_threads", "cudaLaunchCooperativeKernel")}}
REFUSED_IN_STD = {"thread", "jthread", "async"}
REFUSED_IN_KERNELS = {"malloc", "free", "new", "delete"}


@functools.cache
def unquoted(text):
    return ast.literal_eval(f'"{text}"')


@functools.cache
def is_ours(name):
    return name.startswith("<") or os.path.dirname(os.path.realpath(name)) == HERE and name.endswith(".h")


class Refused(Exception):
    """A construct, with its file and line."""


def find_header(text, is_lacking):
    """Raises Refused if a file of the user's includes a header of the system that the machine lacks."""
    at, line, file, in_user = 0, 1, "?", False
    for marker in MARKER.finditer(text):
        flags, name = marker[3].split(), unquoted(marker[2])
        if in_user and "1" in flags and (lacking := is_lacking(name)):
            raise Refused(file, line + text.count("\n", at, marker.start()), f"<{lacking}>")
        in_user = "3" not in flags and not is_ours(name)
        if in_user:
            at, line, file = marker.end() + 1, int(marker[1]), name


class Rewriter:
    def __init__(self, text, main_file):
        self.texts, self.kinds, self.lines = [], [], []  # of each token
        self.file_of = {}
        self.read(text, main_file)
        self.before, self.after = {}, {}
        self.device = []  # first and last token of each body that runs on the device
        self.kernels = {}  # whether a lambda must take the place of its name
        self.sites = 0
        self.main_file = main_file

    def read(self, text, main_file):
        """Splits into tokens what is in no system header; each piece of the others is one blank token."""
        users, at, line, file, in_user = {main_file}, 0, 1, main_file, False
        for marker in [*MARKER.finditer(text), None]:
            end = marker.start() if marker else len(text)
            if in_user:
                self.split(text[at:end], line, file)
            elif end > at:
                self.add("blank", text[at:end], line, file)
            if not marker:
                break
            file = unquoted(marker[2])
            line = int(marker[1])
            if "3" not in marker[3].split() and not is_ours(file):
                users.add(file)
            in_user = file in users
            self.add("blank", marker[0], line, file)
            at = marker.end()
            line -= 1  # the end of the marker's own line

    def add(self, kind, text, line, file):
        self.kinds.append(kind)
        self.texts.append(text)
        self.lines.append((file, line))

    def split(self, text, line, file):
        for token in TOKEN.finditer(text):
            self.add(token.lastgroup if token.lastgroup != "mark" else "string", token[0], line, file)
            line += token[0].count("\n")

    # ---- Where tokens are ----

    def refuse(self, i, what):
        raise Refused(*self.lines[i], what)

    def next(self, i, step=1):
        """Returns the next token that is no blank; len(texts) or -1 behind the end."""
        i += step
        while 0 <= i < len(self.texts) and self.kinds[i] == "blank":
            i += step
        return i

    def text(self, i):
        return self.texts[i] if 0 <= i < len(self.texts) else ""

    def match(self, i, step=1):
        """Returns the bracket that belongs to the one at i."""
        pairs = {"(": ")", "[": "]", "{": "}"} if step > 0 else {")": "(", "]": "[", "}": "{"}
        stack = []
        while 0 <= i < len(self.texts):
            text = self.texts[i] if self.kinds[i] == "sign" else ""
            if text in pairs:
                stack.append(pairs[text])
            elif stack and text == stack[-1]:
                stack.pop()
                if not stack:
                    return i
            i += step
        return i

    def angle(self, i, step=1):
        """Returns the end of the template arguments that begin (or end) at i."""
        more, less = ("<", ">") if step > 0 else (">", "<")
        depth = 0
        while 0 <= i < len(self.texts):
            text = self.texts[i] if self.kinds[i] == "sign" else ""
            if text in ("([{" if step > 0 else ")]}") and text:
                i = self.match(i, step)
            elif text == more:
                depth += 1
            elif text == less:
                depth -= 1
                if depth == 0:
                    return i
            elif text == ";":
                break
            i = self.next(i, step)
        return -1

    def start_of_statement(self, i):
        while (j := self.next(i, -1)) >= 0 and self.texts[j] not in (";", "{", "}"):
            i = j
        return i

    def in_device(self, i):
        return any(first < i < last for first, last in self.device)

    def put(self, where, i, text):
        where[i] = where.get(i, "") + text

    # ---- What is written anew ----

    def run(self):
        names = [i for i, kind in enumerate(self.kinds) if kind == "name"]
        for i in names:
            self.refuse_name(i)
            if self.texts[i] in ("__global__", "__device__", "__constant__"):
                self.qualifier(i)
        for i in names:
            name = self.texts[i]
            if name == "__shared__":
                self.shared(i)
            elif name in ("asm", "__asm__", "__asm"):
                self.registers(i)
            elif name in QUALIFIERS:
                self.texts[i] = QUALIFIERS[name]
            elif name in ("__align__", "__launch_bounds__"):
                self.attribute(i)
            elif name == "cudaLaunchKernel":  # (void *)kernel: its parameters are asked for
                first = self.next(i)
                if self.text(self.next(first)) == "(" and "void" in self.in_brackets(first):
                    end = self.match(self.next(first))
                    self.remove(self.next(first), end)
            elif name == "__syncthreads":
                self.texts[i] = "simulated_barrier_at"
                self.put(self.after, self.next(i), f"{self.lines[i][1]}, false")
            elif name in VOTES:
                self.texts[i] = "simcc::votes"
                self.put(self.after, self.next(i), f"{self.lines[i][1]}, ")
                self.put(self.before, self.match(self.next(i)), f", {VOTES[name]}")
            elif self.in_device(i):
                self.in_kernel(i)
            elif re.match("cuda(?!GetError|GetLastError|PeekAt)[A-Z]", name):
                self.dropped(i)
        for i in range(len(self.texts) - 2):
            if self.kinds[i] == "sign" and self.texts[i] == "<":
                self.launch(i)
        return "".join(self.before.get(i, "") + text + self.after.get(i, "") for i, text in enumerate(self.texts))

    def refuse_name(self, i):
        name = self.texts[i]
        if name in REFUSED and self.text(self.next(i, -1)) not in (".", "->"):
            self.refuse(i, REFUSED[name])
        before = self.next(i, -1)
        if name in REFUSED_IN_STD and self.text(before) == "::" and self.text(self.next(before, -1)) == "std":
            self.refuse(i, f"a second thread of the host (std::{name})")

    def attribute(self, i):
        end = self.match(self.next(i))
        if self.texts[i] == "__align__":
            self.texts[i] = "__attribute__"
            self.put(self.before, self.next(i), "((aligned")
            self.put(self.after, end, "))")
        else:
            self.remove(i, end)

    def qualifier(self, i):
        """A kernel, a function or a variable of the device."""
        kind, j = self.texts[i], self.next(i)
        self.texts[i] = ""
        first = self.start_of_statement(i)
        if self.text(self.next(i, -1)) in ("]", ")") and kind == "__device__" and self.text(j) in ("(", "{", "mutable"):
            return  # of a lambda
        while j < len(self.texts) and self.texts[j] not in ("(", ";", "=", "[", "{"):
            if self.texts[j] == "operator":
                j = self.next(j)
                while self.texts[self.next(j)] != "(":
                    j = self.next(j)
            if self.texts[j] in ("__launch_bounds__", "__align__", "__attribute__", "alignas"):
                j = self.match(self.next(j))
            j = self.angle(j) if self.texts[j] == "<" else j
            j = self.next(j)
        if kind == "__constant__" or self.text(j) != "(":
            if self.text(self.next(i, -1)) != "__shared__":
                self.texts[i] = '__attribute__((section("simcc_device")))'
            return
        self.texts[i] = "__attribute__((no_sanitize_coverage))"
        end = self.match(j)
        name = self.next(j, -1)
        is_template = "template" in self.texts[first:i]
        if self.texts[name] == ">":
            name, is_template = self.next(self.angle(name, -1), -1), True
        name = self.texts[name]
        body = self.next(end)
        while body < len(self.texts) and self.texts[body] not in ("{", ";"):  # const, noexcept, -> type
            body = self.next(body)
        if kind == "__global__":
            defaults = "=" in self.texts[j:end]
            again = self.kernels.get(name) is False and self.texts[body] == "{" and name in self.bodies
            self.kernels[name] = self.kernels.get(name, False) or is_template or defaults or again
        if self.text(body) != "{":
            return
        if kind == "__global__":
            self.bodies.add(name)
            self.put(self.after, body, " if (__builtin_expect(simcc_is_asking, false)) return simcc_answer(__PRETTY_FUNCTION__);")
        self.device.append((body, self.match(body)))

    bodies = set()

    def shared(self, i):
        """extern __shared__ T name[]; and __shared__ T name[2][3], other;"""
        first = self.start_of_statement(i)
        end = i
        while self.text(end) not in (";", ""):
            end = self.match(end) if self.texts[end] in "([{" and self.texts[end] else end
            end = self.next(end)
        words, is_extern = [], False
        j = first
        while j < end:
            text = self.texts[j]
            if text in ("__align__", "alignas", "__attribute__"):
                j = self.match(self.next(j))
            elif text == "extern":
                is_extern = True
            elif self.kinds[j] != "blank" and text not in ("__shared__", "static", ""):
                words.append(text)
            j += 1
        parts, depth = [[]], 0
        for word in words:
            depth += (word in "([{<") - (word in ")]}>")
            if word == "," and depth == 0:
                parts.append([])
            else:
                parts[-1].append(word)
        at = parts[0].index("[") if "[" in parts[0] else len(parts[0])
        at -= 1  # of the first name
        base = at
        while base > 0 and parts[0][base - 1] in ("*", "&", "("):
            base -= 1
        kind, parts[0] = " ".join(parts[0][:base]), parts[0][base:]
        made = []
        for part in parts:
            name = next((word for word in part if re.match(r"[^\W\d]", word)), None)
            if not name or not kind:
                self.refuse(i, "this __shared__ declaration")
            if is_extern:
                rest = " ".join(part[part.index("]") + 1:] if "]" in part else [])
                stars = " ".join(part[:part.index(name)])
                if self.in_device(i):
                    made.append(f"{kind} {stars} {f'(*{name}) {rest}' if rest else f'*{name}'} = simcc::dynamic()")
                else:
                    made.append(f"static const simcc::dynamic_array<{kind} {stars} {rest}> {name}{{}}")
                continue
            self.sites += 1
            known = f"simcc_{self.sites}"
            declared = " ".join(known if word == name else word for word in part)
            made.append(f"typedef {kind} {declared}; auto &{name} = simcc::shared<{self.sites}, {known}>()")
        blanks = "".join(self.texts[j] for j in range(first, end) if self.kinds[j] == "blank" and "\n" in self.texts[j])
        for j in range(first, end):
            self.texts[j] = ""
        self.texts[first] = "; ".join(made)
        self.put(self.after, end, blanks)

    def registers(self, i):
        """asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)) becomes an assignment."""
        j = self.next(i)
        while self.text(j) in ("volatile", "__volatile__"):
            j = self.next(j)
        if self.text(j) != "(":
            return
        end, code, k = self.match(j), "", self.next(j)
        while self.kinds[k] == "string":
            code += ast.literal_eval(self.texts[k][self.texts[k].index('"'):])
            k = self.next(k)
        if not code.strip():
            return  # a fence for the compiler
        read = READ.fullmatch(code)
        if not read or read[1] not in REGISTERS or self.text(k) != ":":
            self.refuse(i, f"asm \"{' '.join(code.split())}\"")
        k = self.next(self.next(k))
        if self.text(k) != "(":
            self.refuse(i, f"asm \"{' '.join(code.split())}\"")
        last = self.match(k)
        self.remove(i, k - 1)
        self.remove(last + 1, end)
        self.put(self.after, last, f" = {REGISTERS[read[1]]}")

    def in_brackets(self, i):
        """Returns the text in the brackets behind a token."""
        first = self.next(i)
        return "".join(self.texts[first + 1:self.match(first)])

    def remove(self, first, last):
        for t in range(first, last + 1):
            self.texts[t] = self.texts[t] if self.kinds[t] == "blank" else ""

    def dropped(self, i):
        """A call as a statement, or between commas of one: nobody looks at what it returns."""
        first, start = self.next(i), i
        if self.text(first) != "(":
            return
        if self.text(self.next(i, -1)) == "::":
            start = self.next(i, -1)
        end = self.match(first)
        before, behind = self.next(start, -1), self.next(end)
        while self.text(before) == "(" and self.text(behind) == ")":
            before, behind = self.next(before, -1), self.next(behind)
        while self.text(before) == "," and self.text(self.next(before, -1)) == ")":  # behind another call
            before = self.next(self.next(self.match(self.next(before, -1), -1), -1), -1)
        said = f'simcc::dropped{{"{self.texts[i]}", "{self.lines[i][0]}:{self.lines[i][1]}"}}, '
        if self.is_choice(before, behind):
            self.put(self.before, start, "(" + said)
            self.put(self.after, end, ")")
            return
        if self.text(before) not in (";", "{", "}", ")", "else", "do", ":") or self.text(behind) not in (";", ","):
            return
        if self.text(before) == ":" and not {"case", "default"} & set(self.texts[self.start_of_statement(i):before]):
            return
        if self.text(before) == ")" and self.texts[self.next(before, -1)] == "void":
            return
        self.put(self.before, start, said)

    def is_choice(self, before, behind):
        """Is what is between these a branch of `c ? a() : b();`, a statement of its own?"""
        if self.text(before) not in ("?", ":") or self.text(behind) not in (":", ";"):
            return False
        inside = [j for j in range(self.start_of_statement(before), before + 1) if self.kinds[j] != "blank"]
        words = [self.texts[j] for j in inside]
        signs = re.sub("[=!<>]=", "", "".join(words))
        return "?" in words and "=" not in signs and not {"return", "case", "default"} & set(words) and \
            signs.count("(") == signs.count(")")

    def in_kernel(self, i):
        """A round of a loop takes time, and clock() is another one."""
        name, j = self.texts[i], self.next(i)
        ways = (".", "->", "operator", "=" if name == "delete" else "")
        if name in REFUSED_IN_KERNELS and self.text(self.next(i, -1)) not in ways:
            self.refuse(i, f"{name} in a kernel")
        if re.match("cuda[A-Z]", name) and self.text(j) == "(":
            self.refuse(i, f"{name} in a kernel")
        if name == "clock" and self.text(j) == "(" and self.text(self.next(j)) == ")":
            self.texts[i] = "simcc::kernel_clock"
        if name not in ("for", "while") or self.text(j) != "(":
            return
        end = self.match(j)
        if name == "while":
            inside = [k for k in range(j + 1, end) if self.kinds[k] != "blank"]
            if not (len(inside) > 2 and self.kinds[inside[0]] == self.kinds[inside[1]] == "name"):
                self.put(self.after, j, "simcc::turn() && (")
                self.before[end] = ")" + self.before.get(end, "")
            return
        ends, k = [], self.next(j)
        while k < end:
            k = self.match(k) if self.texts[k] in ("(", "[", "{") else k
            ends += [k] if self.texts[k] == ";" else []
            k = self.next(k)
        if len(ends) == 2:
            self.put(self.before, end, " simcc_turn()" if self.next(ends[1]) == end else ", simcc_step()")

    def launch(self, i):
        """k<int><<<grid, block>>>(x) becomes simcc::to("k", place, k<int>, simcc::shape(grid, block))(x)"""
        if self.texts[i + 1] != "<":
            return
        third = self.next(i + 1)
        if self.text(third) != "<" or self.text(self.next(i, -1)) == "operator":
            return
        last = first = self.next(i, -1)
        name = first
        if self.text(first) == ">":
            name = first = self.next(self.angle(first, -1), -1)
        elif self.text(first) == ")":
            first = self.match(first, -1)
        elif self.text(first) == "]":  # one of an array
            name = first = self.next(self.match(first, -1), -1)
        while self.text(before := self.next(first, -1)) in ("::", ".", "->"):
            first = self.next(before, -1)
            first = self.next(self.angle(first, -1), -1) if self.text(first) == ">" else first
        close = self.next(third)
        while close < len(self.texts):
            text = self.texts[close] if self.kinds[close] == "sign" else ""
            if text == ">" and self.text(close + 1) == ">" and self.text(self.next(close + 1)) == ">" and \
                    self.text(self.next(self.next(close + 1))) == "(":
                break
            if text in ("", ";", "}") and text:
                return
            close = self.match(close) if text in ("(", "[", "{") else close
            close = self.next(close)
        if close >= len(self.texts):
            return
        if self.in_device(i):
            self.refuse(i, "a launch in a kernel (dynamic parallelism)")
        generic = self.kernels.get(self.texts[name], False)
        self.before[first] = (f'simcc::to("{self.texts[name]}", "{self.lines[i][0]}:{self.lines[i][1]}", ' +
                              "[](auto... simcc_all) { " * generic + self.before.get(first, ""))
        self.put(self.after, last, "(simcc_all...); }" * generic)
        for j, text in ((i, ", simcc::shape("), (i + 1, ""), (third, ""), (close, "))"), (close + 1, ""),
                        (self.next(close + 1), "")):
            self.texts[j] = text
