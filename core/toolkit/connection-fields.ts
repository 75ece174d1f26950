/** Header fields that belong to one connection, and not to the message that passes over it (RFC 9110, 7.6.1). */

/** Also those of authentication between a client and a proxy (RFC 9110, 11.7), and of an upgrade to HTTP/2 (RFC 7540, 3.2.1). */
const CONNECTION_FIELDS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** A test for the names of fields, in any case; with these fields of the same message, whose `Connection` names more. */
export function connectionFieldTest(
  fields: Iterable<readonly [name: string, value: string]>,
): (name: string) => boolean {
  const named = new Set<string>()
  for (const [name, value] of fields)
    if (name.toLowerCase() === 'connection')
      for (const option of value.split(',')) named.add(option.trim().toLowerCase())
  return name => {
    const lower = name.toLowerCase()
    return CONNECTION_FIELDS.has(lower) || named.has(lower)
  }
}
