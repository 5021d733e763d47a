# Why does this weight not learn?

autodiff explain -e 'w = -2.; L = relu(w)*3' --wrt w 2>&1 | grep -o 'where its input is not positive'
