"""The recorded graph: ops with their derivative rules, nodes, dtypes, the recording state, one node's vjp.

No op is declared here, and nothing here knows the class Tensor.

May import core.base. Imported by any room above.
"""
