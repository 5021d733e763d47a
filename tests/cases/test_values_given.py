"""Values given on the command line: expressions, files of numbers, more numbers than a line can hold."""

from __future__ import annotations

from cases import Case, each_of

MASKED = "a = 1.; c = 0.\nok = ~isnan(y)\nt = t[ok]\ny = y[ok]\nr = y - (a*t + c)\n"

CASES = [
    Case("expression", "y = sin(x)\n", "autodiff grad script.ad --set x=pi/4", [0.7071067811865476]),
    Case(
        "json_file",
        "L = (x**2).sum()\n",
        'echo "[1,2,3]" > v.json; autodiff grad script.ad --set x=@v.json',
        [2, 4, 6],
    ),
    Case(  # Linux gives a program no argument of more than 128 KiB: it does not start, so stdin is the way in
        "bigarg",
        "L = 2*exp(-0.3*x)\n",
        'autodiff grad script.ad --grad-output ones --set "x=[$(seq -s, 1 40000)]"',
        prints="",
        says=["Argument list too long"],
        code=126,
    ),
    Case(
        "forty_thousand_numbers",
        "L = 2*exp(-0.3*x)\n",
        "seq 1 40000 | autodiff grad script.ad --grad-output ones --set x=@- | tr '\\t' '\\n' | wc -l",
        [40000],
    ),
    Case(
        "a_grid",
        "L = (x**2).sum()\n",
        "autodiff grad script.ad --set 'x=linspace(0, 1, 5)'",
        [0, 0.5, 1, 1.5, 2],
    ),
    Case(
        "column_of_a_measurement",
        "k = 0.5; L = (k*t).sum()\n",
        "autodiff grad script.ad --wrt k --set t=@run.csv",
        [6],
        files={"run.csv": "who,t,note\nanna,1.5,\nbert,2,second run\ncleo,2.5,\n"},
    ),
    Case(
        "matrix_of_a_text_file",
        "L = (A @ v).sum()\n",
        "autodiff grad script.ad --wrt A,v --set A=@a.txt --set v=@v.txt | cut -f2-",
        [5, 6, 5, 6, 4, 6],
        files={"a.txt": "# two rows\n1 2\n3 4\n", "v.txt": "5 6\n"},
    ),
    Case(
        "weights_of_an_output",
        "x = [1, 2]; y = x[0]*x[1]; z = x[0] + x[1]; v = [y, z]\n",
        "autodiff grad script.ad --grad-output @w.json",
        [21, 11],
        files={"w.json": "[10, 1]"},
    ),
    Case(
        "a_name_of_the_script_in_a_value",
        "a = 2; y = a*x\n",
        "autodiff grad script.ad --set x=a/2",
        says=["--set x: `a/2` has no value", "not the names of the script"],
        code=2,
    ),
    Case(
        "a_prefix_of_a_unit_in_a_value",
        "C = 1.; R = 50.; tau = R*C\n",
        "autodiff grad script.ad --set C=22n",
        says=[
            "`22n` has no value: a name stands directly after a number",
            "prefixes of units are not read: write 22e-9",
        ],
        code=2,
    ),
    Case(
        "a_word_in_row_seven",
        "L = (x**2).sum()\n",
        "autodiff grad script.ad --set x=@run.csv",
        prints="",
        says=["run.csv, line 7, column 2 (`x`): `6.?` is no number", "an empty field, nan, NA or -"],
        files={"run.csv": "t,x\n1,1\n2,4\n3,9\n4,16\n5,25\n6,6.?\n"},
        code=2,
    ),
]


