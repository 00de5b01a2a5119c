"""Reading box files: what is accepted, and the one line that each mistake gives."""

from pathlib import Path
from typing import Any

import pytest
import scipy.stats

import weitzman as wz
from weitzman.cli.box_files.laws import FAMILIES
from weitzman.cli.box_files.read import read_boxes

DOCS = Path(__file__).parents[2] / "docs"
STATS = scipy.stats

LAWS: dict[str, tuple[str, Any]] = {
    "uniform": ("lower=1 upper=3", STATS.uniform(1, 2)),
    "normal": ("mean=1 sd=2", STATS.norm(1, 2)),
    "exponential": ("mean=5 lower=2", STATS.expon(2, 3)),
    "bernoulli": ("p=0.3", STATS.bernoulli(0.3)),
    "lognormal": ("median=4 sigma=0.5", STATS.lognorm(0.5, scale=4)),
    "gamma": ("shape=2 scale=3", STATS.gamma(2, scale=3)),
    "beta": ("a=2 b=3 lower=1 upper=5", STATS.beta(2, 3, 1, 4)),
    "triangular": ("lower=1 mode=2 upper=5", STATS.triang(0.25, 1, 4)),
    "point": ("value=2.5", 2.5),
    "norm": ("loc=1 scale=2", STATS.norm(1, 2)),
    "weibull_min": ("c=1.5 scale=2", STATS.weibull_min(1.5, scale=2)),
    "poisson": ("mu=3 loc=1", STATS.poisson(3, 1)),
    "semicircular": ("", STATS.semicircular()),
}


def write(folder: Path, text: str | bytes, name: str = "f.csv") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def same(ours: wz.Box, theirs: wz.Box) -> bool:
    cost = max(theirs.expected_cost, 0.01)
    numbers = [
        (b.name, b.expected_cost, wz.reservation_value(b.law, cost), float(b.law.mean()))
        for b in (ours, theirs)
    ]
    return numbers[0] == numbers[1]


@pytest.mark.parametrize("name", LAWS)
def test_distribution(tmp_path: Path, name: str) -> None:
    parameters, value = LAWS[name]
    pairs = dict(p.split("=") for p in parameters.split())
    numbers = ", ".join(f'"{k}": {v}' for k, v in pairs.items())
    row = f"box,cost,distribution,parameters\nb,0.5,{name},{parameters}\n"
    entry = f'[{{"box": "b", "cost": 0.5, "distribution": "{name}", "parameters": {{{numbers}}}}}]'
    for path in (write(tmp_path, row), write(tmp_path, entry, "f.json")):
        (box,) = read_boxes(path).boxes
        assert same(box, wz.Box("b", 0.5, value))


def test_every_family_is_tried_here_and_documented() -> None:
    page = (DOCS / "reference" / "files.md").read_text(encoding="utf-8")
    for name, family in FAMILIES.items():
        assert name in LAWS
        assert f"| `{name}` | `{family.signature}` |" in page


def test_samples_and_distributions_mix(tmp_path: Path) -> None:
    text = (
        "box,cost,distribution,parameters,sample,weight\n"
        "a,1,,,3,\n"
        "b,0.5,uniform,lower = 0; upper=8\n"
        "\n"
        ",,,,,\n"
        "c,0,,,1,2\n"
        "a,1.0,,,5,\n"
        "c,0,,,2,6\n"
    )
    a, b, c = read_boxes(write(tmp_path, text)).boxes
    assert same(a, wz.Box("a", 1.0, wz.Empirical([3, 5])))
    assert same(b, wz.Box("b", 0.5, STATS.uniform(0, 8)))
    assert same(c, wz.Box("c", 0.0, wz.Discrete([1, 2], [0.25, 0.75])))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_mark(tmp_path: Path, end: str, mark: bytes) -> None:
    text = f'box,cost,sample{end}Müller,1,3{end}"O, K", 2 ,4{end}'
    boxes = read_boxes(write(tmp_path, mark + text.encode())).boxes
    assert [(b.name, b.cost) for b in boxes] == [("Müller", 1.0), ("O, K", 2.0)]


def test_json_forms(tmp_path: Path) -> None:
    text = """{"sense": "max", "outside": -1, "boxes": [
        {"box": "a", "cost": 1, "samples": [3, 5], "weights": [1, 3]},
        {"box": "b", "cost": 2, "values": [0, 240], "probabilities": [0.8, 0.2]},
        {"box": "c", "cost": 0, "value": 7}]}"""
    content = read_boxes(write(tmp_path, text, "f.JSON"))
    a, b, c = content.boxes
    assert (content.sense, content.outside) == ("max", -1.0)
    assert same(a, wz.Box("a", 1.0, wz.Empirical([3, 5], [1, 3])))
    assert same(b, wz.Box("b", 2.0, wz.Discrete([0, 240], [0.8, 0.2])))
    assert same(c, wz.Box("c", 0.0, 7.0))


