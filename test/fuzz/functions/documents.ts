/** Whole documents and tokens: XML, YAML, OpenAPI, rules of mocks, special JSON, multipart, JWTs, signatures. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { parseYaml, YamlProblem } from '../../../core/config/yaml-document.ts'
import { isNestedWithin } from '../../../core/toolkit/json-depth.ts'
import { checkBodyDigest } from '../../../plugins/auth/hmac/body-digest.ts'
import { readHmacCredentials } from '../../../plugins/auth/hmac/credentials.ts'
import { readGet, readPost } from '../../../plugins/graphql/requests/http-request.ts'
import { decodeCompactJwt } from '../../../plugins/identity/jwt/compact-jwt.ts'
import { readParameters } from '../../../plugins/identity/oauth/parameters.ts'
import { parseExactly, writeExactly } from '../../../plugins/jsonrpc/exact-json.ts'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { checkDefinition } from '../../../plugins/mocks/check/check.ts'
import { OfficialSchema } from '../../../plugins/mocks/check/official-schema.ts'
import type { Json } from '../../../plugins/mocks/document/json.ts'
import { PETSTORE } from '../../../plugins/mocks/sources/petstore.ts'
import { multipartFields } from '../../../plugins/mocks/request/body.ts'
import { isTooExpensive, StepBudget } from '../../../core/contract/budgets.ts'
import { readRules } from '../../../plugins/mocks/rules/rule.ts'
import { readDocument } from '../../../plugins/soap/xml/document.ts'
import { readBodyElement, readVersion } from '../../../plugins/soap/envelope.ts'
import { decodeXml } from '../../../plugins/soap/xml/text.ts'
import { SCHEMES } from '../../../plugins/webhooks/schemes.ts'
import { verify } from '../../../plugins/webhooks/verification.ts'
import type { AnyFamily, Family } from '../engine.ts'
import { mutateJson, mutateText } from '../mutate.ts'
import { bytesFamily, refusing, textFamily, unless } from '../text-family.ts'

const REQUEST_OPTIONS = { batching: 10, maxFiles: 3 }
const example = readFileSync(join(import.meta.dirname, '../../../svc.yaml.example'), 'utf8')
const YAML = [
  'a: 1\nb: [x, {y: z}]\n',
  'a: &x {b: 1}\nc: *x\nd: [*x, *x]\n',
  '- |\n  text\n- >-\n  folded\n- !!str 1\n',
  example.slice(0, 1500),
  '? a\n: b\n"c": \'d\'\n',
]
const YAML_WORDS = [
  '&a ',
  '*a',
  '!!binary ',
  '<<: ',
  '? ',
  '- ',
  '{',
  '[',
  '|',
  '>',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '\t',
  '__proto__: ',
  '[['.repeat(200),
  '"\\x',
  '{a: '.repeat(200),
  '- '.repeat(200),
]
const ENVELOPE =
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:s="urn:svc:soap"><soap:Header><s:a soap:mustUnderstand="0">x</s:a></soap:Header><soap:Body><s:GetUser><s:id>1</s:id><![CDATA[<x>]]><!-- c --></s:GetUser></soap:Body></soap:Envelope>'
const XML_WORDS = [
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '&b;',
  '&#0;',
  '&#x10ffff;',
  '&lt;',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?x ?>',
  ' xmlns:a="b"',
  ' a="',
  '</',
  '/>',
  '<a>',
  '<__proto__/>',
  ' __proto__="1"',
  'soap:',
  ':',
  '<constructor>',
]
const JWT = [
  { alg: 'RS256', typ: 'JWT', kid: '1' },
  { iss: 'x', sub: 'alice', aud: ['a'], exp: 2e9, scope: 'openid', deep: [{ a: 1 }] },
]
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const MULTIPART =
  '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="x.bin"\r\nContent-Type: application/octet-stream\r\n\r\n\0\x01\r\n--b--\r\n'
const RULES = JSON.parse(`[{"id":"a",
  "when":[{"in":"query","name":"x","op":"matches","value":"^a+$"},{"in":"body","jsonpath":"$.items[?@.a>1].b","op":"eq","value":[1]},{"in":"body","pointer":"/a/0","op":"schema","value":{"type":"object"}}],
  "then":{"status":404,"headers":{"X-A":"1"},"body":{"id":"{{request.path.id}}"},"delay_ms":1}}]`) as Json
const OPENAPI = PETSTORE as unknown as Json
const official = new OfficialSchema()
const limits = { bounds: boundsFor(true), outcome: { bounds: boundsFor(true), maxDelayMs: 1000 } as never }

/** Patterns that take too many steps are rejected, too. */
function readRulesOfMock(value: Json): void {
  try {
    readRules(value, { ...limits, checks: new StepBudget(5_000_000) })
  } catch (error) {
    if (!isTooExpensive(error)) throw error
  }
}

