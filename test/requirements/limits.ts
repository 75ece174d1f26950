/** Rules of plan limits, shared mode, usage, inspector, metrics, logs and control-plane authentication. */
export default [
  {
    id: 'LAYER-1',
    rule: 'rejections by authentication, keys and plan are sent at once, have no X-Svc-Fault, are not captured, and carry request id and CORS headers',
    where: 'limits 1',
  },
  {
    id: 'LAYER-2',
    rule: 'protection, exemption and exclusion use the decoded path and match whole segments',
    where: 'limits 1',
  },
  { id: 'LAYER-3', rule: 'preflights are never authenticated, limited, counted or captured', where: 'limits 1' },
  {
    id: 'PLAN-1',
    rule: 'presets and overrides determine the limits shown by config and usage; without a plan nothing is added to responses',
    where: 'limits 2',
  },
  {
    id: 'PLAN-2',
    rule: 'admission checks requests, egress, rps, concurrency and streams in this order, and a rejection counts nothing',
    where: 'limits 2',
  },
  {
    id: 'PLAN-3',
    rule: 'the token bucket starts full, keeps fractions and never holds more than its capacity',
    where: 'limits 2',
  },
  {
    id: 'PLAN-4',
    rule: 'periods are calendar days and months in UTC; a new period starts both quotas from 0',
    where: 'limits 2',
  },
  {
    id: 'PLAN-5',
    rule: 'exactly as many requests as the quota allows are admitted, however many arrive at once',
    where: 'limits 2',
  },
  {
    id: 'PLAN-6',
    rule: 'slots are released when the response ends or the client disconnects, for every kind of response',
    where: 'limits 2',
  },
  {
    id: 'PLAN-7',
    rule: 'a stream holds a stream slot instead of a concurrency slot; late streams without a slot get the 429 and do not count',
    where: 'limits 2',
  },
  {
    id: 'PLAN-8',
    rule: 'egress counts body bytes as sent while they are written, and nothing for HEAD, 204, 304 and rejections',
    where: 'limits 2',
  },
  {
    id: 'PLAN-9',
    rule: 'sessions have separate counters, also for header and address, at most 10,000; idle ones are dropped first, busy ones kept',
    where: 'limits 2',
  },
  {
    id: 'PLAN-10',
    rule: 'a 429 has the documented headers, fields and sentence, and no X-Svc-Quota-Remaining',
    where: 'limits 2',
  },
  {
    id: 'PLAN-11',
    rule: 'admitted responses carry X-Svc-Plan and, with a quota, X-Svc-Quota-Remaining',
    where: 'limits 2',
  },
  {
    id: 'PLAN-12',
    rule: 'exempt paths are not limited or counted and get no headers; authenticated control requests are counted and never rejected',
    where: 'limits 2',
  },
  {
    id: 'PLAN-13',
    rule: 'at the end of its lifetime an event stream ends with the comment and a WebSocket closes with 1008',
    where: 'limits 2',
  },
  {
    id: 'PLAN-14',
    rule: 'calls outside of HTTP check requests and rps once and get status, message and metadata',
    where: 'limits 2',
  },
  {
    id: 'PLAN-15',
    rule: 'CORS exposes the headers of limits while a plan or shared mode is active, and none of them otherwise',
    where: 'limits 2, 8',
  },
  { id: 'USAGE-1', rule: 'the usage record has every field; limits that are off are null', where: 'limits 2' },
  {
    id: 'USAGE-2',
    rule: 'the usage file is written at shutdown and restored if it belongs to the current period',
    where: 'limits 2',
  },
  { id: 'USAGE-3', rule: 'an invalid usage file gives a warning and counting starts from 0', where: 'limits 2, 9' },
  {
    id: 'CAUTH-1',
    rule: 'token and jwt modes protect everything under /_svc except /_svc/ready, including unknown paths',
    where: 'limits 3',
  },
  { id: 'CAUTH-2', rule: 'each rejected credential has its reason, status and challenge', where: 'limits 3' },
  {
    id: 'CAUTH-3',
    rule: 'scopes allow the documented operations, and higher ones include lower ones',
    where: 'limits 3',
  },
  {
    id: 'CAUTH-4',
    rule: 'in jwt mode only, a control token with scope admin counts as the admin token, also on the data plane',
    where: 'limits 3',
  },
  {
    id: 'CAUTH-5',
    rule: 'the public key is read as PEM, DER or raw bytes; private and other keys are rejected with a warning',
    where: 'limits 3',
  },
  { id: 'INSP-1', rule: 'an entry has every field, with bodies as text or base64', where: 'limits 4' },
  {
    id: 'INSP-2',
    rule: '404, 413, faults, handshakes and clients that disconnected are captured; control plane, console, landing page and favicon are not',
    where: 'limits 4',
  },
  { id: 'INSP-3', rule: '65536 bytes of a body are kept; a truncated character is dropped', where: 'limits 4' },
  {
    id: 'INSP-4',
    rule: 'credentials of the control plane and API keys are redacted, everything else is kept',
    where: 'limits 4',
  },
  { id: 'INSP-5', rule: 'count and bytes are bounded, the oldest entries are evicted first', where: 'limits 4' },
  { id: 'INSP-6', rule: 'list, detail and clear filter, clamp and reject as documented', where: 'limits 4, 9' },
  {
    id: 'INSP-7',
    rule: 'the feed resumes after Last-Event-ID, oldest first, without loss or duplicates',
    where: 'limits 4',
  },
  {
    id: 'INSP-8',
    rule: 'at most 256 events are queued for a slow reader; the number of feeds is bounded',
    where: 'limits 4',
  },
  { id: 'INSP-9', rule: 'public mode captures and shows one session at a time', where: 'limits 4' },
  {
    id: 'INSP-10',
    rule: 'entry and log contain the fault, what requested it, the route that was called, the bytes sent and how the response ended',
    where: 'limits 4',
  },
  {
    id: 'INSP-14',
    rule: 'an entry shows the response headers as they were sent, in their order',
    where: 'docs/observability.md',
  },
  {
    id: 'INSP-15',
    rule: '65536 bytes of a response body sent in one piece are kept, and 16384 of one sent in several',
    where: 'docs/observability.md',
  },
  {
    id: 'INSP-16',
    rule: 'an entry says why the request ended as it did: fault, what kind of thing requested it, how the connection was broken',
    where: 'docs/observability.md',
  },
  {
    id: 'METRIC-1',
    rule: 'the exposition is valid text format 0.0.4 with HELP and TYPE for every metric',
    where: 'limits 6',
  },
  {
    id: 'METRIC-2',
    rule: 'requests are counted by route template, method and class, timed in the documented buckets, never by raw path',
    where: 'limits 6',
  },
  {
    id: 'METRIC-3',
    rule: 'protocols, streams, egress, faults, rejections and build have metrics from the start',
    where: 'limits 6',
  },
  {
    id: 'METRIC-4',
    rule: 'the entries and the bytes of all stores, logs and registers are metrics, with a bounded number of labels',
    where: 'docs/observability.md',
  },
  {
    id: 'METRIC-5',
    rule: 'docs/observability.md lists all metrics of the service with their types and labels',
    where: 'docs/observability.md',
  },
  { id: 'LINE-1', rule: 'one event is one line whatever clients send, and JSON lines are objects', where: 'limits 7' },
  {
    id: 'LINE-2',
    rule: 'one line per request without its query; probes and scrapes are logged at debug',
    where: 'limits 7',
  },
  {
    id: 'KEY-1',
    rule: 'the key is X-Svc-Key, else rb_key, else svc_key; exempt paths need no key and are not counted',
    where: 'limits 8',
  },
  {
    id: 'KEY-2',
    rule: 'missing, unknown, malformed, disabled and expired keys are rejected with their reasons',
    where: 'limits 8',
  },
  {
    id: 'KEY-3',
    rule: 'invalid registry entries are ignored with index and reason; a failed reload keeps the last good registry',
    where: 'limits 8',
  },
  {
    id: 'KEY-4',
    rule: 'rate and daily quota of a key are enforced; a request rejected by the plan or the key counts for neither',
    where: 'limits 8',
  },
  { id: 'KEY-5', rule: 'no response contains a key; usage shows ids to those who may see them', where: 'limits 8' },
  {
    id: 'STORE-1',
    rule: 'instances that share a store together admit exactly the quota, using only the documented commands',
    where: 'limits 8',
  },
  {
    id: 'STORE-2',
    rule: 'an unreachable or slow store neither disables the limit nor rejects everything, and counts are correct after the reconnect',
    where: 'limits 8',
  },
]