def test_bare_list_and_format_by_word(tmp_path: Path) -> None:
    content = read_boxes(write(tmp_path, '[{"box": "a", "cost": 1, "value": 2}]', "f.txt"), "json")
    assert (content.sense, content.outside, len(content.boxes)) == (None, None, 1)


HEAD = "box,cost,distribution,parameters\n"
SAMPLES = "box,cost,sample,weight\n"
ALL = "box,cost,distribution,parameters,sample,weight\n"

BAD_CSV = [
    ("", ": the file must hold at least one box. Got nothing."),
    (" \n\n", ": the file must hold at least one box. Got nothing."),
    (HEAD, ": the file must hold at least one box. Got a header only."),
    ("a,1,point,value=1\n", ", line 1: the first row must be a header with the columns box, cost, "
     "and distribution or sample. Got 'a,1,point,value=1'."),
    ("box;cost;sample\na;1;2\n", ", line 1: the first row must be a header with the columns box, "
     "cost, and distribution or sample. Got 'box;cost;sample'."),
    ("box,cost,sample,colour\n", ", line 1: the columns must be distinct ones of box, cost, "
     "distribution, parameters, sample, weight, after, stage, given, signal, chance, count. Got 'colour'."),
    ("box,cost,sample,cost\n", ", line 1: the columns must be distinct ones of box, cost, "
     "distribution, parameters, sample, weight, after, stage, given, signal, chance, count. Got 'cost'."),
    (b"box,cost,sample\na,1,2\nM\xfcller,1,2\n", r", line 3: the text must be UTF-8. Got b'\xfc'."),
    (HEAD + "\na,,point,value=1", ", line 3, column 'cost': the cost of box 'a' must be "
     "a finite number >= 0. Got ''."),
    (HEAD + 'a,"1,5",point,value=1', ", line 2, column 'cost': the cost of box 'a' must be "
     "a finite number >= 0. Got '1,5'."),
    (HEAD + "a,1,5,point,value=1", ", line 2: the row must have at most 4 fields, "
     "as the header. Got 5."),
    (HEAD + "a,-1,point,value=1", ", line 2, column 'cost': the cost of box 'a' must be "
     "a finite number >= 0. Got '-1'."),
    (HEAD + "a,nan,point,value=1", ", line 2, column 'cost': the cost of box 'a' must be "
     "a finite number >= 0. Got 'nan'."),
    (HEAD + "a,1_0,point,value=1", ", line 2, column 'cost': the cost of box 'a' must be "
     "a finite number >= 0. Got '1_0'."),
    (HEAD + ",1,point,value=1", ", line 2, column 'box': the name of a box must be "
     "text without control characters. Got ''."),
    (HEAD + '"a\nb",1,point,value=1', ", line 2, column 'box': the name of a box must be "
     r"text without control characters. Got 'a\nb'."),
    (HEAD + "a,1,point,value=1\n\na,1,point,value=2", ", line 4, column 'box': a box with "
     "a distribution must be the only one of its name, or all rows hold a sample (see line 2). "
     "Got 'a'."),
    (ALL + "a,1,,,2,\na,1,point,value=2", ", line 3, column 'box': a box with "
     "a distribution must be the only one of its name, or all rows hold a sample (see line 2). "
     "Got 'a'."),
    (HEAD + "a,1,unifrom,lower=1 upper=2", ", line 2, column 'distribution': the distribution "
     "must be a known name (nearest: 'uniform'). Got 'unifrom'."),
    (HEAD + "a,1,Gaussian,mean=1 sd=2", ", line 2, column 'distribution': the distribution "
     "must be a known name (nearest: 'normal'). Got 'Gaussian'."),
    (HEAD + "a,1,__class__,", ", line 2, column 'distribution': the distribution must be a known "
     "name (such as uniform, normal, exponential, bernoulli, lognormal, gamma, beta, triangular, "
     "point). Got '__class__'."),
    (HEAD + "a,1,discrete,", ", line 2, column 'distribution': the distribution must be a known "
     "name (for outcomes with probabilities: values and probabilities, or samples with weights). "
     "Got 'discrete'."),
    (HEAD + "a,1,uniform,lower=1", ", line 2, column 'parameters': the parameters of uniform "
     "must be lower, upper. Got lower."),
    (HEAD + "a,1,exponential,rate=1", ", line 2, column 'parameters': the parameters of exponential "
     "must be mean, lower=0. Got rate."),
    (HEAD + "a,1,poisson,scale=1", ", line 2, column 'parameters': the parameters of poisson "
     "must be mu, loc=0. Got scale."),
    (HEAD + "a,1,normal,", ", line 2, column 'parameters': the parameters of normal "
     "must be mean, sd. Got none."),
    (HEAD + "a,1,normal,mean=1 sd=-1", ", line 2, column 'parameters': the parameters of normal "
     "must obey sd > 0. Got mean=1, sd=-1."),
    (HEAD + "a,1,binom,n=2.5 p=0.5", ", line 2, column 'parameters': the parameters of binom "
     "must obey the domain of scipy.stats.binom. Got n=2.5, p=0.5."),
    (HEAD + "a,1,normal,mean=x sd=1", ", line 2, column 'parameters': the mean must be "
     "a finite number. Got 'x'."),
    (HEAD + "a,1,normal,5", ", line 2, column 'parameters': the parameters must be "
     "distinct name=value pairs separated by spaces or semicolons. Got '5'."),
    (HEAD + "a,1,normal,sd=1 sd=2", ", line 2, column 'parameters': the parameters must be "
     "distinct name=value pairs separated by spaces or semicolons. Got 'sd=1 sd=2'."),
    (HEAD + "a,1,randint,low=0 high=3000000", ", line 2, column 'distribution': the value of "
     "box 'a' must have fewer than 2,000,000 outcomes that matter. Got 'randint from 0.0 to "
     "2999999.0'."),
    (SAMPLES + "a,1,2\na,1,two", ", line 3, column 'sample': the sample of box 'a' must be "
     "a finite number. Got 'two'."),
    (SAMPLES + "a,1,2\na,1,inf", ", line 3, column 'sample': the sample of box 'a' must be "
     "a finite number. Got 'inf'."),
    (SAMPLES + "a,1,2\nb,1,2\na,1.5,3", ", line 4, column 'cost': the cost of box 'a' must be "
     "the same in all its rows, 1. Got '1.5'."),
    (SAMPLES + "a,1,2,1\na,1,3,", ", line 3, column 'weight': the weight of box 'a' must be "
     "given in all its rows or in none. Got ''."),
    (SAMPLES + "a,1,2,-1", ", line 2, column 'weight': the weight of box 'a' must be >= 0. Got '-1'."),
    (SAMPLES + "a,1,2,0", ", line 2, column 'weight': the weights of box 'a' must not all be 0. "
     "Got [0.0]."),
    (ALL + "a,1,point,value=1,2,", ", line 2: the row of box 'a' must hold exactly one of "
     "distribution and sample. Got both."),
    (ALL + "a,1,,value=1,,", ", line 2: the row of box 'a' must hold exactly one of "
     "distribution and sample. Got neither."),
    (ALL + "a,1,point,value=1,,3", ", line 2, column 'weight': the weight must be empty in a row "
     "with a distribution. Got '3'."),
    (ALL + "a,1,,value=1,2,", ", line 2, column 'parameters': the parameters must be empty in "
     "a row with a sample. Got 'value=1'."),
    (HEAD + 'a,1,point,value=1\nb,1,point,"value=2\n', ", line 3: the text must be CSV. "
     "Got 'unexpected end of data'."),
]  # fmt: skip

