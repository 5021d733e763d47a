"""The table of all commands and options, which the parsers, the help texts and the completion read.

Nothing is parsed and nothing is imported here.
"""

from __future__ import annotations

TEXT, TEXTS, NUMBER, SIZE = "text", "texts", "number", "size"
SECONDS, FLAG, COUNT = "seconds", "flag", "count"


class Option:
    """One option: ``flags`` as typed, ``kind`` of its value, ``choices`` where only these are allowed.

    ``least`` is the minimum of a whole number; ``parts`` are the words that a list with commas may have.
    """

    __slots__ = ("choices", "default", "flags", "help", "kind", "least", "metavar", "name", "parts")

    def __init__(
        self,
        flags: str,
        kind: str,
        help: str,
        *,
        metavar: str = "",
        choices: tuple[str, ...] = (),
        default: object = None,
        least: int = 0,
        parts: tuple[str, ...] = (),
    ) -> None:
        self.flags = tuple(flags.split())
        self.name = self.flags[-1].lstrip("-").replace("-", "_")
        self.kind = kind
        self.help = help
        self.metavar = metavar
        self.choices = choices
        self.least = least
        self.parts = parts
        self.default = {TEXTS: (), FLAG: False, COUNT: 0}.get(kind, default)

    @property
    def takes_value(self) -> bool:
        return self.kind not in (FLAG, COUNT)


class Command:
    """One command: its options, and the placeholder of its positional argument ("" for none)."""

    __slots__ = ("argument", "examples", "help", "name", "options")

    def __init__(
        self, name: str, argument: str, options: tuple[Option, ...], help: str, examples: tuple[str, ...]
    ) -> None:
        self.name = name
        self.argument = argument
        self.options = options
        self.help = help
        self.examples = examples

    @property
    def takes_several(self) -> bool:
        """Whether the command takes several arguments."""
        return self.argument.endswith("...]") or " " in self.argument

    @property
    def takes_command(self) -> bool:
        """Whether what follows is another command with its options."""
        return self.argument.startswith("COMMAND")


class Format:
    """One output format, and the line about it in ``autodiff help formats``.

    ``commands`` are those that have it. ``for_programs`` says that another program reads the output: then
    what the script prints goes to stderr. ``is_data`` says that it reads numbers from it, and no text or
    picture. ``suffixes`` of a file after ``-o`` stand for the format.
    """

    __slots__ = ("commands", "for_programs", "help", "is_data", "name", "suffixes")

    def __init__(
        self,
        name: str,
        commands: str,
        help: str,
        *,
        suffixes: str = "",
        for_programs: bool = False,
        is_data: bool = False,
    ) -> None:
        self.is_data = is_data
        self.name = name
        self.suffixes = tuple(suffixes.split())
        self.commands = tuple(commands.split())
        self.help = help
        self.for_programs = for_programs


