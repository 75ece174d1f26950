"""Acts as a gateway that reports with the official exporters of OpenTelemetry, as gateway.mjs does."""
import json
import sys
import urllib.error
import urllib.request
import uuid

from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry._logs import LogRecord

svc, endpoint, encoding, session = sys.argv[1:]
if encoding == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    options = {signal: {"endpoint": endpoint, "insecure": True} for signal in ("traces", "logs", "metrics")}
else:
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    options = {
        signal: {"endpoint": f"{endpoint}/v1/{signal}", "compression": Compression.Gzip}
        for signal in ("traces", "logs", "metrics")
    }

resource = Resource.create({"service.name": f"gateway-{encoding}", "svc.session": session})
spans = TracerProvider(resource=resource)
spans.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(**options["traces"])))
logs = LoggerProvider(resource=resource)
logs.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(**options["logs"])))
meters = MeterProvider(
    resource=resource, metric_readers=[PeriodicExportingMetricReader(OTLPMetricExporter(**options["metrics"]))]
)
tracer = spans.get_tracer("gateway")
logger = logs.get_logger("gateway")
requests = meters.get_meter("gateway").create_counter("gateway.requests")


def send(path, headers):
    """The status of a response."""
    try:
        with urllib.request.urlopen(urllib.request.Request(svc + path, headers=headers)) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def silently(path, request_id):
    return send(path, {"x-request-id": request_id, "x-svc-session": session})


def passed(path, request_id):
    http = {"http.request.method": "GET"}
    access = {**http, "url.path": path, "http.request.header.x-request-id": [request_id]}
    with tracer.start_as_current_span(f"GET {path}", kind=trace.SpanKind.SERVER, attributes=access) as server:
        with tracer.start_as_current_span("GET", kind=trace.SpanKind.CLIENT, attributes=http) as client:
            ids = client.get_span_context()
            status = send(
                path,
                {
                    "x-request-id": request_id,
                    "x-svc-session": session,
                    "traceparent": f"00-{ids.trace_id:032x}-{ids.span_id:016x}-01",
                },
            )
            client.set_attribute("http.response.status_code", status)
        server.set_attribute("http.response.status_code", status)
        report(path, request_id, status)


def report(path, request_id, status, **more):
    attributes = {
        "http.request.method": "GET",
        "url.path": path,
        "http.response.status_code": status,
        "http.request.header.x-request-id": [request_id],
        **more,
    }
    logger.emit(LogRecord(body=f"GET {path}", attributes=attributes))
    requests.add(1, {"status": status})


def honest(request_id):
    passed("/status/200", request_id)


def dropped(request_id):
    silently("/status/200", request_id)


def invented(request_id):
    report("/status/200", request_id, 200)


def doubled(request_id):
    silently("/status/200", request_id)
    report("/status/200", request_id, 200)
    report("/status/200", request_id, 200)


def renumbered(request_id):
    silently("/status/200", request_id)
    report("/status/200", f"other-{request_id}", 200)


def lying(request_id):
    silently("/status/503", request_id)
    report("/status/503", request_id, 200)


def retried(request_id):
    silently("/status/503", request_id)
    silently("/status/503", request_id)
    report("/status/503", request_id, 503, attempts=2)


ids = {}
for act in (honest, dropped, invented, doubled, renumbered, lying, retried):
    ids[act.__name__] = str(uuid.uuid4())
    act(ids[act.__name__])
for provider in (spans, logs, meters):
    provider.force_flush()
for provider in (spans, logs, meters):
    provider.shutdown()
print(json.dumps(ids))