BOX = '"box": "a", "cost": 1'
BAD_JSON = [
    ('{"boxes": [\n  {"box" "a"}]}', ", line 2, column 10: the text must be JSON. "
     """Got "Expecting ':' delimiter"."""),
    ("[" * 100_000, ": the JSON must not be nested that deep. Got too many levels."),
    ("3", ": the content must be an object with the key boxes, or scenarios, or a list of boxes. Got 3."),
    ("{}", ": the content must be an object with the key boxes, or scenarios, or a list of boxes. Got {}."),
    ("[]", ": the boxes must be a list of at least one box. Got []."),
    ('{"boxes": 3}', ", boxes: the boxes must be a list of at least one box. Got 3."),
    ('{"boxes": [3]}', ", boxes[0]: a box must be an object. Got 3."),
    ('{"boxes": [], "colour": 1}', ", colour: the key must be one of sense, outside, boxes, "
     "keep, discount, tail, recall, most, budget, at_once, price, unopened, arrivals, method, "
     "confidence, worst, scenarios, costs, weights. Got 'colour'."),
    ('{"boxes": [], "sense": "up"}', ", sense: the sense must be 'min' or 'max'. Got 'up'."),
    ('{"boxes": [], "outside": "5"}', ", outside: the outside option must be a finite number. "
     "Got '5'."),
    ('{"boxes": [], "outside": NaN}', ", outside: the outside option must be a finite number. "
     "Got NaN."),
    ('{"boxes": [{"box": "a", "value": 1}]}', ", boxes[0].cost: the cost of box 'a' must be "
     "a finite number >= 0. Got nothing."),
    ('[{"box": "a", "cost": true, "value": 1}]', ", [0].cost: the cost of box 'a' must be "
     "a finite number >= 0. Got true."),
    ('[{"box": "a", "cost": "1.5", "value": 1}]', ", [0].cost: the cost of box 'a' must be "
     "a finite number >= 0. Got '1.5'."),
    ('[{"box": "a", "cost": 1' + "0" * 5000 + ', "value": 1}]', ", [0].cost: the cost of box 'a' "
     "must be a finite number >= 0. Got Infinity."),
    ('[{"box": "a", "cost": 1, "cost": 2, "value": 1}]', ": the keys of an object must be "
     "distinct. Got 'cost'."),
    ('[{"box": 3, "cost": 1, "value": 1}]', ", [0].box: the name of a box must be text. Got 3."),
    (r'[{"box": "\ud800", "cost": 1, "value": 1}]', ", [0].box: the name of a box must be "
     r"text without control characters. Got '\ud800'."),
    (f'[{{{BOX}, "value": 1}}, {{{BOX}, "value": 1}}]', ", [1].box: the box must be the only one "
     "of its name (see [0]). Got 'a'."),
    (f"[{{{BOX}}}]", ", [0]: box 'a' must have exactly one of distribution, samples, values, "
     "value. Got none."),
    (f'[{{{BOX}, "value": 1, "samples": [1]}}]', ", [0]: box 'a' must have exactly one of "
     "distribution, samples, values, value. Got samples, value."),
    (f'[{{{BOX}, "value": 1, "weights": [1]}}]', ", [0].weights: the key must be one of box, cost, "
     "after, time, value, draws. Got 'weights'."),
    (f'[{{{BOX}, "price": 1}}]', ", [0].price: the key must be one of box, cost, after, time, stages, "
     "partial, draws, distribution, samples, values, value, given, successes, normal_draws, "
     "parameters, weights, probabilities. Got 'price'."),
    (f'[{{{BOX}, "value": null}}]', ", [0].value: the value must be a finite number. Got null."),
    (f'[{{{BOX}, "distribution": 1}}]', ", [0].distribution: the distribution must be the name of "
     "one. Got 1."),
    (f'[{{{BOX}, "distribution": "normal", "parameters": [1, 2]}}]', ", [0].parameters: "
     "the parameters must be an object. Got [1, 2]."),
    (f'[{{{BOX}, "distribution": "normal", "parameters": {{"mean": 1, "sd": "2"}}}}]',
     ", [0].parameters.sd: the sd must be a finite number. Got '2'."),
    (f'[{{{BOX}, "distribution": "normal", "parameters": {{"mean": 1, "sd": 0}}}}]',
     ", [0].parameters: the parameters of normal must obey sd > 0. Got mean=1, sd=0."),
    (f'[{{{BOX}, "samples": 1}}]', ", [0].samples: the samples must be a list of at least "
     "one number. Got 1."),
    (f'[{{{BOX}, "samples": []}}]', ", [0].samples: the samples must be a list of at least "
     "one number. Got []."),
    (f'[{{{BOX}, "samples": [1, false]}}]', ", [0].samples[1]: one of the samples must be "
     "a finite number. Got false."),
    (f'[{{{BOX}, "samples": [1, 2], "weights": [1]}}]', ", [0].weights: the weights must be "
     "as many as the values, 2. Got 1."),
    (f'[{{{BOX}, "values": [1, 2]}}]', ", [0].probabilities: the probabilities must be given. "
     "Got nothing."),
    (f'[{{{BOX}, "values": [1, 2], "probabilities": [0.5, 0.4]}}]', ", [0].probabilities: "
     "the probabilities must sum to 1. Got 0.9."),
]  # fmt: skip


def message(path: str) -> str:
    with pytest.raises(wz.InvalidFileError) as caught:
        read_boxes(path)
    told = str(caught.value)
    assert "\n" not in told
    return told


@pytest.mark.parametrize(("text", "told"), BAD_CSV, ids=[told for _, told in BAD_CSV])
def test_bad_csv(tmp_path: Path, text: str | bytes, told: str) -> None:
    path = write(tmp_path, text)
    assert message(path) == path + told


@pytest.mark.parametrize(("text", "told"), BAD_JSON, ids=[told for _, told in BAD_JSON])
def test_bad_json(tmp_path: Path, text: str, told: str) -> None:
    path = write(tmp_path, text, "f.json")
    assert message(path) == path + told


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    rule = " must be a file that can be read. Got "
    absent = str(tmp_path / "absent.csv")
    assert message(absent) == f"{absent}{rule}No such file or directory."
    assert message(str(tmp_path)) == f"{tmp_path}{rule}Is a directory."


def test_unknown_suffix(tmp_path: Path) -> None:
    path = write(tmp_path, SAMPLES + "a,1,2", "f.txt")
    rule = "must end in .csv or .json, or be read with --format"
    assert message(path) == f"{path}: the name of the file {rule}. Got 'f.txt'."
