/** The request headers of the mock LLM, in the order of the index. */
import type { RouteParameter } from 'svc/plugin'

/** The largest context window that a request can state, in tokens. */
export const MAX_WINDOW = 1e9

/** What every provider route accepts. */
export const ROUTE_HEADERS: readonly RouteParameter[] = [
  {
    name: 'X-Svc-Mode',
    in: 'header',
    description: 'How the reply text is generated',
    schema: { enum: ['canned', 'echo', 'scripted', 'random'] },
  },
  {
    name: 'X-Svc-Fail',
    in: 'header',
    description: 'Fault to inject: a kind or a status, optionally with :<percent>; also as ?fail=',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Require-Auth',
    in: 'header',
    description: 'Reject the request if it has no credential',
    schema: { type: 'boolean' },
  },
  {
    name: 'X-Svc-Strict-Fixtures',
    in: 'header',
    description: 'Whether a text generation on which no rule acts gets 404',
    schema: { type: 'boolean' },
  },
  {
    name: 'X-Svc-Latency-Ms',
    in: 'header',
    description: 'Delay before the response headers, in milliseconds',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-TTFT-Ms',
    in: 'header',
    description: 'Delay before the first token, in milliseconds',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Tokens-Per-Second',
    in: 'header',
    description: 'Speed of a stream; 0: unlimited',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Jitter',
    in: 'header',
    description: 'Variation of the gaps between tokens, in percent',
    schema: { type: 'integer', minimum: 0, maximum: 100 },
  },
  {
    name: 'X-Svc-Profile',
    in: 'header',
    description: 'Latency profile: a name, or one such as `ttft=lognormal(400,2500); gap=normal(20,5)`',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Tokenizer',
    in: 'header',
    description: 'What counts and splits texts; encodings need the package gpt-tokenizer',
    schema: { enum: ['rule', 'o200k_base', 'cl100k_base'] },
  },
  {
    name: 'X-Svc-Load',
    in: 'header',
    description: 'Other generations that the request behaves as if they were running',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Prefix-Cache',
    in: 'header',
    description: 'Switches the automatic prompt cache',
    schema: { enum: ['on', 'off'] },
  },
  {
    name: 'X-Svc-Cached-Tokens',
    in: 'header',
    description: 'Prompt tokens that are reported as read from the cache',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Context-Window',
    in: 'header',
    description: 'Context window in tokens',
    schema: { type: 'integer', minimum: 1, maximum: MAX_WINDOW },
  },
  {
    name: 'X-Svc-Stream-Shape',
    in: 'header',
    description: 'How a stream is written, such as `split=utf8, crlf` or `no-done`',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Validation',
    in: 'header',
    description:
      'What happens to a request that the vendor would refuse: `off`, `warn` or `enforce; except=<rules>; also=<rules>`',
    schema: { type: 'string' },
  },
  ...(['Rpm', 'Tpm', 'Itpm', 'Otpm', 'Rpd', 'Tpd'] as const).map(
    (name): RouteParameter => ({
      name: `X-Svc-Limit-${name}`,
      in: 'header',
      description: 'Rate limit for the session, key and model of the request',
      schema: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
    }),
  ),
  {
    name: 'X-Svc-Reply',
    in: 'header',
    description: 'The text of the reply, with percent escapes',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Reply-Json',
    in: 'header',
    description: 'The reply as JSON or base64url of it, like the `reply` of a rule',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Reply-Size',
    in: 'header',
    description: 'The length of the reply: `bytes=<n>` or `tokens=<n>`',
    schema: { type: 'string' },
  },
]

/** The names that the index lists: also those of some routes only, and those of the server. */
export const LISTED_HEADERS: readonly string[] = [
  ...ROUTE_HEADERS.map(({ name }) => name),
  'X-Svc-Batch',
  'X-Svc-Session',
  'X-Svc-Delay',
]
