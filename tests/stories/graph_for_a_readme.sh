# A flowchart for a page on GitHub.

{ echo '```mermaid'; autodiff graph -e 'x = 2; L = x*x' --format mermaid; echo '```'; } | grep -c mermaid
