"""LU factorizations and systems solved with them, and the older names of factorizations."""

from ops.generators import spread

PIVOTED = "{=[[0.5, -1.0, 2.0], [2.0, 1.5, 1.0], [-0.75, 3.0, 0.25]]}"
SHAPES = ("3,3", "2,2", "1,1", "2,3,3", "3,4", "4,3", "2,2,4", "2,4,2", "4,4")


def factored(call: str, *shapes: str) -> list[str]:
    """Samples of a call: ``LU`` stands for both triangles and pivots that move rows, ``B`` for vectors."""
    samples = []
    for each in shapes:
        shape, vectors = each.split(" / ")
        *batch, n, _ = (int(size) for size in shape.split(","))
        pivots = f"torch.tensor({[*range(2, n + 1), n]}, dtype=torch.int32)" + "".join(
            f".expand({size}, -1)" for size in batch
        )
        samples.append(call.replace("LU", f"{{{shape} reg}}, {pivots}").replace("B", f"{{{vectors}}}"))
    return samples


SYSTEMS = ("3,3 / 3,2", "2,2 / 2,1", "1,1 / 1,3", "2,3,3 / 2,3,2", "3,3 / 2,3,1", "2,3,3 / 3,2")
TURNED = ("3,3 / 2,3", "2,3,3 / 2,1,3")

