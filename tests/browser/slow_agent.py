"""An agent that thinks for a second before each query, so that it can be looked at while it works."""
import os
import time
import urllib.parse
import urllib.request

LOOKS = ["count(up)", "sum(kube_pod_status_ready)", "count(kube_node_info)", "count(kube_service_info)"]

for turn in range(40):
    time.sleep(1)
    query = urllib.parse.urlencode({"query": LOOKS[turn % len(LOOKS)]})
    urllib.request.urlopen(f"{os.environ['PROMETHEUS_URL']}/api/v1/query?{query}").read()
