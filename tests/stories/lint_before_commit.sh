# A hook that refuses a training loop which loses its leaf.
autodiff examples 2_descent_step > train.ad

autodiff lint train.ad --diagnostics github > notes.txt || { echo 'not committed'; grep -o 'title=L001' notes.txt; }
