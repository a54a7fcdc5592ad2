"""Clients of Prometheus, Loki, Jaeger and Alertmanager against a served cluster with an application.

Takes the shared address as its argument; prints what was seen, and fails with what was not.
"""
import json
import sys
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

from prometheus_api_client import MetricRangeDataFrame, MetricSnapshotDataFrame, PrometheusConnect
from prometheus_api_client.utils import parse_datetime


def ask(address, path, **params):
    query = urllib.parse.urlencode(params)
    with urllib.request.urlopen(f"{address}{path}?{query}", timeout=30) as answer:
        return json.load(answer)


def prometheus(address):
    server = PrometheusConnect(url=f"{address}/prometheus")
    assert server.check_prometheus_connection()
    names = server.all_metrics()
    for name in ["up", "kube_pod_info", "container_cpu_usage_seconds_total", "node_cpu_seconds_total", "traces_span_metrics_calls_total"]:
        assert name in names, name
    assert "namespace" in server.get_label_names()
    assert "hotel-reservation" in server.get_label_values("namespace")
    pods = server.custom_query('count(kube_pod_info{namespace="hotel-reservation"})')
    assert float(pods[0]["value"][1]) > 5, pods
    end = datetime.now(timezone.utc)
    rates = server.custom_query_range(
        'sum(rate(traces_span_metrics_calls_total{span_kind="SPAN_KIND_SERVER"}[5m]))', end - timedelta(minutes=20), end, "60s"
    )
    assert len(rates[0]["values"]) >= 15 and float(rates[0]["values"][-1][1]) > 0, rates
    frame = MetricSnapshotDataFrame(server.get_current_metric_value("kube_deployment_status_replicas_available"))
    assert not frame.empty and "deployment" in frame.columns
    ranges = server.get_metric_range_data("up", start_time=parse_datetime("30m"), end_time=parse_datetime("now"))
    assert not MetricRangeDataFrame(ranges).empty
    assert server.get_metric_aggregation("sum(up)", ["max", "average"], start_time=parse_datetime("10m"), end_time=parse_datetime("now"))
    assert ask(address, "/prometheus/api/v1/targets")["data"]["activeTargets"]
    print("ok     prometheus-api-client: metrics, labels, queries, ranges, frames, targets")


def others(address):
    streams = ask(address, "/loki/api/v1/query_range", query='{namespace="hotel-reservation"}', since="2h", limit=20)
    assert streams["data"]["result"], streams
    services = ask(address, "/jaeger/api/services")["data"]
    assert len(services) > 3, services
    traces = ask(address, "/jaeger/api/traces", service=services[0], lookback="1h", limit=3)["data"]
    assert traces and traces[0]["spans"], traces
    alerts = ask(address, "/alertmanager/api/v2/alerts")
    assert [alert["labels"]["alertname"] for alert in alerts] == ["Watchdog"], alerts
    silence = {
        "matchers": [{"name": "alertname", "value": "Watchdog", "isRegex": False, "isEqual": True}],
        "startsAt": datetime.now(timezone.utc).isoformat(),
        "endsAt": (datetime.now(timezone.utc) + timedelta(hours=1)).isoformat(),
        "createdBy": "a test", "comment": "quiet",
    }
    request = urllib.request.Request(
        f"{address}/alertmanager/api/v2/silences", json.dumps(silence).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.load(answer)["silenceID"]
    print("ok     Loki, Jaeger, Alertmanager: lines, traces, alerts, a silence")


prometheus(sys.argv[1])
others(sys.argv[1])