LINE = "w = 2; b = 0\nL = ((w*x + b - y)**2).mean()\n"
POINTS = "id,x,y\na,1,2.1\nb,2,3.9\nc,3,6.2\n"
DATA = [
    Case(
        "columns_by_header",
        LINE,
        "autodiff grad script.ad --data points.csv",
        prints="w\t-0.33333333333333365\nb\t-0.13333333333333344\n",
        files={"points.csv": POINTS},
    ),
    Case(
        "columns_named_on_the_line",
        LINE,
        "tail -n +2 points.csv | cut -d, -f2,3 | autodiff grad script.ad --data - --columns x,y --wrt w",
        [-1 / 3],
        files={"points.csv": POINTS},
    ),
    Case(
        "records_of_json",
        LINE,
        "autodiff grad script.ad --data points.jsonl --wrt b",
        [-0.4 / 3],
        files={"points.jsonl": '{"x": 1, "y": 2.1}\n{"x": 2, "y": 3.9}\n{"x": 3, "y": 6.2}\n'},
    ),
    Case(
        "data_alone_are_inputs",
        "L = (x**2).sum()\n",
        "autodiff grad script.ad --data points.csv",
        [2, 4, 6],
        files={"points.csv": POINTS},
    ),
    Case(
        "data_in_place_of_an_example",
        "w = tensor(3., requires_grad=True)\nx = tensor([0.])\nL = (w*x).sum()\nL.backward()\n",
        "autodiff grad script.ad --data points.csv",
        [6],
        files={"points.csv": POINTS},
    ),
    Case(
        "what_the_script_computes_stays",
        "w = 2\ny = w*x\nL = y.sum()\n",
        "autodiff grad script.ad --data points.csv",
        [6],
        says=["column `y` of points.csv is not used: the script computes it; --set y=@FILE replaces it"],
        files={"points.csv": POINTS},
    ),
    Case(
        "a_column_that_is_assigned_from_itself",
        MASKED,
        "autodiff minimize script.ad --data points.csv",
        prints="",
        says=[
            "error[E0619]: line 3 reads the column `t`, and the script assigns `t` itself",
            "help: write `t = 0; y = 0` in the first line: the columns replace each 0",
        ],
        never=["uses none", "--set"],
        files={"points.csv": "t,y\n0,1\n1,nan\n2,5\n"},
        code=2,
    ),
    Case(
        "a_column_that_is_assigned_from_itself_with_the_line_that_the_help_names",
        f"t = 0; y = 0\n{MASKED}",
        "autodiff minimize script.ad --data points.csv | cut -f2",
        [2, 1],
        files={"points.csv": "t,y\n0,1\n1,nan\n2,5\n"},
    ),
    Case(
        "a_row_value_that_is_assigned_from_itself",
        "k = 2.\nT = 2*T\ny = k*T**2\n",
        "autodiff grad script.ad --each points.csv",
        prints="",
        says=[
            "line 2 reads the column `T`",
            "help: write `T = 0` in the first line: the column replaces the 0",
        ],
        files={"points.csv": "T\n1\n2\n"},
        code=2,
    ),
    Case(
        "a_row_value_that_is_assigned_from_itself_with_the_line_that_the_help_names",
        "T = 0\nk = 2.\nT = 2*T\ny = k*T**2\n",
        "autodiff propagate script.ad --data points.csv --sigma T=0.1",
        [8, 1.6, 32, 3.2],
        files={"points.csv": "T\n1\n2\n"},
    ),
    Case(
        "names_that_are_functions_too",
        "a = 2\nL = (a*t*sin(t)).sum()/e\n",
        "autodiff grad script.ad --data run.csv",
        [(0.84147098480789651 + 2 * 0.90929742682568170) / 2.718281828459045],
        says=["column `e` of run.csv is not used", "column `sin` of run.csv is not used"],
        never=["column `t`"],
        files={"run.csv": "t,e,sin\n1,1,1\n2,1,1\n"},
    ),
    Case(
        "a_column_is_nearly_an_input",
        "w = 2\nL = (w*x*V).sum()\n",
        "autodiff grad script.ad --data points.csv --data more.csv",
        code=3,
        says=[
            "note: column `v [m/s]` of more.csv is not used; the script has `V`",
            "name 'V' is not defined",
        ],
        never=["column `X`"],
        files={"points.csv": POINTS, "more.csv": "X,w,v [m/s]\n1,2,3\n"},
    ),
    Case(
        "a_parameter_of_a_fit_is_called_as_a_column",
        "a = 1; c = 1\nr = a*x + c - y\n",
        "autodiff minimize script.ad --data points.csv | cut -f2",
        [2],
        says=[
            "note: `c` is one number in the script, and a column of the data replaces it: it is data here,"
            " no parameter; give a parameter a name that no column has\n"
        ],
        never=["does not use"],
        files={"points.csv": "x,y,c\n1,3,1\n2,5,1\n3,7,1\n"},
    ),
    Case(
        "columns_that_a_fit_does_not_use",
        "a = 1; y = [3., 5., 7.]\nr = a*x - y\n",
        "autodiff minimize script.ad --data points.csv --wrt a | cut -f2",
        [2],
        says=["note: the fit does not use the columns X[2], z of points.csv\n"],
        never=["no parameter"],
        files={"points.csv": "x,y,X[2],z\n1,2,1,2\n2,4,1,2\n3,6,1,2\n"},
    ),
    Case(
        "no_column_is_used",
        "w = 2\nL = (w*x1).sum()\n",
        "autodiff grad script.ad --data points.csv",
        prints="",
        says=["the script uses none of its columns: id, x, y", "the script reads: x1, w"],
        files={"points.csv": POINTS},
        code=2,
    ),
    Case(
        "a_header_and_names",
        LINE,
        "autodiff grad script.ad --data points.csv --columns id,x,y",
        prints="",
        says=["points.csv, line 1: this line names the columns already: id,x,y", "leave --columns out"],
        files={"points.csv": POINTS},
        code=2,
    ),
    Case(
        "a_header_with_units_and_names",
        "w = 2\nL = (w*T).sum()\n",
        "autodiff grad script.ad --data units.csv --columns T,R",
        prints="",
        says=["for other names, drop the line: sed 1d units.csv | autodiff ... --data - --columns ..."],
        files={"units.csv": "Temp (C),R (ohm)\n1,2\n3,4\n"},
        code=2,
    ),
    Case(
        "a_header_with_units_left_out_as_the_help_says",
        "w = 2\nL = (w*T).sum()\n",
        "sed 1d units.csv | autodiff grad script.ad --data - --columns T,R",
        [4],
        files={"units.csv": "Temp (C),R (ohm)\n1,2\n3,4\n"},
    ),
    Case(
        "rows_under_a_header_with_units_and_names",
        "T = 1\nL = T**2\n",
        "autodiff grad script.ad --each units.csv --columns T,R",
        prints="",
        says=["for other names, drop the line: sed 1d units.csv | autodiff ... --each - --columns ..."],
        files={"units.csv": "Temp (C),R (ohm)\n1,2\n3,4\n"},
        code=2,
    ),
    Case(
        "a_script_that_does_not_parse",
        "w = 2\nL = w*x +\n",
        "autodiff grad script.ad --data points.csv",
        prints="",
        says=["E0101", "a value is missing after `+`"],
        files={"points.csv": POINTS},
        code=3,
    ),
    Case(
        "two_names_for_three_columns",
        LINE,
        "autodiff grad script.ad --data raw.txt --columns x,y",
        prints="",
        says=["raw.txt, line 2: 3 fields, and --columns names 2"],
        files={"raw.txt": "# measured\n1 2 3\n"},
        code=2,
    ),
]