SAMPLES = {
    "linalg.lu_factor": spread(
        "linalg.lu_factor",
        *(f"torch.linalg.lu_factor({{{shape}}})[0]" for shape in SHAPES),
        f"torch.linalg.lu_factor({PIVOTED}).LU",
        f"torch.linalg.lu_factor({PIVOTED}, pivot=True)[0]",
        "torch.linalg.lu_factor({3,3 f4})[0]",
        "torch.linalg.lu_factor({0,3})[0]",
        f"torch.linalg.lu_factor({PIVOTED})[0] * torch.linalg.lu_factor({PIVOTED}).pivots",
        no="E",
    ),
    "linalg.lu_factor_ex": spread(
        "linalg.lu_factor_ex",
        *(f"torch.linalg.lu_factor_ex({{{shape}}})[0]" for shape in SHAPES),
        f"torch.linalg.lu_factor_ex({PIVOTED}).LU",
        f"torch.linalg.lu_factor_ex({PIVOTED}, check_errors=True)[0]",
        f"torch.linalg.lu_factor_ex({PIVOTED})[0] * torch.linalg.lu_factor_ex({PIVOTED}).info",
        no="E",
    ),
    "torch.lu": spread(
        "torch.lu",
        *(f"torch.lu({{{shape}}})[0]" for shape in SHAPES),
        f"torch.lu({PIVOTED})[0]",
        f"torch.lu({PIVOTED}, get_infos=True)[0]",
        f"torch.lu({PIVOTED})[0] * torch.lu({PIVOTED})[1]",
        no="E",
    ),
    "torch.lu_unpack": spread(
        "torch.lu_unpack",
        *factored("torch.lu_unpack(LU)[1] * {1}", *SYSTEMS[:4]),
        *factored("torch.lu_unpack(LU).U + {1}", *SYSTEMS[:4]),
        *factored("torch.lu_unpack(LU)[0] @ {3,3}", SYSTEMS[0], SYSTEMS[3]),
        *factored("torch.lu_unpack(LU, unpack_pivots=False)[1]", SYSTEMS[0]),
        *factored("torch.lu_unpack(LU, True, False)[2]", SYSTEMS[0]),
        "torch.lu_unpack({2,3,4}, torch.tensor([[1, 2, 3], [3, 3, 3]], dtype=torch.int32))[1]",
        "torch.lu_unpack({4,3}, torch.tensor([1, 2, 4], dtype=torch.int32)).L",
        "torch.lu_unpack({3,4}, torch.tensor([1, 2, 3], dtype=torch.int32)).U",
        no="E",
    ),
    "linalg.lu_solve": spread(
        "linalg.lu_solve",
        *factored("torch.linalg.lu_solve(LU, B)", *SYSTEMS),
        *factored("torch.linalg.lu_solve(LU, B, adjoint=True)", *SYSTEMS),
        *factored("torch.linalg.lu_solve(LU, B, left=False)", *TURNED),
        *factored("torch.linalg.lu_solve(LU, B, left=False, adjoint=True)", *TURNED),
        "torch.linalg.lu_solve({3,3 reg}, torch.tensor([2, 3, 3], dtype=torch.int32), {3,2})",
        no="E",
    ),
    "torch.lu_solve": spread(
        "torch.lu_solve",
        *factored("torch.lu_solve(B, LU)", *SYSTEMS),
        *factored("B.lu_solve(LU)", *SYSTEMS),
        no="E",
    ),
    "linalg.solve_ex": spread(
        "linalg.solve_ex",
        "torch.linalg.solve_ex({3,3 reg}, {3})[0]",
        "torch.linalg.solve_ex({3,3 reg}, {3,2})[0]",
        "torch.linalg.solve_ex({2,3,3 reg}, {2,3,2}).result",
        "torch.linalg.solve_ex({2,3,3 reg}, {2,3})[0]",
        "torch.linalg.solve_ex({3,3 reg}, {2,3}, left=False)[0]",
        "torch.linalg.solve_ex({2,3,3 reg}, {3,2}, check_errors=True)[0]",
        "torch.linalg.solve_ex({1,1 reg}, {1})[0]",
        "torch.linalg.solve_ex({3,3 reg}, {3,0})[0]",
        "torch.linalg.solve_ex({3,3 reg f4}, {3,2 f4})[0]",
        f"torch.linalg.solve_ex({PIVOTED}, {{3,2}})[0]",
        f"torch.linalg.solve_ex({PIVOTED}, {{3}}).result",
        "torch.linalg.solve_ex({3,3,3 reg}, {3,2})[0]",
        no="E",
    ),
    "torch.triangular_solve": spread(
        "torch.triangular_solve",
        "torch.triangular_solve({3,2}, {3,3 reg})[0]",
        "torch.triangular_solve({3,2}, {3,3 up}).solution",
        "torch.triangular_solve({3,2}, {3,3 low}, upper=False)[0]",
        "torch.triangular_solve({3,2}, {3,3 reg}, transpose=True)[0]",
        "torch.triangular_solve({3,2}, {3,3 reg}, False, True)[0]",
        "torch.triangular_solve({3,2}, {3,3 reg}, unitriangular=True)[0]",
        "torch.triangular_solve({2,3,2}, {3,3 reg})[0]",
        "torch.triangular_solve({3,2}, {2,3,3 reg})[0]",
        "torch.triangular_solve({1,1}, {1,1 reg})[0]",
        "{3,2}.triangular_solve({3,3 reg})[0]",
        "torch.triangular_solve({3,2 f4}, {3,3 reg f4})[0]",
        no="E",
    ),
    "torch.cholesky": spread(
        "torch.cholesky",
        "torch.cholesky({3,3 pd})",
        "torch.cholesky({2,2 pd})",
        "torch.cholesky({1,1 +})",
        "torch.cholesky({2,3,3 pd})",
        "torch.cholesky({3,3 pd}, upper=True)",
        "torch.cholesky({2,3,3 pd}, True)",
        "torch.cholesky({4,4 pd})",
        "torch.cholesky(symmetric({3,3 reg}))",
        "{3,3 pd}.cholesky()",
        "torch.cholesky({0,2,2})",
        no="E",
    ),
    "linalg.cholesky_ex": spread(
        "linalg.cholesky_ex",
        "torch.linalg.cholesky_ex({3,3 pd})[0]",
        "torch.linalg.cholesky_ex({2,2 pd}).L",
        "torch.linalg.cholesky_ex({1,1 +})[0]",
        "torch.linalg.cholesky_ex({2,3,3 pd})[0]",
        "torch.linalg.cholesky_ex({3,3 pd}, upper=True)[0]",
        "torch.linalg.cholesky_ex({2,3,3 pd}, upper=True)[0]",
        "torch.linalg.cholesky_ex({4,4 pd}, check_errors=True)[0]",
        "torch.linalg.cholesky_ex({0,2,2})[0]",
        "torch.linalg.cholesky_ex(symmetric({3,3 reg}))[0]",
        "torch.linalg.cholesky_ex({3,3 pd f4})[0]",
        "torch.linalg.cholesky_ex({=[[2.0, 1.0], [1.0, 3.0]]})[0]",
        "torch.linalg.cholesky_ex({=[[-2.0, 1.0], [1.0, 3.0]]; held})[0]",
        no="E",
    ),
    "torch.qr": spread(
        "torch.qr",
        "projector(torch.qr({3,3})[0], 1)",
        "projector(torch.qr({4,2})[0], 1)",
        "projector(torch.qr({2,4,3}).Q, 1)",
        "projector(torch.qr({4,3}, some=True)[0], 1)",
        "projector(torch.qr({5,3})[0], 1)",
        "torch.qr({3,3})[1].diagonal(0, -2, -1).abs()",
        "torch.qr({4,2}).R.diagonal(0, -2, -1).abs()",
        "torch.qr({2,4,3})[1].diagonal(0, -2, -1).abs()",
        "torch.qr({2,4})[1].diagonal(0, -2, -1).abs()",
        "torch.qr({3,3}, some=False)[1].diagonal().abs()",
        "projector({4,2}.qr()[0], 2) @ {4,2}",
        "projector(torch.qr({3,2})[0], 1)",
        no="E",
    ),
    "torch.svd": spread(
        "torch.svd",
        "torch.svd({3,3})[1]",
        "torch.svd({4,2}).S",
        "torch.svd({2,3,4})[1]",
        "torch.svd({3,3}, compute_uv=False)[1]",
        "torch.svd({4,3}, some=False)[1]",
        "torch.svd({2,2}, True, False)[1]",
        "projector(torch.svd({4,3})[0], 1)",
        "projector(torch.svd({3,4})[2], 1)",
        "projector(torch.svd({2,4,3}).V, 1)",
        "projector(torch.svd({5,3}, some=True).U, 2)",
        "projector({4,4}.svd()[2], 2)",
        "torch.svd({3,3}, compute_uv=False)[0]",
        no="E",
    ),
}