/** A YAML problem, or a value within the bounds. */
function readYaml(text: string): void {
  try {
    const { value, locate } = parseYaml(text)
    JSON.stringify(value)
    locate(['a', 'b', 0])
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
  }
}

/** Seeds of JSON values, changed as values. */
function jsonFamily(name: string, seeds: readonly Json[], run: Family<Json>['run'], slice: number): Family<Json> {
  return { name, seeds, slice, run, mutate: (random, seed) => mutateJson(random, seed) as Json }
}

const openApiText: Family<string> = {
  name: 'OpenAPI documents as YAML',
  slice: 60,
  seeds: [stringify(OPENAPI)],
  mutate: (random, seed) => mutateText(random, seed, YAML_WORDS),
  run: async text =>
    void (await checkDefinition({ text, against: null, publicMode: true, maxDelayMs: 1000 }, official)),
}

const signed: Family<{ scheme: number; headers: Record<string, string>; secret: string; tolerance: string | null }> = {
  name: 'webhook signatures',
  slice: 4000,
  seeds: [
    {
      scheme: 0,
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v2,x',
      },
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      tolerance: null,
    },
    {
      scheme: 1,
      headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
      secret: "It's a Secret",
      tolerance: '10',
    },
    {
      scheme: 2,
      headers: {
        'stripe-signature': 't=1614265330,v1=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17,v0=x',
      },
      secret: 'whsec_x',
      tolerance: '300',
    },
  ],
  mutate: (random, seed) => {
    const headers = Object.fromEntries(
      Object.entries(seed.headers).map(([name, value]) => [
        name,
        random.oneIn(2) ? mutateText(random, value, ['v1,', 'v1=', 't=', 'sha256=', ',', ' ']) : value,
      ]),
    )
    return {
      ...seed,
      headers,
      secret: random.oneIn(3) ? mutateText(random, seed.secret) : seed.secret,
      tolerance: random.oneIn(3) ? mutateText(random, '300') : seed.tolerance,
    }
  },
  run: ({ scheme, headers, secret, tolerance }) => {
    const { report } = verify({
      scheme: SCHEMES[scheme]!,
      headers,
      body: Buffer.from('{"a":1}'),
      secret,
      tolerance,
      ignoreTimestamp: true,
    })
    return unless(!report.valid, 'a signature over another body is valid')
  },
}

