# Which of five errors of a bridge circuit is worth reducing first.
cat > bridge.ad <<'END'
Vs = 2; V0 = 0.0125; S = 2.09; R2 = 120; R3 = 120
eps = V0/Vs*(R2 + R3)**2/(R2*R3)/S
END

autodiff propagate bridge.ad --sigma Vs=.004,V0=.0000375,S=.0105,R2=.12,R3=.18 --format json |
    jq -r '.shares | to_entries | max_by(.value) | "\(.key) \(.value*100 | round)%"'
