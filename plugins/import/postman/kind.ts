/** Saved examples of Postman collections (2.0 and 2.1) as rules. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { literalPath } from '../stub/patterns.ts'
import { Stub, textOf } from '../stub/stub.ts'
import type { Conversion, ConvertedRules, ImportFile, Importing, ImportKind, ItemPath, WrittenFile } from '../types.ts'

const SCHEMAS = ['/v2.0.0', '/v2.1.0']
const MAX_DEPTH = 30
/** Fields of Postman by which a request chooses an example. */
const BY_CODE = 'X-Mock-Response-Code'
const BY_NAME = 'X-Mock-Response-Name'

export const postmanKind: ImportKind = {
  id: 'postman',
  recognizes({ document }) {
    const schema = isRecord(document) && isRecord(document.info) ? textOf(document.info.schema as Json) : ''
    return schema.includes('getpostman.com') && SCHEMAS.some(version => schema.includes(version))
  },
  convert(files, importing) {
    const counted = { found: 0, disabled: 0, skipped: 0 }
    const rules: ConvertedRules[] = []
    const written: WrittenFile[] = []
    for (const file of files) {
      const collection = new Collection(file, importing)
      const own = collection.examples().flatMap(example => {
        const { stub, rules: made } = collection.rulesOf(example)
        counted.found++
        if (stub.isSkipped) counted.skipped++
        else written.push(...stub.files)
        if (stub.isDisabled) counted.disabled++
        return made
      })
      counted.found += collection.skipped
      counted.skipped += collection.skipped
      rules.push({ file, rules: own })
    }
    return { ...counted, rules, files: written } satisfies Conversion
  },
}

interface Example {
  value: JsonObject
  request: JsonObject
  path: ItemPath
  name: string
  /** Whether it answers requests that choose none. */
  isDefault: boolean
}

class Collection {
  /** Items without examples. */
  skipped = 0
  readonly #file: ImportFile
  readonly #importing: Importing
  readonly #variables = new Map<string, string>()

  constructor(file: ImportFile, importing: Importing) {
    this.#file = file
    this.#importing = importing
    const { variable } = file.document as JsonObject
    for (const one of Array.isArray(variable) ? variable : [])
      if (isRecord(one)) this.#variables.set(textOf((one.key ?? one.id) as Json), textOf(one.value as Json))
  }

  /** All examples, and findings about the rest. */
  examples(): Example[] {
    const examples: Example[] = []
    const document = this.#file.document as JsonObject
    const meaningless =
      this.#walk(document.item, ['item'], examples, 0) || document.event !== undefined || document.auth !== undefined
    if (meaningless)
      this.#importing.find(this.#file, [], 'lost', 'scripts and credentials of requests have no meaning for answers')
    for (const name of Object.keys(document))
      if (!['info', 'item', 'event', 'auth', 'variable', 'protocolProfileBehavior'].includes(name))
        this.#importing.find(this.#file, [name], 'lost', 'svc import does not know this member')
    return examples
  }

