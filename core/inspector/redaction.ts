/**
 * Redacts credentials wherever requests are stored: credentials of the control plane and, in shared mode, API keys.
 * Both are also matched by value, because proxies copy them into other fields (`X-Original-Uri`,
 * `Proxy-Authorization`).
 */

export interface RedactionOptions {
  /** Whether API keys are redacted too. */
  sharedMode: boolean
  /** The admin token in the encoding in which Node reads headers (Latin-1); null if none is configured. */
  adminToken: string | null
  /** Whether a value is a verified control-plane token; null if tokens are not accepted. */
  isControlToken: ((value: string) => boolean) | null
}

export interface Redaction {
  /** The value of one header as it may be shown; `name` in lower case. `apiKey` is the key presented by the request. */
  header(name: string, value: string, apiKey?: string | null): string
  /** Redacts a request target, a whole URL, or only a query. */
  url(url: string, apiKey?: string | null): string
  /** Redacts any other text, such as a body, as Latin-1 or decoded. */
  text(text: string, apiKey?: string | null): string
  /** Whether only the headers that `header` knows by name are ever redacted. */
  readonly isByNameOnly: boolean
}

const REPLACEMENT = 'redacted'
const KEY_PARAMETERS = new Set(['rb_key', 'svc_key'])
/** Shorter secrets are replaced only as whole words, because they may occur in ordinary text. */
const MIN_PART_LENGTH = 8
/** Header fields that contain the URL of this request or of the previous one. */
const URL_FIELDS = new Set([
  'referer',
  'x-forwarded-uri',
  'x-forwarded-url',
  'x-original-uri',
  'x-original-url',
  'x-rewrite-url',
  'x-envoy-original-path',
  'x-forwarded-path',
  'x-request-uri',
])
const CREDENTIAL_FIELDS = new Set(['authorization', 'proxy-authorization'])

export function createRedaction({ sharedMode, adminToken, isControlToken }: RedactionOptions): Redaction {
  const isByNameOnly = !sharedMode && adminToken === null && isControlToken === null

  function header(name: string, value: string, apiKey: string | null = null): string {
    if (name === 'x-svc-admin-token' || (sharedMode && name === 'x-svc-key')) return REPLACEMENT
    if (isByNameOnly) return value
    const shown = sharedMode && URL_FIELDS.has(name) ? url(value, apiKey) : text(value, apiKey)
    return CREDENTIAL_FIELDS.has(name)
      ? redactBasic(shown).replace(/^(bearer)[ \t]+redacted$/i, `$1 ${REPLACEMENT}`)
      : shown
  }

  /** Redacts the admin token as user name or password of Basic credentials (RFC 7617, 2). */
  function redactBasic(value: string): string {
    const match = /^(basic[ \t]+)([\w+/=-]+)$/i.exec(value.slice(0, 8192))
    if (match === null || adminToken === null) return value
    const decoded = Buffer.from(match[2]!, 'base64').toString('latin1')
    return !decoded.includes(':') || replaceSecret(decoded, adminToken) === decoded
      ? value
      : `${match[1]}${REPLACEMENT}`
  }

  function url(target: string, apiKey: string | null = null): string {
    return text(sharedMode ? redactKeys(target) : target, apiKey)
  }

  function text(value: string, apiKey: string | null = null): string {
    let shown = value
    if (adminToken !== null) shown = replaceSecret(shown, adminToken)
    if (sharedMode && apiKey !== null) shown = replaceSecret(shown, apiKey)
    if (isControlToken !== null && value.includes('.')) {
      // Split instead of matched: a pattern with three open ends would try every start position.
      for (const word of new Set(value.split(/[^\w.-]/))) {
        if (word.length >= MIN_PART_LENGTH && isControlToken(word)) shown = shown.replaceAll(word, REPLACEMENT)
      }
    }
    return shown
  }

  return { header, url, text, isByNameOnly }
}

/** Replaces every occurrence of a secret, plain or percent-encoded; a short one only as a whole word. */
function replaceSecret(text: string, secret: string): string {
  if (secret === '') return text
  if (secret.length < MIN_PART_LENGTH) return text.includes(secret) ? replaceWords(text, secret) : text
  const shown = text.includes(secret) ? text.replaceAll(secret, REPLACEMENT) : text
  if (!shown.includes('%')) return shown
  const encoded = encodeURIComponent(secret)
  return encoded === secret ? shown : shown.replaceAll(encoded, REPLACEMENT)
}

function replaceWords(text: string, secret: string): string {
  return text
    .split(/([\s,;:="'&?()<>[\]{}]+)/)
    .map(word => (word === secret ? REPLACEMENT : word))
    .join('')
}

function redactKeys(target: string): string {
  const start = target.indexOf('?')
  if (start !== -1) return target.slice(0, start + 1) + redactQuery(target.slice(start + 1))
  return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(target) ? target : redactQuery(target)
}

/** The same query with the values of key parameters replaced; names are compared after decoding. */
function redactQuery(query: string): string {
  // Query parsers skip one more leading `?` (WHATWG URL, 6.2), so `??svc_key=` sets the key too.
  if (query.startsWith('?')) return `?${redactPairs(query.slice(1))}`
  return redactPairs(query)
}

function redactPairs(pairs: string): string {
  return pairs
    .split('&')
    .map(pair => {
      const equals = pair.indexOf('=')
      return equals !== -1 && KEY_PARAMETERS.has(decodeName(pair.slice(0, equals)))
        ? `${pair.slice(0, equals)}=${REPLACEMENT}`
        : pair
    })
    .join('&')
}

function decodeName(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
