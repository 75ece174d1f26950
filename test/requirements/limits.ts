/** What plan limits, shared mode, usage, inspector, metrics, logs and control-plane authentication promise. */
export default [
  {
    id: 'LAYER-1',
    rule: 'refusals of authentication, keys and plan come at once, have no X-Svc-Fault, are not captured, and carry request id and CORS headers',
    where: 'limits 1',
  },
  {
    id: 'LAYER-2',
    rule: 'protection, exemption and exclusion decide by the decoded path, at path borders',
    where: 'limits 1',
  },
  { id: 'LAYER-3', rule: 'preflights are never authenticated, limited, counted or captured', where: 'limits 1' },
  {
    id: 'PLAN-1',
    rule: 'presets and overrides give the limits that config and usage show; without a plan nothing is decorated',
    where: 'limits 2',
  },
  {
    id: 'PLAN-2',
    rule: 'admission tests requests, egress, rps, concurrency, streams in this order, and a rejection takes nothing',
    where: 'limits 2',
  },
  {
    id: 'PLAN-3',
    rule: 'the token bucket starts full, keeps fractions and never holds more than its capacity',
    where: 'limits 2',
  },
  {
    id: 'PLAN-4',
    rule: 'periods are calendar days and months in UTC; entering one starts both quotas from 0',
    where: 'limits 2',
  },
  {
    id: 'PLAN-5',
    rule: 'of a quota exactly so many requests are admitted, however many come at once',
    where: 'limits 2',
  },
  {
    id: 'PLAN-6',
    rule: 'slots are given back when the response ends or the client leaves, for every kind of answer',
    where: 'limits 2',
  },
  {
    id: 'PLAN-7',
    rule: 'a stream holds a stream slot instead of its place in flight; late streams without a slot get the 429 and do not count',
    where: 'limits 2',
  },
  {
    id: 'PLAN-8',
    rule: 'egress counts the bytes of bodies as sent while they are written, none for HEAD, 204, 304 and rejections',
    where: 'limits 2',
  },
  {
    id: 'PLAN-9',
    rule: 'sessions have counters of their own, header and address apart, at most 10,000, idle ones dropped first, busy ones kept',
    where: 'limits 2',
  },
  {
    id: 'PLAN-10',
    rule: 'a 429 has the headers, fields and sentence of the sheet, and no X-Svc-Quota-Remaining',
    where: 'limits 2',
  },
  {
    id: 'PLAN-11',
    rule: 'admitted answers carry X-Svc-Plan and, with a quota, X-Svc-Quota-Remaining',
    where: 'limits 2',
  },
  {
    id: 'PLAN-12',
    rule: 'exempt paths are not limited, counted or decorated; authenticated control requests are counted and never rejected',
    where: 'limits 2',
  },
  {
    id: 'PLAN-13',
    rule: 'at the lifetime an event stream ends with the comment and a WebSocket closes with 1008',
    where: 'limits 2',
  },
  {
    id: 'PLAN-14',
    rule: 'calls beside HTTP pass requests and rps once and hear status, message and metadata',
    where: 'limits 2',
  },
  {
    id: 'PLAN-15',
    rule: 'CORS exposes the headers of limits while a plan or shared mode is on, and none of them otherwise',
    where: 'limits 2, 8',
  },
  { id: 'USAGE-1', rule: 'the usage record has every field, null for what is off', where: 'limits 2' },
  {
    id: 'USAGE-2',
    rule: 'the usage file is written at shutdown and taken over when it belongs to the current period',
    where: 'limits 2',
  },
  { id: 'USAGE-3', rule: 'a usage file that is no such file is a warning and counts from 0', where: 'limits 2, 9' },
  {
    id: 'CAUTH-1',
    rule: 'token and jwt modes protect everything under /_svc except /_svc/ready, unknown paths too',
    where: 'limits 3',
  },
  { id: 'CAUTH-2', rule: 'each refused credential has its reason, status and challenge', where: 'limits 3' },
  { id: 'CAUTH-3', rule: 'scopes allow what the table says, higher ones include lower ones', where: 'limits 3' },
  {
    id: 'CAUTH-4',
    rule: 'a control token with scope admin counts as the admin token, data plane included, in jwt mode only',
    where: 'limits 3',
  },
  {
    id: 'CAUTH-5',
    rule: 'the public key is read as PEM, DER or raw bytes; private and other keys are refused with a warning',
    where: 'limits 3',
  },
  { id: 'INSP-1', rule: 'an entry has every field, bodies as text or base64', where: 'limits 4' },
  {
    id: 'INSP-2',
    rule: '404, 413, faults, handshakes and clients that left are captured; control plane, console, landing page and favicon are not',
    where: 'limits 4',
  },
  { id: 'INSP-3', rule: '65536 bytes of a body are kept; a cut character is left out', where: 'limits 4' },
  {
    id: 'INSP-4',
    rule: 'credentials of the control plane and API keys are redacted, everything else stays',
    where: 'limits 4',
  },
  { id: 'INSP-5', rule: 'count and bytes are bounded, the oldest go first', where: 'limits 4' },
  { id: 'INSP-6', rule: 'list, detail and clearing filter, clamp and refuse as stated', where: 'limits 4, 9' },
  { id: 'INSP-7', rule: 'the feed resumes after Last-Event-ID, oldest first, none lost or doubled', where: 'limits 4' },
  { id: 'INSP-8', rule: 'a slow reader has at most 256 events waiting; feeds are bounded', where: 'limits 4' },
  { id: 'INSP-9', rule: 'public mode captures and shows one session at a time', where: 'limits 4' },
  {
    id: 'INSP-10',
    rule: 'entry and log name the fault, what asked for it, the route that was called, the bytes sent and how the answer ended',
    where: 'limits 4',
  },
  {
    id: 'METRIC-1',
    rule: 'the exposition is valid text format 0.0.4 with HELP and TYPE of every series',
    where: 'limits 6',
  },
  {
    id: 'METRIC-2',
    rule: 'requests are counted by route template, method and class, timed in the stated buckets, never by raw path',
    where: 'limits 6',
  },
  {
    id: 'METRIC-3',
    rule: 'protocols, streams, egress, faults, rejections and build have their series from the start',
    where: 'limits 6',
  },
  { id: 'LINE-1', rule: 'one event is one line whatever clients send, JSON lines are objects', where: 'limits 7' },
  { id: 'LINE-2', rule: 'one line per request without its query, probes and scrapes at debug', where: 'limits 7' },
  {
    id: 'KEY-1',
    rule: 'the key is X-Svc-Key, else rb_key, else svc_key; exempt paths need none and count none',
    where: 'limits 8',
  },
  {
    id: 'KEY-2',
    rule: 'missing, unknown, malformed, disabled and expired keys are refused with their reasons',
    where: 'limits 8',
  },
  {
    id: 'KEY-3',
    rule: 'bad registry entries are left out with index and reason; a failed reload keeps the last good registry',
    where: 'limits 8',
  },
  {
    id: 'KEY-4',
    rule: 'rate and daily quota of a key are enforced, what the plan or the key refuses counts for neither',
    where: 'limits 8',
  },
  { id: 'KEY-5', rule: 'no answer holds a key; usage shows ids to those who may see them', where: 'limits 8' },
  {
    id: 'STORE-1',
    rule: 'instances that share a store admit exactly the quota together, with the stated commands only',
    where: 'limits 8',
  },
  {
    id: 'STORE-2',
    rule: 'a store that is away or slow neither opens the gate nor refuses all, and counts come right when it is back',
    where: 'limits 8',
  },
]
