/**
 * Fields of a request head that the core reads: targets, hosts, addresses, preferences, credentials, faults, traces.
 */
import FindMyWay from 'find-my-way'
import { isIP } from 'node:net'
import { preferredType, negotiateType } from '../../../core/fields/accept.ts'
import { parseAuthority } from '../../../core/fields/authority.ts'
import { readAuthorization, readBasicCredentials, readBearerToken } from '../../../core/fields/authorization.ts'
import { createClientAddress, isInternal, parseAddress } from '../../../core/http/request/client-address.ts'
import { parseForwarded } from '../../../core/fields/forwarded.ts'
import { createOrigin } from '../../../core/http/request/origin.ts'
import { decodedPath, isBelow } from '../../../core/fields/request-target.ts'
import { headProblem } from '../../../core/http/listener/head-validation.ts'
import { decodeCertificateHeader } from '../../../core/pki/certificate-header.ts'
import { parseAbort, parseDelay, parseFail } from '../../../core/rules/fault-headers.ts'
import { findKey } from '../../../core/keys/api-key.ts'
import { createRedaction } from '../../../core/inspector/redaction.ts'
import { queryRecord } from '../../../core/contract/input.ts'
import { readTraceParent } from '../../../core/tracing/trace-context.ts'
import { isSessionName } from '../../../core/fields/session-prefix.ts'
import type { AnyFamily } from '../engine.ts'
import { textFamily, unless } from '../text-family.ts'

/** Everything below `/_svc` and `/ui` is protected by its path: a route there is never mistaken for another. */
const router = FindMyWay({ maxParamLength: 16_384, caseSensitive: true })
for (const path of ['/_svc/config', '/_svc/requests/:id', '/_svc/mocks/:name/*', '/ui/*', '/x/*'])
  router.on('GET', path, () => {}, path.split('/', 2)[1])

const originOf = createOrigin({ trustForward: true, bindHost: '0.0.0.0' })
const clientOf = createClientAddress({ trustForward: true })
const redaction = createRedaction({
  sharedMode: true,
  adminToken: 'secret',
  isControlToken: value => value === 'a.b.c-token',
})
const FORWARDED = [
  'for=192.0.2.60;proto=http;by=203.0.113.43;host=a.example',
  'for="[2001:db8:cafe::17]:4711", for=unknown',
  'for=_hidden;host="a:80"',
  '203.0.113.195, 70.41.3.18, 150.172.238.178',
  '[::1]:80',
  '::ffff:1.2.3.4',
  'fe80::1%eth0',
  '100.64.0.1:9',
]