  /** Whether an item has scripts or credentials. */
  #walk(items: Json | undefined, path: ItemPath, examples: Example[], depth: number): boolean {
    let hasScripts = false
    for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
      const at = [...path, index]
      if (!isRecord(item)) continue
      hasScripts ||=
        item.event !== undefined ||
        item.auth !== undefined ||
        (isRecord(item.request) && item.request.auth !== undefined)
      if (Array.isArray(item.item)) {
        if (depth >= MAX_DEPTH)
          this.#importing.find(this.#file, at, 'skipped', `expected at most ${MAX_DEPTH} levels of folders`)
        else if (this.#walk(item.item as Json, [...at, 'item'], examples, depth + 1)) hasScripts = true
        continue
      }
      const responses = (Array.isArray(item.response) ? item.response : []).flatMap((value, number) =>
        isRecord(value) ? [{ value: value as JsonObject, path: [...at, 'response', number] }] : [],
      )
      if (responses.length === 0) {
        this.skipped++
        this.#importing.find(this.#file, at, 'skipped', 'the request has no saved example')
        continue
      }
      const first = Math.max(
        0,
        responses.findIndex(({ value }) => /^2\d\d$/.test(textOf(value.code))),
      )
      for (const [number, { value, path: place }] of responses.entries()) {
        const request = isRecord(value.originalRequest)
          ? value.originalRequest
          : isRecord(item.request)
            ? item.request
            : { url: item.request ?? '' }
        examples.push({
          value,
          request: request as JsonObject,
          path: place,
          name: `${textOf(item.name as Json)}-${textOf(value.name)}`,
          isDefault: number === first,
        })
      }
    }
    return hasScripts
  }

  /** The rule of an example, after those that ask for it by code or name. */
  rulesOf({ value, request, path, name, isDefault }: Example): { stub: Stub; rules: JsonObject[] } {
    const stub = new Stub(this.#importing, this.#file, path, this.#importing.ruleName(name))
    const method = textOf(request.method ?? 'GET').toUpperCase()
    stub.and({ method: method === '' ? 'GET' : method })
    this.#addUrl(request.url, stub)
    const code = Number(value.code ?? 200)
    const isStatus = Number.isInteger(code) && code >= 200 && code <= 599
    if (!isStatus) stub.lost([...path, 'code'], 'expected a status from 200 to 599; 200 is sent')
    const fields = (Array.isArray(value.header) ? value.header : []).flatMap((field, index) =>
      isRecord(field) && field.disabled !== true && textOf(field.key as Json).toLowerCase() !== 'content-encoding'
        ? [
            [
              textOf(field.key as Json),
              this.#filled(textOf(field.value as Json)),
              [...path, 'header', index] as ItemPath,
            ] as const,
          ]
        : [],
    )
    const headers = stub.headers(fields)
    const hasType = Object.keys(headers).some(one => one.toLowerCase() === 'content-type')
    for (const member of Object.keys(value))
      if (!KNOWN.has(member)) stub.lost([...path, member], 'svc import does not know this member')
    const respond: JsonObject = {
      status: isStatus ? code : 200,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(hasType ? {} : { content_type: null }),
      ...stub.body(textOf(value.body), false),
      template: false,
    }
    const example = textOf(value.name)
    const chosen: JsonObject = {
      any: [{ header: { [BY_CODE]: String(code) } }, ...(example === '' ? [] : [{ header: { [BY_NAME]: example } }])],
    }
    const asked = stub.rule(
      { respond },
      { priority: 1 },
      { name: this.#importing.ruleName(`${stub.name}-asked`), match: { ...stub.match, ...chosen } },
    )
    const plain = isDefault && !stub.isSkipped ? stub.rule({ respond }) : null
    return { stub, rules: [asked, plain].filter(rule => rule !== null) }
  }

  #addUrl(url: Json | undefined, stub: Stub): void {
    const given = isRecord(url) ? (url as JsonObject) : { raw: textOf(url) }
    const raw = this.#filled(textOf(given.raw))
    const segments = Array.isArray(given.path)
      ? given.path.map(part => this.#filled(isRecord(part) ? textOf(part.value as Json) : textOf(part)))
      : raw
          .replace(/^[a-z]+:\/\/[^/?#]*/i, '')
          .replace(/^\{\{[^{}]*\}\}/, '')
          .split(/[?#]/, 1)[0]!
          .split('/')
          .slice(1)
    const names = new Set<string>()
    const written = segments.map(part => {
      const name = /^:([A-Za-z_]\w{0,63})$/.exec(part)?.[1] ?? /^\{\{([A-Za-z_]\w{0,63})\}\}$/.exec(part)?.[1]
      if (name === undefined || names.has(name)) return name === undefined ? literalPath(part) : '*'
      names.add(name)
      return `{${name}}`
    })
    stub.and({ path: `/${written.join('/')}` })
    const pairs: [string, string][] = Array.isArray(given.query)
      ? given.query.flatMap((one): [string, string][] =>
          isRecord(one) && one.disabled !== true ? [[textOf(one.key as Json), textOf(one.value as Json)]] : [],
        )
      : [...new URLSearchParams(raw.split('#', 1)[0]!.split('?')[1] ?? '')]
    for (const [name, text] of pairs) {
      const filled = this.#filled(text)
      if (name !== '' && filled !== '' && !filled.includes('{{')) stub.and({ query: { [name]: { equals: filled } } })
    }
  }

  /** The text with the variables of the collection; others stay. */
  #filled(text: string): string {
    return text.replaceAll(
      /\{\{([^{}]{1,200})\}\}/g,
      (whole, name: string) => this.#variables.get(name.trim()) ?? whole,
    )
  }
}

const KNOWN = new Set([
  'id',
  'name',
  'originalRequest',
  'status',
  'code',
  'header',
  'body',
  'cookie',
  'responseTime',
  'timings',
  'uid',
  '_postman_previewlanguage',
  '_postman_previewtype',
])