#: The commands that answer with derivatives as numbers.
DERIVATIVES = "grad jacobian hessian jvp hvp propagate minimize"
TABLES = f"{DERIVATIVES} diff"
#: The formats, in the order in which a command lists them.
FORMATS = (
    Format(
        "auto",
        f"run {TABLES} explain graph trace plot check ops version",
        "for people: tables and trees on a terminal, plain text in a pipe; in a pipe `grad` writes bare"
        " numbers, of several inputs the name before them: x<TAB>2, for a vector v<TAB>1<TAB>2, for a matrix"
        " W[0]<TAB>1<TAB>2 and W[1]<TAB>3<TAB>4; an input that takes no part has the gradient 0",
    ),
    Format(
        "plain",
        f"run {TABLES} explain trace plot check ops",
        "the plain text that a pipe gets, on a terminal too",
        suffixes=".txt",
    ),
    Format("table", TABLES, "the table of a terminal, in a pipe too"),
    Format("tree", "graph", "the tree", suffixes=".txt"),
    Format("chart", "plot", "the chart of a terminal, in a pipe too"),
    Format("formula", "explain", "only the simplified formula", for_programs=True),
    Format("equation", "explain", "the same as a line of LaTeX, with its left side", for_programs=True),
    Format(
        "verdict",
        "check",
        "only right, right here, wrong, undecided, not judged or cannot be read; of several gradients or"
        " formulas a line each, with what it is about and a tab before it",
        for_programs=True,
    ),
    Format(
        "json",
        f"run {TABLES} explain graph trace plot check ops version",
        'one JSON document with "schema": 2; a failure is a document too',
        suffixes=".json",
        for_programs=True,
        is_data=True,
    ),
    Format(
        "jsonl",
        f"{TABLES} plot",
        "a JSON object a line for each number, or for each point of a curve",
        suffixes=".jsonl",
        for_programs=True,
        is_data=True,
    ),
    Format(
        "csv",
        TABLES,
        "a header, and a line for each number with its name and its index, such as 0 1",
        suffixes=".csv",
        for_programs=True,
        is_data=True,
    ),
    Format(
        "csv",
        "trace",
        "a header, and a line for each event",
        suffixes=".csv",
        for_programs=True,
        is_data=True,
    ),
    Format(
        "csv", "plot", "a header, and a line for each point", suffixes=".csv", for_programs=True, is_data=True
    ),
    Format(
        "tsv", f"{TABLES} trace plot", "as csv, with tabs", suffixes=".tsv", for_programs=True, is_data=True
    ),
    Format(
        "npy",
        DERIVATIVES,
        "one array as numpy's file",
        suffixes=".npy",
        for_programs=True,
        is_data=True,
    ),
    Format(
        "npz",
        DERIVATIVES,
        "all arrays by name, as numpy's file",
        suffixes=".npz",
        for_programs=True,
        is_data=True,
    ),
    Format(
        "markdown",
        "explain",
        "the steps, with formulas as GitHub and notebooks show them",
        suffixes=".md",
        for_programs=True,
    ),
    Format(
        "markdown",
        TABLES,
        "a table; of `jacobian` and `hessian` the matrix",
        suffixes=".md",
        for_programs=True,
    ),
    Format("markdown", "ops", "the reference, as in docs/ops.md", suffixes=".md", for_programs=True),
    Format("latex", "explain", "the steps as a document for pdflatex", suffixes=".tex", for_programs=True),
    Format(
        "latex",
        TABLES,
        "a table for a document; of `jacobian` and `hessian` the matrix",
        suffixes=".tex",
        for_programs=True,
    ),
    Format("dot", "graph", "the graph in the language of Graphviz", suffixes=".dot .gv", for_programs=True),
    Format(
        "mermaid", "graph", "the graph for Markdown on GitHub", suffixes=".mmd .mermaid", for_programs=True
    ),
    Format(
        "html",
        "graph",
        "one page that plays the run: the graph grows, gradients flow back, paths add up",
        suffixes=".html .htm",
        for_programs=True,
    ),
    Format(
        "png",
        "graph plot",
        "the picture of svg, in pixels",
        suffixes=".png",
        for_programs=True,
    ),
    Format(
        "gif",
        "graph",
        "an animation: the graph grows as the script runs, then gradients flow back",
        suffixes=".gif",
        for_programs=True,
    ),
    Format(
        "svg",
        "graph plot",
        "the graph or the curve as a picture for browsers and documents",
        suffixes=".svg",
        for_programs=True,
    ),
)

#: The formats of lines about rows.
ROW_FORMATS = ("plain", "table", "csv", "tsv", "jsonl")
#: The formats of ``graph`` that are drawn.
DRAWN = ("html", "svg", "png", "gif")
#: Image formats that Graphviz makes from DOT.
PICTURES = ("png", "svg", "pdf", "jpg", "gif", "ps")