export const documents: AnyFamily[] = [
  bytesFamily(
    'SOAP envelopes',
    [Buffer.from(ENVELOPE), Buffer.from(`\ufeff${ENVELOPE}`, 'utf16le'), Buffer.from('<a b="c">d&amp;<e/></a>')],
    bytes => {
      const root = readDocument(decodeXml(bytes, 'text/xml; charset=utf-8'))
      readBodyElement(root, readVersion(root))
    },
    { words: XML_WORDS, slice: 1500 },
  ),
  textFamily(
    'XML content types',
    ['text/xml; charset=utf-16', 'application/soap+xml; charset="utf-8"; action=x'],
    type => void decodeXml(Buffer.from(ENVELOPE), type),
  ),
  textFamily('svc.yaml', YAML, readYaml, { words: YAML_WORDS, slice: 800 }),
  openApiText,
  jsonFamily(
    'OpenAPI documents',
    [OPENAPI],
    async value => {
      const { report } = await checkDefinition(
        {
          text: JSON.stringify(value),
          against: { version: 1, text: JSON.stringify(OPENAPI) },
          publicMode: true,
          maxDelayMs: 1000,
        },
        official,
      )
      JSON.stringify(report)
    },
    60,
  ),
  jsonFamily('rules of mocks', [RULES], readRulesOfMock, 2000),
  textFamily(
    'exact JSON',
    ['{"a":1.50,"b":[9007199254740993,-0,1e400],"c":"\\u00e9"}', '[[1],{"x":null}]'],
    text => {
      const value = parseExactly(Buffer.from(text))
      if (value !== undefined) refusing(() => void writeExactly(value))
    },
    { words: ['__proto__', '"__proto__":', '\\ud800', '1e999', '-', '['.repeat(2000)] },
  ),
  textFamily(
    'JWTs',
    [`${encoded(JWT[0])}.${encoded(JWT[1])}.c2ln`, `${encoded({ alg: 'none' })}.${encoded({})}.`, 'a.b.c'],
    token => {
      const decoded = decodeCompactJwt(token)
      return unless('malformed' in decoded || isNestedWithin(decoded.claims, 64), 'nested too deep')
    },
    { words: ['.', '..', 'e30', 'eyJhbGciOiJub25lIn0', encoded(JSON.parse('['.repeat(100) + ']'.repeat(100))), '='] },
  ),
  signed,
  textFamily(
    'HMAC credentials and digests',
    [
      'hmac username="alice", algorithm="hmac-sha256", headers="date request-line", signature="abc="',
      'Signature keyId="alice",headers="(request-target) date",signature="x"',
      'SHA-256=abc=,sha-512=x',
    ],
    text => {
      readHmacCredentials({
        headers: { authorization: text, signature: text },
        raw: { rawHeaders: ['Signature', text] },
      } as never)
      return unless(checkBodyDigest(text, Buffer.from('x')) !== 'match', 'a digest of another body matches')
    },
    { words: ['keyId=', 'headers="', 'username=', '"', ',', 'SHA-256=', '(request-target)'] },
  ),
  textFamily(
    'OAuth forms',
    [
      'grant_type=authorization_code&code=x&redirect_uri=http%3A%2F%2Fa&resource=a&resource=b',
      'client_id=a&scope=openid%20profile&code_challenge=x',
    ],
    text => {
      const parameters = readParameters(text)
      return unless(parameters.get('__proto__') === undefined || text.includes('proto'), 'an inherited parameter')
    },
    { words: ['&', '=', 'grant_type=', '%00', '+', '&&', '__proto__=1'] },
  ),
  textFamily(
    'GraphQL requests',
    [
      '{"query":"{ a }","variables":{"x":1},"operationName":"A","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
      '[{"query":"{a}"}]',
    ],
    text => {
      refusing(() => void readPost('application/json', Buffer.from(text), REQUEST_OPTIONS))
      refusing(() => void readPost(text.slice(0, 100), Buffer.from(text), REQUEST_OPTIONS))
      readGet(new URLSearchParams({ query: '{a}', variables: text }))
    },
  ),
  bytesFamily(
    'multipart bodies',
    [Buffer.from(MULTIPART, 'latin1'), Buffer.from('--b--\r\n')],
    bytes => {
      const fields = multipartFields(bytes, 'multipart/form-data; boundary=b')
      return unless(fields === undefined || fields.length <= 1000, 'too many fields')
    },
    { words: ['--b', '--b--', '\r\n\r\n', 'name="', 'filename="', 'Content-Disposition: form-data', '\r\n'] },
  ),
]
