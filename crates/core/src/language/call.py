"""Calls one function of a submission, and writes what it returns as one line of JSON.

Arguments: the file of the submission, the name of the function, that of its class or nothing, how the arguments are
written on standard input, and the types that annotations lack.

json:  one list
lines: a value in each line
exact: one list in which `{"tuple": [...]}` and `{"dict": {...}}` are what they say; so is the result
test:  a test with asserts, and the name of the function for its `check`; the result says whether it passes
"""
import importlib
import json
import os
import sys
import types

# Names that submissions use without an import, because LeetCode and the data sets define them.
KNOWN = {
    "typing": "Any Callable DefaultDict Deque Dict FrozenSet Generator Generic Iterable Iterator List Mapping"
    " NamedTuple Optional Sequence Set Tuple Type TypeVar Union",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "functools": "cache cached_property cmp_to_key lru_cache partial reduce",
    "heapq": "heapify heappop heappush heappushpop heapreplace nlargest nsmallest",
    "bisect": "bisect_left bisect_right insort insort_left insort_right",
    "itertools": "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile groupby"
    " islice pairwise permutations product repeat starmap takewhile tee zip_longest",
    "math": "acos asin atan atan2 ceil comb cos dist e exp factorial fabs floor fmod gcd hypot inf isqrt lcm log log10"
    " log2 nan perm pi prod sin sqrt tan tau",
    "operator": "add and_ itemgetter mul or_ sub xor",
    "random": "choice choices randint randrange sample shuffle uniform",
    "statistics": "mean median mode",
    "string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation",
    "copy": "deepcopy",
    "datetime": "timedelta",
    "re": "",
    "sys": "",
    "time": "",
}


class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right


def used_names(code):
    names = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            names |= used_names(part)
    return names


def load(path):
    """The submission as a module of its own."""
    module = types.ModuleType("submission")
    sys.modules[module.__name__] = module
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    used = used_names(code)
    for name, members in KNOWN.items():
        for member in used.intersection(members.split()):
            setattr(module, member, getattr(importlib.import_module(name), member))
        if name in used:
            setattr(module, name, importlib.import_module(name))
    module.ListNode, module.TreeNode = ListNode, TreeNode
    exec(code, vars(module))
    return module


def find(module, function, owner):
    of_class = getattr(module, owner or "Solution", None)
    if owner or hasattr(of_class, function):
        return getattr(of_class(), function)
    return getattr(module, function)


def linked_list(module, values):
    first = None
    for value in reversed(values):
        first = module.ListNode(value, first)
    return first


def tree(module, values):
    """From the rows of the tree; `None` where a node lacks a child."""
    nodes = iter([None if value is None else module.TreeNode(value) for value in values])
    root = next(nodes, None)
    parents = [root] if root else []
    for parent in parents:
        parent.left, parent.right = next(nodes, None), next(nodes, None)
        parents.extend(child for child in (parent.left, parent.right) if child)
    return root


def converted(module, value, kind):
    """The argument as its type says: lists may stand for nodes."""
    make = linked_list if "ListNode" in kind else tree if "TreeNode" in kind else None
    if make is None or value is None:
        return value
    depth = kind.lower().count("list[") + kind.lower().count("list<")
    return at_depth(module, value, make, depth)


def at_depth(module, value, make, depth):
    if depth == 0:
        return make(module, value)
    return [at_depth(module, part, make, depth - 1) for part in value]


def plain(value):
    """A value that JSON lacks, as one that it has."""
    name = type(value).__name__
    if name == "ListNode":
        values = []
        while value is not None:
            values.append(value.val)
            value = value.next
        return values
    if name == "TreeNode":
        nodes = [value]
        for node in nodes:
            if node is not None:
                nodes.extend((node.left, node.right))
        while nodes[-1] is None:
            nodes.pop()
        return [node and node.val for node in nodes]
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"the function returned a value of the type {name}, which JSON lacks")


def exact(value):
    """A value in which JSON's objects say what they are."""
    if isinstance(value, list):
        return [exact(part) for part in value]
    if isinstance(value, dict):
        if "tuple" in value:
            return tuple(exact(value["tuple"]))
        return {key: exact(part) for key, part in value["dict"].items()}
    return value


def tagged(value):
    """The reverse of `exact`. What it lacks is equal to nothing that an assert can expect."""
    if isinstance(value, list):
        return [tagged(part) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [tagged(part) for part in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: tagged(part) for key, part in value.items()}}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and abs(value) < float("inf"):
        return value
    return {"other": type(value).__name__}


def passes(module, test, function):
    names = vars(module)
    exec(compile(test, "test", "exec"), names)
    if function and "check" in names:
        names["check"](names[function])


def main():
    path, function, owner, form, *kinds = sys.argv[1:]
    # What the submission prints is no result.
    results = os.dup(1)
    os.dup2(2, 1)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    sys.setrecursionlimit(50_000)
    text = sys.stdin.buffer.read().decode()
    if form == "lines":
        arguments = [json.loads(line) for line in text.splitlines() if line.strip()]
    else:
        arguments = json.loads(text)
    sys.argv[1:] = []
    module = load(path)
    if form == "test":
        value = True
        try:
            passes(module, *arguments)
        except AssertionError:
            import traceback

            traceback.print_exc()
            value = False
        return finish(results, value)
    if form == "exact":
        called = find(module, function, owner)
        return finish(results, tagged(called(*exact(arguments))))
    called = find(module, function, owner)
    notes = dict(getattr(called, "__annotations__", {}))
    returned = str(notes.pop("return", ""))
    kinds = kinds or [str(kind) for kind in notes.values()]
    kinds += [""] * len(arguments)
    value = called(*(converted(module, *pair) for pair in zip(arguments, kinds)))
    if value is None and ("ListNode" in returned or "TreeNode" in returned):
        value = []
    finish(results, value)


def finish(results, value):
    line = json.dumps(value, default=plain, allow_nan=False).encode() + b"\n"
    sys.stderr.flush()
    while line:
        line = line[os.write(results, line):]
    os._exit(0)


main()