CODE = Option("-e", TEXTS, "Code to run, after the file's; repeatable.", metavar="CODE")
OF = Option("--of", TEXT, "The output: a name, or as in 'v[0]'; default: the script's last.", metavar="NAME")
WRT = Option("--wrt", TEXTS, "Inputs to differentiate by: names, a,b lists, 'w*' globs.", metavar="NAME")
SET = Option(
    "--set",
    TEXTS,
    "Give a variable a value: 2.5, pi/4, [1, 2], @FILE; repeatable.",
    metavar="NAME=VALUE",
)
DATA = Option("--data", TEXTS, "Columns of a file as values of the names they have.", metavar="FILE")
COLUMNS = Option("--columns", TEXT, "Names of the columns of --data, without a header.", metavar="NAME,...")
EACH = Option("--each", TEXT, "A line for each row of a file or of -: CSV, TSV, JSON, NPY.", metavar="FILE")
SWEEP = Option(
    "--sweep",
    TEXTS,
    "A line for each value: 0:2:0.5, log:1:1000:4, [1, 2]; repeatable.",
    metavar="NAME=VALUES",
)
KEEP = Option("--keep", FLAG, "The columns of --each before the gradients.")
VALUE = Option("--value", FLAG, "The output's value before the gradients, on one line.")
FAIL_FAST = Option("--fail-fast", FLAG, "Stop at the first bad row of --each.")
BATCH = Option("--batch", NUMBER, "Add up --data N rows at a time.", metavar="N", default=0)
REDUCE = Option("--reduce", TEXT, "What the output of --batch is over rows.", choices=("sum", "mean"))
JOBS = Option("--jobs", NUMBER, "Processes for --each, --sweep and --batch.", metavar="N", default=1, least=1)
CLUSTER = Option("--cluster", TEXT, "Answer rows on a dask.distributed scheduler.", metavar="ADDRESS|local")
GRAD_OUTPUT = Option(
    "--grad-output", TEXT, "Gradient to start from if the output is not one number.", metavar="ones|VALUE"
)
DTYPE = Option("--dtype", TEXT, "Default number type.", choices=("float32", "float64"), default="float64")
SEED = Option("--seed", NUMBER, "Seed of the random numbers.", metavar="N", default=0)
DIGITS = Option("--digits", NUMBER, "Significant digits for people.", metavar="N", default=6, least=1)
SHOW = Option(
    "--show",
    TEXT,
    "Parts to print: gradients,graph,paths,tensors.",
    metavar="PARTS",
    parts=("gradients", "graph", "paths", "tensors"),
)
ROWS = Option("--rows", NUMBER, "Lines of a table or tree; 200 on a terminal.", metavar="N")
ALL = Option("--all", FLAG, "Every line of every table, tree and derivation.")
QUIET = Option("-q --quiet", COUNT, "No hints and warnings; twice: nothing but the exit code.")
VERBOSE = Option("-v --verbose", COUNT, "Write to stderr how long each part took.")
COLOR = Option("--color", TEXT, "When to use colour.", choices=("auto", "always", "never"), default="auto")
DIAGNOSTICS = Option(
    "--diagnostics",
    TEXT,
    "How errors and warnings are written.",
    choices=("text", "json", "github"),
    default="text",
)
FAIL_ON = Option(
    "--fail-on",
    TEXTS,
    "Exit 1 on a gradient of nan or zero, a zero entry or a warning.",
    metavar="nan,zero,zero-entry,warning",
    parts=("nan", "zero", "zero-entry", "warning"),
)
FAIL_ON_CHECK = Option(
    "--fail-on",
    TEXTS,
    "Exit 1 on these too; `here`: a number right at this point only.",
    metavar="nan,zero,zero-entry,warning,undecided,here",
    parts=(*FAIL_ON.parts, "undecided", "here"),
)
FAIL_ON_MINIMIZE = Option(
    "--fail-on",
    TEXTS,
    "Exit 1 if there are no standard errors, or on a warning.",
    metavar="nan,warning",
    parts=("nan", "warning"),
)
MAX_PATHS = Option("--max-paths", NUMBER, "Paths to follow; 0 = all.", metavar="N", default=10_000)
TOP = Option("--top", NUMBER, "How many paths to show, the strongest first; else 10.", metavar="K", least=1)
FORMULA = Option(
    "--formula",
    TEXTS,
    "A derivative by hand, @FILE with one a line, or @: the script's.",
    metavar="'dL/dw == ...'",
)
ORDER = Option("--order", TEXT, "Check first or second derivatives.", choices=("1", "2"), default="1")
NTH = Option("--order", NUMBER, "The order of the derivatives.", metavar="N", default=1, least=1)
ENTRY = Option("--entry", TEXT, "Derive one entry of a tensor gradient too.", metavar="I,J")
VECTOR = Option(
    "--vector",
    TEXTS,
    "The vector's values for an input; 0 for others; repeatable. A single input needs no name.",
    metavar="NAME=VALUE",
)
SIGMA = Option(
    "--sigma", TEXTS, "Standard deviations of inputs: 0.1, or 2% of the value.", metavar="NAME=VALUE,..."
)
COV = Option(
    "--cov", TEXT, "Covariance matrix with the inputs' names above, or a fit in JSON.", metavar="FILE"
)
MONTE_CARLO = Option("--monte-carlo", NUMBER, "Compare with this many random draws.", metavar="N", default=0)
METHOD = Option("--method", TEXT, "How to search.", choices=("auto", "bfgs", "lm", "newton"), default="auto")
ABSOLUTE_SIGMA = Option("--absolute-sigma", FLAG, "The residuals of a fit have the standard deviation 1.")
SPEED = Option("--speed", NUMBER, "Steps a minute on a terminal.", metavar="N", default=60, least=1)
RTOL = Option("--rtol", TEXT, "Relative difference that counts as none.", metavar="R", default="1e-9")
NONZERO = Option("--nonzero", FLAG, "Leave out rows of zeros of a table, and zeros of a list.")
VIEW = Option("--view", TEXT, "Nodes of a picture: functions or their results.", choices=("ops", "tensors"))
AROUND = Option("--around", TEXT, "In a picture only what is near this node.", metavar="NAME")
DEPTH = Option(
    "--depth", NUMBER, "Only so many steps from the output or that node; 0 = any.", metavar="N", default=0
)
FOLD = Option("--fold", NUMBER, "Fold a picture of more nodes; 0 = never.", metavar="N", default=300)
OVER = Option(
    "--over", TEXT, "The input and its values: -2:2, 0:2:0.5, log:1:1000:50.", metavar="NAME=VALUES"
)
TANGENT = Option("--tangent", TEXT, "Draw the tangent at this value of the input.", metavar="VALUE")
OPEN = Option("--open", FLAG, "Open the file that -o writes.")
OUTPUT = Option("-o --output", TEXT, "Write to a file; its suffix chooses the format.", metavar="FILE")
MAX_SCRIPT = Option("--max-script", SIZE, "Size of the script.", metavar="SIZE", default=16 << 20)
MAX_INPUT = Option("--max-input", SIZE, "Size of each file of numbers.", metavar="SIZE", default=1 << 30)
MAX_STEPS = Option("--max-steps", NUMBER, "Statements to run; 0 = any number.", metavar="N", default=0)
MAX_NODES = Option("--max-nodes", NUMBER, "Nodes of the graph.", metavar="N", default=5_000_000)
MAX_MEMORY = Option("--max-memory", SIZE, "Bytes of one result.", metavar="SIZE", default=4 << 30)
MAX_DEPTH = Option("--max-depth", NUMBER, "Nested calls.", metavar="N", default=100_000)
TIMEOUT = Option(
    "--timeout", SECONDS, "Time for a script; 0 = any; then exit 124.", metavar="SECONDS", default=60
)