@each_of(DATA)
def test_columns_of_files(case, tmp_path):
    case.check(tmp_path)


PRICES = "S = 100; K = 90; y = S/K\n"
FORMATS = [
    Case(
        "csv",
        PRICES,
        "autodiff grad script.ad --format csv",
        prints="name,index,value,gradient\nS,,100,0.011111111111111112\nK,,90,-0.01234567901234568\n",
    ),
    Case(
        "value_beside_gradient",
        PRICES,
        "autodiff grad script.ad --format tsv | awk -F'\\t' '$1 == \"K\" {print $3, $4}'",
        [90, -1 / 81],
    ),
    Case(
        "matrix_there_and_back",
        "L = (W**2).sum()\n",
        "autodiff grad script.ad --set 'W=[[1, 2], [3, 4]]' -o g.npz"
        " && autodiff grad script.ad --set W=@g.npz --format csv | cut -d, -f4",
        prints="gradient\n4\n8\n12\n16\n",
    ),
    Case(
        "table_for_a_report",
        PRICES,
        "autodiff grad script.ad -o g.md --digits 3 && cat g.md",
        prints="| name | value | gradient |\n| --- | ---: | ---: |\n"
        "| S | 100 | 0.0111 |\n| K | 90 | -0.0123 |\n",
    ),
]


@each_of(FORMATS)
def test_gradients_in_other_formats(case, tmp_path):
    case.check(tmp_path)


@each_of(CASES)
def test_values_given_on_the_line(case, tmp_path):
    case.check(tmp_path)