export const heads: AnyFamily[] = [
  textFamily(
    'request targets',
    [
      '/_svc/config?x=1',
      '/%5Fsvc/requests/a%2Fb',
      'http://host:80/ui/x?y#z',
      '/_svc/mocks/a/rules',
      '*',
      '/x/../_svc/config',
      'HTTPS://u@h/ui/',
    ],
    target => {
      const store = router.find('GET', target)?.store as string | undefined
      const path = decodedPath(target)
      // Without a path the response is 400, and the router is not called.
      if (store === undefined || path === null) return null
      return unless(isBelow(path, `/${store}`), `the router finds /${store}, the path is ${path}`)
    },
    { words: ['_svc', '%5F', '%2F', '%2e%2e', '//', '\\', ';', '?', '#', 'http://', '/ui/', '%25', '*'] },
  ),
  textFamily('Host', ['a.example:80', '[2001:db8::1]:8443', 'A_b-c.d', '%41'], host => {
    headProblem({ httpVersion: '1.1', headers: { host }, rawHeaders: ['Host', host] })
    const authority = parseAuthority(host)
    return unless(authority === null || authority.port === null || authority.port <= 65_535, 'an invalid port')
  }),
  textFamily('Forwarded and X-Forwarded-*', FORWARDED, value => {
    parseForwarded(value, 32)
    const headers = {
      forwarded: value,
      'x-forwarded-for': value,
      'x-forwarded-host': value,
      'x-forwarded-port': value,
      'x-forwarded-proto': value,
      'x-forwarded-prefix': value,
      host: 'a',
    }
    const address = parseAddress(value)
    if (address !== null) isInternal(address)
    const { scheme, port } = originOf({ headers, scheme: 'http', port: 80 }) as { scheme: string; port?: number }
    if ((scheme !== 'http' && scheme !== 'https') || (port !== undefined && !(port >= 0 && port <= 65_535)))
      return `origin ${scheme} ${port}`
    for (const one of [headers, { 'x-forwarded-for': value }, { 'x-real-ip': value }])
      if (isIP(clientOf(one, '127.0.0.1')) === 0) return `client ${clientOf(one, '127.0.0.1')}`
    return null
  }),
  textFamily(
    'Accept',
    [
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'application/json; charset=utf-8',
      'image/*;q=0.1, text/*',
      'a/b;q=1;ext=";,"',
    ],
    accept => {
      const type = preferredType(accept, ['text/html', 'application/json'])
      negotiateType(accept)
      return unless(
        type === null || type === 'text/html' || type === 'application/json',
        `a type that was not offered: ${type}`,
      )
    },
  ),
  textFamily(
    'Authorization',
    [
      `Basic ${Buffer.from('user:pass').toString('base64')}`,
      'Bearer abc.def.ghi',
      'hmac username="a", headers="date", signature="x"',
      'bearer\tsecret',
    ],
    value => {
      const found = readAuthorization(value)
      if (found !== null) readBasicCredentials(found.credentials)
      readBearerToken(value)
      return unless(
        !/^bearer[ \t]+secret\s*$/i.test(value) || !redaction.header('authorization', value).includes('secret'),
        'a control credential is shown',
      )
    },
  ),
  textFamily(
    'fault headers',
    ['250', '503:50', 'reset : 50 %', 'bad-chunk', 'garbage', '429', 'truncate:100%'],
    value => {
      parseAbort(value)
      const fail = parseFail(value)
      const delay = parseDelay(value, 1000)
      return unless(
        delay >= 0 && delay <= 1000 && (fail === null || (fail.status >= 400 && fail.status <= 599)),
        `delay ${delay}, ${JSON.stringify(fail)}`,
      )
    },
    { words: ['reset', 'close', 'empty', ':', '%', '503', '100'] },
  ),
  textFamily(
    'trace context',
    [
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what',
      'vendor=a,t@v=b',
    ],
    value => {
      readTraceParent({ traceparent: value })
      const parent = readTraceParent({
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        tracestate: value,
      })
      return unless(
        parent !== null && (parent.state === null || /^[ -~]+$/.test(parent.state)),
        'a state that no header holds',
      )
    },
  ),
  textFamily(
    'keys and queries',
    [
      '/echo?svc_key=sk_live_0123456789abcdef&x=1',
      '/x?rb_key=k&rb_key=l',
      '/x?%73vc_key=k',
      'https://a/b?svc_key=secret#x',
    ],
    url => {
      findKey(url, '/')
      isSessionName(url)
      queryRecord(url.slice(url.indexOf('?') + 1))
      const target = `/${url}`
      const key = findKey(undefined, target)
      const shown = findKey(undefined, redaction.url(target))
      return unless(key === null || shown === 'redacted', `a key that counts is shown: ${shown}`)
    },
    { words: ['svc_key', 'rb_key', 'svc_key=', '&svc_key=abc', '%5f', '+', '%3D', ';svc_key=a'] },
  ),
  textFamily(
    'certificates in headers',
    [
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      '-----BEGIN%20CERTIFICATE-----%0AMIIB%0A-----END%20CERTIFICATE-----',
      ':MIIB:',
      'MIIBabc=',
    ],
    value => void decodeCertificateHeader(value),
  ),
]
