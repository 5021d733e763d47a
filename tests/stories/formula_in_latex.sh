# A derivation for a document.

autodiff explain -e 'x = 2; L = x**3 + x' --format latex | grep -c 'documentclass'