#: The groups of options in help texts, and their order there; each option is in one, by its longest flag.
GROUPS = {
    "Input": "-e --set --data --each --sweep --over --columns --batch --reduce --jobs --cluster --sigma --cov"
    " --monte-carlo --dtype --seed",
    "What is differentiated": "--of --wrt --grad-output --vector --order --entry --formula --rtol --method"
    " --absolute-sigma",
    "Output": "--show --nonzero --value --keep --view --around --depth --fold --tangent --output --open"
    " --format --top --speed --digits --rows --all --quiet --verbose --color --diagnostics --fail-on"
    " --fail-fast --help",
    "Limits": "--timeout --max-steps --max-nodes --max-memory --max-depth --max-paths --max-script"
    " --max-input",
}


#: What each topic is about.
TOPICS = {
    "language": "what a script may contain, what is differentiated by what",
    "values": "what --set, --data and --sigma take: expressions and files of numbers",
    "formats": "the outputs of --format and --diagnostics, and what goes to stdout and stderr",
    "json": "the JSON Schema of --format json and --diagnostics json",
    "colors": "when there is colour, the roles of text and their styles, width and characters",
    "exit-codes": "what the shell gets back",
    "limits": "time, steps, memory, depth and paths, and the options that raise them",
    "codes": "every error and warning code with its title",
    "lints": "every finding of lint with its title",
}


