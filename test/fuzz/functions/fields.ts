/** Values of single fields that plugins read: ranges, dates, cookies, statuses, durations, encodings, preferences. */
import { parseCookies, preferredCoding } from 'svc/toolkit'
import { parseHttpDate as parseSignedDate } from '../../../plugins/auth/hmac/http-date.ts'
import { readRange } from '../../../core/fields/byte-range.ts'
import { isNotModified } from '../../../core/fields/conditional.ts'
import { parseHttpDate } from '../../../core/fields/http-date.ts'
import { jitter, parseDuration } from '../../../plugins/delay/duration.ts'
import { selectResponseType } from '../../../plugins/graphql/response-type.ts'
import { readBound } from '../../../plugins/info/random-integer.ts'
import { sigV4 } from '../../../plugins/llm-bedrock/sigv4.ts'
import { readAccept } from '../../../plugins/mcp/http/media-types.ts'
import { readEventId } from '../../../plugins/mcp/sessions/kept-messages.ts'
import { parseTemplate } from '../../../plugins/mcp/registry/uri-template.ts'
import { decodeHeader } from '../../../plugins/mcp/protocol/headers.ts'
import { appliedPreferences, readPreferences } from '../../../plugins/mocks/request/prefer.ts'
import { deepObject, parseQuery, readCookies } from '../../../plugins/mocks/request/parameters.ts'
import { cookiesIn, formatCookie, readAttributes } from '../../../plugins/redirects/cookie.ts'
import { toLocation, rejectionReason } from '../../../plugins/redirects/redirect-target.ts'
import { readChatRequest } from '../../../plugins/sse/chat-request.ts'
import { readNumberedEvents } from '../../../plugins/sse/numbered-events.ts'
import { requestedHeaders } from '../../../plugins/status/requested-headers.ts'
import { selectStatus, parseStatuses } from '../../../plugins/status/weighted-status.ts'
import { decodeBase64 } from '../../../plugins/transfer/base64.ts'
import { readTrailers } from '../../../plugins/transfer/trailer-fields.ts'
import { readTicks } from '../../../plugins/websocket/ticker.ts'
import type { Config } from '../../../core/config/variables.ts'
import type { AnyFamily } from '../engine.ts'
import { textFamily, unless } from '../text-family.ts'

const DATES = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']
const SETTABLE = /^[\t\x20-\x7e\x80-\xff]*$/
const template = parseTemplate('svc://customers/{id}/orders/{order}')
const isPublic = { publicMode: true } as Config

