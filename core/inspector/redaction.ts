/** What never shows where requests are kept: credentials of the control plane and, in shared mode, API keys. */

export interface RedactionOptions {
  /** API keys are redacted too. */
  sharedMode: boolean
  /** Whether a bearer value is the admin token or a valid token of the control plane. */
  isControlCredential(value: string): boolean
}

export interface Redaction {
  /** The value of one header as it may be shown; `name` in lower case. */
  header(name: string, value: string): string
  /** A target with a query, a whole URL, or a query alone. */
  url(url: string): string
}

const REPLACEMENT = 'redacted'
const KEY_PARAMETERS = new Set(['rb_key', 'svc_key'])

export function createRedaction({ sharedMode, isControlCredential }: RedactionOptions): Redaction {
  function header(name: string, value: string): string {
    switch (name) {
      case 'x-svc-admin-token':
        return REPLACEMENT
      case 'authorization':
        return redactBearer(value)
      case 'x-svc-key':
        return sharedMode ? REPLACEMENT : value
      case 'referer':
        return url(value)
      default:
        return value
    }
  }

  function redactBearer(value: string): string {
    const match = /^bearer[ \t](.*)$/is.exec(value)
    return match !== null && isControlCredential(match[1]!.trim()) ? `${value.slice(0, 'bearer'.length)} ${REPLACEMENT}` : value
  }

  function url(text: string): string {
    if (!sharedMode) return text
    const start = text.indexOf('?')
    if (start !== -1) return text.slice(0, start + 1) + redactQuery(text.slice(start + 1))
    return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(text) ? text : redactQuery(text)
  }

  return { header, url }
}

/** The same query with the values of key parameters replaced; names are compared as they decode. */
function redactQuery(query: string): string {
  // Whoever reads a query skips one more `?` before it (WHATWG URL, 6.2): `??svc_key=` names the key too.
  if (query.startsWith('?')) return `?${redactPairs(query.slice(1))}`
  return redactPairs(query)
}

function redactPairs(pairs: string): string {
  return pairs.split('&').map(pair => {
    const equals = pair.indexOf('=')
    return equals !== -1 && KEY_PARAMETERS.has(decodeName(pair.slice(0, equals))) ? `${pair.slice(0, equals)}=${REPLACEMENT}` : pair
  }).join('&')
}

function decodeName(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
