# A fit is kept in a file; later its slope is needed at a new place.
printf 't,v\n0,1\n1,3\n2,7\n3,20\n' > d.csv

autodiff minimize -e 'a = 1; k = 1; r = a*exp(k*t) - v' --data d.csv -o fit.npz
autodiff grad -e 't = 4; y = a*exp(k*t)' --data fit.npz --wrt t | cut -c1-6
