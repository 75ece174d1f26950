/**
 * Which names belong to secrets: the one rule for everything that is written to files or shown to others (recordings, options
 * of plugins, records, exported requests, reports, spans).
 *
 * A name is split into words (at `_`, `-`, other punctuation and changes of case) and then compared without separators, so that
 * `clientSecret`, `client_secret`, `Client-Secret` and `CLIENTSECRET` are one name. It belongs to a secret if it contains one of
 * `PARTS`, or is one of `EXACT`. Parts are found inside words as well, because `apikey`, `authtoken` and `accesskey` are
 * common. Words in which a part means something else (`keyboard`, `tokenizer`) and names that are known to be ordinary
 * (`idempotency_key`, `page_token`) do not count, nor do names that describe a secret instead of being one (`token_type`,
 * `token_endpoint`). In doubt a name belongs to a secret: a redacted value can be seen, a leaked one cannot be taken back.
 */

const PARTS = /key|token|secret|password|passwd|passphrase|credential|assertion|signature|(?:authorization|cookies?)$/
/** Without separators. */
const EXACT = new Set([
  'authorizationcode',
  'bearer',
  'code',
  'codeverifier',
  'cookie2',
  'devicecode',
  'dpop',
  'jwt',
  'otp',
  'pass',
  'pwd',
  'sig',
  'usercode',
])
/** Words with a part that means something else, without their ending. */
const OTHER_WORDS =
  /^(?:keyboard|keyframe|keynote|keypad|keypress|keystroke|keyword|keyed|monkey|turkey|donkey|hockey|jockey|whiskey|tokeni[sz]|secretar)/
/** Words before `key` and before `token` in ordinary identifiers, written as two words or as one. */
const ORDINARY = {
  key: new Set(
    'cache foreign idempotency object partition primary public routing row sort surrogate websocket'.split(' '),
  ),
  token: new Set('bos continuation cursor eos mask next pad page paging pagination stop sync unk'.split(' ')),
}
/** The last word of names that describe a secret. */
const DESCRIPTIONS = new Set([
  'alg',
  'algorithm',
  'algorithms',
  'count',
  'details',
  'endpoint',
  'endpoints',
  'exp',
  'expiration',
  'expiry',
  'format',
  'id',
  'ids',
  'length',
  'limit',
  'method',
  'methods',
  'name',
  'names',
  'ops',
  'remaining',
  'required',
  'reset',
  'size',
  'status',
  'supported',
  'ttl',
  'type',
  'types',
  'uri',
  'uris',
  'url',
  'urls',
  'usage',
  'use',
  'version',
])
/** Other ends of such names, without separators. */
const DESCRIPTION_ENDS = /(?:typehint|(?:expires|expired|issued|created|updated|rotated)(?:in|at|on)?)$/
/** An identifier that is half of a pair of credentials. */
const ACCESS_KEY_ID = /accesskeyids?$/
/** Of longer names, only the end matters. */
const MAX_NAME = 256

/** Whether the value of a header, parameter, member or variable with this name is a secret. */
export function isSecretName(name: string): boolean {
  // Most names are rejected here, without being split.
  const letters = name
    .slice(-MAX_NAME)
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
  if (!PARTS.test(letters) && !EXACT.has(letters)) return false
  const words = wordsOf(name)
  const joined = words.join('')
  if (EXACT.has(joined)) return true
  if (!PARTS.test(joined)) return false
  if (ACCESS_KEY_ID.test(joined)) return true
  if (DESCRIPTIONS.has(words.at(-1) ?? '') || DESCRIPTION_ENDS.test(joined)) return false
  // Headers about rate limits count tokens.
  const counted = withoutOrdinary(words).join('')
  return PARTS.test(joined.includes('ratelimit') ? counted.replaceAll('token', '.') : counted)
}

function withoutOrdinary(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const [, compound, part] = /^([a-z]+?)(key|token)s?$/.exec(word) ?? []
    if (OTHER_WORDS.test(word) || (compound !== undefined && ORDINARY[part as 'key' | 'token'].has(compound)))
      return false
    const [, end] = /^(key|token)s?$/.exec(word) ?? []
    return end === undefined || !ORDINARY[end as 'key' | 'token'].has(words[index - 1] ?? '')
  })
}

/** In lower case. */
function wordsOf(name: string): string[] {
  return name
    .slice(-MAX_NAME)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter(word => word !== '' && !/^\d+$/.test(word))
}

/** Country, currency and similar codes. */
const SHORT_CODE = 3
/** The codes of errors: words, or a number. */
const ERROR_CODE = /^(?:[A-Za-z]{1,40}(?:[_.-][A-Za-z]{1,40}){0,10}|[A-Z]{0,4}\d{1,6})$/

/**
 * Whether a text under a secret's name is ordinary: a number of tokens or keys, a short code such as that of a country, or, if
 * the other members of its object say so, the code of an error or a piece of text that a model has weighed.
 */
export function isOrdinaryText(name: string, text: string, members?: object): boolean {
  if (text === '') return true
  const has = (other: string): boolean => members !== undefined && Object.hasOwn(members, other)
  if (/(?:tokens|keys)$/i.test(name)) return /^\d{1,12}$/.test(text) || has('token_logprobs')
  if (/^token$/i.test(name)) return has('logprob')
  if (!/^code$/i.test(name)) return false
  return text.length <= SHORT_CODE || ((has('message') || has('error')) && ERROR_CODE.test(text))
}
