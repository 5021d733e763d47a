"""Values given on the command line: expressions, files of numbers, more numbers than a line can hold."""

from __future__ import annotations

from cases import Case, each_of

CASES = [
    Case("expression", "y = sin(x)\n", "autodiff grad script.ad --set x=pi/4", [0.7071067811865476]),
    Case(
        "json_file",
        "L = (x**2).sum()\n",
        'echo "[1,2,3]" > v.json; autodiff grad script.ad --set x=@v.json',
        [2, 4, 6],
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
        "a_word_in_row_seven",
        "L = (x**2).sum()\n",
        "autodiff grad script.ad --set x=@run.csv",
        prints="",
        says=["run.csv, line 7, column 2 (`x`): `n/a` is no number", "written nan"],
        files={"run.csv": "t,x\n1,1\n2,4\n3,9\n4,16\n5,25\n6,n/a\n"},
        code=2,
    ),
]


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
