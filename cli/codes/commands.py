"""Error codes for the command line, for limits, and for input and output that fail."""

from __future__ import annotations

from autodiff.cli.codes.code import Code

#: A command with a custom Function whose backward returns ``{answer}``.
OWN_BACKWARD = """autodiff explain --format formula -e 'class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return {answer}
x = torch.tensor(3., requires_grad=True)
L = Double.apply(x)'"""

CODES = {
    "E0501": Code(
        "It is nested too deeply.",
        "A function calls itself without end, or brackets are nested thousands deep.",
        "Let the function end, write a loop, or raise --max-depth.",
        "autodiff run --max-depth 100 -e 'def f(n): return f(n + 1)' -e 'f(0)'",
        "autodiff run --max-depth 100 -e 'def f(n): return n if n > 9 else f(n + 1)' -e 'f(0)'",
    ),
    "E0502": Code(
        "It needs more memory than allowed.",
        "The result would be larger than --max-memory; that is checked before anything is computed.",
        "Use smaller shapes, or raise --max-memory.",
        "x = torch.zeros(1000000, 1000000)",
        "x = torch.zeros(1000, 1000)",
    ),
    "E0503": Code(
        "It takes more steps than allowed.",
        "A loop does not end, or the script needs more steps than --max-steps allows.",
        "Check that the loop ends, or raise --max-steps.",
        "autodiff run --max-steps 1000 -e 'while True: pass'",
        "autodiff run --max-steps 1000 -e 'for i in range(100): pass'",
    ),
    "E0504": Code(
        "The graph has more nodes than allowed.",
        "Every recorded operation stays in memory until nothing refers to it.",
        "Call backward() more often, put what needs no gradient under `with torch.no_grad():`, or raise"
        " --max-nodes.",
        "autodiff run --max-nodes 100 -e 'x = w = tensor(1., requires_grad=True)'"
        " -e 'for i in range(1000): x = x * w'",
        "autodiff run --max-nodes 100 -e 'x = w = tensor(1., requires_grad=True)'"
        " -e 'for i in range(10): x = x * w'",
    ),
    "E0505": Code(
        "It takes longer than allowed.",
        "The script was still running after 60 seconds, or those given with --timeout, and was stopped; or it"
        " had ended, and the answer about it took so long.",
        "Check that its loops end, or ask about fewer inputs with --wrt; --timeout gives more time, and"
        " --timeout 0 any.",
        "autodiff run --timeout 0.2 -e 'while True: pass'",
        "autodiff run --timeout 20 -e 'for i in range(100): pass'",
    ),
    "E0506": Code(
        "The formula is too long to write out.",
        "--format formula writes one complete expression, and this one grows with every step of a loop.",
        "Ask about fewer steps, or about a part of the script with --of; --format plain shows what the"
        " gradient is made of.",
        "autodiff explain --format formula --wrt w -e 'x = w = 2' -e 'for i in range(900): x = x*w + w/x'",
        "autodiff explain --format formula --wrt w -e 'x = w = 2' -e 'for i in range(9): x = x*w + w/x'",
    ),
    "E0601": Code(
        "A name given on the command line is not in the script.",
        "--of, --wrt and --set name variables of the script.",
        "Check its spelling; the message names near ones.",
        "autodiff grad --wrt w9 -e 'w1 = 3; L = w1**2'",
        "autodiff grad --wrt w1 -e 'w1 = 3; L = w1**2'",
    ),
    "E0602": Code(
        "--set replaces only names that the script assigns with `NAME = ...`.",
        "The script binds the name in another way: by a loop, a function, an unpacking or an import.",
        "Assign it with `NAME = ...` in the script, or set another name.",
        "autodiff run --set i=3 -e 'for i in range(2): pass'",
        "autodiff run --set n=3 -e 'n = 2' -e 'for i in range(n): pass'",
    ),
    "E0603": Code(
        "A name given on the command line is not a number or tensor.",
        "Only numbers, tensors and lists of them can be differentiated, and only numbers and tensors be"
        " differentiated by.",
        "Name a tensor.",
        "autodiff grad --of f -e 'f = lambda x: x**2; w = 3; L = f(w)'",
        "autodiff grad --of L -e 'f = lambda x: x**2; w = 3; L = f(w)'",
    ),
    "E0604": Code(
        "The script computes nothing that could be differentiated.",
        "No line assigns a number or tensor that depends on an input.",
        "Assign a result, or name one with --of.",
        "autodiff grad -e 'print(1)'",
        "autodiff grad -e 'w = 3; L = w**2'",
    ),
    "E0605": Code(
        "--grad-output has the wrong type.",
        "It gives the weight of each entry of the output.",
        "Give `ones`, a number or a list of numbers, as in `1,2,3` or `[[1, 2], [3, 4]]`.",
        "autodiff grad --grad-output True -e 'x = ones(2, requires_grad=True); y = x**2'",
        "autodiff grad --grad-output ones -e 'x = ones(2, requires_grad=True); y = x**2'",
    ),
    "E0610": Code(
        "The command line is wrong.",
        "An option does not exist, lacks its value, or has one that it does not take.",
        "See `autodiff COMMAND --help`.",
        "autodiff grad --wrtt w -e 'w = 3; L = w**2'",
        "autodiff grad --wrt w -e 'w = 3; L = w**2'",
    ),
    "E0611": Code(
        "The script or another file cannot be read.",
        "There is no file of that name, it is a directory, or you may not read it.",
        "Check its name and permissions; -e takes code from the command line.",
        "autodiff run missing.ad",
        "autodiff run -e 'w = 3; L = w**2'",
    ),
    "E0612": Code(
        "The script or a file of numbers is larger than allowed.",
        "Reading stops at 16 MiB of script, at 1 GiB of numbers, and at five million words and signs, before"
        " they fill the memory.",
        "Raise the limit of bytes with --max-script or --max-input; write loops instead of long lists.",
        "printf 'w = 3; L = w**2' | autodiff run --max-script 5 -",
        "printf 'w = 3; L = w**2' | autodiff run --max-script 1K -",
    ),
    "E0613": Code(
        "The script or a table is not text in UTF-8.",
        "The file holds bytes that are not UTF-8: it is a picture or an archive, or has another encoding.",
        "Save it as UTF-8.",
        "printf 'L = 2\\377' | autodiff run -",
        "printf 'w = 3; L = w**2' | autodiff run -",
    ),
    "E0614": Code(
        "Bare numbers cannot show this gradient.",
        "In a pipe `grad` writes the numbers of one input alone, one line for each row; of more than two"
        " dimensions nobody could tell where a matrix ends.",
        "Use --format json, or ask for several inputs: then each line begins with its place.",
        "autodiff grad --format plain -e 'a = ones(2, 2, 2, requires_grad=True); L = (a * a).sum()'",
        "autodiff grad --format json -e 'a = ones(2, 2, 2, requires_grad=True); L = (a * a).sum()'",
    ),
    "E0615": Code(
        "There is no such help topic, function or example.",
        "Topics are the commands, the codes, and a few more.",
        "`autodiff help` lists the topics, `autodiff ops` the functions, `autodiff examples` the examples.",
        "autodiff help E9999",
        "autodiff help E0401",
    ),
    "E0616": Code(
        "The tensor has no such entry.",
        "--entry takes one position for each dimension, counted from 0.",
        "Give one number for each dimension, each below its size.",
        "autodiff explain --entry 0,2 -e 'W = ones(2, 2, requires_grad=True); L = (W * W).sum()'",
        "autodiff explain --entry 0,1 -e 'W = ones(2, 2, requires_grad=True); L = (W * W).sum()'",
    ),
    "E0617": Code(
        "A part of the formula cannot be written as an expression.",
        "--format formula writes an expression of functions that anybody can call. A rule of the engine that"
        " has no such functions, a backward of the script that leaves the graph, and a formula that comes to"
        " 0/0 where the gradient is a limit, cannot be written so.",
        "In a backward compute with tensors, without .item(), .tolist() and numpy; --format plain shows what"
        " the gradient is made of.",
        OWN_BACKWARD.format(answer="torch.tensor(2 * g.item())"),
        OWN_BACKWARD.format(answer="2 * g"),
    ),
    "E0618": Code(
        "The script fails with the shape that --set or --data gives to a tensor.",
        "Without the option it runs: its lines expect the shape that the tensor has in the script. A column"
        " has an entry for each row.",
        "Give a value of that shape; grad --each FILE runs a script of single numbers once for every row.",
        "autodiff grad -e 'w = tensor([1., 2.]); x = tensor([3., 4.]); L = (w*x).sum()' --set 'w=[1, 2, 3]'",
        "autodiff grad -e 'w = tensor([1., 2.]); x = tensor([3., 4.]); L = (w*x).sum()' --wrt w"
        " --set 'w=[1, 2]'",
    ),
    "E0619": Code(
        "A file does not hold the numbers that are needed.",
        "A field is no number, lines have different numbers of fields, a column is missing, or the format of"
        " the file is damaged.",
        "Mend the file at the line and column of the message; a missing value is an empty field, NA or nan.",
        "printf '1,2\\n3,x\\n' | autodiff grad -e 'L = W.sum()' --set W=@-",
        "printf '1,2\\n3,4\\n' | autodiff grad -e 'L = W.sum()' --set W=@-",
    ),
    "E0620": Code(
        "A library that is not installed is needed.",
        "graphlay places the parts of a picture, resvg-py paints PNG, Pillow joins frames to a GIF, plotille"
        " draws the chart of `plot` on a terminal. pyarrow and safetensors read the files with their names,"
        " watchfiles waits for changes, distributed runs rows on a cluster. All are optional: everything else"
        " works without.",
        "In autodiff's own folder, run python -m pip install '.[pictures,data,watch,cluster]' for all."
        " The formats tree, json, dot and mermaid, and the curves of `plot` as SVG, CSV and JSON, need none.",
        "",
        "",
    ),
    "E0700": Code(
        "The output could not be written.",
        "The disk is full, standard output is closed, or the device takes no more.",
        "Check the disk, and where the output goes.",
        "autodiff grad -e 'w = 3; L = w**2' > /dev/full",
        "autodiff grad -e 'w = 3; L = w**2' > /dev/null",
    ),
    "E0900": Code(
        "A mistake in autodiff itself.",
        "Something happened that autodiff did not expect. No script is known that makes it happen.",
        "Please report it with the script; AUTODIFF_DEBUG=1 shows where it happened.",
        "",
        "",
    ),
}