def format_option(command: str) -> Option:
    choices = tuple(form.name for form in FORMATS if command in form.commands)
    return Option("--format", TEXT, "How to print the result.", choices=choices, default="auto")


#: The command that prints the script of the examples below, which work as typed in every folder.
EXAMPLE = "autodiff examples 1_autograd"

QUESTION = (CODE, OF, WRT, SET, DATA, COLUMNS, GRAD_OUTPUT, DTYPE, SEED)
WHOLE = tuple(option for option in QUESTION if option is not GRAD_OUTPUT)
LIMITS = (MAX_PATHS, MAX_STEPS, MAX_NODES, MAX_MEMORY, MAX_DEPTH, MAX_SCRIPT, MAX_INPUT, TIMEOUT)
MANNERS = (QUIET, VERBOSE, COLOR, DIAGNOSTICS)
PEOPLE = (DIGITS, ROWS, ALL)

COMMANDS = {
    command.name: command
    for command in (
        Command(
            "run",
            "[SCRIPT]",
            (*QUESTION, SHOW, FAIL_ON, OUTPUT, format_option("run"), *PEOPLE, *MANNERS, *LIMITS),
            "Run a script and backward: gradients, graph and derivations.",
            (
                "autodiff run -e 'x = 2; w = 3; L = (w*x - 1)**2'",
                f"{EXAMPLE} | autodiff run - --show tensors",
            ),
        ),
        Command(
            "grad",
            "[SCRIPT]",
            (
                *QUESTION,
                EACH,
                SWEEP,
                KEEP,
                VALUE,
                FAIL_FAST,
                BATCH,
                REDUCE,
                JOBS,
                CLUSTER,
                NTH,
                FAIL_ON,
                OUTPUT,
                format_option("grad"),
                *PEOPLE,
                *MANNERS,
                *LIMITS,
            ),
            "Print gradients; in a pipe, bare numbers.",
            (
                "autodiff grad --wrt w -e 'w=3; L=w**2' --set w=5",
                f"{EXAMPLE} | autodiff grad - --wrt 'w*'",
                "autodiff grad --wrt x -e 'x = 1; y = sin(x)' --sweep x=0:3:0.5 --value",
            ),
        ),
        Command(
            "jacobian",
            "[SCRIPT]",
            (*WHOLE, NONZERO, OUTPUT, format_option("jacobian"), *PEOPLE, *MANNERS, *LIMITS),
            "Print the derivatives of all entries of the output by all inputs.",
            (
                "autodiff jacobian -e 'r = 2; t = 0.5; v = [r*cos(t), r*sin(t)]'",
                "autodiff jacobian -e 'x = [1, 2]; y = [x[0]*x[1], x[0]**2]' --format csv",
            ),
        ),
        Command(
            "hessian",
            "[SCRIPT]",
            (*QUESTION, NONZERO, OUTPUT, format_option("hessian"), *PEOPLE, *MANNERS, *LIMITS),
            "Print the second derivatives by all pairs of inputs.",
            (
                "autodiff hessian -e 'x = 1; y = 2; f = x**2*y + y**3'",
                "autodiff hessian -e 'x = 1; y = 2; f = x**2*y + y**3' --format csv",
            ),
        ),
        Command(
            "jvp",
            "[SCRIPT]",
            (*WHOLE, VECTOR, OUTPUT, format_option("jvp"), *PEOPLE, *MANNERS, *LIMITS),
            "Print the Jacobian times a vector: the slope in a direction.",
            ("autodiff jvp -e 'r = 2; t = 0.5; v = [r*cos(t), r*sin(t)]' --vector r=1 --vector t=0.1",),
        ),
        Command(
            "hvp",
            "[SCRIPT]",
            (*QUESTION, VECTOR, OUTPUT, format_option("hvp"), *PEOPLE, *MANNERS, *LIMITS),
            "Print the Hessian times a vector.",
            ("autodiff hvp -e 'x = 1; y = 2; f = x**2*y + y**3' --vector x=1",),
        ),
        Command(
            "propagate",
            "[SCRIPT]",
            (
                *(*WHOLE, SIGMA, COV, MONTE_CARLO, FAIL_ON, OUTPUT, format_option("propagate")),
                *(*PEOPLE, *MANNERS, *LIMITS),
            ),
            "Propagate standard deviations of inputs to the output.",
            (
                "autodiff propagate -e 'm = 0.029; r = 0.0082; d = m/r**2' --sigma m=0.005,r=0.0001",
                "autodiff propagate -e 'x = 2; y = exp(x)' --sigma x=0.1 --monte-carlo 2000 --format table",
            ),
        ),
        Command(
            "minimize",
            "[SCRIPT]",
            (
                *(*WHOLE, METHOD, ABSOLUTE_SIGMA, FAIL_ON_MINIMIZE, OUTPUT, format_option("minimize")),
                *(*PEOPLE, *MANNERS, *LIMITS),
            ),
            "Find the inputs at which the output is least, with standard errors.",
            (
                "autodiff minimize -e 'x = 3; y = 1; L = (x - 1)**2 + cosh(x*y - 1)'",
                "printf 't,v\\n0,1\\n1,3\\n2,4.5\\n' |"
                " autodiff minimize -e 'a = 1; b = 0; r = a*t + b - v' --data - --format table",
            ),
        ),
        Command(
            "diff",
            "OLD NEW",
            (
                *(option for option in QUESTION if option is not CODE),
                *(RTOL, FAIL_ON, OUTPUT, format_option("diff"), *PEOPLE, *MANNERS, *LIMITS),
            ),
            "Compare values and gradients of two scripts; exit 1 when they differ.",
            (f"{EXAMPLE} > a.ad; sed 's/w3 = 3/w3 = 4/' a.ad | autodiff diff a.ad - || echo other",),
        ),
        Command(
            "explain",
            "[SCRIPT]",
            (
                *QUESTION,
                FAIL_ON,
                ENTRY,
                NTH,
                TOP,
                OUTPUT,
                format_option("explain"),
                *PEOPLE,
                *MANNERS,
                *LIMITS,
            ),
            "Derive a gradient in five steps, path by path.",
            (
                f"{EXAMPLE} | autodiff explain - --wrt w1",
                "autodiff explain -e 'x = 2; L = x**3 + x' --format formula",
            ),
        ),
        Command(
            "graph",
            "[SCRIPT]",
            (
                *QUESTION,
                FAIL_ON,
                NTH,
                VIEW,
                AROUND,
                DEPTH,
                FOLD,
                OUTPUT,
                OPEN,
                format_option("graph"),
                *PEOPLE,
                *MANNERS,
                *LIMITS,
            ),
            "Draw the graph as a tree or a picture, or write it as JSON, DOT or Mermaid.",
            (f"{EXAMPLE} | autodiff graph -", "autodiff graph -e 'x = 2; L = x*x' --format dot > graph.dot"),
        ),
        Command(
            "trace",
            "[SCRIPT]",
            (*QUESTION, FAIL_ON, TOP, SPEED, OUTPUT, format_option("trace"), *PEOPLE, *MANNERS, *LIMITS),
            "Show step by step how values are made and gradients flow back.",
            (f"{EXAMPLE} | autodiff trace -", "autodiff trace -e 'x = 2; L = x*x' --format csv"),
        ),
        Command(
            "plot",
            "[SCRIPT]",
            (
                *(option for option in WHOLE if option is not WRT),
                *(OVER, TANGENT, SIGMA, OUTPUT, format_option("plot"), DIGITS, *MANNERS, *LIMITS),
            ),
            "Draw the output over one input, or a loop's values over its steps.",
            (
                "autodiff plot -e 'w = 1; L = (w**2 - 1)**2' --over w=-2:2 --format csv",
                "autodiff plot -e 'x = 8' -e 'for i in range(5): x = (x + 2/x)/2' --format tsv",
            ),
        ),
        Command(
            "check",
            "[SCRIPT|FOLDER...]",
            (
                *(*QUESTION, FORMULA, ORDER, FAIL_ON_CHECK, OUTPUT, format_option("check")),
                *(*PEOPLE, *MANNERS, *LIMITS),
            ),
            "Check gradients, or a derivative by hand; exit 1 when one is wrong.",
            (
                f"{EXAMPLE} | autodiff check -",
                f"{EXAMPLE} | autodiff check - --formula 'dL/dw1 == -w2*x1 - w3*x2'",
            ),
        ),
        Command(
            "lint",
            "[SCRIPT|FOLDER...]",
            (CODE, QUIET, COLOR, DIAGNOSTICS, MAX_SCRIPT, TIMEOUT),
            "Find likely mistakes in scripts without running them.",
            (
                "autodiff examples 2_descent_step | autodiff lint -",
                "autodiff lint -e 'w = 3; L = w**2' --diagnostics github",
            ),
        ),
        Command(
            "watch",
            "COMMAND [SCRIPT] [OPTIONS]",
            (),
            "Run a command again whenever its script or its data change.",
            ("autodiff watch grad net.ad --wrt 'w*'", "autodiff watch check net.ad --formula @sheet.txt"),
        ),
        Command(
            "ops",
            "[NAME]",
            (OUTPUT, format_option("ops"), QUIET, COLOR, DIAGNOSTICS),
            "List the functions, or show one with its derivative and an example.",
            ("autodiff ops", "autodiff ops relu", "autodiff ops pool"),
        ),
        Command(
            "completion",
            "[SHELL]",
            (QUIET, COLOR, DIAGNOSTICS),
            "Print the completion script of bash, zsh or fish.",
            ("autodiff completion bash > autodiff.bash", "autodiff completion fish > autodiff.fish"),
        ),
        Command(
            "examples",
            "[NAME]",
            (QUIET, COLOR, DIAGNOSTICS),
            "List the example scripts, or print one.",
            ("autodiff examples", f"{EXAMPLE} > autograd.ad"),
        ),
        Command(
            "version",
            "",
            (format_option("version"), QUIET, COLOR, DIAGNOSTICS),
            "Print the versions of autodiff and of what its results depend on.",
            ("autodiff version", "autodiff version --format json"),
        ),
        Command(
            "help",
            "[TOPIC]",
            (COLOR,),
            "Explain exit-codes, the language, or an error code; alone it lists the topics.",
            ("autodiff help", "autodiff help exit-codes", "autodiff help E0401"),
        ),
    )
}

DESCRIPTION = "Runs PyTorch-style scripts without PyTorch and explains every gradient."
EXAMPLES = (
    ("autodiff run -e 'x = 2; w = 3; L = (w*x - 1)**2'", "gradients, the graph, and where each comes from"),
    ("autodiff grad --wrt w -e 'w = 3; L = w**2'", "just the number: 6"),
    (f"{EXAMPLE} | autodiff explain - --wrt w1", "the derivation, path by path"),
)
