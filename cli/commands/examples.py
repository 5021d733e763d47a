"""``autodiff examples``: lists the scripts that come with the package, or prints one."""

from __future__ import annotations

from autodiff.cli.command_line.example_files import SCRIPT, example_paths
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError


def command(session: Session) -> None:
    """Print one example, or the name and the first line of each."""
    name = session.request.argument
    paths = example_paths()
    if name:
        session.show_text(read_example(find_example(name, paths)))
        return
    widest = max(map(len, paths))
    for known, path in paths.items():
        said = title(path)
        if session.out.is_terminal:
            from autodiff.cli.render.prose import fold

            said = "\n".join(fold(said, session.out.width, widest + 2, widest + 2))
        session.show_text(f"{known:{widest}}  {said}\n")
    session.hint("`autodiff examples NAME` prints one, as in `autodiff examples 1_autograd | autodiff run -`")


def title(path: str) -> str:
    """The first line of an example, which is a comment that says what it shows."""
    return read_example(path).partition("\n")[0].removeprefix("# ")


def read_example(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_example(name: str, paths: dict[str, str]) -> str:
    """The file of an example. Raises UsageError for a name that there is not."""
    short = name.removeprefix("examples/").removeprefix("seeds/").removesuffix(SCRIPT)
    if short in paths:
        return paths[short]
    from autodiff.core.base.did_you_mean import closest_name

    inside = [known for known in paths if short and short.lower() in known]
    near = inside[0] if inside else closest_name(short, paths)
    proposal = f"did you mean `{near}`?" if near else "`autodiff examples` lists all of them"
    raise UsageError(f"there is no example `{name}`", code="E0615", help=(proposal,))
