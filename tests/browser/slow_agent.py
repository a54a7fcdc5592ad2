"""An agent that thinks for a second before each command, so that it can be looked at while it works."""
import sys
import time

LOOKS = ["kubectl get pods", "kubectl get services", "kubectl get events", "kubectl get nodes", "kubectl get deployments"]

sys.stdin.readline()
for turn in range(40):
    time.sleep(1)
    print(LOOKS[turn % len(LOOKS)], flush=True)
    if not sys.stdin.readline():
        break