export const fields: AnyFamily[] = [
  textFamily(
    'ranges',
    ['bytes=0-9', 'bytes=-5', 'bytes=5-', 'bytes = 1-2, 3-4', 'bytes=00-0'],
    field => {
      const range = readRange(field, 100)
      return unless(
        typeof range === 'string' || (range.first >= 0 && range.last < 100 && range.first <= range.last),
        JSON.stringify(range),
      )
    },
    { words: ['bytes=', '-', '99', '100', ','] },
  ),
  textFamily(
    'dates and entity tags',
    [...DATES, '"abc", W/"def"', '*'],
    text => {
      parseSignedDate(text)
      isNotModified({ ifNoneMatch: text }, { etag: '"abc"' })
      const seconds = parseHttpDate(text)
      return unless(seconds === null || Number.isSafeInteger(seconds), `seconds ${seconds}`)
    },
    { words: ['GMT', 'Feb', '31', '60', '24', '9999', '0000'] },
  ),
  textFamily(
    'cookies',
    ['a=b; c="d e"', 'session=abc%20def;;=x;y', '_path=/&_samesite=none&_maxage=-1&a=b'],
    text => {
      parseCookies(text)
      readCookies(text)
      const query = new URLSearchParams(text)
      const attributes = readAttributes(query, flag => query.has(flag))
      for (const [name, value] of cookiesIn(query))
        if (!SETTABLE.test(formatCookie(name, value, attributes))) return 'a line that no header holds'
      return null
    },
    { words: ['_path', '_domain', '_samesite=lax', '_maxage', '__Host-a', '; Path=/', '%3B'] },
  ),
  textFamily(
    'response headers asked for',
    ['Content-Type=text/plain&X-A=1&X-A=2', 'Set-Cookie=a%3Db&Location=/x', 'a=b'],
    text => {
      requestedHeaders(new URLSearchParams(text))
      for (const value of readTrailers(new URLSearchParams(text)).values())
        if (!SETTABLE.test(value)) return `a trailer that no header holds: ${value}`
      return null
    },
    { words: ['Transfer-Encoding', 'Content-Length', 'Connection', '%0d%0a', '%00', 'Trailer'] },
  ),
  textFamily(
    'statuses',
    ['200', '200:0.9,500:0.1', '404,503:2', '101'],
    text => {
      const status = selectStatus(parseStatuses(text))
      return unless(status >= 200 && status <= 599, `status ${status}`)
    },
    { words: [',', ':', '0.1', '1e5', '99'] },
  ),
  textFamily('durations and numbers', ['250', '250ms', '1.5s', '.5S', '-9223372036854775808', '10'], text => {
    readBound(text)
    const ms = parseDuration(text)
    return unless(ms === null || (ms >= 0 && jitter(ms, 5000) <= 5000), `${ms} ms`)
  }),
  textFamily('base64', ['aGVsbG8=', 'aGVsbG8', '-_8', 'AAAA', '====', 'a+/b'], text => {
    const digits = /^[^=]*/.exec(text)![0].length
    const bytes = decodeBase64(text)
    return unless(bytes === null || bytes.length === Math.floor((digits * 3) / 4), 'not as many bytes as were sent')
  }),
  textFamily(
    'redirect targets',
    ['/echo?x=1', 'http://a.example/x', '//evil', 'https://a.example:80@evil/', '/a%5cb'],
    text => {
      const target = new URLSearchParams({ url: text }).get('url')!
      if (rejectionReason(target, 'a.example') !== null) return null
      // How a browser resolves a target that was accepted.
      const { host } = new URL(toLocation(target), 'http://a.example/')
      return unless(host === 'a.example', `leads to ${host}`)
    },
    { words: ['//', '\\', '@', 'http:', 'https://a.example', '\t', '%09', '/.', 'javascript:'] },
  ),
  textFamily(
    'preferences',
    ['code=404, example="a \\"b", dynamic=true', 'return=minimal; foo="bar"', 'seed=x'],
    text => {
      const used = readPreferences(text, parseQuery(text))
      return unless(SETTABLE.test(appliedPreferences(used) ?? ''), 'an answer that no header holds')
    },
    { words: ['code=', 'example=', '"', '\\', 'dynamic=', '__code=200&'] },
  ),
  textFamily(
    'queries of mocks',
    ['a=1&b=2&a=3', 'a[b][c]=1&a[]=2&a[0]=x', 'a=%zz&=&x'],
    text => {
      const pairs = parseQuery(text)
      deepObject('a', pairs)
      return unless(Object.keys(Object.prototype).length === 0 && pairs.length <= 2000, 'too much')
    },
    { words: ['[', ']', 'a[', '[__proto__]', '[constructor][prototype]', '&', '='] },
  ),
  textFamily(
    'other fields',
    [
      'gzip;q=1.0, br;q=0.5, *;q=0',
      'application/json, text/event-stream',
      '=?base64?aGVsbG8=?=',
      'svc://customers/7/orders/8',
      '3-15',
      'AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
    ],
    text => {
      preferredCoding(text, ['br', 'gzip'])
      selectResponseType(text)
      readAccept(text)
      readEventId(text)
      template.match(text)
      sigV4.read?.({ authorization: text, date: 'x' })
      decodeHeader('Mcp-Name', text)
    },
    { words: ['=?base64?', '?=', 'q=', 'svc://', 'Credential=', 'SignedHeaders=host', ';'] },
  ),
  textFamily(
    'values of event streams and tickers',
    [
      'count=3&interval_ms=1&event=tick&mode=text',
      'retry=100&heartbeat_ms=500&count=5',
      'message=hello&delay_ms=5',
      'interval=10&count=2',
    ],
    text => {
      const query = new URLSearchParams(text)
      readNumberedEvents(query, isPublic)
      readTicks(query)
      readChatRequest(query, Buffer.from(text), isPublic)
    },
    { words: ['count=', 'interval_ms=', 'retry=', 'heartbeat_ms=', 'mode=json', 'event=', 'message=', '&'] },
  ),
]
